/**
 * What it saves to keep rows that were read: `npm run bench:kept [-- rows [rounds]]`.
 *
 * Two servers on one database answer the same loads through HTTP, to the last byte: one keeps rows, the
 * other reads them each time. The ways alternate, and the medians are given as ratios: absolute times
 * belong to the machine. Needs a build. Not part of `npm test`.
 */
import { startServer } from '../../src/demo/server';
import { median, timed } from './measure';
import { planOrders, senderTo, startOrders } from './orders';

/** A pivot of these has a tenth of the leaves. */
const GRAIN = ['Product', 'Category', 'Segment', 'Order Date'];

async function main(rows: number, rounds: number): Promise<void> {
  const { postgres, database, client } = await startOrders(rows, { work_mem: '256MB' });
  const servers = await Promise.all(
    ['1', '0'].map((PF_KEEP_ENTRIES) =>
      startServer({ database, env: { PF_KEEP_ENTRIES, PF_MEMORY_MB: '2048' } }),
    ),
  );
  const [keeping, reading] = servers.map(({ url }) => `${url}/api`);
  try {
    /** @returns the tag of the answer, once its last byte has come */
    const load = async (path: string, tag?: string): Promise<string> => {
      const response = await fetch(path, { headers: tag ? { 'if-none-match': tag } : {} });
      for await (const _ of response.body ?? []) continue;
      if (!response.ok && response.status !== 304) throw new Error(`${path}: ${response.status}`);
      return response.headers.get('etag') ?? '';
    };

    const { id, call } = await planOrders(client, senderTo(servers[0]!.url), GRAIN);

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
