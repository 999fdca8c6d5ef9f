import { describe, expect } from 'vitest';
import { ENDPOINTS } from '../../src/lib/contract/endpoints';
import { OPERATIONS } from '../../src/lib/contract/operations';
import { it as base } from '../support/api';
import { openEvents } from '../support/events';
import { SIGNED_IN, signedIn } from '../support/territories';
import { decode, ok } from './contract/orders';
import {
  adding,
  amounts,
  fullVersion,
  KEPT,
  loading,
  NOTHING,
  READ,
  reading,
  totals,
  withoutLast,
  type Request,
  type World,
} from './full-version';

// A request that took a second connection while it holds one would wait for itself.
const ONE_CONNECTION = { PF_CONNECTIONS_PER_PERSON: '1' };
const env = { ...SIGNED_IN, ...ONE_CONNECTION, PF_INDEX_ROWS: '1', PF_INDEX_DELAY: '0' };
const it = base.extend('env', { scope: 'file' }, env);

const AX = { Region: 'A', Product: 'x' };
const MARCH = { ...AX, Day: '2027-03-31' };
const SCALE = {
  slice: { Region: 'A' },
  value_incr: 100,
  units_incr: 7,
  measures: { Cost: { incr: 50 } },
};
const ONLY_X = { where_clause: `"Product" = 'x'`, date_offset: '1 year' };
const FORECAST = {
  where_clause: `"Product" = 'x'`,
  history: { through: '2027-04-30' },
  horizon: { from: '2028-01-01', through: '2028-03-31' },
  unit: 'month',
  by: ['Region'],
};
const FILE = { name: 'plan.xlsx', sha256: '0'.repeat(64) };
const COMMENT = { slice: { Region: 'A' }, text: 'Look' };

const commented = async ({ pat, path }: World) =>
  ok(await pat.post(`${path}/comments`, COMMENT)).body.id;

/** Takes a review of region A through some steps. */
const reviewed =
  (...steps: string[]): Request =>
  async ({ pat, admin, path }) => {
    let answer = ok(
      await pat.post(`${path}/reviews`, { slice: { Region: 'A' }, reviewers: ['eve'] }),
    );
    const { id } = answer.body;
    for (const step of steps) {
      const by = step === 'submit' ? pat : admin;
      answer = ok(await by.post(`/reviews/${id}/${step}`, { comment: 'Read' }));
    }
    return answer;
  };
const ALERT = {
  ...{ name: 'Large', measure: 'value', of: 'amount', level: [{ field: 'Product' }] },
  ...{ slice: { Region: 'A' }, condition: { operator: 'above', amount: 0 }, owner: 'pat' },
};
const alerted = ({ pat, path }: World) => pat.post(`${path}/alerts`, ALERT);
const alertId = async (one: World) => ok(await alerted(one)).body.id;
const reviewId = async (one: World) => (await reviewed()(one)).body.id;

/** Requires that planning goes on: a scale adds its amount, as before. */
const plansOn =
  (send: Request): Request =>
  async (one) => {
    const answer = await send(one);
    await REQUESTS['POST /versions/{id}/scale']!(one);
    return answer;
  };

const CSV = 'Region,Amount\nNorth,5.20\nSouth,7\n';
const sendFile = ({ admin }: World, path: string) =>
  admin.send(path, { method: 'POST', headers: { 'content-type': 'text/csv' }, body: CSV });
/** Joins a table with families of products. @returns the id of the lookup */
async function joined({ service, admin, sourcePath, id }: World): Promise<number> {
  const tname = `families_${id}_${(families += 1)}`;
  await service.query(
    `CREATE TABLE public.${tname} (product text PRIMARY KEY, "Family ${families}" text)`,
  );
  const keys = [{ column: 'Product', from: 'product' }];
  const attributes = [{ cname: `Family ${families}` }];
  const lookup = { name: tname, schema: 'public', tname, keys, attributes };
  return ok(await admin.post(`${sourcePath}/lookups`, lookup)).body.id;
}
let families = 0;

