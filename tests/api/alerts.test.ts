// Alerts for people who read a part, of a large version, and to a webhook.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openEvents } from '../support/events';
import { apiAt, type Answer, type Api } from '../support/http';
import { plan, type Planned, type SourceRow, type TableColumn } from '../support/planned';
import { until } from '../support/race';
import { startService, type Service } from '../support/service';
import { REGIONAL, SIGNED_IN, signedIn } from '../support/territories';
import { ok } from './contract/orders';

const INSIDE = [
  { Day: '2027-01-31', Region: 'A', Product: 'x', Sales: 100 },
  { Day: '2027-02-28', Region: 'A', Product: 'y', Sales: 20 },
];
const OUTSIDE = [
  { Day: '2027-01-31', Region: 'B', Product: 'x', Sales: 5 },
  { Day: '2027-03-31', Region: 'B', Product: 'secret', Sales: 7700 },
];
const ABOVE_50 = {
  ...{ name: 'Above 50', measure: 'value', of: 'amount', slice: {}, owner: 'ann' },
  ...{ level: [{ field: 'Region' }], condition: { operator: 'above', amount: 50 } },
};

let service: Service;
let admin: Api;
/** Reads and changes A. */
let ann: Api;
const received: { type: string; data: object }[] = [];
const receiver = createServer((request, response) => {
  void (async () => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    received.push(JSON.parse(body));
    response.writeHead(204).end();
  })();
});

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  service = await startService('service', {
    ...SIGNED_IN,
    PF_WEBHOOK: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
    PF_WEBHOOK_SECRET: 'a secret for a webhook',
  });
  admin = apiAt(service.url, signedIn('eve', 'admins'));
  ann = apiAt(service.url, signedIn('ann'));
});
afterAll(async () => {
  await service?.stop();
  receiver.closeAllConnections();
  receiver.close();
});

const alert = async ({ path }: Planned, more: object = {}, api = admin): Promise<number> =>
  ok(await api.post(`${path}/alerts`, { ...ABOVE_50, ...more })).body.id;

/** The groups of an alert by member, with the amounts for which it holds. */
async function holding(id: number, field = 'Region', api = admin): Promise<Record<string, number>> {
  const { groups, total } = ok(await api.get(`/alerts/${id}/groups`)).body;
  expect(groups.length).toBe(Math.min(100, total));
  return Object.fromEntries(
    groups
      .filter((group: object) => !('ended_at' in group))
      .map(({ slice, amount }: Answer['body']) => [String(slice[field]), amount]),
  );
}

/** Waits until an alert holds for some members. */
const holds = (id: number, members: string[], field = 'Region') =>
  until(async () => {
    const now = Object.keys(await holding(id, field)).sort();
    return JSON.stringify(now) === JSON.stringify(members.toSorted());
  });

