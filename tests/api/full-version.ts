// A version with all limits of planning at once, and checks of what requests must not change in it.
import { expect } from 'vitest';
import { apiAt, type Answer, type Api } from '../support/http';
import { plan, type TableColumn } from '../support/planned';
import { until } from '../support/race';
import type { Service } from '../support/service';
import { signedIn } from '../support/territories';
import { ok } from './contract/orders';

const COLUMNS: TableColumn[] = [
  { name: 'Day', type: 'date', role: 'date', grain: true },
  { name: 'Region', type: 'text', role: 'dimension', grain: true },
  { name: 'Product', type: 'text', role: 'dimension', grain: true },
  { name: 'Customer', type: 'text', role: 'dimension' },
  { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
  { name: 'Units', type: 'integer', role: 'units' },
  { name: 'Cost', type: 'numeric(12,2)', role: 'measure' },
];
const ROWS = ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30'].flatMap((Day, d) =>
  ['A', 'B', 'C'].flatMap((Region, r) =>
    ['x', 'y', 'z'].flatMap((Product, p) =>
      ['ann', 'bob', 'cy'].map((Customer, c) => ({
        ...{ Day, Region, Product, Customer },
        ...{ Sales: 100 + 27 * d + 9 * r + 3 * p + c, Units: 1 + d + c, Cost: 40 + r + p },
      })),
    ),
  ),
);

/** The totals of some rows. */
export interface Sums {
  row_count: number;
  value_total: number;
  units_total: number;
  cost: number;
}

/** A version with a grain, a further measure, a lock, closed months and territories, and with indexes for slices. */
export interface World {
  service: Service;
  /** Reads the regions A and B, and may change A. */
  pat: Api;
  admin: Api;
  id: number;
  path: string;
  /** The last entry: a scale of `x` in region A. */
  logid: number;
  baseline: number;
  /** The lock of product `z`. */
  lock: number;
  /** Totals of stored rows. */
  sums(where?: string, of?: string): Promise<Sums>;
  /** The table of the source, as SQL. */
  source: string;
  /** The path of the source. */
  sourcePath: string;
  /** The id of pat's territory. */
  territory: number;
}

export const READ = `"Region" IN ('A', 'B')`;
/** The rows that a lock, a close or a territory keeps from being changed. */
export const KEPT = `("Region" <> 'A' OR "Product" = 'z' OR "Day" <= '2027-01-31')`;

export async function fullVersion(service: Service): Promise<World> {
  const admin = apiAt(service.url, signedIn('eve', 'admins'));
  const pat = apiAt(service.url, signedIn('pat'));
  const { query } = service;
  const { id, path, table, sourceId } = await plan({ ...service, api: admin }, COLUMNS, ROWS);
  const [{ tname }] = await query(`SELECT tname FROM pf.source WHERE id = ${sourceId}`);
  const sourcePath = `/sources/${sourceId}`;
  const source = `public."${tname.replaceAll('"', '""')}"`;
  const baseline = ok(await admin.post(`${path}/baseline`)).body.logid;
  await query(
    `UPDATE ${source} SET "Sales" = "Sales" + 5 WHERE "Day" <= '2027-01-31' AND "Product" = 'x'`,
  );
  ok(await admin.post(`${path}/actuals`, { through: '2027-01-31' }));
  const lock = ok(await admin.post(`${path}/locks`, { slice: { Product: 'z' } })).body.id;
  ok(await admin.post(`${path}/scale`, { slice: { Region: 'A', Product: 'x' }, pct: 10 }));
  const [{ logid }] = await query(
    `SELECT max(id)::int AS logid FROM pf.log WHERE version_id = ${id}`,
  );
  const territory = { member: 'pat', read: { Region: ['A', 'B'] }, write: { Region: 'A' } };
  const made = ok(await admin.post(`${sourcePath}/territories`, territory));
  await until(async () => {
    const found = await query(
      `SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE i.indrelid = '${table}'::regclass AND i.indisvalid AND c.relname LIKE 'slice%'`,
    );
    return found.length >= 3;
  });
  const sums = async (where = 'TRUE', of = table): Promise<Sums> =>
    (
      await query(`SELECT count(*)::int AS row_count, coalesce(sum("Sales"), 0)::float8 AS value_total,
        coalesce(sum("Units"), 0)::float8 AS units_total, coalesce(sum("Cost"), 0)::float8 AS cost
        FROM ${of} WHERE ${where}`)
    )[0];
  return {
    service,
    pat,
    admin,
    id,
    path,
    logid,
    baseline,
    lock,
    sums,
    source,
    ...{ sourcePath, territory: made.body.id },
  };
}

/** The form in which answers have totals. */
export const totals = ({ cost, ...sums }: Sums) => ({ ...sums, measures: { Cost: cost } });

/** Amounts without the number of rows. */
export const amounts = ({ row_count: _, ...sums }: Sums) => sums;

/** Sends the request of a case, and checks its effect on the version. */
export type Request = (world: World) => Promise<Answer>;

/** A write that adds amounts to the rows of a condition, and nothing to any other row. */
export const adding =
  (where: string, added: Omit<Sums, 'row_count'>, send: Request): Request =>
  async (one) => {
    const [before, others] = [await one.sums(where), await one.sums(`(${where}) IS NOT TRUE`)];
    const answer = ok(await send(one));
    const after = amounts(await one.sums(where));
    for (const [name, amount] of Object.entries(added)) {
      expect([name, after[name as keyof typeof after]]).toEqual([
        name,
        expect.closeTo(before[name as keyof Sums] + amount, 6),
      ]);
    }
    expect(amounts(await one.sums(`(${where}) IS NOT TRUE`))).toEqual(amounts(others));
    return answer;
  };

/** A request that leaves all rows as they are. */
export const reading =
  (send: Request): Request =>
  async (one) => {
    const before = await one.sums();
    const answer = await send(one);
    expect(await one.sums()).toEqual(before);
    return answer;
  };

/** A write by a load that adds as much as it says. */
export const loading =
  (to: string, body: object): Request =>
  async (one) => {
    const before = await one.sums();
    const answer = ok(await one.admin.post(`${one.path}/${to}`, body));
    const own = await one.sums(`pf_logid = ${answer.body.logid}`);
    expect(own.row_count).toBe(answer.body.row_count);
    expect((await one.sums()).row_count).toBe(before.row_count + own.row_count);
    return answer;
  };

export const NOTHING: Omit<Sums, 'row_count'> = { value_total: 0, units_total: 0, cost: 0 };

/** A request that subtracts the amounts of the last entry, such as its undo. */
export const withoutLast =
  (send: Request): Request =>
  async (one) => {
    const last = await one.sums(`pf_logid = ${one.logid}`);
    const before = await one.sums();
    const answer = ok(await send(one));
    expect(amounts(await one.sums())).toEqual({
      value_total: expect.closeTo(before.value_total - last.value_total, 6),
      units_total: before.units_total - last.units_total,
      cost: expect.closeTo(before.cost - last.cost, 6),
    });
    return answer;
  };
