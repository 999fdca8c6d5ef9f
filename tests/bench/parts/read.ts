import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from '../../../src/demo/server';
import { machineOf } from '../machine';
import { median, takeTurns, timed, type Way } from '../measure';
import { within, type Bench } from '../part';
import { drain, makeVersion, send, startPlace, type Place } from '../place';
import { watchingMemory } from '../processes';
import { startPsql } from '../psql';
import { wideOrders, withMeasures } from '../shapes';
import { othersDuring } from './others';
import { startReader } from './read-ways';

/** Other ways to read the same rows, each in its own process. */
const OTHER_WAYS = {
  'row objects': 'objects',
  'COPY drained through pg': 'drained',
  "DuckDB's PostgreSQL reader": 'duckdb',
} as const;

const IDLE_MS = 3000;

/** Settings of a server behind a proxy that signs people in. */
const SIGNED_IN = {
  PF_USER_HEADER: 'X-Forwarded-User',
  PF_GROUPS_HEADER: 'X-Forwarded-Groups',
  PF_ADMINS: 'admins',
};

/** Further measures, so that a table has six. */
const FURTHER = ['Cost', 'Discount', 'Margin', 'Hours'];

/** Returns the resident memory of a process, in MB. */
const resident = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/**
 * Measures the time until a client has the rows of a version without a cache, and the effect on other
 * requests.
 */
export async function measureReads(bench: Bench): Promise<void> {
  const rows = within(bench, 1_000_000);
  const place = await startPlace();
  const { database, client } = place;
  const env = { PF_KEEP_ENTRIES: '0', PF_MEMORY_MB: '4096', PF_LOG_LEVEL: 'silent' };
  const server = await startServer({ database, env });
  const psql = await startPsql(database);
  const readers: Awaited<ReturnType<typeof startReader>>[] = [];
  try {
    bench.tell({ kind: 'machine', machine: await machineOf(client, null) });
    const { id, table, templates } = await makeVersion(client, server.url, wideOrders(rows));
    const select = templates.get_data!.replace('{{fc_table}}', table);
    const path = `/versions/${id}/data`;
    const load = () => drain(server.url, path);

    const base = resident(server.pid);
    const { result, peak } = await watchingMemory([server.pid], load);
    const memory = (peak.server - base) / (result.bytes / 2 ** 20);
    bench.tell({ kind: 'value', name: 'memory', rows, value: memory });

    const idle: number[] = [];
    const loading: number[] = [];
    for (let round = 0; round < bench.extent.rounds; round += 1) {
      idle.push(await othersDuring(server.url, () => sleep(IDLE_MS)));
      loading.push(await othersDuring(server.url, load));
    }
    const others = median(loading) - median(idle);
    bench.tell({ kind: 'value', name: 'others', rows, value: others });

    const ways: Record<string, Way> = {
      psql: () => timed(() => psql.copy(select)),
      'the service': () => timed(load),
    };
    for (const [name, way] of Object.entries(OTHER_WAYS)) {
      try {
        const reader = await startReader({ way, database, table, select });
        readers.push(reader);
        ways[name] = reader.read;
      } catch (error) {
        const [why = ''] = (error as Error).message.split('\n');
        bench.tell({ kind: 'missing', name, why });
      }
    }
    const times = await takeTurns(ways, bench.extent.rounds);
    bench.tell({ kind: 'turns', name: 'data', turns: { rows, ways: times } });

    const wider = withMeasures(wideOrders(rows), FURTHER);
    const six = await makeVersion(client, server.url, wider);
    const byMeasures = {
      'two measures': () => timed(load),
      'six measures': () => timed(() => drain(server.url, `/versions/${six.id}/data`)),
    };
    const measured = await takeTurns(byMeasures, bench.extent.rounds);
    bench.tell({ kind: 'turns', name: 'measures', turns: { rows, ways: measured } });

    await measureTerritories(bench, place);
  } finally {
    for (const reader of readers) await reader.end();
    await psql.end();
    await server.stop();
    await place.close();
  }
}

/** Numbers of regions in a territory, of the five regions of the table. */
const TERRITORIES = { 'one region of five': 1, 'four regions of five': 4 };

/** Measures reads of people who read a part of the rows, beside reads of as many rows without territories. */
async function measureTerritories(bench: Bench, { client, database }: Place): Promise<void> {
  const all = { ...wideOrders(within(bench, 1_250_000)), tname: 'all_regions' };
  const env = { PF_KEEP_ENTRIES: '0', PF_MEMORY_MB: '4096', PF_LOG_LEVEL: 'silent' };
  const open = await startServer({ database, env });
  const limited = await startServer({ database, env: { ...env, ...SIGNED_IN } });
  try {
    const whole = await makeVersion(client, open.url, all);
    const territories = `/sources/${whole.source}/territories`;
    const eve = { 'x-forwarded-user': 'eve', 'x-forwarded-groups': 'admins' };
    for (const [member, regions] of Object.entries(TERRITORIES)) {
      const read = { Region: Array.from({ length: regions }, (_, i) => `Region ${i}`) };
      const headers = { 'x-forwarded-user': member };
      await send(limited.url, 'POST', territories, { member, read, write: null }, eve);
      const rows = (all.rows * regions) / 5;
      const few = { ...wideOrders(rows), tname: `without_${regions}` };
      const without = await makeVersion(client, open.url, few);
      const ways = {
        'a territory': () =>
          timed(() => drain(limited.url, `/versions/${whole.id}/data`, { headers })),
        'as many rows without': () => timed(() => drain(open.url, `/versions/${without.id}/data`)),
      };
      const times = await takeTurns(ways, bench.extent.rounds);
      bench.tell({ kind: 'turns', name: member, turns: { rows, ways: times } });
    }
  } finally {
    await limited.stop();
    await open.stop();
  }
}
