import { describe, expect } from 'vitest';
import { it } from '../support/api';
import type { Service } from '../support/service';

let source: string;
let version: string;
let table: string;
let tables = 0;

it.beforeEach(async ({ service }) => {
  const { api, query } = service;
  const tname = `orders_${(tables += 1)}`;
  await query(`CREATE TABLE public.${tname} AS
    SELECT 'West' AS region, 10 * i AS amount, i AS pieces, i % 2 AS grade FROM generate_series(1, 4) AS i`);
  const { body: registered } = await api.post('/sources', { schema: 'public', tname });
  source = `/sources/${registered.id}`;
  await roles(service, {
    region: 'dimension',
    amount: 'value',
    pieces: 'units',
    grade: 'dimension',
  });
  await api.post(`${source}/sql`);
  const { body: created } = await api.post(`${source}/versions`, { name: 'Plan' });
  version = `/versions/${created.id}`;
  table = `pf.fc_${tname}_${created.id}`;
  await api.post(`${version}/baseline`, { pf_user: 'ann' });
});

async function roles(service: Service, entries: Record<string, string>): Promise<void> {
  const answer = await service.api.put(
    `${source}/columns`,
    Object.entries(entries).map(([cname, role]) => ({ cname, role })),
  );
  expect(answer.status).toBe(200);
}

const scale = (service: Service, slice: object) =>
  service.api.post(`${version}/scale`, { slice, value_incr: 7, pf_user: 'ann' });

it('refuses operations while value and units are swapped only in the metadata', async ({
  service,
}) => {
  await roles(service, { amount: 'units', pieces: 'value' });
  const answer = await scale(service, { region: 'West' });
  expect(answer.status).toBe(409);
  expect(answer.body.error).toContain('"amount", "pieces"');
  expect((await service.api.post(`${version}/slice`, { slice: {} })).status).toBe(409);

  await service.api.post(`${source}/sql`);
  expect((await scale(service, { region: 'West' })).status).toBe(200);
  const [sums] = await service.query(
    `SELECT sum(amount)::int AS amount, sum(pieces)::int AS pieces FROM ${table}`,
  );
  expect(sums).toEqual({ amount: 100, pieces: 17 });
});

it('refuses a slice by a dimension that became a measure, instead of skipping it', async ({
  service,
}) => {
  await roles(service, { pieces: 'ignore' });
  await roles(service, { grade: 'units' });
  const answer = await scale(service, { grade: 1 });
  expect(answer.status).toBe(409);
  expect(answer.body.error).toContain('"grade"');
});

describe('a version created before its changed columns are generated', () => {
  const planned = async (
    service: Service,
    tname: string,
    before: Record<string, string>,
    after: typeof before,
    d = 'd',
  ) => {
    const { api, query } = service;
    await query(`CREATE TABLE public.${tname} AS
      SELECT 'x' || i % 2 AS "${d}", 'y' AS e, 10 * i AS a, i AS b FROM generate_series(1, 4) AS i`);
    const { body: registered } = await api.post('/sources', { schema: 'public', tname });
    const save = (columns: typeof before) =>
      api.put(
        `/sources/${registered.id}/columns`,
        Object.entries(columns).map(([cname, role]) => ({ cname, role })),
      );
    await save(before);
    await api.post(`/sources/${registered.id}/sql`);
    await save(after);
    const { body: created } = await api.post(`/sources/${registered.id}/versions`, { name: 'P' });
    const loaded = await api.post(`/versions/${created.id}/baseline`, { pf_user: 'ann' });
    expect(loaded.body).toMatchObject({ row_count: 4 });
    const table = `pf.fc_${tname}_${created.id}`;
    return {
      post: (operation: string, body: object) =>
        api.post(`/versions/${created.id}/${operation}`, { slice: {}, pf_user: 'ann', ...body }),
      generate: () => api.post(`/sources/${registered.id}/sql`),
      entries: () => query(`SELECT DISTINCT pf_iter FROM ${table}`),
    };
  };

  it('refuses operations while the templates have value and units swapped', async ({ service }) => {
    const { post, generate, entries } = await planned(
      service,
      'swapped',
      { d: 'dimension', a: 'value', b: 'units' },
      { a: 'units', b: 'value' },
    );
    expect((await post('scale', { value_incr: 30 })).status).toBe(409);
    expect(await entries()).toEqual([{ pf_iter: 'baseline' }]);
    await generate();
    const [row] = (await post('scale', { slice: { d: 'x1' }, value_incr: 30 })).body;
    expect(row).toMatchObject({ a: 0, b: 30 });
  });

  it('refuses them for a source with a column named like a token, too', async ({ service }) => {
    const { post, generate, entries } = await planned(
      service,
      'braced',
      { '{{logid}}': 'dimension', a: 'value', b: 'units' },
      { a: 'units', b: 'value' },
      '{{logid}}',
    );
    expect((await post('scale', { value_incr: 30 })).status).toBe(409);
    expect(await entries()).toEqual([{ pf_iter: 'baseline' }]);
    await generate();
    const [row] = (await post('scale', { slice: { '{{logid}}': 'x1' }, value_incr: 30 })).body;
    expect(row).toMatchObject({ a: 0, b: 30 });
  });

  it('does not lose the set value of a dimension that the templates do not know', async ({
    service,
  }) => {
    const { post, generate, entries } = await planned(
      service,
      'widened',
      { d: 'dimension', a: 'value' },
      { e: 'dimension' },
    );
    const copy = { slice: { d: 'x1' }, set: { e: 'Z' } };
    expect((await post('clone', copy)).status).toBe(400);
    expect((await post('scale', { slice: { e: 'y' }, pct: 10 })).status).toBe(409);
    expect(await entries()).toEqual([{ pf_iter: 'baseline' }]);
    await generate();
    expect((await post('clone', copy)).body).toMatchObject([{ d: 'x1', e: 'Z', a: 40 }]);
  });

  it('does not lose an increment of a measure that the templates do not know', async ({
    service,
  }) => {
    const { post, generate, entries } = await planned(
      service,
      'measured',
      { d: 'dimension', a: 'value' },
      { b: 'units' },
    );
    const both = { slice: { d: 'x1' }, value_incr: 10, units_incr: 10 };
    expect((await post('scale', both)).status).toBe(422);
    expect(await entries()).toEqual([{ pf_iter: 'baseline' }]);
    await generate();
    expect((await post('scale', both)).body).toMatchObject([{ d: 'x1', a: 10, b: 10 }]);
  });
});

