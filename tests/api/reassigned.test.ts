import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService, type Service } from '../support/service';

let service: Service;
let source: string;
let version: string;

beforeAll(async () => {
  service = await startService();
  const { api, query } = service;
  await query(`CREATE TABLE public.orders AS
    SELECT 'West' AS region, 10 * i AS amount, i AS pieces, i % 2 AS grade FROM generate_series(1, 4) AS i`);
  const { body: registered } = await api.post('/sources', { schema: 'public', tname: 'orders' });
  source = `/sources/${registered.id}`;
  await roles({ region: 'dimension', amount: 'value', pieces: 'units', grade: 'dimension' });
  await api.post(`${source}/sql`);
  const { body: created } = await api.post(`${source}/versions`, { name: 'Plan' });
  version = `/versions/${created.id}`;
  await api.post(`${version}/baseline`, { pf_user: 'ann' });
});
afterAll(() => service?.stop());

async function roles(entries: Record<string, string>): Promise<void> {
  const answer = await service.api.put(
    `${source}/columns`,
    Object.entries(entries).map(([cname, role]) => ({ cname, role })),
  );
  expect(answer.status).toBe(200);
}

const scale = (slice: object) =>
  service.api.post(`${version}/scale`, { slice, value_incr: 7, pf_user: 'ann' });

it('refuses operations while value and units are swapped in the metadata alone', async () => {
  await roles({ amount: 'units', pieces: 'value' });
  const answer = await scale({ region: 'West' });
  expect(answer.status).toBe(409);
  expect(answer.body.error).toContain('"amount", "pieces"');
  expect((await service.api.post(`${version}/slice`, { slice: {} })).status).toBe(409);

  await service.api.post(`${source}/sql`);
  expect((await scale({ region: 'West' })).status).toBe(200);
  const [sums] = await service.query(
    `SELECT sum(amount)::int AS amount, sum(pieces)::int AS pieces FROM pf.fc_orders_${version.split('/')[2]}`,
  );
  expect(sums).toEqual({ amount: 100, pieces: 17 });
});

it('refuses a slice by a dimension that became a measure, rather than skip it', async () => {
  await roles({ amount: 'ignore' });
  await roles({ grade: 'units' });
  const answer = await scale({ grade: 1 });
  expect(answer.status).toBe(409);
  expect(answer.body.error).toContain('"grade"');
});
