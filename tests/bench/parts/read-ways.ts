/**
 * A process that reads rows in one way on request, so that memory left by one way does not slow down the
 * next.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import pg from 'pg';
import type { DatabaseConfig } from '../../../src/lib/server/config';
import { copyOut } from '../../../src/lib/server/db/connection/binary-copy';
import { RowSocket } from '../../../src/lib/server/db/connection/row-socket';
import { timed, type Way } from '../measure';
import { rowsInDuckDb } from './duckdb';

/** The task of a process. */
interface Reading {
  way: keyof typeof READERS;
  database: DatabaseConfig;
  /** The forecast table, and the service's select of its rows. */
  table: string;
  select: string;
}

type Reader = (reading: Reading) => Promise<() => Promise<unknown>>;

async function connected({ database }: Reading): Promise<pg.Client> {
  const client = new pg.Client({ ...database, stream: () => new RowSocket() });
  await client.connect();
  return client;
}

const READERS = {
  /** Binary COPY through `pg`, discarded. */
  drained: async (reading) => {
    const client = await connected(reading);
    return () => copyOut(client, reading.select, () => {});
  },
  /** The usual way in JavaScript. */
  objects: async (reading) => {
    const client = await connected(reading);
    const joined = `SELECT f.*, l.note AS pf_note, l.operation AS pf_op
      FROM ${reading.table} AS f JOIN pf.log AS l ON l.id = f.pf_logid`;
    return async () => {
      const { rows, fields } = await client.query<Record<string, unknown>>(joined);
      const numeric = [20, 21, 23, 700, 701, 1700];
      const columns = fields.map(({ name, dataTypeID }) => [
        name,
        rows.map((row) => (numeric.includes(dataTypeID) ? Number(row[name]) : row[name])),
      ]);
      return tableToIPC(tableFromArrays(Object.fromEntries(columns)), 'stream');
    };
  },
  duckdb: ({ database, select }) => rowsInDuckDb(database, select),
} satisfies Record<string, Reader>;

/**
 * Starts a process that reads in one way.
 *
 * @throws Error with the reason if it cannot
 */
export async function startReader(reading: Reading): Promise<{ read: Way; end(): Promise<void> }> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(reading)]);
  const end = async () => {
    if (child.exitCode !== null || !child.connected) return;
    child.disconnect();
    await once(child, 'exit');
  };
  try {
    await answered(child);
  } catch (error) {
    await end();
    throw error;
  }
  const read = () => {
    child.send('read');
    return answered(child);
  };
  return { read, end };
}

async function answered(child: ChildProcess): Promise<number> {
  const ended = once(child, 'exit').then(() => [{ error: 'The reader ended' }]);
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as [
    { took: number } | { error: string },
  ];
  if ('error' in answer) throw new Error(answer.error);
  return answer.took;
}

async function serve(reading: Reading): Promise<void> {
  const tell = (message: object) => process.send?.(message);
  try {
    const read = await READERS[reading.way](reading);
    process.on('message', () => {
      void timed(read).then(
        (took) => tell({ took }),
        (error: unknown) => tell({ error: String(error) }),
      );
    });
    process.on('disconnect', () => process.exit());
    tell({ took: 0 });
  } catch (error) {
    tell({ error: error instanceof Error ? error.message : String(error) });
  }
}

const [first] = process.argv.slice(2);
if (process.send && first?.startsWith('{')) await serve(JSON.parse(first) as Reading);
