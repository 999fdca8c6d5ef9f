import perspective from '@finos/perspective/node';
import {
  Bool,
  type DataType,
  DateDay,
  Dictionary,
  Float64,
  Int32,
  Table,
  tableToIPC,
  TimestampMillisecond,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { afterAll } from 'vitest';
import { isDateRange, type Slice } from '../../src/lib/contract/slices';
import type { ReadCell } from '../../src/lib/pivot/slice/cell';
import type { ColumnType, EngineTable, Schema } from '../../src/lib/pivot/values/engine-types';
import { listOf } from '../../src/lib/pivot/slice/slice-values';
import type { BesideTable, Untold } from '../../src/lib/pivot/grid/views/beside';
import { ViewReader } from '../../src/lib/pivot/grid/views/view-reader';

/** A row of the tables; a date is ISO text. */
export type Row = Record<string, string | number | boolean | null>;

export const SCHEMA = {
  pf_id: 'integer',
  pf_iter: 'string',
  pf_note: 'string',
  region: 'string',
  'sub-category': 'string',
  'Order Date': 'date',
  flag: 'boolean',
  size: 'integer',
  rate: 'float',
  value: 'float',
  units: 'integer',
} as const;

export const COLUMNS = [
  ...['region', 'sub-category', 'flag', 'size', 'rate'].map((cname) => ({
    cname,
    role: 'dimension' as const,
    is_key: false,
  })),
  { cname: 'Order Date', role: 'date' as const, is_key: false },
  { cname: 'value', role: 'value' as const, is_key: false },
  { cname: 'units', role: 'units' as const, is_key: false },
];

export const TEXTS = ['West', 'East', '', 'null', 'a|b', 'b', 'a', '0', 'false', 'value', null];
export const DAYS = ['1969-12-31', '2019-01-01', '2019-01-31', '2019-02-01', '2019-03-31', null];

/** Rows with every awkward value. Each amount is a power of two, so a sum reveals its rows. */
export function awkwardRows(count: number, seed = 7): Row[] {
  let state = seed;
  const next = (n: number) => (state = (state * 48271) % 2147483647) % n;
  const pick = <T>(list: readonly T[]) => list[next(list.length)] as T;
  return Array.from({ length: count }, (_, i) => ({
    pf_id: i + 1,
    pf_iter: pick(['baseline', 'reference', 'scale']),
    pf_note: pick(['first | note', null]),
    region: pick(TEXTS),
    'sub-category': pick(TEXTS),
    'Order Date': pick(DAYS),
    flag: pick([true, false, null]),
    size: pick([0, 1, -1, 40, null]),
    rate: pick([0, 0.1, 0.1 + 0.2, 1.5, null]),
    value: next(100_000) / 100,
    units: 1 + next(50),
  }));
}

/** {@link SCHEMA} with the log entry of each row and a timestamp. */
export const LOGGED: Schema = { ...SCHEMA, pf_logid: 'integer', seen: 'datetime' };

/** Rows of an entry. Their keys follow those of the previous entry. */
export const rowsOfEntry = (pf_logid: number, count: number): Row[] =>
  awkwardRows(count, 7 + pf_logid).map((row, i) => ({
    ...row,
    pf_id: 1_000_000 * pf_logid + i,
    pf_logid,
    seen: i % 5 === 0 ? null : Date.UTC(1969, 11, 31, i),
  }));

const tables: { delete(): Promise<void> }[] = [];
afterAll(async () => {
  for (const table of tables) await table.delete();
});

const text = () => new Dictionary(new Utf8(), new Int32());
const ARROW_TYPES: Record<ColumnType, () => DataType> = {
  string: text,
  integer: () => new Int32(),
  float: () => new Float64(),
  boolean: () => new Bool(),
  date: () => new DateDay(),
  datetime: () => new TimestampMillisecond(),
};

/** A table loaded as the product loads it: one Arrow stream, indexed. */
export const tableOf = (rows: Row[]) => tableFrom(bytesOf(rows));

export async function tableFrom(bytes: ArrayBuffer) {
  const table = await perspective.table(bytes, { index: 'pf_id' });
  tables.push(table);
  return table;
}

/** A table without rows. */
export async function emptyTable(schema: Schema) {
  const table = await perspective.table({ ...schema }, { index: 'pf_id' });
  tables.push(table);
  return table;
}

/** Encodes rows as the service sends them: one Arrow stream of one record batch. */
export function bytesOf(rows: Row[], schema: Schema = SCHEMA): ArrayBuffer {
  const columns = Object.entries(schema).map(([name, type]) => {
    const values = rows.map((row) =>
      type === 'date' && row[name] !== null ? new Date(String(row[name])) : row[name],
    );
    return [name, vectorFromArray(values, ARROW_TYPES[type]())] as const;
  });
  const bytes = tableToIPC(new Table(Object.fromEntries(columns)), 'stream');
  return bytes.slice().buffer as ArrayBuffer;
}

/** The rows that a slice selects, by the rules of the service's SQL. */
export function selected(rows: Row[], slice: Slice): Row[] {
  return rows.filter((row) =>
    Object.entries(slice).every(([column, wanted]) => {
      const value = row[column] ?? null;
      if (!isDateRange(wanted)) return listOf(wanted).includes(value);
      return value !== null && (wanted.from ?? '') <= value && value <= (wanted.to ?? '~');
    }),
  );
}

export const sum = (rows: Row[], column: string) =>
  rows.reduce((total, row) => total + Number(row[column]), 0);

export interface LayoutUnderTest {
  name: string;
  config: Record<string, unknown>;
  depth?: number;
  /** Selects rows by filters that a slice cannot express. */
  keeps?: (row: Row) => boolean;
}

/**
 * Reads every cell of a view through the reader. @param beside facts about the table that the engine does not
 * know
 */
export async function everyCell(
  table: EngineTable,
  layout: LayoutUnderTest,
  beside?: BesideTable,
): Promise<ReadCell[]> {
  const view = (await table.view(layout.config)) as Awaited<ReturnType<EngineTable['view']>> & {
    num_rows(): Promise<number>;
    num_columns(): Promise<number>;
    set_depth(depth: number): Promise<void>;
  };
  if (layout.depth !== undefined) await view.set_depth(layout.depth);
  const untold = layout.config as Untold;
  const reader = await ViewReader.open(table, view, untold, beside ? { beside } : {});
  const cells: ReadCell[] = [];
  const [rows, columns] = [await view.num_rows(), await view.num_columns()];
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) cells.push(await reader.cell({ x, y }, COLUMNS));
  }
  await reader.dispose();
  await view.delete();
  return cells;
}
