import { once } from 'node:events';
import { createServer } from 'node:http';
import { tableFromIPC } from 'apache-arrow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../src/demo/postgres';
import { startServer, type Server } from '../../src/demo/server';
import { caddyIsInstalled, startBalancer, type Proxy } from '../support/caddy';
import { cli, copyProject, type ProjectCopy } from '../support/cli';
import { cloneDatabase, dropDatabase } from '../support/cluster';
import { openEvents } from '../support/events';
import { apiAt, type Api } from '../support/http';
import { plan, type Planned } from '../support/planned';
import { startPlanners } from '../support/planners';
import { until } from '../support/race';
import { queryOn, type Service } from '../support/service';

/**
 * Several servers behind the proxy of `deploy/servers`
 * (docs/contract/21-past-one-machine.md#several-servers).
 */

let database: Service['database'];
let query: Service['query'];
let end: () => Promise<void>;
/** One for each address of the proxy; undefined if nobody listens there. */
let servers: (Server | undefined)[];
let urls: string[];
let caddy: Proxy;
let api: Api;
let newer: ProjectCopy;
let v: Planned;

const LAST = '011_replayed.sql';

beforeEach(async () => {
  database = await cloneDatabase('service');
  ({ query, end } = queryOn(database));
  urls = [];
  for (let i = 0; i < 3; i += 1) urls.push(`http://127.0.0.1:${await freePort()}`);
  servers = [];
  for (const i of [0, 1]) await start(i);
  caddy = await startBalancer(urls);
  api = apiAt(caddy.url);
  newer = copyProject('build');
  await until(async () => (await api.get('/health')).status === 200);
  v = await plan(
    { api, query } as Service,
    [
      { name: 'Region', type: 'text', role: 'dimension' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    [{ Region: 'A', Sales: 100 }],
  );
  expect((await api.post(`${v.path}/baseline`, { pf_user: 'ann' })).status).toBe(200);
});
afterEach(async () => {
  await caddy?.stop();
  for (const server of servers) await server?.stop();
  newer?.dispose();
  await end();
  await dropDatabase(database);
});

/** Starts a server at one of the addresses. @param project the build to start; this one by default */
async function start(i: number, project?: string): Promise<void> {
  const port = Number(new URL(urls[i]!).port);
  servers[i] = await startServer({ database, port, ...(project !== undefined && { project }) });
}

/** Waits until the proxy sends requests to a server: the next one may then be stopped. */
const isUsed = (i: number) =>
  until(async () => servers[i]!.output().includes(`"path":"/api${v.path}/scale"`));

async function endServer(i: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const server = servers[i]!;
  process.kill(server.pid, signal);
  await server.ended;
}

const migrate = () => cli('migrate', ['up'], { database, cwd: newer.folder });

/** Checks that every answered change exists once on every server. */
async function expectAll(tags: string[]): Promise<void> {
  const notes = await query('SELECT note FROM pf.log WHERE version_id = $1 AND note IS NOT NULL', [
    v.id,
  ]);
  expect(notes.map(({ note }) => note).toSorted()).toEqual(tags.toSorted());
  for (const [i, server] of servers.entries()) {
    if (!server) continue;
    const { bytes } = await apiAt(urls[i]!).get(`${v.path}/data`);
    const sales = [...tableFromIPC(bytes).getChild('Sales')!];
    expect(sales.reduce((sum, value) => sum + Number(value), 0)).toBe(100 + tags.length);
  }
}

describe.runIf(caddyIsInstalled())('several servers behind a proxy, if Caddy is installed', () => {
  it('are upgraded one after the other, killed and added while people plan', async () => {
    const planners = startPlanners(api, v.path, ['ann', 'bea', 'cid']);
    const more = async (count = 6) => {
      const before = planners.made();
      await until(async () => planners.made() >= before + count);
    };
    await more();

    // The schema first: servers of the previous build keep running on it, and can start on it.
    newer.write(
      '901_expand.sql',
      `-- Servers of builds since ${LAST} can go on.\nALTER TABLE pf.log ADD COLUMN reviewed_by text;`,
    );
    const { stdout, code } = await migrate();
    expect([stdout, code]).toEqual(['applied 901_expand.sql\n', 0]);
    await more();
    for (const url of urls.slice(0, 2)) expect((await apiAt(url).get('/health')).status).toBe(200);

    // An additional server with the new build; then the others, one by one.
    await start(2, newer.folder);
    await isUsed(2);
    for (const i of [0, 1]) {
      await endServer(i, 'SIGTERM');
      await more();
      await start(i, newer.folder);
      await isUsed(i);
    }
    // No request was interrupted.
    expect(planners.interruptions).toEqual([]);

    // The requests of a killed server are sent again.
    const stream = await openEvents(caddy.url, v.path);
    await stream.events(1);
    await endServer(0, 'SIGKILL');
    await endServer(1, 'SIGKILL');
    servers[0] = servers[1] = undefined;
    await more(12);
    const again = await openEvents(caddy.url, v.path, { 'last-event-id': '1' });
    expect((await again.events(2)).map(({ event }) => event)).toEqual(['resync', 'written']);

    // The previous build can be started again, as in a rollback of the upgrade.
    await start(0);
    await isUsed(0);
    // The next release removes columns used only by older builds, which then get no requests.
    newer.write('902_contract.sql', 'ALTER TABLE pf.log DROP COLUMN reviewed_by;');
    expect((await migrate()).code).toBe(0);
    const health = await apiAt(urls[0]!).get('/health');
    expect([health.status, health.body.error]).toEqual([503, expect.stringContaining('schema')]);
    await expect(startServer({ database })).rejects.toThrow(
      '902_contract.sql is applied but missing',
    );
    await more();
    await expectAll(await planners.stop());
  });
});

describe.runIf(caddyIsInstalled())('the proxy of deploy/servers, if Caddy is installed', () => {
  it('checks the health of a server under its public name', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.headers.host} ${request.url}`);
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('It has no port');
    const proxy = await startBalancer([`http://127.0.0.1:${address.port}`]);
    await until(async () => asked.includes('plan.example.com /api/health'));
    await proxy.stop();
    server.close();
  });
});
