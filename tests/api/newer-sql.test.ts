import { expect } from 'vitest';
import { it } from '../support/api';

/** What a newer build has generated, on a server of this one (docs/contract/21-past-one-machine.md#several-servers). */

it.override('template', 'raw');

it('refuses with a reason the SQL of a newer build that asks for what this build does not know', async ({
  service: { api, query },
}) => {
  await query(
    `UPDATE pf.sql SET sql = sql || ' -- {{of_tomorrow}}'
     WHERE source_id = 1 AND operation IN ('scale', 'get_data')`,
  );
  for (const answer of [
    await api.get('/versions/1/data'),
    await api.post('/versions/1/scale', { pf_user: 'ann', slice: {}, pct: 10 }),
  ]) {
    expect([answer.status, answer.body.error]).toEqual([409, expect.stringContaining('newer')]);
  }
  expect((await api.post('/sources/1/sql')).status).toBe(200);
  expect((await api.get('/versions/1/data')).status).toBe(200);
});
