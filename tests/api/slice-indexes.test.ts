import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { plan, type Planned } from '../support/planned';
import { hold, untilBuilding, untilWaiting } from '../support/race';
import type { Service } from '../support/service';

const COLUMNS = [
  { name: 'Region', type: 'text', role: 'dimension' as const },
  { name: 'Customer "B"', type: 'text', role: 'dimension' as const },
  { name: 'Order Date', type: 'date', role: 'date' as const },
  { name: 'Sales', type: 'numeric(12,2)', role: 'value' as const },
  { name: 'Units', type: 'integer', role: 'units' as const },
];
const ROWS = 120_000;

const sourceTable = (tname: string): string => `public."${tname.replaceAll('"', '""')}"`;

const nameOf = async ({ query }: Service, { sourceId }: Planned): Promise<string> =>
  (await query(`SELECT tname FROM pf.source WHERE id = ${sourceId}`))[0].tname;

/** Creates a version that is large enough for the service to build indexes. */
async function large(service: Service): Promise<Planned> {
  const made = await plan(service, COLUMNS, []);
  await service.query(`INSERT INTO ${sourceTable(await nameOf(service, made))}
    SELECT 'Region ' || i % 5, nullif('Customer ' || i % 1000, 'Customer 7'),
      date '2027-01-01' + (i * 7 % 366)::int, 10 + i % 90, 1 + i % 3
    FROM generate_series(1, ${ROWS}) AS i`);
  await post(service, made, 'baseline', {});
  return made;
}

async function post({ api }: Service, { path }: Planned, to: string, body: object) {
  const answer = await api.post(`${path}/${to}`, { pf_user: 'ann', ...body });
  expect(answer.body.error).toBeUndefined();
  return answer.body;
}

/** The definitions of the indexes for slices, by column. */
const indexes = async ({ query }: Service, { id }: Planned): Promise<string[]> =>
  (
    await query(`SELECT pg_get_indexdef(i.indexrelid) AS made FROM pg_index i
      JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
      WHERE i.indisvalid AND c.relname LIKE 'slice%' AND t.relname LIKE '%\\_${id}' ORDER BY c.relname`)
  ).map(({ made }) => made.replace(/^.* USING/, 'USING'));

const SOON = { timeout: 300_000, interval: 250 };

/** Names of the indexes that PostgreSQL would use for a statement. */
async function planOf({ query }: Service, statement: string): Promise<string[]> {
  const [{ 'QUERY PLAN': made }] = await query(`EXPLAIN (FORMAT JSON) ${statement}`);
  return [...JSON.stringify(made).matchAll(/"Index Name":"([^"]+)"/g)].map(([, name]) => name!);
}

