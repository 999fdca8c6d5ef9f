import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { startServer, type Server } from '../../src/demo/server';
import { LOCAL_VERSIONS } from '../support/cluster';
import { apiAt, type Api } from '../support/http';
import { longLeaves } from '../support/long-leaves';
import type { Planned } from '../support/planned';
import { until } from '../support/race';
import { startService, type Service } from '../support/service';

/** Number of leaves, of 500 bytes each: their answer does not fit into the sockets between two processes. */
const MANY = 60_000;

/** PostgreSQL notices after half a minute; the rest is for a busy machine. */
const TIME = 180_000;

let service: Service;
/** Another server on the same database, which disappears in the middle of a write. */
let other: Server;
let otherApi: Api;
let frozen = false;
let v: Planned;

beforeAll(async () => {
  service = await startService('service', LOCAL_VERSIONS);
  // A transaction that began before the instant in this table stops at its insert.
  await service.query(
    `CREATE TABLE public.brake (began_before timestamptz);
     CREATE FUNCTION public.brake() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       WHILE EXISTS (SELECT FROM public.brake WHERE now() < began_before) LOOP
         PERFORM pg_sleep(0.05);
       END LOOP;
       RETURN NULL;
     END $$`,
  );
});
afterAll(() => service?.stop());

beforeEach(async () => {
  other = await startServer({ database: service.database });
  onTestFinished(async () => {
    await service.query('DELETE FROM public.brake');
    // A frozen process does not react to a signal.
    if (frozen) process.kill(other.pid, 'SIGCONT');
    frozen = false;
    await other.stop();
  });
  otherApi = apiAt(other.url);
});

async function version(leaves: number): Promise<void> {
  v = await longLeaves(service, leaves);
  await service.query(
    `CREATE TRIGGER brake BEFORE INSERT ON ${v.table} EXECUTE FUNCTION public.brake()`,
  );
}

/** Waits until a connection of a server meets an SQL condition. */
const some = (condition: string) =>
  until(async () => {
    const [{ n }] = await service.query(
      `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database()
         AND application_name = 'forecast-pivot' AND ${condition}`,
    );
    return n > 0;
  });

/** Begins a scale on the other server and waits until it is in the middle of its insert. */
async function beginElsewhere(): Promise<{ ended: Promise<number | 'gone'> }> {
  await service.query(`INSERT INTO public.brake VALUES ('infinity')`);
  const ended = otherApi.post(`${v.path}/scale`, { pf_user: 'ann', slice: {}, pct: 100 }).then(
    ({ status }) => status,
    () => 'gone' as const,
  );
  await some(`wait_event = 'PgSleep'`);
  await service.query('UPDATE public.brake SET began_before = now()');
  return { ended };
}

function freeze(wanted: boolean): void {
  process.kill(other.pid, wanted ? 'SIGSTOP' : 'SIGCONT');
  frozen = wanted;
}

const release = () => service.query('DELETE FROM public.brake');

/** Writes to the version through this server as soon as it is free. @returns the time it took, in seconds */
async function writeHere(): Promise<number> {
  const start = performance.now();
  const answer = await service.api.post(`${v.path}/scale`, {
    pf_user: 'bob',
    slice: {},
    value_incr: 1,
  });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return (performance.now() - start) / 1000;
}

/** Checks that the interrupted write left no rows. */
async function expectOnlyBob(leaves: number): Promise<void> {
  const log = await service.query(
    `SELECT pf_user, operation FROM pf.log WHERE version_id = ${v.id} ORDER BY id`,
  );
  expect(log).toEqual([
    { pf_user: 'ann', operation: 'baseline' },
    { pf_user: 'bob', operation: 'scale' },
  ]);
  const [{ total }] = await service.query(`SELECT sum("Sales")::text AS total FROM ${v.table}`);
  expect(total).toBe(`${leaves * 100 + 1}.00`);
}

it(
  'frees the version of a server that is killed during a statement',
  async () => {
    await version(3);
    await beginElsewhere();
    process.kill(other.pid, 'SIGKILL');
    expect(await writeHere()).toBeLessThan(20);
    await expectOnlyBob(3);
  },
  TIME,
);

it(
  'frees the version of a server that is frozen between two statements',
  async () => {
    await version(3);
    const { ended } = await beginElsewhere();
    freeze(true);
    await release();
    await some(`state = 'idle in transaction'`);
    expect(await writeHere()).toBeLessThan(45);
    freeze(false);
    expect(await ended).toBe(503);
    await expectOnlyBob(3);
    expect((await otherApi.get('/sources')).status).toBe(200);
  },
  TIME,
);

it(
  'frees the version of a server that is frozen while it receives an answer',
  async () => {
    await version(MANY);
    const { ended } = await beginElsewhere();
    freeze(true);
    await release();
    await some(`wait_event = 'ClientWrite'`);
    expect(await writeHere()).toBeLessThan(45);
    freeze(false);
    expect(await ended).toBeGreaterThanOrEqual(500);
    await expectOnlyBob(MANY);
    expect((await otherApi.get('/sources')).status).toBe(200);
  },
  TIME,
);
