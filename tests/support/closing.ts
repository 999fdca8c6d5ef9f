import { expect } from 'vitest';
import { bytes, plan, type TableColumn } from './planned';
import type { Service } from './service';

/** A row of region, day, value and units. */
export type Happened = [string | null, string, (number | string | null)?, (number | null)?];

export type Row = Record<string, unknown>;

/** Rows of a source. Those of 2026 make a plan of 610 and 61 for January to April 2027; those of 2027 are the actuals. */
export const HAPPENED: Happened[] = [
  ['A', '2026-01-10', 100, 10],
  ['B', '2026-01-10', 50, 5],
  [null, '2026-01-31', 30, 3],
  ['A', '2026-02-10', 110, 11],
  ['B', '2026-03-10', 120, 12],
  ['A', '2026-04-10', 200, 20],
  // As planned, in two rows.
  ['A', '2027-01-10', 60, 6],
  ['A', '2027-01-10', 40, 4],
  // Less, without a region, elsewhere, more, and in a month that stays open.
  ['B', '2027-01-10', 42.5, 5],
  [null, '2027-01-31', 31, null],
  ['C', '2027-01-20', 7, 1],
  ['B', '2027-03-10', 125.25, 13],
  ['A', '2027-04-10', 999, 99],
];

const columns = (grain: readonly string[], value: string, zone: boolean): TableColumn[] => [
  { name: 'Region', type: 'text', role: 'dimension', grain: grain.includes('Region') },
  { name: 'Order Date', type: zone ? 'timestamptz' : 'date', role: 'date', group: 'order' },
  {
    name: 'Month',
    type: 'text',
    role: 'dimension',
    group: 'order',
    period: 'period_key',
    grain: grain.includes('Month'),
  },
  { name: 'Shipped', type: 'date', role: 'date' },
  { name: 'Sales', type: value, role: 'value' },
  { name: 'Units', type: 'integer', role: 'units' },
];

interface Options {
  /** Columns of the display grain. */
  grain?: string[];
  /** Type of the value column. */
  value?: string;
  /** Time zone of the date, which is a timestamptz then. */
  zone?: string;
}

const CONDITION = `"Order Date" < '2027-01-01'`;

/**
 * A version whose plan of 2027 are the rows of 2026, and a source that also has rows of 2027, with helpers.
 *
 * @param rows of 2026 and 2027, in one list
 */
export async function planOfNextYear(service: Service, rows: Happened[], options: Options = {}) {
  const { grain = [], value = 'numeric(12,2)', zone } = options;
  const { api, query } = service;
  const planned = await plan(
    service,
    columns(grain, value, zone !== undefined),
    rows.map(([Region, day, Sales = null, Units = null]) => ({
      ...{ Region, 'Order Date': day, Sales, Units },
    })),
  );
  if (zone !== undefined) {
    const zoned = [{ cname: 'Order Date', time_zone: zone }];
    expect((await api.put(`/sources/${planned.sourceId}/columns`, zoned)).status).toBe(200);
    expect((await api.post(`/sources/${planned.sourceId}/sql`)).status).toBe(200);
  }
  const [{ name: source }] = (await query(
    `SELECT format('%I.%I', schema, tname) AS name FROM pf.source WHERE id = ${planned.sourceId}`,
  )) as [{ name: string }];
  const load = { raw_where: CONDITION, date_offset: '1 year', pf_user: 'ann' };
  const loaded = await api.post(`${planned.path}/baseline`, load);
  expect(loaded.body.error).toBeUndefined();

  const body = (more: object) => ({ raw_where: `NOT (${CONDITION})`, pf_user: 'ann', ...more });
  const post = (operation: string, more: object) =>
    api.post(`${planned.path}/${operation}`, { pf_user: 'bob', ...more });
  const entries = async (): Promise<Row[]> => (await api.get(`${planned.path}/log`)).body.entries;
  const close = (through: string, more: object = {}) =>
    api.post(`${planned.path}/actuals`, body({ through, ...more }));
  /** Closes, and returns the id of the entry. */
  const closed = async (through: string, more: object = {}): Promise<number> => {
    const answer = await close(through, more);
    expect(answer.body.error).toBeUndefined();
    return answer.body.logid;
  };
  const done = async (operation: string, more: object): Promise<number> => {
    const answer = await post(operation, more);
    expect(answer.body.error).toBeUndefined();
    return (await entries())[0]!.id as number;
  };
  const preview = (through: string, more: object = {}) =>
    api.post(`${planned.path}/actuals/preview`, {
      ...body({ through }),
      pf_user: undefined,
      ...more,
    });
  const locks = async (id = planned.id): Promise<Row[]> =>
    (await api.get(`/versions/${id}/locks`)).body;
  /** Everything that a refusal or an undo must leave as it was. */
  const state = async () => ({
    rows: await bytes(service, planned),
    entries: await entries(),
    locks: await locks(),
  });
  /** Checks that a request is refused and changes nothing; returns the error. */
  const refused = async (request: () => Promise<{ status: number; body: Row }>, status: number) => {
    const before = await state();
    const answer = await request();
    expect([answer.status, answer.body]).toEqual([
      status,
      expect.objectContaining({ error: expect.any(String) }),
    ]);
    expect(await state()).toEqual(before);
    return answer.body as { error: string; field?: string; column?: string };
  };

  const day = zone === undefined ? `"Order Date"` : `("Order Date" AT TIME ZONE '${zone}')::date`;
  const leaves = (from: string, days: string, where: string) =>
    `SELECT "Region", ${days} AS day, COALESCE(sum("Sales"), 0) AS sales,
       COALESCE(sum("Units"), 0) AS units FROM ${from}
     WHERE ${where} GROUP BY 1, 2 HAVING sum("Sales") <> 0 OR sum("Units") <> 0`;
  const range = (days: string, from: string, through: string) =>
    `${days} BETWEEN '${from}' AND '${through}'`;
  const ofPlan = (from: string, through: string, table = planned.table) =>
    leaves(
      table,
      '"Order Date"',
      `pf_iter <> 'reference' AND ${range('"Order Date"', from, through)}`,
    );
  const ofSource = (from: string, through: string) =>
    leaves(source, day, `NOT (${CONDITION}) AND ${range(day, from, through)}`);
  /** The leaves in which the plan differs from the source, by SQL of the test's own. */
  const differences = (from: string, through: string, table?: string): Promise<Row[]> => {
    const [a, b] = [ofPlan(from, through, table), ofSource(from, through)];
    return query(`(${a} EXCEPT ${b}) UNION ALL (${b} EXCEPT ${a})`);
  };
  const list = async (sql: string): Promise<string[]> =>
    (await query(`SELECT l::text AS leaf FROM (${sql}) AS l ORDER BY 1`)).map(({ leaf }) => leaf);
  /** The rows of an entry: region, day, month, value, units. */
  const written = async (logid: number) =>
    (
      await query(
        `SELECT "Region", "Order Date"::text AS day, "Month", "Sales"::float8, "Units"::int, pf_iter
         FROM ${planned.table} WHERE pf_logid = ${logid} ORDER BY 2, 1, 4`,
      )
    ).map((r) => [r.Region, r.day, r.Month, r.Sales, r.Units]);
  return {
    ...planned,
    ...{ source, body, post, entries, close, closed, done, preview, locks, state, refused },
    ...{ differences, written },
    planLeaves: (from: string, through: string) => list(ofPlan(from, through)),
    sourceLeaves: (from: string, through: string) => list(ofSource(from, through)),
  };
}
