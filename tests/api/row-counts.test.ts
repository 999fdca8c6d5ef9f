import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plan, type Planned } from '../support/planned';
import { hold } from '../support/race';
import { startService, type Service } from '../support/service';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

const BODY = { pf_user: 'ann', slice: {} };

async function version(grain: boolean): Promise<Planned> {
  return plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension', grain },
      { name: 'Item', type: 'text', role: 'dimension' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    ['a', 'b', 'c', 'd', 'e'].map((Item) => ({ Region: Item < 'c' ? 'A' : 'B', Item, Sales: 10 })),
  );
}

/** Returns the row count in the list and that of the forecast table. */
async function counts(v: Planned): Promise<{ listed: number; there: number }> {
  const { body } = await service.api.get(`/sources/${v.sourceId}/versions`);
  const [{ n }] = await service.query(`SELECT count(*) AS n FROM ${v.table}`);
  return { listed: body.find((w: { id: number }) => w.id === v.id).row_count, there: n };
}

/** Returns the row counts of each entry, oldest first: stored and actual. */
async function ofEntries(v: Planned): Promise<{ kept: number; there: number }[]> {
  const entries = await service.query(
    `SELECT id, row_count::int AS kept FROM pf.log WHERE version_id = ${v.id} ORDER BY id`,
  );
  const rows = await service.query(
    `SELECT pf_logid AS id, count(*)::int AS there FROM ${v.table} GROUP BY 1`,
  );
  const there = new Map(rows.map((row) => [row.id, row.there]));
  return entries.map(({ id, kept }) => ({ kept, there: there.get(id) ?? 0 }));
}

describe.each([
  ['row by row', false],
  ['at a grain', true],
] as const)('the sizes of versions, %s', (_, grain) => {
  it('are stored with each entry, through all writes and undos', async () => {
    const v = await version(grain);
    const { api } = service;
    expect(await counts(v)).toEqual({ listed: 0, there: 0 });
    const step = async (answer: Promise<{ status: number }>, rows: number) => {
      expect((await answer).status).toBe(200);
      expect(await counts(v)).toEqual({ listed: rows, there: rows });
      for (const entry of await ofEntries(v)) expect(entry.kept).toBe(entry.there);
    };
    await step(api.post(`${v.path}/baseline`, BODY), 5);
    const [first] = (await api.get(`${v.path}/log`)).body.entries;
    const where = [[{ cname: 'Region', op: '=', value: 'A' }]];
    await step(api.put(`${v.path}/baseline/${first.id}`, { ...BODY, filters: where }), 2);
    await step(api.post(`${v.path}/reference`, BODY), 7);
    await step(api.post(`${v.path}/scale`, { ...BODY, pct: 10 }), 9);
    await step(api.post(`${v.path}/recode`, { ...BODY, set: { Region: 'C' } }), 13);
    await step(api.post(`${v.path}/clone`, { ...BODY, set: { Region: 'D' } }), 15);
    const [last] = (await api.get(`${v.path}/log`)).body.entries;
    await step(api.del(`/log/${last.id}`), 13);
    await step(api.del(`${v.path}/baseline`), 11);
  });
});

it('are listed without reading the forecast tables', async () => {
  const v = await version(false);
  expect((await service.api.post(`${v.path}/baseline`, BODY)).status).toBe(200);
  const held = await hold(service, `LOCK TABLE ${v.table} IN ACCESS EXCLUSIVE MODE`);
  const list = await service.api.get(`/sources/${v.sourceId}/versions`);
  expect([list.status, list.body[0].row_count]).toEqual([200, 5]);
  await held.release();
});

it('are computed once for entries without a count, on request', async () => {
  const v = await version(false);
  await service.api.post(`${v.path}/baseline`, BODY);
  await service.api.post(`${v.path}/scale`, { ...BODY, pct: 10 });
  await service.query(`UPDATE pf.log SET row_count = NULL WHERE version_id = ${v.id}`);
  await service.api.post(`${v.path}/scale`, { ...BODY, pct: 10 });
  expect(await counts(v)).toEqual({ listed: 15, there: 15 });
  expect((await ofEntries(v)).map((e) => e.kept)).toEqual([5, 5, 5]);
});
