import { expect } from 'vitest';
import { bytes, plan, type TableColumn } from './planned';
import type { Answer } from './http';
import type { Service } from './service';

/** A row of the source: region, product, day, value, units, cost. */
export type SourceLine = [
  string | null,
  string | null,
  string | null,
  (number | null)?,
  (number | null)?,
  (number | null)?,
];

export type Row = Record<string, unknown>;

/** Rows of 2025, which a baseline moves into 2026. */
export const LINES: SourceLine[] = [
  ['A', 'x', '2025-01-10', 100, 10, 60],
  ['A', 'x', '2025-01-10', 40, 4, 20],
  ['A', 'y', '2025-02-10', 80, 8, 40],
  ['B', 'x', '2025-02-10', 50, 5, 25],
  ['B', 'y', '2025-03-10', 30, 3, 15],
  [null, 'x', '2025-03-31', 20, null, 10],
  ['B', null, null, 7, 1, 5],
];

const columns = (value: string): TableColumn[] => [
  { name: 'Region', type: 'text', role: 'dimension', grain: true },
  { name: 'Product', type: 'text', role: 'dimension' },
  { name: 'Order Date', type: 'date', role: 'date', group: 'order' },
  {
    ...{ name: 'Month', type: 'text', role: 'dimension', group: 'order' },
    ...{ period: 'period_key', grain: true },
  },
  { name: 'Sales', type: value, role: 'value' },
  { name: 'Units', type: 'integer', role: 'units' },
  { name: 'Cost', type: 'numeric', role: 'measure' },
  { name: 'Status', type: 'text', role: 'filter' },
];

/** A version without rows whose source has some rows, with helpers. */
export async function planToRefresh(
  service: Service,
  lines: readonly SourceLine[] = LINES,
  value = 'numeric(12,2)',
) {
  const { api, query } = service;
  const planned = await plan(
    service,
    columns(value),
    lines.map(([Region, Product, day, Sales = null, Units = null, Cost = null]) => ({
      ...{ Region, Product, 'Order Date': day, Sales, Units, Cost },
    })),
    { exclude_iters: ['reference'] },
  );
  const [{ name: source }] = (await query(
    `SELECT format('%I.%I', schema, tname) AS name FROM pf.source WHERE id = ${planned.sourceId}`,
  )) as [{ name: string }];

  const ok = (answer: Answer) => {
    expect(answer.body?.error).toBeUndefined();
    return answer.body;
  };
  const post = (operation: string, more: object = {}) =>
    api.post(`${planned.path}/${operation}`, { pf_user: 'bob', ...more });
  const entries = async (): Promise<Row[]> => (await api.get(`${planned.path}/log`)).body.entries;
  /** Makes a write, and returns the id of its entry. */
  const done = async (operation: string, more: object = {}): Promise<number> => {
    ok(await post(operation, more));
    return (await entries())[0]!.id as number;
  };
  const load = async (more: object = {}, operation = 'baseline'): Promise<number> =>
    ok(await post(operation, { date_offset: '1 year', ...more })).logid;
  const refresh = (more: object = {}) => post('refresh', more);
  const refreshed = async (more: object = {}) => ok(await refresh(more));
  const preview = async (more: object = {}) => ok(await post('refresh/preview', more));
  const change = (sql: string) => query(sql.replaceAll('SOURCE', source));
  const locks = async (): Promise<Row[]> => (await api.get(`${planned.path}/locks`)).body;
  /** All that a refusal or an undo must leave as it was. */
  const state = async () => ({
    rows: await bytes(service, planned),
    entries: await entries(),
    locks: await locks(),
  });
  const sums = `COALESCE(sum("Sales"), 0)::float8 AS sales, COALESCE(sum("Units"), 0)::int AS units,
    COALESCE(sum("Cost"), 0)::float8 AS cost`;
  const differs = `HAVING sum("Sales") <> 0 OR sum("Units") <> 0 OR sum("Cost") <> 0`;
  const list = async (sql: string) =>
    (await query(`${sql} ORDER BY 1 NULLS FIRST, 2 NULLS FIRST, 3 NULLS FIRST`)).map((row) =>
      Object.values(row),
    );
  /** The leaves of some rows of the version: region, product, day, month, value, units and cost. */
  const leaves = (where: string, table = planned.table) =>
    list(
      `SELECT "Region", "Product", "Order Date"::text AS day, "Month", ${sums} FROM ${table}
       WHERE ${where} GROUP BY 1, 2, 3, 4 ${differs}`,
    );
  /** The leaves that a load would write now, by SQL of the test's own. */
  const sourceLeaves = (where = 'TRUE', offset = '1 year') =>
    list(
      `SELECT "Region", "Product", ("Order Date" + interval '${offset}')::date::text AS day,
         to_char("Order Date" + interval '${offset}', 'YYYY-MM') AS month, ${sums}
       FROM ${source} WHERE ${where} GROUP BY 1, 2, 3, 4 ${differs}`,
    );
  return {
    ...planned,
    ...{ source, ok, post, entries, done, load, refresh, refreshed, preview, change, locks, state },
    ...{ leaves, sourceLeaves },
  };
}

/** Changes a source in each way that matters: new, changed and deleted rows, also without amounts or a date. */
export const CHANGES = `
  INSERT INTO SOURCE ("Region", "Product", "Order Date", "Sales", "Units", "Cost") VALUES
    ('C', 'z', '2025-01-20', 11, 1, 6), ('A', 'x', '2025-01-10', 0.5, 0, 0), ('A', 'z', '2025-01-21', NULL, NULL, NULL);
  UPDATE SOURCE SET "Sales" = 55.25, "Cost" = 30 WHERE "Region" = 'B' AND "Product" = 'x';
  UPDATE SOURCE SET "Order Date" = '2025-02-11' WHERE "Region" = 'A' AND "Product" = 'y';
  UPDATE SOURCE SET "Units" = 2 WHERE "Order Date" IS NULL;
  DELETE FROM SOURCE WHERE "Region" = 'B' AND "Product" = 'y'`;