/** Makes a view, profile or formula of the source. @returns its id */
const made = async ({ admin, sourcePath }: World, kind: keyof typeof NAMED) =>
  ok(await admin.post(`${sourcePath}/${kind}`, NAMED[kind])).body.id;
const NAMED = {
  views: { name: 'Mine', layout: { group_by: ['Region'] } },
  profiles: { name: 'Mine', weights: Array(12).fill(1) },
  formulas: { name: 'Margin', expression: 'Sales - Cost' },
};
const TOKEN = { name: 'pat', roles: ['planner'] };
const ALL = { member: 'max', read: {}, write: { Region: 'B' } };

/** Lets a name stand for the version. */
const naming: Request = ({ admin, sourcePath, id }) =>
  admin.put(`${sourcePath}/current`, { name: `of ${id}`, version_id: id });

/** Publishes the version. */
const publishing: Request = ({ admin, path, id }) =>
  admin.put(`${path}/published`, { name: `of ${id}` });

const REQUESTS: Record<string, Request> = {
  'GET /health': reading(({ pat }) => pat.get('/health')),
  'GET /health/live': reading(({ pat }) => pat.get('/health/live')),
  'GET /metrics': reading(({ pat }) => pat.get('/metrics')),
  'GET /openapi.json': reading(({ pat }) => pat.get('/openapi.json')),
  'GET /me': reading(({ pat }) => pat.get('/me')),
  'GET /files': reading(({ admin }) => admin.get('/files')),
  'POST /files/preview': reading((one) => sendFile(one, '/files/preview?name=a.csv')),
  'POST /files': reading((one) => sendFile(one, `/files?name=of_${one.id}.csv`)),
  'GET /calendar': reading(({ admin }) => admin.get('/calendar')),
  'PUT /calendar': reading(({ admin }) => admin.put('/calendar', { fiscal_start: 7 })),
  'GET /tables': reading(({ admin }) => admin.get('/tables')),
  'GET /tables/{schema}/{tname}': reading(async ({ admin, sourcePath }) => {
    const { tname } = ok(await admin.get(sourcePath)).body;
    return admin.get(`/tables/public/${encodeURIComponent(tname)}`);
  }),
  'GET /sources': reading(({ pat }) => pat.get('/sources')),
  'POST /sources': reading(async ({ service, admin, id }) => {
    await service.query(`CREATE TABLE public.beside_${id} (a int)`);
    return admin.post('/sources', { schema: 'public', tname: `beside_${id}` });
  }),
  'GET /sources/{id}': reading(({ pat, sourcePath }) => pat.get(sourcePath)),
  'PATCH /sources/{id}': plansOn(({ admin, sourcePath }) =>
    admin.patch(sourcePath, { label: 'Plans', default_layout: { group_by: ['Region'] } }),
  ),
  'DELETE /sources/{id}': ({ admin, sourcePath }) => admin.del(sourcePath),
  'GET /sources/{id}/columns': reading(({ pat, sourcePath }) => pat.get(`${sourcePath}/columns`)),
  'PUT /sources/{id}/columns': plansOn(({ admin, sourcePath }) =>
    admin.put(`${sourcePath}/columns`, [{ cname: 'Customer', in_grain: true }]),
  ),
  'GET /sources/{id}/values': reading(async ({ pat, sourcePath }) => {
    const answer = ok(await pat.get(`${sourcePath}/values?cname=Region`));
    const values = answer.body.values.map(({ value }: { value: string }) => value);
    expect(values.toSorted()).toEqual(['A', 'B']);
    return answer;
  }),
  'POST /sources/{id}/grain-estimate': reading(async ({ admin, sourcePath }) => {
    const columns = ['Region', 'Product'];
    const answer = ok(await admin.post(`${sourcePath}/grain-estimate`, { columns }));
    expect(answer.body).toEqual({ row_count: 108, grain_rows: 9 });
    return answer;
  }),
  'GET /sources/{id}/sql': reading(({ pat, sourcePath }) => pat.get(`${sourcePath}/sql`)),
  'POST /sources/{id}/sql': plansOn(({ admin, sourcePath }) => admin.post(`${sourcePath}/sql`)),
  'GET /sources/{id}/sql/preview': reading(({ pat, sourcePath }) =>
    pat.get(`${sourcePath}/sql/preview`),
  ),
  'GET /sources/{id}/versions': reading(({ pat, sourcePath }) => pat.get(`${sourcePath}/versions`)),
  'POST /sources/{id}/versions': plansOn(({ admin, sourcePath }) =>
    admin.post(`${sourcePath}/versions`, { name: 'Beside' }),
  ),
  'GET /sources/{id}/views': reading(async (one) => {
    await made(one, 'views');
    return one.pat.get(`${one.sourcePath}/views`);
  }),
  'POST /sources/{id}/views': reading(({ pat, sourcePath }) =>
    pat.post(`${sourcePath}/views`, NAMED.views),
  ),
  'PATCH /views/{id}': reading(async (one) =>
    one.admin.patch(`/views/${await made(one, 'views')}`, { name: 'Ours' }),
  ),
  'DELETE /views/{id}': reading(async (one) => one.admin.del(`/views/${await made(one, 'views')}`)),
  'GET /sources/{id}/profiles': reading(async (one) => {
    await made(one, 'profiles');
    return one.pat.get(`${one.sourcePath}/profiles`);
  }),
  'POST /sources/{id}/profiles': reading(({ pat, sourcePath }) =>
    pat.post(`${sourcePath}/profiles`, NAMED.profiles),
  ),
  'PATCH /profiles/{id}': reading(async (one) =>
    one.admin.patch(`/profiles/${await made(one, 'profiles')}`, { name: 'Ours' }),
  ),
  'DELETE /profiles/{id}': reading(async (one) =>
    one.admin.del(`/profiles/${await made(one, 'profiles')}`),
  ),
  'GET /sources/{id}/formulas': reading(async (one) => {
    await made(one, 'formulas');
    return one.pat.get(`${one.sourcePath}/formulas`);
  }),
  'POST /sources/{id}/formulas': plansOn(({ admin, sourcePath }) =>
    admin.post(`${sourcePath}/formulas`, NAMED.formulas),
  ),
  'PATCH /formulas/{id}': reading(async (one) =>
    one.admin.patch(`/formulas/${await made(one, 'formulas')}`, { name: 'Ours' }),
  ),
  'DELETE /formulas/{id}': reading(async (one) =>
    one.admin.del(`/formulas/${await made(one, 'formulas')}`),
  ),
  'GET /sources/{id}/lookups': reading(async (one) => {
    await joined(one);
    return one.pat.get(`${one.sourcePath}/lookups`);
  }),
  'POST /sources/{id}/lookups': plansOn(async (one) => {
    const { admin, sourcePath } = one;
    const id = await joined(one);
    const lookups = ok(await admin.get(`${sourcePath}/lookups`)).body;
    const { schema, tname, keys } = lookups.find((each: { id: number }) => each.id === id);
    const attributes = [{ cname: 'product', label: 'Code' }];
    return admin.post(`${sourcePath}/lookups`, { name: 'Codes', schema, tname, keys, attributes });
  }),
  'PATCH /lookups/{id}': plansOn(async (one) =>
    one.admin.patch(`/lookups/${await joined(one)}`, { name: 'Ours' }),
  ),
  'DELETE /lookups/{id}': plansOn(async (one) => one.admin.del(`/lookups/${await joined(one)}`)),
  'GET /lookups/{id}/rows': reading(async (one) => {
    const answer = ok(await one.pat.get(`/lookups/${await joined(one)}/rows?version=${one.id}`));
    const products = decode(answer.bytes).rows.map(({ Product }) => Product);
    const inside = ok(await one.pat.get(`${one.path}/data`));
    const seen = new Set(decode(inside.bytes).rows.map(({ Product }) => Product));
    expect(products.toSorted()).toEqual([...seen].toSorted());
    return answer;
  }),
  'GET /sources/{id}/territories': reading(({ admin, sourcePath }) =>
    admin.get(`${sourcePath}/territories`),
  ),
  'GET /members': reading(({ admin }) => admin.get('/members')),
  'GET /audit': reading(({ admin }) => admin.get('/audit')),
  'GET /tokens': reading(({ admin }) => admin.get('/tokens')),
  'POST /tokens': plansOn(({ admin }) => admin.post('/tokens', TOKEN)),
  'DELETE /tokens/{id}': plansOn(async ({ admin }) => {
    const { id } = ok(await admin.post('/tokens', TOKEN)).body;
    return admin.del(`/tokens/${id}`);
  }),
  'POST /sources/{id}/territories': plansOn(({ admin, sourcePath }) =>
    admin.post(`${sourcePath}/territories`, ALL),
  ),
  'PATCH /territories/{id}': async ({ admin, pat, path, territory }) => {
    const answer = ok(await admin.patch(`/territories/${territory}`, { write: { Region: 'B' } }));
    expect((await pat.post(`${path}/scale`, { slice: AX, pct: 1 })).status).toBe(403);
    return answer;
  },
  // A source without territories is open to all.
  'DELETE /territories/{id}': reading(async ({ admin, pat, path, territory, sums }) => {
    const answer = ok(await admin.del(`/territories/${territory}`));
    const { plan } = ok(await pat.get(`${path}/totals`)).body;
    expect(plan).toMatchObject(totals(await sums()));
    return answer;
  }),
  'GET /sources/{id}/current': reading(async (one) => {
    ok(await naming(one));
    return one.pat.get(`${one.sourcePath}/current`);
  }),
  'PUT /sources/{id}/current': plansOn(naming),
  'GET /current/{name}': reading(async (one) => {
    ok(await naming(one));
    return one.pat.get(`/current/of%20${one.id}?source=${one.sourcePath.split('/').at(-1)}`);
  }),
  'GET /sources/{id}/published': reading(async (one) => {
    ok(await publishing(one));
    return one.admin.get(`${one.sourcePath}/published`);
  }),
  'PUT /versions/{id}/published': async (one) => {
    const answer = ok(await publishing(one));
    const { plan, changes } = answer.body.views;
    const all = await one.sums();
    for (const view of [plan, changes]) {
      const [sums] = await one.service.query(
        `SELECT sum("Sales")::float8 AS sales, sum("Cost")::float8 AS cost FROM ${view}`,
      );
      expect(sums).toEqual({ sales: all.value_total, cost: all.cost });
    }
    return plansOn(() => Promise.resolve(answer))(one);
  },
  'DELETE /published/{id}': reading(async (one) => {
    const { id } = ok(await publishing(one)).body;
    return one.admin.del(`/published/${id}`);
  }),
  'GET /versions/{id}': reading(({ pat, path }) => pat.get(path)),
  'PATCH /versions/{id}': reading(({ admin, path }) => admin.patch(path, { description: 'x' })),
  'DELETE /versions/{id}': ({ admin, path }) => admin.del(path),
  'POST /versions/{id}/copy': async ({ admin, path, sums, service, id }) => {
    const { body, ...answer } = ok(await admin.post(`${path}/copy`, { name: `Copy ${id}` }));
    const [{ table }] = await service.query(
      `SELECT format('pf.%I', relname) AS table FROM pg_class WHERE relname LIKE '%\\_${body.id}' AND relkind = 'r'`,
    );
    expect(await sums('TRUE', table)).toEqual(await sums());
    return { ...answer, body };
  },
  'POST /versions/{id}/replay': async ({ admin, path, sums, id }) => {
    const answer = ok(await admin.post(`${path}/replay`, { name: `Replay ${id}` }));
    // The close replays to the same months, although the rows of the baseline have changed there.
    const replayed = ok(await admin.get(`/versions/${answer.body.version.id}/totals`)).body.plan;
    const { row_count: _, ...found } = totals(await sums());
    expect(replayed).toMatchObject(found);
    return answer;
  },
  'GET /versions/{id}/replayed': async ({ admin, path, id }) => {
    const { body } = ok(await admin.post(`${path}/replay`, { name: `Replayed ${id}` }));
    return admin.get(`/versions/${body.version.id}/replayed`);
  },
  'POST /versions/{id}/close': reading(({ admin, path }) => admin.post(`${path}/close`)),
  'POST /versions/{id}/open': reading(async ({ admin, path }) => {
    ok(await admin.post(`${path}/close`));
    return admin.post(`${path}/open`);
  }),
  'GET /versions/{id}/data': reading(async ({ pat, path, sums }) => {
    const answer = ok(await pat.get(`${path}/data`));
    const { rows } = decode(answer.bytes);
    const { row_count, value_total } = await sums(READ);
    expect(rows).toHaveLength(row_count);
    expect(rows.reduce((sum, row) => sum + Number(row.Sales), 0)).toBeCloseTo(value_total, 6);
    return answer;
  }),
  'GET /versions/{id}/agg': reading(async ({ pat, path, sums }) => {
    const answer = ok(await pat.get(`${path}/agg`));
    const total = decode(answer.bytes).rows.reduce((sum, row) => sum + Number(row.Cost), 0);
    expect(total).toBeCloseTo((await sums(READ)).cost, 6);
    return answer;
  }),
  'GET /versions/{id}/events': reading(async ({ service, path }) => {
    const { status, headers, next, close } = await openEvents(service.url, path, signedIn('pat'));
    await next();
    close();
    return { status, headers, bytes: new Uint8Array(), body: undefined };
  }),
  'POST /versions/{id}/baseline': loading('baseline', ONLY_X),
  'PUT /versions/{id}/baseline/{logid}': reading(({ admin, path, baseline }) =>
    admin.put(`${path}/baseline/${baseline}`, {}),
  ),
  'DELETE /versions/{id}/baseline': reading(({ admin, path }) => admin.del(`${path}/baseline`)),
  'POST /versions/{id}/baseline/preview': reading(async ({ admin, path, sums, source }) => {
    const answer = ok(await admin.post(`${path}/baseline/preview`, ONLY_X));
    const { row_count } = await sums(`"Product" = 'x'`, source);
    expect(answer.body.row_count).toBe(row_count);
    return answer;
  }),
  'POST /versions/{id}/forecast': async (one) => {
    const preview = ok(await one.admin.post(`${one.path}/forecast/preview`, FORECAST)).body;
    const answer = await loading('forecast', FORECAST)(one);
    const own = await one.sums(`pf_logid = ${answer.body.logid}`);
    const forecast: Record<string, number> = {};
    for (const { measure, forecast: amounts } of preview.groups) {
      for (const amount of amounts) forecast[measure] = (forecast[measure] ?? 0) + amount;
    }
    expect(forecast).toEqual({
      value: expect.closeTo(own.value_total, 6),
      units: own.units_total,
      Cost: expect.closeTo(own.cost, 6),
    });
    return answer;
  },
  'POST /versions/{id}/forecast/preview': reading(({ admin, path }) =>
    admin.post(`${path}/forecast/preview`, FORECAST),
  ),
  'POST /versions/{id}/forecast/levels': reading(({ admin, path }) =>
    admin.post(`${path}/forecast/levels`, FORECAST),
  ),
  'GET /versions/{id}/segments': reading(({ admin, path }) => admin.get(`${path}/segments`)),
  'POST /versions/{id}/reference': loading('reference', ONLY_X),
  'POST /versions/{id}/actuals': async ({ admin, path, sums, source }) => {
    const answer = ok(await admin.post(`${path}/actuals`, { through: '2027-02-28' }));
    const closed = `"Day" <= '2027-02-28'`;
    expect(amounts(await sums(closed))).toEqual(amounts(await sums(closed, source)));
    const { value_total, units_total } = answer.body.after;
    const plan = await sums(closed);
    expect([value_total, units_total]).toEqual([plan.value_total, plan.units_total]);
    return answer;
  },
  'POST /versions/{id}/actuals/preview': reading(async ({ admin, path, sums, source }) => {
    const answer = ok(await admin.post(`${path}/actuals/preview`, { through: '2027-02-28' }));
    const month = `"Day" BETWEEN '2027-02-01' AND '2027-02-28'`;
    const { before, actual } = answer.body.months.at(-1);
    expect([before, actual]).toEqual([
      totals(await sums(month)),
      totals(await sums(month, source)),
    ]);
    return answer;
  }),
  'POST /versions/{id}/refresh': adding(
    `"Product" = 'y' AND "Day" = '2027-02-28'`,
    { value_total: 18, units_total: 0, cost: 0 },
    async ({ service, admin, path, source }) => {
      await service.query(
        `UPDATE ${source} SET "Sales" = "Sales" + 2 WHERE "Product" IN ('y', 'z') AND "Day" = '2027-02-28'`,
      );
      const answer = ok(await admin.post(`${path}/refresh`));
      expect(answer.body.left_alone).toEqual({ closed: 9, locked: 9, reviewed: 0, forecasts: [] });
      return answer;
    },
  ),
  'POST /versions/{id}/refresh/preview': reading(({ admin, path }) =>
    admin.post(`${path}/refresh/preview`),
  ),
  'POST /versions/{id}/import': adding(
    `"Region" = 'A' AND "Product" = 'x' AND "Day" > '2027-01-31'`,
    { value_total: 50, units_total: 0, cost: 0 },
    ({ pat, path }) =>
      pat.post(`${path}/import`, { file: FILE, edits: [{ slice: AX, value_incr: 50 }] }),
  ),
  'POST /versions/{id}/import/preview': reading(({ pat, path }) =>
    pat.post(`${path}/import/preview`, { edits: [{ slice: AX, value_incr: 50 }], since: 0 }),
  ),
  'POST /versions/{id}/slice': reading(async ({ pat, path, sums }) => {
    const answer = ok(await pat.post(`${path}/slice`, { slice: {} }));
    expect(answer.body).toMatchObject(totals(await sums(READ)));
    const held = `${READ} AND ("Product" = 'z' OR "Day" <= '2027-01-31')`;
    expect(answer.body.held).toMatchObject(totals(await sums(held)));
    return answer;
  }),
  'POST /versions/{id}/slices': reading(async ({ pat, path, sums }) => {
    const answer = ok(await pat.post(`${path}/slices`, { slices: [AX, MARCH] }));
    const found = [
      await sums(`"Region" = 'A' AND "Product" = 'x'`),
      await sums(`"Region" = 'A' AND "Product" = 'x' AND "Day" = '2027-03-31'`),
    ];
    expect(answer.body.slices).toMatchObject(found.map(totals));
    return answer;
  }),
  'GET /versions/{id}/locks': reading(({ pat, path }) => pat.get(`${path}/locks`)),
  'POST /versions/{id}/locks': reading(({ admin, path }) =>
    admin.post(`${path}/locks`, { slice: { Customer: 'cy' } }),
  ),
  'DELETE /locks/{id}': reading(({ admin, lock }) => admin.del(`/locks/${lock}`)),
  'POST /versions/{id}/scale': adding(
    `NOT ${KEPT}`,
    { value_total: 100, units_total: 7, cost: 50 },
    ({ pat, path }) => pat.post(`${path}/scale`, SCALE),
  ),
  'POST /versions/{id}/recode': async (one) => {
    const [from, to] = ['x', 'y'].map(
      (product) => `"Region" = 'A' AND "Product" = '${product}' AND "Day" = '2027-03-31'`,
    ) as [string, string];
    const moved = await one.sums(from);
    const send: Request = ({ pat, path }) =>
      pat.post(`${path}/recode`, { slice: MARCH, set: { Product: 'y' } });
    const answer = await adding(`${from} OR ${to}`, NOTHING, send)(one);
    expect(amounts(await one.sums(from))).toEqual(NOTHING);
    expect(moved.value_total).toBeGreaterThan(0);
    return answer;
  },
  'POST /versions/{id}/clone': async (one) => {
    const { sums } = one;
    const copied = await sums(`"Region" = 'A' AND "Product" = 'x' AND "Day" = '2027-03-31'`);
    return adding(
      `"Region" = 'A' AND "Product" = 'y' AND "Day" = '2027-03-31'`,
      amounts(copied),
      ({ pat, path }) => pat.post(`${path}/clone`, { slice: MARCH, set: { Product: 'y' } }),
    )(one);
  },
  'POST /versions/{id}/scale/preview': reading(async ({ pat, path, sums }) => {
    const answer = ok(await pat.post(`${path}/scale/preview`, SCALE));
    expect(answer.body.totals.before).toMatchObject(totals(await sums(`"Region" = 'A'`)));
    return answer;
  }),
  'POST /versions/{id}/recode/preview': reading(({ pat, path }) =>
    pat.post(`${path}/recode/preview`, { slice: MARCH, set: { Product: 'y' } }),
  ),
  'POST /versions/{id}/clone/preview': reading(({ pat, path }) =>
    pat.post(`${path}/clone/preview`, { slice: MARCH, set: { Product: 'y' } }),
  ),
  'POST /versions/{id}/preview': reading(({ pat, path }) =>
    pat.post(`${path}/preview`, { operations: [{ operation: 'scale', ...SCALE }] }),
  ),
  'GET /versions/{id}/log': reading(async ({ pat, path, logid, sums }) => {
    const answer = ok(await pat.get(`${path}/log`));
    const last = answer.body.entries.find(({ id }: { id: number }) => id === logid);
    expect(last).toMatchObject(totals(await sums(`${READ} AND pf_logid = ${logid}`)));
    return answer;
  }),
  'GET /versions/{id}/totals': reading(async ({ pat, path, sums }) => {
    const answer = ok(await pat.get(`${path}/totals`));
    expect(answer.body.plan).toMatchObject(totals(await sums(READ)));
    return answer;
  }),
  'GET /versions/{id}/accuracy': reading(({ pat, path }) => pat.get(`${path}/accuracy?by=Region`)),
  'POST /versions/{id}/explain': reading(async ({ pat, path, sums }) => {
    const answer = ok(await pat.post(`${path}/explain`, { slice: AX }));
    const found = await sums(`"Region" = 'A' AND "Product" = 'x'`);
    expect(answer.body.included).toMatchObject(totals(found));
    return answer;
  }),
  'POST /versions/{id}/rows': reading(async ({ pat, path, sums }) => {
    const answer = ok(await pat.post(`${path}/rows`, { slice: AX }));
    const { row_count } = await sums(`"Region" = 'A' AND "Product" = 'x'`);
    expect(answer.body.rows).toHaveLength(Math.min(100, row_count));
    return answer;
  }),
  'GET /versions/{id}/undone': reading(async ({ pat, path }) => {
    ok(await pat.post(`${path}/scale`, { slice: AX, pct: 1 }));
    const { id: logid } = ok(await pat.get(`${path}/log`)).body.entries[0];
    ok(await pat.del(`/log/${logid}`));
    const answer = ok(await pat.get(`${path}/undone`));
    expect(answer.body.map((entry: { logid: number }) => entry.logid)).toContain(logid);
    return answer;
  }),
  'POST /versions/{id}/redo/{logid}': async ({ pat, path, logid, sums }) => {
    const before = await sums();
    ok(await pat.del(`/log/${logid}`));
    const answer = await pat.post(`${path}/redo/${logid}`);
    expect(await sums()).toEqual(before);
    return answer;
  },
  'GET /log/{logid}/entry': reading(({ pat, logid }) => pat.get(`/log/${logid}/entry`)),
  'PATCH /log/{logid}': reading(({ pat, logid }) => pat.patch(`/log/${logid}`, { note: 'x' })),
  'POST /log/{logid}/reverse': withoutLast(({ pat, logid }) => pat.post(`/log/${logid}/reverse`)),
  'POST /log/{logid}/reverse/preview': reading(({ pat, logid }) =>
    pat.post(`/log/${logid}/reverse/preview`),
  ),
  'DELETE /log/{logid}': withoutLast(({ pat, logid }) => pat.del(`/log/${logid}`)),
  'GET /versions/{id}/comments': reading(async (one) => {
    await commented(one);
    return one.pat.get(`${one.path}/comments`);
  }),
  'POST /versions/{id}/comments': reading(({ pat, path }) => pat.post(`${path}/comments`, COMMENT)),
  'PATCH /comments/{id}': reading(async (one) =>
    one.pat.patch(`/comments/${await commented(one)}`, { resolved: true }),
  ),
  'DELETE /comments/{id}': reading(async (one) => one.pat.del(`/comments/${await commented(one)}`)),
  'GET /comments/mentions': reading(({ pat }) => pat.get('/comments/mentions?user=pat')),
  'GET /reviews/waiting': reading(async (one) => {
    await reviewed('submit')(one);
    return one.admin.get('/reviews/waiting?user=eve');
  }),
  'GET /versions/{id}/alerts': reading(async (one) => {
    ok(await alerted(one));
    return one.pat.get(`${one.path}/alerts`);
  }),
  'POST /versions/{id}/alerts': reading(alerted),
  'PATCH /alerts/{id}': reading(async (one) =>
    one.pat.patch(`/alerts/${await alertId(one)}`, { owner: 'eve' }),
  ),
  'DELETE /alerts/{id}': reading(async (one) => one.pat.del(`/alerts/${await alertId(one)}`)),
  'GET /alerts/{id}/groups': reading(async (one) =>
    one.pat.get(`/alerts/${await alertId(one)}/groups`),
  ),
  'GET /alerts/own': reading(({ pat }) => pat.get('/alerts/own?user=pat')),
  'GET /versions/{id}/reviews': reading(async (one) => {
    await reviewed('submit', 'approve', 'reopen')(one);
    return one.pat.get(`${one.path}/reviews`);
  }),
  'POST /versions/{id}/reviews': reading(reviewed()),
  'PATCH /reviews/{id}': reading(async (one) =>
    one.pat.patch(`/reviews/${await reviewId(one)}`, { comment: 'Later' }),
  ),
  'DELETE /reviews/{id}': reading(async (one) => one.pat.del(`/reviews/${await reviewId(one)}`)),
  'POST /reviews/{id}/submit': reading(reviewed('submit')),
  'POST /reviews/{id}/return': reading(reviewed('submit', 'return')),
  'POST /reviews/{id}/approve': reading(reviewed('submit', 'approve')),
  'POST /reviews/{id}/reopen': reading(reviewed('submit', 'approve', 'reopen')),
};