describe('A person who reads a part', () => {
  async function made(rows: SourceRow[]): Promise<Planned> {
    const version = await plan({ ...service, api: admin }, REGIONAL, rows);
    const territory = { member: 'ann', read: { Region: 'A' }, write: { Region: 'A' } };
    ok(await admin.post(`/sources/${version.sourceId}/territories`, territory));
    ok(await admin.post(`${version.path}/baseline`));
    return version;
  }

  /** Returns the alerts and groups of a version as Ann gets them, without ids and times. */
  async function told(version: Planned): Promise<unknown> {
    const alerts = ok(await ann.get(`${version.path}/alerts`)).body;
    const groups: unknown[] = [];
    for (const { id } of alerts) groups.push(ok(await ann.get(`/alerts/${id}/groups`)).body);
    const own = ok(await ann.get('/alerts/own')).body.filter(
      ({ version_id }: { version_id: number }) => version_id === version.id,
    );
    const comments = ok(await ann.get(`${version.path}/comments`)).body;
    const differs = /^(id|version_id|source_id|source_label|comment|\w+_at)$/;
    const plain = JSON.stringify({ alerts, groups, own, comments }, (name, value: unknown) =>
      differs.test(name) ? null : value,
    );
    expect(plain).not.toContain('secret');
    return JSON.parse(plain);
  }

  it('gets the same answers in two worlds that differ only outside the part', async () => {
    const one = await made([...INSIDE, ...OUTSIDE]);
    const two = await made(INSIDE);
    const alerts = [
      { asks_for_reason: true },
      { level: [{ field: 'Product' }], slice: { Region: 'A' } },
      { level: [{ field: 'Product' }, { field: 'Region' }], slice: { Product: ['x', 'secret'] } },
      // Groups of products, or of a region outside, are never inside.
      { level: [{ field: 'Product' }], name: 'veiled' },
      { level: [{ field: 'Product' }], slice: { Region: ['A', 'B'] }, name: 'veiled' },
      { slice: { Region: 'B' }, name: 'veiled' },
    ];
    const ids = new Map<Planned, number[]>();
    for (const world of [one, two]) {
      ids.set(world, []);
      for (const each of alerts) ids.get(world)!.push(await alert(world, each));
      await holds(ids.get(world)![4]!, world === one ? ['secret', 'x'] : ['x'], 'Product');
    }
    const check = async () => {
      const [first, second] = [await told(one), await told(two)];
      expect(first).toEqual(second);
      return first as { alerts: { name: string; holding: number; slice: object }[] };
    };
    expect((await check()).alerts).toMatchObject([
      { name: 'Above 50', holding: 1, slice: {} },
      { name: 'Above 50', holding: 1, slice: { Region: 'A' } },
      { name: 'Above 50', holding: 1, slice: { Product: ['x'] } },
    ]);
    const stream = await openEvents(service.url, one.path, signedIn('ann'));
    ok(await admin.post(`${one.path}/scale`, { slice: { Region: 'B' }, value_total: 0 }));
    await holds(ids.get(one)![0]!, ['A']);
    await check();
    for (const world of [one, two]) {
      ok(await admin.post(`${world.path}/scale`, { slice: { Product: 'y' }, value_incr: 500 }));
      await holds(ids.get(world)![1]!, ['x', 'y'], 'Product');
    }
    expect((await check()).alerts.map(({ holding }) => holding)).toEqual([1, 2, 1]);
    // The first thing that the stream tells is of the change inside.
    expect(await stream.events(1)).toMatchObject([{ event: 'resync' }]);
    for (const id of ids.get(one)!.slice(3)) {
      expect((await ann.get(`/alerts/${id}/groups`)).status).toBe(404);
      expect((await ann.patch(`/alerts/${id}`, { name: 'Mine' })).status).toBe(404);
    }
  });

  it('makes and changes alerts inside the part only', async () => {
    const version = await made([...INSIDE, ...OUTSIDE]);
    const slice = { Region: 'A' };
    for (const beyond of [{}, { Region: ['A', 'B'] }, { Product: 'x' }]) {
      const body = { ...ABOVE_50, slice: beyond };
      expect((await ann.post(`${version.path}/alerts`, body)).status).toBe(403);
    }
    const id = await alert(version, { slice, level: [{ field: 'Product' }] }, ann);
    await holds(id, ['x'], 'Product');
    expect((await ann.patch(`/alerts/${id}`, { slice: {} })).status).toBe(403);
    expect(ok(await ann.patch(`/alerts/${id}`, { name: 'Mine' })).body).toMatchObject({
      ...{ name: 'Mine', created_by: 'ann', holding: 1 },
    });
    const wide = await alert(version);
    await holds(wide, ['A', 'B']);
    expect((await ann.patch(`/alerts/${wide}`, { name: 'Mine' })).status).toBe(403);
    expect((await ann.del(`/alerts/${wide}`)).status).toBe(403);
  });
});

it('the webhook sends the numbers of groups that have begun and ended', async () => {
  const version = await plan({ ...service, api: admin }, REGIONAL, INSIDE);
  const { logid } = ok(await admin.post(`${version.path}/baseline`)).body;
  const id = await alert(version);
  const sent = () =>
    received.filter(({ data }) => (data as { version_id: number }).version_id === version.id);
  await until(() => Promise.resolve(sent().length >= 3));
  ok(await admin.del(`/log/${logid}`));
  await until(() => Promise.resolve(sent().length >= 5));
  const about = { version_id: version.id };
  expect(sent()).toMatchObject([
    { type: 'written' },
    { type: 'alert', data: { ...about, id } },
    { type: 'alert', data: { ...about, id, began: 1 } },
    { type: 'undone' },
    { type: 'alert', data: { ...about, id, ended: 1 } },
  ]);
});