describe('a version with many rows', () => {
  it('gets indexes on its dates and on a dimension with many values, which find the rows of a slice', async ({
    service,
  }) => {
    const { api, query } = service;
    const version = await large(service);
    const { table } = version;
    const newest = async (): Promise<number> =>
      (await query(`SELECT max(id)::int AS id FROM pf.log WHERE version_id = ${version.id}`))[0].id;
    const built = (upTo: number) => [
      `USING btree ("Order Date") WHERE (pf_logid <= ${upTo})`,
      `USING btree ("Customer ""B""") WHERE (pf_logid <= ${upTo})`,
    ];
    const load = await newest();
    await expect.poll(() => indexes(service, version), SOON).toEqual(built(load));

    // Rows of the load and later ones; with the number of the index that finds them, if there is one.
    const slices: [object, string, number?][] = [
      [
        { 'Order Date': { from: '2027-03-01', to: '2027-03-02' }, Region: 'Region 3' },
        `"Order Date" BETWEEN '2027-03-01' AND '2027-03-02' AND "Region" = 'Region 3'`,
        1,
      ],
      [{ 'Customer "B"': 'Customer 12' }, `"Customer ""B""" = 'Customer 12'`, 2],
      [{ 'Customer "B"': null }, '"Customer ""B""" IS NULL', 2],
      [
        { 'Customer "B"': ['Customer 13', null] },
        `("Customer ""B""" = 'Customer 13' OR "Customer ""B""" IS NULL)`,
      ],
      [{ Region: 'Region 2' }, `"Region" = 'Region 2'`],
      [{}, 'true'],
    ];
    for (const [slice, where, index] of slices) {
      await post(service, version, 'scale', { slice, value_total: 999_999.99, units_incr: 7 });
      const [sums] = await query(
        `SELECT count(*)::int AS row_count, sum("Sales")::float8 AS value_total, sum("Units")::int AS units_total
         FROM ${table} WHERE ${where}`,
      );
      expect(sums.value_total).toBe(999_999.99);
      expect(await post(service, version, 'slice', { slice })).toMatchObject(sums);
      if (index === undefined) continue;
      const { sql } = await post(service, version, 'scale/preview', { slice, pct: 5 });
      expect(await planOf(service, sql)).toContain(`slice_${load}_${index}`);
    }
    const undone = await api.del(`/log/${await newest()}`);
    expect(undone.body.rows_deleted).toBeGreaterThan(0);

    // A close reads the rows of the plan and of the source in the same days.
    const closed = await post(service, version, 'actuals', { through: '2027-02-28' });
    const [source] = await query(
      `SELECT sum("Sales")::float8 AS value_total, sum("Units")::int AS units_total
       FROM ${sourceTable(await nameOf(service, version))} WHERE "Order Date" <= '2027-02-28'`,
    );
    expect(closed.after).toMatchObject(source);
    const restated = await post(service, version, 'actuals', { through: '2027-02-28' });
    expect([restated.row_count, restated.after]).toEqual([0, closed.after]);
  });

  it('finds the rows of an attribute with few keys by them', async ({ service }) => {
    const { api, query } = service;
    const version = await large(service);
    await query(`CREATE TABLE public.customers AS SELECT 'Customer ' || i AS name,
        CASE WHEN i <= 20 THEN 'it''s few' ELSE 'many' END AS "Size",
        CASE WHEN i > 1100 THEN 'nobody' END AS "None"
      FROM generate_series(1, 1200) AS i`);
    const made = await api.post(`/sources/${version.sourceId}/lookups`, {
      ...{ name: 'Customers', schema: 'public', tname: 'customers', pf_user: 'ann' },
      keys: [{ column: 'Customer "B"', from: 'name' }],
      attributes: [{ cname: 'Size' }, { cname: 'None' }],
    });
    expect(made.status).toBe(201);
    await expect.poll(async () => (await indexes(service, version)).length, SOON).toBe(2);

    const inSize = (size: string) =>
      `"Customer ""B""" IN (SELECT name FROM public.customers WHERE "Size" = $$${size}$$)`;
    const few = inSize("it's few");
    const slices: [object, string, boolean][] = [
      [{ Size: "it's few" }, few, true],
      [{ Size: "it's few", Region: 'Region 3' }, `${few} AND "Region" = 'Region 3'`, true],
      [{ Size: 'many' }, inSize('many'), false],
      // The lookup lacks one customer.
      [
        { Size: ["it's few", null] },
        `(${few} OR "Customer ""B""" IS NULL OR "Customer ""B""" = 'Customer 0')`,
        false,
      ],
      [{ None: 'nobody' }, 'false', true],
    ];
    for (const [slice, where, isFound] of slices) {
      const [{ total, ...counted }] = await query(
        `SELECT count(*)::int AS row_count, coalesce(sum("Sales"), 0)::float8 AS total
         FROM ${version.table} WHERE ${where}`,
      );
      expect(await post(service, version, 'slice', { slice })).toMatchObject({
        ...counted,
        value_total: total,
      });
      if (counted.row_count === 0) continue;
      const { sql } = await post(service, version, 'scale/preview', { slice, pct: 5 });
      const used = await planOf(service, sql);
      expect([slice, used.some((name) => name.startsWith('slice_'))]).toEqual([slice, isFound]);
      await post(service, version, 'scale', { slice, value_incr: 1000 });
      const [after] = await query(
        `SELECT sum("Sales")::float8 AS total FROM ${version.table} WHERE ${where}`,
      );
      expect(after.total).toBeCloseTo(total + 1000, 2);
    }

    // The table is read at each request.
    await query(`UPDATE public.customers SET "Size" = 'it''s few' WHERE name = 'Customer 500'`);
    const [moved] = await query(
      `SELECT count(*)::int AS row_count FROM ${version.table} WHERE ${few}`,
    );
    const asked = { slice: { Size: "it's few" } };
    expect(await post(service, version, 'slice', asked)).toMatchObject(moved);
    await query(`INSERT INTO public.customers VALUES ('Customer 500', 'many')`);
    expect((await api.post(`${version.path}/slice`, asked)).status).toBe(409);
  });

  it('gets new indexes when many rows were added, and loses the old ones', async ({ service }) => {
    const version = await large(service);
    const [{ first }] = await service.query(
      `SELECT max(id)::int AS first FROM pf.log WHERE version_id = ${version.id}`,
    );
    await expect.poll(async () => (await indexes(service, version)).length, SOON).toBe(2);
    await post(service, version, 'scale', { slice: { Region: 'Region 1' }, pct: 5 });
    await post(service, version, 'scale', { slice: {}, pct: 5 });
    await expect
      .poll(() => indexes(service, version), SOON)
      .toEqual([
        expect.stringContaining(`<= ${first + 2})`),
        expect.stringContaining(`<= ${first + 2})`),
      ]);
    const [{ rows }] = await service.query(`SELECT count(*)::int AS rows FROM ${version.table}`);
    expect((await post(service, version, 'slice', { slice: {} })).row_count).toBe(rows);
  });

  it('is written to and deleted while its indexes wait for an old snapshot', async ({
    service,
  }) => {
    const reader = await hold(
      service,
      'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ',
      'SELECT count(*) FROM pg_class',
    );
    const version = await large(service);
    const { api, query } = service;
    await untilBuilding(service);
    const building = `SELECT FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND state = 'active'`;
    expect(await query(building)).toHaveLength(1);
    await post(service, version, 'scale', {
      slice: { 'Customer "B"': 'Customer 3' },
      value_total: 5,
    });
    const gone = api.del(version.path);
    await untilWaiting(service, 1);
    await reader.release();
    expect((await gone).status).toBe(204);
    await expect.poll(() => query(building), SOON).toEqual([]);
    expect((await api.get('/health')).status).toBe(200);
  });
});
