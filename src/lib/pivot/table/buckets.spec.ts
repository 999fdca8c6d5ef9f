import { describe, expect, it } from 'vitest';
import { columnsIn, encoded, type ArrowColumns } from '../rows/arrow-columns';
import { Buckets } from './buckets';
import { typesOf } from '../rows/rows';
import { KnownDays } from '../rows/days';
import type { EngineTable, Table } from '../values/engine-types';
import { PivotTable } from './pivot-table';
import { groupedBy, TIME_UNITS } from '../values/time-unit';
import { NOTHING } from '../grid/views/beside';
import {
  awkwardRows,
  bytesOf,
  everyCell,
  selected,
  sum,
  tableFrom,
  type Row,
} from '../../../../tests/support/pivot-tables';

const DATE = 'Order Date';

/** Returns rows as the pivot loads them, with bucket columns in place of expressions. */
async function loaded(rows: Row[], expressions: Record<string, string>) {
  const columns = columnsIn(bytesOf(rows.map((row) => ({ pf_logid: 1, ...row }))));
  const buckets = Buckets.of(columns, expressions);
  return { ...(await pivotTable(buckets.extend(columns), buckets)), buckets };
}

/** The engine's table of some rows, and the pivot's table on it. */
async function pivotTable(columns: ArrowColumns, buckets: Buckets) {
  const whole = (await tableFrom(encoded(columns))) as unknown as Table;
  const bring = () => Promise.resolve();
  return { whole, table: new PivotTable(typesOf(columns), 'pf_id', buckets, () => whole, bring) };
}

async function groups(table: EngineTable, config: Parameters<EngineTable['view']>[0]) {
  const view = await table.view(config);
  try {
    return await view.to_columns_string();
  } finally {
    await view.delete();
  }
}

const withDays = (...days: (string | null)[]): Row[] =>
  days.map((day, i) => ({
    ...(awkwardRows(1)[0] as Row),
    pf_id: i + 1,
    [DATE]: day,
    units: 2 ** i,
  }));

describe('bucket columns of dates', () => {
  it.each<[name: string, rows: Row[]]>([
    ['awkward rows', awkwardRows(200)],
    ['rows of one day', withDays('2024-02-29')],
    ['rows without a day', withDays(null, null)],
    [
      'days of all times',
      withDays(
        '0001-01-01',
        '0099-12-31',
        null,
        '1899-12-31',
        '1969-12-31',
        '1970-01-01',
        '9999-12-31',
      ),
    ],
  ])('have the same groups as the expressions of the engine: %s', async (_, rows) => {
    for (const unit of TIME_UNITS) {
      const { name, expressions } = groupedBy(DATE, unit);
      const { whole, table, buckets } = await loaded(rows, expressions);
      expect(buckets.without(expressions)).toEqual({});
      const own = { ...expressions, own: expressions[name] ?? '' };
      const made = await groups(table, { group_by: [name], columns: ['units'], expressions });
      // The whole table has a column of that name, so the engine's expression needs another one.
      const asked = { group_by: ['own'], columns: ['units'], expressions: { own: own.own } };
      expect(made).toBe(await groups(whole, asked));
    }
  });

  it('keep the names that layouts give them, and ignore expressions that group no date', async () => {
    const expressions = {
      'Ordered in': `bucket("${DATE}", 'M')`,
      size: `bucket("${DATE}", 'Y')`,
      Upper: 'upper("region")',
      Gone: `bucket("Ship Date", 'M')`,
      Length: `bucket("region", 'M')`,
    };
    const { whole, table, buckets } = await loaded(awkwardRows(5), expressions);
    const { 'Ordered in': made, ...left } = expressions;
    expect(buckets.without(expressions)).toEqual(left);
    expect(await whole.schema()).toHaveProperty('Ordered in', 'date');
    expect(await table.schema()).not.toHaveProperty('Ordered in');
    // An expression of the same name with another text is not that column.
    expect(buckets.has('Ordered in', `bucket("${DATE}", 'Y')`)).toBe(false);
    const checked = await table.validate_expressions(expressions);
    expect(checked.expression_schema).toEqual({ 'Ordered in': 'date', Upper: 'string' });
    const shown = { split_by: ['Ordered in'], expressions: { Upper: expressions.Upper } };
    expect(buckets.named(shown).expressions).toEqual({ 'Ordered in': made, Upper: left.Upper });
    expect(buckets.named({ group_by: ['region'] })).toEqual({ group_by: ['region'] });
  });

  it('resolve a cell to exactly its rows, with known days and with days that the engine reads', async () => {
    const rows = awkwardRows(120);
    const { name, expressions } = groupedBy(DATE, 'month');
    const { table, buckets } = await loaded(rows, expressions);
    const config = { group_by: ['region'], split_by: [name], columns: ['units'], expressions };
    const days = new KnownDays([DATE]);
    days.add(
      columnsIn(
        bytesOf(
          rows.map((row) => ({ ...row, pf_logid: 1 })),
          LOGGED,
        ),
      ),
    );
    const textOf = (column: string) => buckets.textOf(column);
    const beside = { ...NOTHING, textOf, daysOf: (date: string) => days.of(date) };
    const known = await everyCell(table, { name: 'months', config }, beside);
    expect(known.length).toBeGreaterThan(20);
    const asked = { ...NOTHING, textOf };
    expect(known).toEqual(await everyCell(table, { name: 'months', config }, asked));
    for (const { slice, value, impossible } of known) {
      if (impossible === null) expect(sum(selected(rows, slice), 'units')).toBe(value ?? 0);
    }
  });
});

