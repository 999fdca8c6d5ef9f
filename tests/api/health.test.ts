import pg from 'pg';
import { expect } from 'vitest';
import { it } from '../support/api';

it('answers 503 while the database takes a query and does not answer it', async ({ service }) => {
  const other = new pg.Client(service.database);
  await other.connect();
  await other.query('BEGIN');
  await other.query('LOCK TABLE pf.schema_version IN ACCESS EXCLUSIVE MODE');
  const answer = await service.api.get('/health');
  await other.end();
  expect([answer.status, Object.keys(answer.body)]).toEqual([503, ['error']]);
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect((await service.api.get('/health')).status).toBe(200);
});
