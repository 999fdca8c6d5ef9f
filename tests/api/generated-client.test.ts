// A client that a generator makes of the OpenAPI document walks through the API.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import ts from 'typescript';
import { expect, onTestFinished } from 'vitest';
import { PROJECT } from '../../src/cli/prepare.js';
import { it as shared } from '../support/api';
import { apiAt } from '../support/http';
import { SIGNED_IN, signedIn } from '../support/territories';
import { makeToken } from '../support/tokens';

const run = promisify(execFile);
const it = shared.extend('env', { scope: 'file' }, SIGNED_IN);

/** A program of a user: the walk of docs/api.md with the generated functions. It prints what it finds. */
const walk = (url: string, secret: string) => `
import { client } from './client/client.gen';
import * as api from './client';

client.setConfig({ baseUrl: '${url}', auth: '${secret}', throwOnError: true });
const pf_user = 'ignored';
const { data: me } = await api.getMe({ throwOnError: true });
const { data: source } = await api.postSources({
  body: { schema: 'public', tname: 'orders', pf_user },
  throwOnError: true,
});
// @ts-expect-error -- the name of a table is a text
const mistake: Parameters<typeof api.postSources>[0]['body']['tname'] = 7;
const path = { id: source.id };
await api.putSourceColumns({
  path,
  body: [
    { cname: 'day', role: 'date' },
    { cname: 'region', role: 'dimension' },
    { cname: 'amount', role: 'value' },
  ],
});
await api.postSourceSql({ path });
const { data: version } = await api.postSourceVersions({
  path,
  body: { name: 'Plan', pf_user },
  throwOnError: true,
});
const plan = { path: { id: version.id } };
const { data: load } = await api.postVersionBaseline({
  ...plan,
  body: { date_offset: '1 year', pf_user },
  throwOnError: true,
});
const body = { slice: { region: 'North' }, pct: 10, pf_user };
const headers = { 'Idempotency-Key': 'raise' };
for (let sent = 0; sent < 2; sent++) await api.postVersionScale({ ...plan, body, headers });
const { data: raised } = await api.postVersionSlice({
  ...plan,
  body: { slice: { region: 'North' } },
  throwOnError: true,
});
const { data: log } = await api.getVersionLog({ ...plan, throwOnError: true });
const newest: number = log.entries[0]?.id ?? 0;
const { data: undone } = await api.deleteLog({ path: { logid: newest }, throwOnError: true });
await api.putSourceCurrent({ path, body: { name: 'budget', version_id: version.id, pf_user } });
const { data: current } = await api.getCurrent({
  path: { name: 'budget' },
  query: { source: source.id },
  throwOnError: true,
});
const { data: refreshed } = await api.postVersionRefresh({
  path: { id: current.id },
  body: { pf_user },
  throwOnError: true,
});
const refusal = await api.getTokens({ throwOnError: false });
console.log(
  JSON.stringify({
    me,
    load: load.row_count,
    raised: raised.value_total,
    entries: log.entries.map(({ operation, pf_user }) => [operation, pf_user]),
    undone: undone.rows_deleted,
    current: [current.name, current.current],
    refreshed: refreshed.logid,
    refusal: refusal.error?.error,
  }),
);
`;

/** Returns the errors that TypeScript finds in a file and in its imports. */
function typeErrors(file: string): string[] {
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
  });
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

it('A generated client has types, and gets what the service answers', async ({ service }) => {
  const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const admin = apiAt(service.url, signedIn('eve', 'admins'));
  await service.query(`
    CREATE TABLE public.orders (day date, region text, amount numeric(12,2));
    INSERT INTO public.orders VALUES ('2026-01-15', 'North', 100), ('2026-02-10', 'South', 80)`);
  const { body: document } = await admin.get('/openapi.json');
  await createClient({
    input: document,
    output: join(folder, 'client'),
    logs: { level: 'silent', file: false },
    plugins: ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript'],
  });

  const { secret } = await makeToken(admin, { roles: ['admin'] });
  const file = join(folder, 'walk.ts');
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(file, walk(service.url, secret));
  expect(typeErrors(file)).toEqual([]);
  const { stdout } = await run(process.execPath, ['--import', 'tsx', file], { cwd: PROJECT });
  expect(JSON.parse(stdout)).toEqual({
    me: { user: 'night', roles: ['reader', 'planner', 'admin'] },
    load: 2,
    raised: 110,
    entries: [
      ['scale', 'night'],
      ['baseline', 'night'],
    ],
    undone: 1,
    current: ['Plan', ['budget']],
    refreshed: null,
    // The operation refuses tokens, so the client sends none.
    refusal: 'Nobody is signed in: the header x-forwarded-user is missing',
  });
});
