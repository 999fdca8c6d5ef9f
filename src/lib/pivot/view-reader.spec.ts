import perspective from '@finos/perspective/node';
import {
  Bool,
  DateDay,
  Dictionary,
  Float64,
  Int32,
  Table,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Slice } from '../contract/operations';
import type { LayoutSort } from '../contract/stored-layout';
import { listOf, unmarkedDimensions } from './slice';
import { toEngineColumns } from './rows';
import type { ReadCell } from './cell';
import type { EngineTable } from './engine-types';
import { neededColumns } from './underlying';
import { pairColumns, ViewReader } from './view-reader';

type Row = Record<string, string | number | boolean | null>;

const SCHEMA = {
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

const COLUMNS = [
  ...['region', 'sub-category', 'flag', 'size', 'rate'].map((cname) => ({
    cname,
    role: 'dimension' as const,
    is_key: false,
  })),
  { cname: 'Order Date', role: 'date' as const, is_key: false },
  { cname: 'value', role: 'value' as const, is_key: false },
  { cname: 'units', role: 'units' as const, is_key: false },
];

const TEXTS = ['West', 'East', '', 'null', 'a|b', 'b', 'a', '0', 'false', 'value', null];
const DAYS = ['1969-12-31', '2019-01-01', '2019-01-31', '2019-02-01', '2019-03-31', null];

/** Rows over every awkward value; powers of two would make every sum tell its rows. */
function awkwardRows(count: number, seed = 7): Row[] {
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

const tables: { delete(): Promise<void> }[] = [];
afterAll(async () => {
  for (const table of tables) await table.delete();
});

const text = () => new Dictionary(new Utf8(), new Int32());
const ARROW_TYPES = {
  string: text,
  integer: () => new Int32(),
  float: () => new Float64(),
  boolean: () => new Bool(),
  date: () => new DateDay(),
};

/** A table loaded as the product loads it: one Arrow stream, indexed. */
async function tableOf(rows: Row[]) {
  const columns = Object.entries(SCHEMA).map(([name, type]) => {
    const values = rows.map((row) =>
      type === 'date' && row[name] !== null ? new Date(String(row[name])) : row[name],
    );
    return [name, vectorFromArray(values, ARROW_TYPES[type]())] as const;
  });
  const bytes = tableToIPC(new Table(Object.fromEntries(columns)), 'stream');
  const table = await perspective.table(bytes.slice().buffer as ArrayBuffer, { index: 'pf_id' });
  tables.push(table);
  return table;
}

/** The rows a slice selects, as the service's SQL selects them. */
function selected(rows: Row[], slice: Slice): Row[] {
  return rows.filter((row) =>
    Object.entries(slice).every(([column, wanted]) => listOf(wanted).includes(row[column] ?? null)),
  );
}

const sum = (rows: Row[], column: string) =>
  rows.reduce((total, row) => total + Number(row[column]), 0);

interface LayoutUnderTest {
  name: string;
  config: Record<string, unknown>;
  depth?: number;
  /** Rows the filters keep, where the slice cannot hold them. */
  keeps?: (row: Row) => boolean;
}

/** Every cell of a view, read through the reader. */
async function everyCell(table: EngineTable, layout: LayoutUnderTest): Promise<ReadCell[]> {
  const view = (await table.view(layout.config)) as Awaited<ReturnType<EngineTable['view']>> & {
    num_rows(): Promise<number>;
    num_columns(): Promise<number>;
    set_depth(depth: number): Promise<void>;
  };
  if (layout.depth !== undefined) await view.set_depth(layout.depth);
  const reader = await ViewReader.open(table, view, (layout.config.sort ?? []) as LayoutSort[]);
  const cells: ReadCell[] = [];
  const [rows, columns] = [await view.num_rows(), await view.num_columns()];
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) cells.push(await reader.cell({ x, y }, COLUMNS));
  }
  await reader.dispose();
  await view.delete();
  return cells;
}

