/**
 * What it saves to keep rows that were read: `npm run bench:kept [-- rows [rounds]]`.
 *
 * Two servers on one database answer the same loads through HTTP, to the last byte: one keeps rows, the
 * other reads them each time. The ways alternate, and the medians are given as ratios: absolute times
 * belong to the machine. Needs a build. Not part of `npm test`.
 */
import pg from 'pg';
import { startPostgres } from '../../src/demo/postgres';
import { startServer } from '../../src/demo/server';
import { up } from '../../src/lib/server/migrate/runner';
import { median, timed } from './measure';
import { ROLES, SETUP } from './orders';

/** A pivot of these has a tenth of the leaves. */
const GRAIN = ['Product', 'Category', 'Segment', 'Order Date'];

async function main(rows: number, rounds: number): Promise<void> {
  const postgres = await startPostgres({
    settings: { fsync: 'off', shared_buffers: '1GB', max_wal_size: '8GB', work_mem: '256MB' },
  });
  const database = postgres.database('postgres');
  const client = new pg.Client(database);
  await client.connect();
  await up(client, () => {});
  for (const statement of SETUP(rows).split(';')) await client.query(statement);
  const servers = await Promise.all(
    ['1', '0'].map((PF_KEEP_ENTRIES) =>
      startServer({ database, env: { PF_KEEP_ENTRIES, PF_MEMORY_MB: '2048' } }),
    ),
  );
  const [keeping, reading] = servers.map(({ url }) => `${url}/api`);
  try {
    // What is asked for is known here.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    const call = async (method: string, path: string, body?: object): Promise<any> => {
      const response = await fetch(keeping + path, {
        method,
        headers: body ? { 'content-type': 'application/json' } : {},
        body: body && JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
      return response.json();
    };
    /** @returns the tag of the answer, once its last byte has come */
    const load = async (path: string, tag?: string): Promise<string> => {
      const response = await fetch(path, { headers: tag ? { 'if-none-match': tag } : {} });
      for await (const _ of response.body ?? []) continue;
      if (!response.ok && response.status !== 304) throw new Error(`${path}: ${response.status}`);
      return response.headers.get('etag') ?? '';
    };

    const source = await call('POST', '/sources', { schema: 'public', tname: 'orders' });
    const columns = Object.entries(ROLES).map(([cname, role]) => ({
      cname,
      role,
      in_grain: GRAIN.includes(cname),
    }));
    await call('PUT', `/sources/${source.id}/columns`, columns);
    await call('POST', `/sources/${source.id}/sql`);
    const { id } = await call('POST', `/sources/${source.id}/versions`, { name: 'Bench' });
    await call('POST', `/versions/${id}/baseline`, { pf_user: 'bench' });
    await client.query(`VACUUM ANALYZE pf.fc_orders_${id}`);

    for (const endpoint of ['data', 'agg']) {
      const path = `/versions/${id}/${endpoint}`;
      const times: Record<string, number[]> = {};
      const take = async (way: string, work: () => Promise<unknown>, counts: boolean) => {
        const time = await timed(work);
        if (counts) (times[way] ??= []).push(time);
      };
      for (let round = 0; round <= rounds; round += 1) {
        // The first round warms up.
        const counts = round > 0;
        const tag = await load(keeping + path);
        await take('read', () => load(reading + path), counts);
        await take('unchanged', () => load(keeping + path), counts);
        await take('known to the client', () => load(keeping + path, tag), counts);
        const [first] = await call('POST', `/versions/${id}/scale`, {
          pf_user: 'bench',
          slice: { Region: 'Region 7' },
          pct: 10,
        });
        await take('one entry added', () => load(keeping + path), counts);
        await call('DELETE', `/log/${first.pf_logid}`);
        await take('one entry undone', () => load(keeping + path), counts);
      }
      const cold = median(times.read ?? []);
      console.log(
        `/${endpoint} of ${rows} rows, medians of ${rounds} alternating runs; 1.00 is a read`,
      );
      for (const [way, all] of Object.entries(times)) {
        const time = median(all);
        console.log(`  ${way.padEnd(20)} ${(time / cold).toFixed(2)} ×  ${Math.round(time)} ms`);
      }
    }
  } finally {
    for (const server of servers) await server.stop();
    await client.end();
    await postgres.stop();
  }
}

const [rows, rounds] = process.argv.slice(2).map(Number);
await main(rows ?? 1_000_000, rounds ?? 5);
