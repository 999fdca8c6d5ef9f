// Tests servers and failover of docs/contract/21-past-one-machine.md.
import { describe, expect } from 'vitest';
import { startServer } from '../../../src/demo/server';
import { apiAt } from '../../support/http';
import { until } from '../../support/race';
import { it as base, makePlan, ok } from './orders';

// Some answers have a tag only if rows are cached.
const it = base.extend('env', { scope: 'file' }, { PF_KEEP_ENTRIES: '1' });

const user = { pf_user: 'ann' };

describe('X-Timeline', () => {
  it('names the timeline of rows and log, the same on all servers', async ({
    service,
    sourceId,
  }) => {
    const other = await startServer({ database: service.database });
    try {
      const { path } = await makePlan(service, sourceId);
      const names = [];
      for (const api of [service.api, apiAt(other.url)]) {
        for (const read of ['data', 'log']) {
          const { headers } = ok(await api.get(`${path}/${read}`));
          names.push(headers.get('x-timeline'));
        }
      }
      const { headers } = ok(await service.api.get(`${path}/data`));
      const known = { 'if-none-match': headers.get('etag')! };
      const unchanged = await service.api.get(`${path}/data`, known);
      expect(unchanged.status).toBe(304);
      names.push(unchanged.headers.get('x-timeline'));
      expect(names).toEqual(Array(5).fill(expect.stringMatching(/^[\w-]{16}$/)));
      expect(new Set(names).size).toBe(1);
    } finally {
      await other.stop();
    }
  });
});

describe('A read-only database', () => {
  it('can be read, refuses writes with 503, and recovers when it accepts changes', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    const { api, query } = service;
    const makeReadOnly = async () => {
      const { database } = service.database;
      await query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
      await query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'forecast-pivot'`,
      );
    };
    await makeReadOnly();
    await until(async () => (await api.get('/health')).status === 503);
    const health = await api.get('/health');
    expect([health.headers.get('retry-after'), health.body.error]).toEqual([
      '5',
      expect.stringContaining('accepts no changes'),
    ]);
    expect((await api.get('/health/live')).status).toBe(200);
    ok(await api.get(`${path}/data`));
    const write = () => api.post(`${path}/scale`, { ...user, slice: {}, pct: 10 });
    const refusal = await write();
    expect([refusal.status, refusal.body.error]).toEqual([
      503,
      expect.stringMatching(/accepts no changes.*nothing was changed/),
    ]);
    expect(refusal.headers.get('retry-after')).toMatch(/^\d+$/);

    // The setting applies to connections made from now on.
    const { database } = service.database;
    await query(
      `BEGIN READ WRITE; ALTER DATABASE ${database} SET default_transaction_read_only = off; COMMIT`,
    );
    await until(async () => (await api.get('/health')).status === 200);
    ok(await write());
  });
});
