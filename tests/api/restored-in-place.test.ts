import { expect } from 'vitest';
import { it as base } from '../support/api';
import { openEvents } from '../support/events';
import { plan, type TableColumn } from '../support/planned';
import { decode, ok } from './contract/orders';

const it = base.extend('env', { scope: 'file' }, { PF_KEEP_ENTRIES: '1', PF_HEARTBEAT: '300ms' });

const COLUMNS: TableColumn[] = [
  { name: 'Day', type: 'date', role: 'date' },
  { name: 'Region', type: 'text', role: 'dimension' },
  { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
];
const ROWS = [
  { Day: '2027-01-31', Region: 'A', Sales: 100 },
  { Day: '2027-02-28', Region: 'B', Sales: 10 },
];

it('notices a backup that replaces its tables while it runs', async ({ service }) => {
  const { path, table } = await plan(service, COLUMNS, ROWS);
  ok(await service.api.post(`${path}/baseline`, { pf_user: 'ann' }));
  const backup = `DROP TABLE IF EXISTS backup_log, backup_rows; CREATE TABLE backup_log AS TABLE pf.log;
    CREATE TABLE backup_rows AS TABLE ${table}; CREATE TABLE backup_id AS SELECT last_value FROM pf.log_id_seq`;
  await service.query(backup);

  const scale = (slice: object, pct: number) =>
    service.api.post(`${path}/scale`, { slice, pct, pf_user: 'ann' });
  const lost = ok(await scale({ Region: 'A' }, 10)).body[0].pf_logid;
  const total = async () => {
    const answer = await service.api.get(`${path}/data`);
    const sums = decode(answer.bytes).rows.map((row) => Number(row.Sales));
    return { answer, sum: sums.reduce((sum, sales) => sum + sales, 0) };
  };
  const before = await total();
  expect(before.sum).toBeCloseTo(120);
  const stream = await openEvents(service.url, path);

  // pg_restore --clean --single-transaction makes the tables again, with the rows of the backup.
  await service.query(`BEGIN;
    ALTER SEQUENCE pf.log_id_seq OWNED BY NONE;
    CREATE TABLE pf.log_again (LIKE pf.log INCLUDING ALL);
    INSERT INTO pf.log_again SELECT * FROM backup_log;
    DROP TABLE pf.log CASCADE;
    ALTER TABLE pf.log_again RENAME TO log;
    CREATE TABLE pf.rows_again (LIKE ${table} INCLUDING ALL);
    INSERT INTO pf.rows_again SELECT * FROM backup_rows;
    DROP TABLE ${table} CASCADE;
    ALTER TABLE pf.rows_again RENAME TO ${table.split('.')[1]};
    ALTER TABLE ${table} ALTER pf_id RESTART WITH 100000;
    SELECT setval('pf.log_id_seq', (SELECT last_value FROM backup_id));
    COMMIT`);
  // No request is made: the server itself tells the open pages.
  expect(await stream.events(1)).toEqual([expect.objectContaining({ event: 'resync' })]);
  await expect.poll(() => service.server.output()).toContain('the database has another history');

  // The id of the lost entry names another entry now.
  expect(ok(await scale({ Region: 'B' }, 50)).body[0].pf_logid).toBe(lost);
  const after = await total();
  expect(after.sum).toBeCloseTo(115);
  const timeline = (answer: { headers: Headers }) => answer.headers.get('x-timeline');
  expect(timeline(after.answer)).not.toBe(timeline(before.answer));
  expect(timeline(await service.api.get(`${path}/log`))).toBe(timeline(after.answer));
  const known = { headers: { 'if-none-match': before.answer.headers.get('etag')! } };
  expect((await service.api.send(`${path}/data`, known)).status).toBe(200);
});
