/**
 * What the service adds to the statements of its operations: `npm run bench:operate [-- rows [rounds]]`.
 *
 * A slice of 10,000 leaves of a version is scaled, recoded and cloned through HTTP, and by the same
 * statements sent by psql and by pg alone; the ways alternate, and the medians are given as ratios:
 * absolute times belong to the machine. Needs a build. Not part of `npm test`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { startServer } from '../../src/demo/server';
import type { DatabaseConfig } from '../../src/lib/server/config';
import { LEAVES, planOrders, senderTo, startOrders } from './orders';
import { median, timed } from './measure';
import { commas, ident, literal, sql } from '../../src/lib/server/sql/quote';
import { trusted } from '../../src/lib/server/sql/trusted';
import { substitute, type TokenValues } from '../../src/lib/server/sql/tokens';

const REGION = 'Region 7';
/** As many regions as it takes for an entry of 100,000 rows. */
const TEN_REGIONS = Array.from({ length: 10 }, (_, i) => `Region ${i}`);

const KEYS = ['Region', 'Product', 'Category', 'Segment', 'Order Date'];

/** The set clause that puts a slice into another region. */
const MOVED = commas(
  KEYS.map((k) =>
    k === 'Region' ? sql`'Elsewhere'::text AS "Region"` : sql`leaves.${ident(k)} AS ${ident(k)}`,
  ),
);

const OPERATIONS: Record<string, { body: object; tokens: TokenValues }> = {
  scale: {
    body: { value_incr: 12_345.67, units_incr: -89 },
    tokens: {
      pct: sql`NULL::numeric`,
      value_incr: sql`'12345.67'::numeric`,
      units_incr: sql`'-89'::numeric`,
    },
  },
  recode: { body: { set: { Region: 'Elsewhere' } }, tokens: { set_clause: MOVED } },
  clone: {
    body: { set: { Region: 'Elsewhere' }, scale_factor: 1.05 },
    tokens: { set_clause: MOVED, scale_factor: sql`'1.05'::numeric` },
  },
};

/** Runs statements in psql and throws their answers away. */
async function psql(database: DatabaseConfig, sql: string): Promise<void> {
  const child = spawn('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1'], {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: {
      ...process.env,
      PGHOST: database.host,
      PGPORT: String(database.port),
      PGUSER: database.user,
      PGPASSWORD: database.password,
      PGDATABASE: database.database,
    },
  });
  child.stdin.end(sql);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`psql ended with ${code}`);
}

async function main(rows: number, rounds: number): Promise<void> {
  const { postgres, database, client } = await startOrders(rows, { autovacuum: 'off' });
  const server = await startServer({ database });
  try {
    const send = senderTo(server.url);
    const { id, table, templates } = await planOrders(client, send);
    const settle = () => client.query(`VACUUM ANALYZE ${table}`);

    const newest = async (): Promise<number> =>
      Number((await client.query('SELECT max(id) AS id FROM pf.log')).rows[0].id);
    const undo = async (logid: number) => {
      await client.query(`DELETE FROM ${table} WHERE pf_logid = ${logid}`);
      await client.query(`DELETE FROM pf.log WHERE id = ${logid}`);
      await settle();
    };
    const operate = (operation: string, body: object) =>
      send('POST', `/versions/${id}/${operation}`, { pf_user: 'bench', ...body });

    console.log(`${rows} rows, medians of ${rounds} alternating runs\n`);
    for (const [operation, { body, tokens }] of Object.entries(OPERATIONS)) {
      const template = templates.find((t: { operation: string }) => t.operation === operation).sql;
      let logid = await newest();
      const statements = () => {
        logid += 1;
        const statement = substitute(template, {
          fc_table: trusted(table),
          where_clause: sql`"Region" = ${literal(REGION)}::text`,
          exclude_clause: sql`pf_iter NOT IN ('reference')`,
          logid: sql`${logid}`,
          note: sql`NULL::text`,
          ...tokens,
        });
        return `BEGIN;
          INSERT INTO pf.log (id, version_id, pf_user, operation)
            VALUES (${logid}, ${id}, 'bench', '${operation}');
          ${statement};
          COMMIT;`;
      };
      const ways: Record<string, () => Promise<unknown>> = {
        'the service': () => operate(operation, { slice: { Region: REGION }, ...body }),
        'pg alone': () => client.query(statements()),
      };
      if (spawnSync('psql', ['--version']).status === 0) {
        ways.psql = () => psql(database, statements());
      }
      const times: Record<string, number[]> = {};
      for (let round = 0; round <= rounds; round += 1) {
        for (const [name, way] of Object.entries(ways)) {
          const time = await timed(way);
          // The first round warms up.
          if (round > 0) (times[name] ??= []).push(time);
          logid = await newest();
          await undo(logid);
        }
        await client.query(`SELECT setval(pg_get_serial_sequence('pf.log', 'id'), ${logid + 10})`);
        logid += 10;
      }
      for (const name of Object.keys(ways).slice(1)) {
        const ratio = median(times['the service']!) / median(times[name]!);
        console.log(`${operation}, the service : ${name}  ${ratio.toFixed(2)}`);
      }
      console.log(`${operation}, the service  ${Math.round(median(times['the service']!))} ms`);
    }

    const first: number[] = [];
    const tenth: number[] = [];
    const grown: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const start = await newest();
      for (let i = 1; i <= 10; i += 1) {
        const time = await timed(() => operate('scale', { slice: { Region: REGION }, pct: 10 }));
        if (i === 1) first.push(time);
        if (i === 10) tenth.push(time);
      }
      const { rows: written } = await client.query(
        `SELECT count(*)::int AS n FROM ${table} WHERE pf_logid > ${start} GROUP BY pf_logid`,
      );
      grown.push(Math.max(...written.map((r) => r.n)));
      await client.query(`DELETE FROM ${table} WHERE pf_logid > ${start}`);
      await client.query(`DELETE FROM pf.log WHERE id > ${start}`);
      await settle();
    }
    console.log(
      `tenth scale : first  ${(median(tenth) / median(first)).toFixed(2)}, ` +
        `each writes ${median(grown)} rows at most on ${LEAVES} leaves`,
    );

    const undone: number[] = [];
    const bare: number[] = [];
    const answering: number[] = [];
    const deleted = (logid: number, returning: string) =>
      client.query(`BEGIN; DELETE FROM ${table} WHERE pf_logid = ${logid} ${returning};
        DELETE FROM pf.log WHERE id = ${logid}; COMMIT`);
    for (let round = 0; round < rounds; round += 1) {
      for (const [times, way] of [
        [undone, (logid: number) => send('DELETE', `/log/${logid}`)],
        [bare, (logid: number) => deleted(logid, '')],
        [answering, (logid: number) => deleted(logid, 'RETURNING pf_id')],
      ] as const) {
        await operate('scale', { slice: { Region: TEN_REGIONS }, pct: 10 });
        await settle();
        const logid = await newest();
        times.push(await timed(() => way(logid)));
        await settle();
      }
    }
    for (const [name, times] of [
      ['a delete that answers its ids', answering],
      ['a bare delete', bare],
    ] as const) {
      const ratio = median(undone) / median(times);
      console.log(`undo of ${10 * LEAVES} rows, the service : ${name}  ${ratio.toFixed(2)}`);
    }
  } finally {
    await server.stop();
    await client.end();
    await postgres.stop();
  }
}

const [rows, rounds] = process.argv.slice(2).map(Number);
await main(rows ?? 1_000_000, rounds ?? 5);
