import pg from 'pg';
import { onTestFinished } from 'vitest';
import type { Service } from './service';

/** A lock that a test keeps, so that requests that need it wait. */
export interface Held {
  /** Rolls back. */
  release(): Promise<void>;
  commit(): Promise<void>;
}

/** Runs statements in a transaction, and keeps the transaction and its locks open. */
export async function hold({ database }: Service, ...statements: string[]): Promise<Held> {
  const client = new pg.Client({ ...database, application_name: 'the holder' });
  // If the connection is lost, PostgreSQL releases its locks, so the error needs no handling.
  client.on('error', () => {});
  await client.connect();
  await client.query('BEGIN');
  for (const statement of statements) await client.query(statement);
  let held = true;
  const end = async (how: 'COMMIT' | 'ROLLBACK') => {
    if (!held) return;
    held = false;
    await client.query(how).catch(() => {});
    await client.end();
  };
  const release = () => end('ROLLBACK');
  // A failing test must not block the next one.
  onTestFinished(release);
  return { release, commit: () => end('COMMIT') };
}

export const holdVersion = (service: Service, id: number): Promise<Held> =>
  hold(service, `SELECT FROM pf.version WHERE id = ${id} FOR UPDATE`);

/** Calls `ask` until it returns a value. Otherwise the test's own time limit ends it. */
export async function until<T>(ask: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Number of the service's connections that wait for a lock. A build of indexes waits for snapshots and is not counted. */
export async function waitingForLocks({ query }: Service): Promise<number> {
  const [{ n }] = await query(
    `SELECT count(*) AS n FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'forecast-pivot'
       AND wait_event_type = 'Lock' AND wait_event <> 'virtualxid'`,
  );
  return n;
}

/** Waits until each connection of the service's pool waits for a lock, one of them perhaps to build an index. */
export const untilAllWait = ({ query }: Service): Promise<boolean> =>
  until(async () => {
    const waiting = await query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'forecast-pivot'
         AND wait_event_type = 'Lock'`,
    );
    return waiting.length >= 20;
  });

/** Waits until a build of indexes waits for an older snapshot. */
export const untilBuilding = ({ query }: Service): Promise<boolean> =>
  until(async () => {
    const builds = await query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'forecast-pivot'
         AND wait_event = 'virtualxid'`,
    );
    return builds.length > 0;
  });

/** Waits until this number of the service's connections wait for a lock. */
export const untilWaiting = (service: Service, n: number): Promise<boolean> =>
  until(async () => (await waitingForLocks(service)) >= n);

/**
 * Starts requests one after the other while `held` blocks them, each once the previous one waits. Then
 * releases the lock. The answers have the order of the requests.
 */
export async function race<T>(
  service: Service,
  held: Held,
  requests: (() => Promise<T>)[],
): Promise<T[]> {
  const answers: Promise<T>[] = [];
  for (const request of requests) {
    answers.push(request());
    await untilWaiting(service, answers.length);
  }
  await held.release();
  return Promise.all(answers);
}