/** What such a version refuses, with the status. */
const REFUSED: Record<string, number> = {
  // A source has versions.
  'DELETE /sources/{id}': 409,
  'PUT /versions/{id}/baseline/{logid}': 409,
  'DELETE /versions/{id}/baseline': 423,
};

const named = ({ method, path }: { method: string; path: string }) =>
  `${method.toUpperCase()} ${path}`;

describe('a version with a grain, a further measure, a lock, closed months, territories and indexes', () => {
  /** The version that all reading requests share. */
  let read: Promise<World> | undefined;

  it('has a request to every endpoint, and one for every operation', () => {
    expect(Object.keys(REQUESTS).toSorted()).toEqual(ENDPOINTS.map(named).toSorted());
    for (const operation of Object.keys(OPERATIONS)) {
      const own = operation === 'actual' ? 'actuals' : operation;
      expect(Object.keys(REQUESTS).some((name) => name.endsWith(`/${own}`))).toBe(true);
    }
  });

  it.for(ENDPOINTS.map((endpoint) => [named(endpoint), endpoint] as const))(
    'answers %s, and its sums are those of SQL',
    async ([name, endpoint], { service }) => {
      const one = await (endpoint.method === 'get'
        ? (read ??= fullVersion(service))
        : fullVersion(service));
      const kept = await one.sums(KEPT);
      const answer = await REQUESTS[name]!(one);
      expect([answer.status, answer.body?.error]).toEqual(
        REFUSED[name] === undefined
          ? [endpoint.answer.status, undefined]
          : [REFUSED[name], expect.any(String)],
      );
      // What a planner may not change stays.
      const isByPlanner = endpoint.territories !== 'refused';
      if (isByPlanner) expect(await one.sums(KEPT)).toEqual(kept);
    },
  );
});
