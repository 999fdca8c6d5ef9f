/** The history of the database, which a failover or a restored backup changes. */
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import { sqlState } from './failures';

/**
 * The history of a database. A promoted standby or a restored backup begins a new history at some point of
 * the old one: later commits are lost, and their ids are assigned again
 * (docs/decisions/0027-a-standby-takes-over.md).
 */
export interface Timeline {
  /**
   * Equal for all servers of the service, and different for every other history. Null if the database does
   * not reveal it.
   */
  name: string | null;
  /** The table of the log; null if there is none, or with the name. */
  log: string | null;
  /** Whether the database refuses changes: a standby that is not promoted, or a read-only database. */
  readOnly: boolean;
}

/**
 * The table of the log. A backup that is restored in place (`pg_restore --clean`) makes it again, with another number.
 */
export const LOG_TABLE = sql`to_regclass('pf.log')::oid`;

/**
 * The cluster, its database, PostgreSQL's timeline number, which begins the name of each WAL file, and the table of the
 * log. A standby that is not promoted has no timeline number of its own.
 */
const READ_TIMELINE = sql`SELECT
    concat_ws(' ', c.system_identifier, d.oid, CASE WHEN pg_is_in_recovery() THEN 'recovery'
      ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END, ${LOG_TABLE}) AS name,
    ${LOG_TABLE}::text AS log,
    current_setting('transaction_read_only') = 'on' AS "readOnly"
  FROM pg_control_system() AS c, pg_database AS d WHERE d.datname = current_database()`;

/** Some providers do not allow the WAL functions. */
const READ_ONLY_ALONE = sql`SELECT NULL AS name, NULL AS log,
    current_setting('transaction_read_only') = 'on' AS "readOnly"`;

const Found = v.object({
  name: v.nullable(v.string()),
  log: v.nullable(v.string()),
  readOnly: v.boolean(),
});

/**
 * Reads the history that a connection writes to.
 *
 * @param ask runs a statement outside any transaction and returns its rows
 * @throws if the connection is lost
 */
export async function readTimeline(
  ask: (statement: SqlText) => Promise<unknown[]>,
): Promise<Timeline> {
  const [row] = await ask(READ_TIMELINE).catch((error: unknown) => {
    // Without a state, the server has not refused the statement: the connection does not answer.
    if (sqlState(error) === undefined) throw error;
    return ask(READ_ONLY_ALONE);
  });
  const { name, log, readOnly } = v.parse(Found, row);
  // The value is sent to clients, so the cluster's own number is hashed.
  const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
  return { name: name === null ? null : digest(name).slice(0, 16), log, readOnly };
}

/** A change in the state of the database, for the server's log. */
export type Turn =
  /** No connection can be opened or kept open. */
  | { kind: 'away'; reason: unknown }
  /** The database answers and refuses changes. */
  | { kind: 'read-only' }
  /**
   * The database answers and accepts changes again after this many seconds, possibly with another history.
   */
  | { kind: 'back'; seconds: number; replaced: boolean };

/**
 * Tracks the state of the database by the connections that the server opens. Each change of state is reported
 * once.
 */
export class Presence {
  /**
   * The newest history that this server has seen; null before the first connection, and if the database does
   * not reveal it.
   */
  private timeline: string | null = null;
  private state: 'there' | 'away' | 'read-only' = 'there';
  private since = 0;

  constructor(private readonly tell: (turn: Turn) => void) {}

  /** Records that a connection was opened or checked again. */
  met({ name, readOnly }: Timeline): void {
    if (readOnly) return this.turn('read-only', { kind: 'read-only' });
    const replaced = this.timeline !== null && name !== null && name !== this.timeline;
    if (name !== null) this.timeline = name;
    if (this.state === 'there' && !replaced) return;
    const seconds = this.state === 'there' ? 0 : (performance.now() - this.since) / 1000;
    this.state = 'there';
    this.tell({ kind: 'back', seconds: Math.round(seconds), replaced });
  }

  /** Records that no connection could be opened. */
  missed(reason: unknown): void {
    this.turn('away', { kind: 'away', reason });
  }

  private turn(state: 'away' | 'read-only', turn: Turn): void {
    if (this.state === state) return;
    if (this.state === 'there') this.since = performance.now();
    this.state = state;
    this.tell(turn);
  }
}