it('a person without a territory learns nothing of an alert and its version', async () => {
  const version = await plan({ ...service, api: admin }, REGIONAL, INSIDE);
  ok(await admin.post(`${version.path}/baseline`));
  const territory = { member: 'ann', read: { Region: 'A' }, write: { Region: 'A' } };
  ok(await admin.post(`/sources/${version.sourceId}/territories`, territory));
  const id = await alert(version);
  const cem = apiAt(service.url, signedIn('cem'));
  for (const each of [id, 99_999]) {
    for (const answer of [
      await cem.get(`/alerts/${each}/groups`),
      await cem.patch(`/alerts/${each}`, { name: 'Mine' }),
      await cem.del(`/alerts/${each}`),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([404, `There is no alert ${each}`]);
    }
  }
});

describe('A version of 300,000 rows with a grain and indexes', () => {
  const COLUMNS: TableColumn[] = [
    { name: 'Day', type: 'date', role: 'date', grain: true },
    { name: 'Region', type: 'text', role: 'dimension', grain: true },
    { name: 'Article', type: 'integer', role: 'dimension', grain: true },
    { name: 'Sales', type: 'numeric(14,4)', role: 'value' },
    { name: 'Weight', type: 'double precision', role: 'measure' },
  ];
  let version: Planned;
  let name: string;

  beforeEach(async () => {
    if (version) return;
    version = await plan({ ...service, api: admin }, COLUMNS, []);
    [{ name }] = (await service.query(
      `SELECT format('%I.%I', schema, tname) AS name FROM pf.source WHERE id = ${version.sourceId}`,
    )) as [{ name: string }];
    await service.query(`INSERT INTO ${name}
      SELECT '2027-01-01'::date + i % 365, NULLIF('R' || i % 7, 'R6'), i % 1000, i % 10007 / 7.0, (i % 97) * 0.1
      FROM generate_series(1, 300000) AS i;
      CREATE TABLE public.articles (code int PRIMARY KEY, family text);
      INSERT INTO public.articles SELECT i, 'F' || i % 20 FROM generate_series(0, 989) AS i`);
    ok(
      await admin.post(`/sources/${version.sourceId}/lookups`, {
        ...{ name: 'Articles', schema: 'public', tname: 'articles' },
        ...{ keys: [{ column: 'Article', from: 'code' }] },
        attributes: [{ cname: 'family', label: 'Family' }],
      }),
    );
    ok(await admin.post(`${version.path}/baseline`));
  });

  /** The sums of some groups above a limit, by SQL. */
  const bySql = async (key: string, sum: string, limit: number, from = `${version.table} AS f`) =>
    Object.fromEntries(
      (
        await service.query(
          `SELECT ${key}::text AS key, (${sum})::float8 AS sum FROM ${from} GROUP BY 1 HAVING ${sum} > ${limit}`,
        )
      ).map(({ key, sum }) => [String(key), sum]),
    ) as Record<string, number>;

  it('holds for the groups that SQL finds: by region, article, and family of a lookup', async () => {
    const articles = `${version.table} AS f LEFT JOIN public.articles AS a ON a.code = f."Article"`;
    const cases = [
      ['Region', 'value', 'f."Region"', 'SUM(f."Sales")', 30_000_000, undefined],
      ['Article', 'value', 'f."Article"', 'SUM(f."Sales")', 214_300, undefined],
      ['Family', 'value', 'a.family', 'SUM(f."Sales")', 10_700_000, articles],
      ['Region', 'Weight', 'f."Region"', 'SUM(f."Weight"::text::numeric)', 205_712, undefined],
    ] as const;
    for (const [field, measure, key, sum, amount, from] of cases) {
      const expected = await bySql(key, sum, amount, from);
      const members = Object.keys(expected);
      expect(members.length, field).toBeGreaterThan(0);
      const id = await alert(version, {
        ...{ measure, level: [{ field }], condition: { operator: 'above', amount } },
      });
      const all: Record<string, number> = {};
      await until(async () => {
        const { total } = ok(await admin.get(`/alerts/${id}/groups`)).body;
        return total === members.length;
      });
      for (let offset = 0; offset < members.length; offset += 100) {
        const { groups } = ok(await admin.get(`/alerts/${id}/groups?offset=${offset}`)).body;
        for (const group of groups) all[String(group.slice[field])] = group.amount;
      }
      expect(all).toEqual(expected);
    }
  });

  it('says why it is not evaluated for more than 10,000 groups', async () => {
    const level = [{ field: 'Article' }, { field: 'Day', unit: 'day' }];
    const id = await alert(version, { level, condition: { operator: 'above', amount: -1 } });
    const problem = await until(async () => {
      const alerts = ok(await admin.get(`${version.path}/alerts`)).body;
      return alerts.find((each: { id: number }) => each.id === id).problem;
    });
    expect(problem).toBe(
      'It holds for more than 10,000 groups; choose a narrower condition or fewer fields',
    );
    expect(await holding(id)).toEqual({});
  });
});