describe('a source whose SQL was generated before the service recorded its columns', () => {
  it('needs one generation before operations and new versions, and can still be read and loaded', async ({
    service,
  }) => {
    const { api, query } = service;
    await roles(service, {
      region: 'dimension',
      amount: 'units',
      pieces: 'value',
      grade: 'dimension',
    });
    await api.post(`${source}/sql`);
    await query(`DELETE FROM pf.sql_column WHERE source_id = ${source.split('/')[2]}`);

    const older = {
      status: 409,
      body: { error: expect.stringMatching(/generate the SQL again$/) },
    };
    expect(await scale(service, { region: 'West' })).toMatchObject(older);
    expect(await api.post(`${version}/slice`, { slice: {} })).toMatchObject(older);
    expect(await api.post(`${source}/versions`, { name: 'Later' })).toMatchObject(older);
    const loaded = await api.post(`${version}/reference`, { pf_user: 'ann' });
    expect(loaded.status).toBe(200);
    expect((await api.get(`${version}/data`)).status).toBe(200);
    expect((await api.del(`/log/${loaded.body.logid}`)).status).toBe(200);

    expect((await api.post(`${source}/sql`)).status).toBe(200);
    expect((await scale(service, { region: 'West' })).status).toBe(200);
    expect((await api.post(`${source}/versions`, { name: 'Later' })).status).toBe(201);
  });
});

it('offers columns added to the table after its registration', async ({ service }) => {
  const { api, query } = service;
  await query('CREATE TABLE public.growing AS SELECT 1 AS k, 2 AS amount');
  const { body: registered } = await api.post('/sources', { schema: 'public', tname: 'growing' });
  await query('ALTER TABLE public.growing ADD COLUMN later text');
  const path = `/sources/${registered.id}/columns`;
  const names = async () =>
    (await api.get(path)).body.map((c: { cname: string; role: string; type: string }) => [
      c.cname,
      c.role,
      c.type,
    ]);
  expect(await names()).toEqual([
    ['k', 'ignore', 'integer'],
    ['amount', 'ignore', 'integer'],
    ['later', 'ignore', 'text'],
  ]);
  const saved = await api.put(path, [{ cname: 'later', role: 'dimension', label: 'Late' }]);
  expect(saved.status).toBe(200);
  expect(saved.body.at(-1)).toMatchObject({ cname: 'later', role: 'dimension', label: 'Late' });
  expect(await query(`SELECT label FROM pf.col_meta WHERE cname = 'later'`)).toEqual([
    { label: 'Late' },
  ]);
});