const BUCKETS = {
  Month: `bucket("Order Date", 'M')`,
  Year: `bucket("Order Date", 'Y')`,
  Both: `concat("region", "sub-category")`,
};
const columns = ['value', 'units'];

const LAYOUTS: LayoutUnderTest[] = [
  { name: 'rows by text', config: { group_by: ['region'], columns } },
  {
    name: 'text across text',
    config: { group_by: ['region'], split_by: ['sub-category'], columns },
  },
  {
    name: 'two levels across two levels',
    config: {
      group_by: ['region', 'flag'],
      split_by: ['sub-category', 'size'],
      columns: ['value'],
    },
  },
  { name: 'dates down', config: { group_by: ['Order Date', 'region'], columns } },
  { name: 'dates across', config: { group_by: ['region'], split_by: ['Order Date'], columns } },
  { name: 'booleans and numbers', config: { group_by: ['flag'], split_by: ['size'], columns } },
  { name: 'fractions across', config: { group_by: ['size'], split_by: ['rate'], columns } },
  {
    name: 'columns sorted by their totals',
    config: {
      group_by: ['region'],
      split_by: ['sub-category'],
      columns,
      sort: [['value', 'col desc']],
    },
  },
  {
    name: 'two levels of columns sorted, rows sorted the other way',
    config: {
      group_by: ['flag'],
      split_by: ['region', 'size'],
      columns: ['units'],
      sort: [
        ['units', 'col asc'],
        ['units', 'desc'],
      ],
    },
  },
  {
    name: 'sorted by columns that are not shown',
    config: {
      group_by: ['flag', 'size'],
      split_by: ['region'],
      columns,
      aggregates: { pf_id: 'min', rate: 'max' },
      sort: [
        ['pf_id', 'asc'],
        ['rate', 'col desc'],
      ],
    },
  },
  {
    name: 'rows sorted and collapsed',
    config: { group_by: ['region', 'flag', 'size'], columns, sort: [['value', 'desc']] },
    depth: 1,
  },
  {
    name: 'months down, years across',
    config: {
      group_by: ['Month', 'region'],
      split_by: ['Year'],
      columns,
      expressions: BUCKETS,
    },
  },
  {
    name: 'filtered to one value and to a list',
    config: {
      group_by: ['size'],
      split_by: ['flag'],
      columns,
      filter: [
        ['region', 'in', ['West', 'null', 'a|b']],
        ['sub-category', '==', ''],
      ],
    },
  },
  {
    name: 'filtered to a day, to 0 and to false',
    config: {
      group_by: ['region'],
      columns,
      filter: [
        ['Order Date', '==', '2019-01-31'],
        ['size', '==', 0],
        ['flag', '==', false],
      ],
    },
  },
  {
    name: 'filtered to the empty value',
    config: { group_by: ['region'], columns, filter: [['sub-category', 'is null', null]] },
  },
  {
    name: 'filtered to a month',
    config: {
      group_by: ['region'],
      columns,
      expressions: BUCKETS,
      filter: [['Month', '==', '2019-01-01']],
    },
  },
  {
    name: 'filtered and grouped by the same column',
    config: {
      group_by: ['region', 'Order Date'],
      split_by: ['Month'],
      columns,
      expressions: BUCKETS,
      filter: [['region', 'in', ['West', 'East']]],
    },
  },
];

