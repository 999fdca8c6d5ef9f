// Tests the parts of docs/contract/21-past-one-machine.md that apply to one machine.
import { describe, expect } from 'vitest';
import { freePort } from '../../../src/demo/postgres';
import { it } from '../../support/api';
import { run } from '../../support/cli';
import { onCitus } from '../../support/cluster';

describe('PF_DISTRIBUTE', () => {
  it.skipIf(onCitus)(
    'stops a server whose database has no Citus, with a message',
    async ({ service }) => {
      const { database } = service;
      const env = { PF_DISTRIBUTE: '4', PORT: String(await freePort()) };
      const { code, stderr, stdout } = await run(process.execPath, ['build'], { database, env });
      expect(code).toBe(1);
      expect(stderr).toMatch(/PF_DISTRIBUTE .* no Citus\. Run CREATE EXTENSION citus/);
      expect(stdout).not.toContain('Listening');
    },
  );
});

describe('GET /tables', () => {
  it('omits tables of extensions, which cannot be sources', async ({ service }) => {
    const { api, query } = service;
    await query('CREATE EXTENSION pg_buffercache SCHEMA public');
    const [view] = await query(`SELECT to_regclass('public.pg_buffercache') AS name`);
    expect(view.name).toBe('pg_buffercache');
    const { body } = await api.get('/tables');
    expect(body.map((t: { tname: string }) => t.tname)).toEqual(['superstore']);
    const answer = await api.post('/sources', { schema: 'public', tname: 'pg_buffercache' });
    expect(answer.status).toBe(404);
    await query('DROP EXTENSION pg_buffercache');
  });
});
