// Tests docs/contract/09-errors-limits-guards.md.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { PROJECT } from '../../../src/cli/prepare.js';
import { startService } from '../../support/service';
import { it, makePlan, ok, refused } from './orders';

let path: string;
let baseline: number;
const user = { pf_user: 'ann' };

it.beforeAll(async ({ service, sourceId }) => {
  ({ path, baseline } = await makePlan(service, sourceId));
});

describe('500: anything else', () => {
  it('reveals nothing about SQL, stack or connection', async ({ service, sourceId }) => {
    const broken = await makePlan(service, sourceId);
    await service.query(
      `UPDATE pf.sql SET sql = 'SELECT secret_word FROM (' WHERE operation = 'scale' AND source_id = $1`,
      [sourceId],
    );
    try {
      const answer = await service.api.post(`${broken.path}/scale`, { ...user, slice: {}, pct: 1 });
      expect([answer.status, Object.keys(answer.body)]).toEqual([500, ['error']]);
      const text = JSON.stringify(answer.body) + JSON.stringify([...answer.headers]);
      const { host, port, user: name, password, database } = service.database;
      expect(text).not.toMatch(/secret_word|SELECT|syntax|\.js|\bat \//i);
      for (const detail of [`${host}`, String(port), name, password, database]) {
        if (detail.length > 2) expect(answer.body.error).not.toContain(detail);
      }
    } finally {
      ok(await service.api.post(`/sources/${sourceId}/sql`));
    }
  });

  it('returns JSON while the database is unreachable', async ({ service }) => {
    const lost = await startService('service');
    try {
      await service.query(`ALTER DATABASE ${lost.database.database} WITH ALLOW_CONNECTIONS false`);
      await service.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${lost.database.database}'`,
      );
      // Until the service notices that its open connections are gone, it reports them as lost.
      await expect.poll(async () => (await lost.api.get('/sources')).status).toBe(500);
      const answer = await lost.api.get('/sources');
      expect([answer.status, Object.keys(answer.body)]).toEqual([500, ['error']]);
      expect(answer.body.error).not.toMatch(/test_|connect|127\.0|database "/i);
      expect((await lost.api.get('/health')).status).toBe(503);
    } finally {
      await service.query(`ALTER DATABASE ${lost.database.database} WITH ALLOW_CONNECTIONS true`);
      expect((await lost.api.get('/health')).status).toBe(200);
      await lost.stop();
    }
  });
});

describe('503: health', () => {
  it('is ok only if the schema is current', async ({ service }) => {
    const answer = await service.api.get('/health');
    const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
    const body = { status: 'ok', version: expect.stringMatching(new RegExp(`^${version}(\\+|$)`)) };
    expect([answer.status, answer.body]).toEqual([200, body]);
    const [last] = await service.query(
      'SELECT * FROM pf.schema_version ORDER BY filename DESC LIMIT 1',
    );
    await service.query('DELETE FROM pf.schema_version WHERE filename = $1', [last.filename]);
    const behind = await service.api.get('/health');
    expect(behind.status).toBe(503);
    expect(behind.body).not.toMatchObject({ status: 'ok' });
    await service.query(
      'INSERT INTO pf.schema_version SELECT * FROM jsonb_populate_record(NULL::pf.schema_version, $1)',
      [last],
    );
    expect((await service.api.get('/health')).status).toBe(200);
  });
});

describe('Headers of every answer', () => {
  it('protect browsers, and do not name the server', async ({ service }) => {
    for (const target of ['/api/health', '/api/nothing', `/api${path}/data`, '/']) {
      const { headers, body } = await fetch(service.url + target);
      await body?.cancel();
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBeTruthy();
      for (const name of ['x-powered-by', 'server']) expect(headers.get(name)).toBeNull();
    }
  });

  it('Writes that a browser sends from another site are refused', async ({ service }) => {
    const write = (site: string) =>
      service.api.send(`/log/${baseline}`, {
        method: 'PATCH',
        headers: { 'sec-fetch-site': site, 'content-type': 'application/json' },
        body: '{"note":"x"}',
      });
    await refused(service, () => write('cross-site'), 403);
    expect((await write('same-origin')).status).toBe(200);
    const read = await service.api.get('/sources', { 'sec-fetch-site': 'cross-site' });
    expect(read.status).toBe(200);
    expect(read.headers.get('access-control-allow-origin')).toBeNull();
  });
});