describe('the slice of a cell selects exactly the rows the cell adds up', async () => {
  const rows = awkwardRows(600);
  const table = (await tableOf(rows)) as unknown as EngineTable;

  it.each(LAYOUTS)('$name', async (layout) => {
    const cells = await everyCell(table, layout);
    expect(cells.length).toBeGreaterThan(2);
    for (const cell of cells) {
      expect(cell.notHeld).toEqual([]);
      if (cell.impossible) {
        expect(cell.value).toBeNull();
        continue;
      }
      const behind = selected(rows, cell.slice);
      const where = JSON.stringify([cell.rowPath, cell.columnPath, cell.slice]);
      if (cell.value === null) expect(behind, where).toEqual([]);
      else expect(sum(behind, cell.measure as string), where).toBeCloseTo(cell.value, 6);
    }
  });

  it('holds for tables of any values', async () => {
    const text = fc.constantFrom(...TEXTS);
    const row = fc.record({
      pf_iter: fc.constant('baseline'),
      pf_note: fc.constant(null),
      region: text,
      'sub-category': text,
      'Order Date': fc.constantFrom(...DAYS),
      flag: fc.constantFrom(true, false, null),
      size: fc.constantFrom(0, 1, null),
      rate: fc.constant(null),
      value: fc.integer({ min: -1000, max: 1000 }),
      units: fc.integer({ min: 0, max: 9 }),
    });
    const dimension = fc.constantFrom(
      'region',
      'sub-category',
      'Order Date',
      'flag',
      'size',
      'Month',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 25 }),
        fc.uniqueArray(dimension, { minLength: 2, maxLength: 4 }),
        fc.boolean(),
        async (generated, dimensions, sorted) => {
          const data = generated.map((r, i) => ({ ...r, pf_id: i + 1 }));
          const own = await tableOf(data);
          const cut = 1 + (data.length % (dimensions.length - 1));
          const cells = await everyCell(own as unknown as EngineTable, {
            name: '',
            config: {
              group_by: dimensions.slice(0, cut),
              split_by: dimensions.slice(cut),
              columns: ['units'],
              expressions: { Month: BUCKETS.Month },
              sort: sorted ? [['units', 'col desc']] : [],
            },
          });
          for (const cell of cells) {
            const behind = cell.impossible ? [] : selected(data, cell.slice);
            if (cell.value === null) expect(behind).toEqual([]);
            else expect(sum(behind, 'units')).toBe(cell.value);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('what a slice cannot hold', async () => {
  const rows = awkwardRows(200);
  const table = (await tableOf(rows)) as unknown as EngineTable;

  it('is named, and left out of the slice', async () => {
    const cells = await everyCell(table, {
      name: '',
      config: { group_by: ['region', 'pf_iter'], split_by: ['pf_note'], columns: ['units'] },
    });
    const deep = cells.filter((cell) => cell.rowPath.length === 2);
    expect(deep.length).toBeGreaterThan(0);
    for (const cell of deep) {
      expect(Object.keys(cell.slice)).toEqual(['region']);
      expect(cell.notHeld.map(({ column }) => column)).toEqual(['pf_iter', 'pf_note']);
    }
  });

  it('says so for filters that are no list of dimension values', async () => {
    const cells = await everyCell(table, {
      name: '',
      config: {
        group_by: ['region'],
        columns: ['units'],
        filter: [
          ['value', '>', 100],
          ['region', '!=', 'West'],
          ['pf_iter', '==', 'baseline'],
        ],
      },
    });
    for (const cell of cells) {
      expect(cell.notHeld.map(({ kind, column }) => [kind, column])).toEqual([
        ['filter', 'value'],
        ['filter', 'region'],
        ['filter', 'pf_iter'],
      ]);
    }
  });

  it('says so for filters of which any may match', async () => {
    const [total] = await everyCell(table, {
      name: '',
      config: {
        group_by: ['region'],
        columns: ['units'],
        filter_op: 'or',
        filter: [
          ['region', '==', 'West'],
          ['flag', '==', true],
        ],
      },
    });
    expect(total?.slice).toEqual({});
    expect(total?.notHeld.map(({ column }) => column)).toEqual(['region', 'flag']);
  });

  it('refuses an expression whose columns do not combine freely', async () => {
    const cells = await everyCell(table, {
      name: '',
      config: {
        group_by: ['Both'],
        columns: ['units'],
        expressions: { Both: BUCKETS.Both },
      },
    });
    for (const cell of cells) {
      if (cell.impossible) continue;
      expect(sum(selected(rows, cell.slice), 'units')).toBe(cell.value);
    }
    expect(cells.some((cell) => cell.impossible)).toBe(true);
  });

  it('disables dimensions that are no keys where the source marks any', async () => {
    const view = await table.view({ group_by: ['region', 'flag'], columns: ['units'] });
    const reader = await ViewReader.open(table, view, []);
    const marked = COLUMNS.map((c) => ({ ...c, is_key: c.cname === 'region' }));
    const region = await reader.cell({ x: 0, y: 1 }, marked);
    const flag = await reader.cell({ x: 0, y: 2 }, marked);
    expect(Object.keys(region.slice)).toEqual(['region']);
    expect(unmarkedDimensions(region.slice, marked)).toEqual([]);
    expect(Object.keys(flag.slice)).toEqual(['region', 'flag']);
    expect(unmarkedDimensions(flag.slice, marked)).toEqual(['flag']);
    expect(unmarkedDimensions(flag.slice, COLUMNS)).toEqual([]);
    await view.delete();
  });
});

describe('an ungrouped view', async () => {
  it('selects by every dimension and date of the row, and names the row itself', async () => {
    const rows = awkwardRows(50);
    const table = (await tableOf(rows)) as unknown as EngineTable;
    const view = await table.view({ columns: ['value'], sort: [['value', 'desc']] });
    const reader = await ViewReader.open(table, view, []);
    const largest = [...rows].sort((a, b) => Number(b.value) - Number(a.value))[0] as Row;
    const cell = await reader.cell({ x: 0, y: 0 }, COLUMNS);
    expect(cell.slice).toEqual({
      region: largest.region,
      'sub-category': largest['sub-category'],
      flag: largest.flag,
      size: largest.size,
      rate: largest.rate,
      'Order Date': largest['Order Date'],
    });
    expect(cell.notHeld.map(({ column }) => column)).toEqual(['pf_id']);
    await view.delete();
  });

  it('has no cell for a row that is gone, not one of empty values', async () => {
    const rows = awkwardRows(5);
    const table = await tableOf(rows);
    const engine = table as unknown as EngineTable;
    const view = await engine.view({ columns: ['value'] });
    const reader = await ViewReader.open(engine, view, []);
    const identity = await reader.identityAt({ x: 0, y: 0 });
    await table.remove([rows[0]?.pf_id]);
    await expect(reader.read(identity, COLUMNS)).rejects.toThrow('gone');
    await view.delete();
  });
});

describe('a cell that is read again', () => {
  it('stands for what is there now', async () => {
    const day = (date: string, pf_id: number): Row => ({
      ...(awkwardRows(1)[0] as Row),
      pf_id,
      'Order Date': date,
    });
    const table = await tableOf([day('2019-01-01', 1)]);
    const engine = table as unknown as EngineTable;
    const view = await engine.view({
      group_by: ['Month'],
      columns: ['value'],
      expressions: { Month: `bucket("Order Date", 'M')` },
    });
    const reader = await ViewReader.open(engine, view, []);
    const cell = await reader.cell({ x: 0, y: 1 }, COLUMNS);
    await table.update(toEngineColumns([day('2019-01-31', 2)], SCHEMA, 'pf_id'));
    reader.invalidate();
    const again = await reader.read(cell, COLUMNS, { x: 0, y: 1 });
    expect(again.slice).toEqual({ 'Order Date': ['2019-01-01', '2019-01-31'] });
    await reader.dispose();
    await view.delete();
  });
});

describe('an engine that fails to answer once', () => {
  /** The object, of which the first call of a method fails. */
  const failingOnce = <T extends object>(object: T, method: keyof T): T => {
    let failed = false;
    return new Proxy(object, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        if (name !== method || failed) return member.bind(target);
        failed = true;
        return async () => Promise.reject(new Error('The engine is out of memory.'));
      },
    });
  };
  const config = {
    group_by: ['Month'],
    split_by: ['region'],
    columns: ['value'],
    expressions: { Month: `bucket("Order Date", 'M')` },
  };

  it.each(['view', 'get_client'] as const)('is asked again (%s)', async (method) => {
    const table = (await tableOf(awkwardRows(20))) as unknown as EngineTable;
    const view = await table.view(config);
    const reader = await ViewReader.open(failingOnce(table, method), view, []);
    await expect(reader.cell({ x: 0, y: 1 }, COLUMNS)).rejects.toThrow('out of memory');
    const cell = await reader.cell({ x: 0, y: 1 }, COLUMNS);
    expect(cell.impossible).toBeNull();
    expect(cell.slice).toHaveProperty('region');
    await reader.dispose();
    await view.delete();
  });

  it('is asked again (column_paths)', async () => {
    const table = (await tableOf(awkwardRows(20))) as unknown as EngineTable;
    const view = await table.view(config);
    const reader = await ViewReader.open(table, failingOnce(view, 'column_paths'), []);
    await expect(reader.columnPaths()).rejects.toThrow('out of memory');
    expect(await reader.columnPaths()).not.toContain(null);
    await reader.dispose();
    await view.delete();
  });
});

describe('a view made anew after rows came and went', () => {
  it('pairs columns and rows with their values', async () => {
    const rows = awkwardRows(80);
    const table = await tableOf(rows);
    const engine = table as unknown as EngineTable;
    const added = awkwardRows(40, 99).map((row, i): Row => ({
      ...row,
      pf_id: 1000 + i,
      region: row.region === null ? null : `new ${row.region}`,
    }));
    await table.update(toEngineColumns(added, SCHEMA, 'pf_id'));
    await table.remove(rows.slice(0, 60).map((row) => row.pf_id));
    const now = [...rows.slice(60), ...added];
    for (const config of [
      { group_by: ['flag'], split_by: ['region'], columns: ['units'] },
      { group_by: ['region', 'Order Date'], split_by: ['size'], columns: ['units'] },
    ]) {
      for (const cell of await everyCell(engine, { name: '', config })) {
        const behind = selected(now, cell.slice);
        if (cell.value === null) expect(behind).toEqual([]);
        else expect(sum(behind, 'units')).toBe(cell.value);
      }
    }
  });
});

describe('the engine', () => {
  it('splits empty text into several groups in a view that was open when rows came', async () => {
    const rows = awkwardRows(80);
    const table = await tableOf(rows);
    const config = { group_by: ['region'], columns: ['units'] };
    const open = await table.view(config);
    const added = awkwardRows(40, 99).map((row, i) => ({ ...row, pf_id: 1000 + i }));
    await table.update(toEngineColumns(added, SCHEMA, 'pf_id'));
    const anew = await table.view(config);
    const emptyGroups = async (view: typeof open) =>
      (await view.to_json()).filter((row) => row.__ROW_PATH__[0] === null).length;
    // The day this fails the engine is mended, and refreshing the view after an update can go.
    expect([await emptyGroups(open), await emptyGroups(anew)]).toEqual([2, 1]);
    await open.delete();
    await anew.delete();
  });
});

describe('pairColumns', () => {
  const never = () => false;

  it('tells values that print alike by their order', () => {
    const tuples = [['null'], ['x'], [null]];
    const paths = ['null|v', 'null|w', 'x|v', 'x|w', 'null|v', 'null|w'];
    expect(pairColumns(paths, tuples, ['string'], ['v', 'w'], never)).toEqual([
      ['null'],
      ['null'],
      ['x'],
      ['x'],
      [null],
      [null],
    ]);
    const fractions = [[0.3], [0.1 + 0.2], [100000], [100000.25], [1234567.125]];
    expect(
      pairColumns(
        ['0.3|v', '0.3|v', '100000|v', '100000|v', '1.23457e+06|v'],
        fractions,
        ['float'],
        ['v'],
        never,
      ),
    ).toEqual(fractions);
  });

  it('gives nothing if the order cannot tell', () => {
    const tuples = [['null'], ['x'], [null]];
    const pair = (paths: string[], tie: () => boolean) =>
      pairColumns(paths, tuples, ['string'], ['v'], tie);
    expect(pair(['null|v', 'x|v'], never)).toEqual([null, null]);
    expect(pair(['y|v', 'x|v', 'z|v'], never)).toEqual([null, ['x'], null]);
    expect(pair(['null|v', 'x|v', 'null|v'], () => true)).toEqual([null, ['x'], null]);
  });
});

describe('the columns that an expression needs', async () => {
  const table = (await tableOf(awkwardRows(5))) as unknown as EngineTable;

  it.each([
    [`upper("region")`, ['region']],
    [`upper("region") // it's`, ['region']],
    [`// it's\nconcat("region", '-', "sub-category")`, ['region', 'sub-category']],
    [`upper(col('region'))`, ['region']],
    [`vlookup('region', index())`, ['region']],
    [`bucket("Order Date", 'M')`, ['Order Date']],
    [`random()`, []],
  ])('%s', async (expression, needed) => {
    expect([...(await neededColumns(table, expression))].sort()).toEqual(needed);
  });
});

describe('an expression that a slice cannot follow', async () => {
  const rows = awkwardRows(120);
  const table = (await tableOf(rows)) as unknown as EngineTable;

  it.each([
    ['rows by their place', 'index() % 3'],
    ['values of other rows', `vlookup('region', index())`],
    ['chance', `if (random() < 0.5) 'low'; else 'high'`],
  ])('is refused, and never widened: %s', async (_, expression) => {
    const cells = await everyCell(table, {
      name: '',
      config: { group_by: ['Made', 'flag'], columns: ['units'], expressions: { Made: expression } },
    });
    const [total, ...others] = cells;
    expect(total).toMatchObject({ slice: {}, impossible: null });
    expect(others.length).toBeGreaterThan(3);
    for (const cell of others) expect(cell.impossible).toMatch(/no selection is exactly this cell/);
  });

  it.each([
    ['an apostrophe in a comment', `// it's\nupper("region")`],
    ['a name in a comment', `upper("region") // "flag"`],
    ['a column by its name as text', `upper(col('region'))`],
    ['one value for all', `'all'`],
  ])('is followed: %s', async (_, expression) => {
    const cells = await everyCell(table, {
      name: '',
      config: { group_by: ['Made'], columns: ['units'], expressions: { Made: expression } },
    });
    for (const cell of cells) {
      expect(cell.impossible).toBeNull();
      expect(sum(selected(rows, cell.slice), 'units')).toBe(cell.value);
    }
  });
});

describe('decimals across that print alike', () => {
  it('are columns of their own', async () => {
    const rows = awkwardRows(60).map((row, i): Row => ({
      ...row,
      rate: [100000, 100000.25, 0.3, 0.1 + 0.2][i % 4] ?? 0,
    }));
    const table = (await tableOf(rows)) as unknown as EngineTable;
    const config = { group_by: ['flag'], split_by: ['rate'], columns: ['units'] };
    for (const cell of await everyCell(table, { name: '', config })) {
      const behind = selected(rows, cell.slice);
      if (cell.value === null) expect(behind).toEqual([]);
      else expect(sum(behind, 'units')).toBe(cell.value);
    }
  });
});

describe('a row that is gone', () => {
  it('is not taken for the total', async () => {
    const table = (await tableOf(awkwardRows(20))) as unknown as EngineTable;
    const view = await table.view({ group_by: ['flag'], columns: ['units'] });
    const reader = await ViewReader.open(table, view, []);
    await expect(reader.cell({ x: 0, y: 99 }, COLUMNS)).rejects.toThrow(/gone/);
    await view.delete();
  });
});