const LOGGED = { [DATE]: 'date', pf_logid: 'integer' } as const;

describe('buckets of instants', () => {
  it('stay expressions: only days have bucket columns', async () => {
    const schema = { pf_id: 'integer', seen: 'datetime' } as const;
    const rows = [0, 1, 2].map((i) => ({ pf_id: i, seen: Date.UTC(2024, i, 7, 8) }));
    const expressions = { Seen: `bucket("seen", 'M')` };
    const columns = columnsIn(bytesOf(rows, schema));
    const buckets = Buckets.of(columns, expressions);
    expect(buckets.without(expressions)).toEqual(expressions);
    const { table } = await pivotTable(buckets.extend(columns), buckets);
    const shown = await groups(table, { group_by: ['Seen'], columns: [], expressions });
    expect(JSON.parse(shown)).toEqual({
      __ROW_PATH__: [[], ...[0, 1, 2].map((month) => [Date.UTC(2024, month, 1)])],
    });
  });
});

describe('the days of the loaded rows', () => {
  const rowsOf = (logid: number, ...days: (string | null)[]) =>
    columnsIn(
      bytesOf(
        days.map((day) => ({ [DATE]: day, pf_logid: logid })),
        LOGGED,
      ),
    );
  const ms = (day: string) => Date.parse(day);

  it('are added and removed with their log entries', () => {
    const days = new KnownDays([DATE, 'Ship Date']);
    days.add(rowsOf(1, '2024-02-29', '2023-12-31', '2024-02-29'));
    expect(days.of(DATE)).toEqual([ms('2023-12-31'), ms('2024-02-29')]);
    expect(days.of('Ship Date')).toEqual([null]);
    days.add(rowsOf(2, '2024-02-29', null));
    days.add(rowsOf(-3, '2025-01-01'));
    expect(days.of(DATE)).toEqual([null, ...['2023-12-31', '2024-02-29', '2025-01-01'].map(ms)]);
    expect(days.months(DATE)).toBe(3);
    // The rows of an entry may arrive in several parts.
    days.add(rowsOf(1, '2026-07-01', '2023-12-31', null));
    days.remove(1);
    expect(days.of(DATE)).toEqual([null, ms('2024-02-29'), ms('2025-01-01')]);
    days.remove(2);
    days.remove(7);
    expect(days.of(DATE)).toEqual([ms('2025-01-01')]);
    expect(days.of('Order date')).toBeNull();
  });

  it('are kept by entry, even if the rows of entries alternate', () => {
    const one = ['2024-01-01', null, '2024-01-02'];
    const logids = Array.from({ length: 3000 }, (_, i) => 1 + (i % 3));
    const rows = logids.map((pf_logid, i) => ({ pf_logid, [DATE]: one[i % 3] ?? null }));
    const days = new KnownDays([DATE]);
    days.add(columnsIn(bytesOf(rows, LOGGED)));
    expect(days.of(DATE)).toEqual([null, ms('2024-01-01'), ms('2024-01-02')]);
    days.remove(1);
    expect(days.of(DATE)).toEqual([null, ms('2024-01-02')]);
    days.remove(2);
    expect(days.of(DATE)).toEqual([ms('2024-01-02')]);
  });

  it('are unknown for columns of another type and for rows without an entry', () => {
    const days = new KnownDays(['region', DATE]);
    days.add(columnsIn(bytesOf(awkwardRows(3))));
    expect(days.of('region')).toBeNull();
    expect(days.of(DATE)).toBeNull();
  });
});
