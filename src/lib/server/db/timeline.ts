import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { SqlText } from '../sql/quote';
import { sql } from '../sql/quote';

/**
 * The history that a database writes. A standby that is promoted begins another one at some moment of
 * its primary's, and so does a backup that is restored: what was committed after that moment is gone,
 * and the ids of it are given out again
 * (docs/decisions/0027-a-standby-takes-over.md).
 */
export interface Timeline {
  /** The same for all servers of the service, and for no other history. Null if the database does not tell. */
  name: string | null;
  /** Whether it refuses all changes: a standby that is not promoted, or a database that was made read-only. */
  readOnly: boolean;
}

/**
 * The cluster, the database in it, and PostgreSQL's own number of the timeline, which stands at the
 * beginning of the name of each WAL file. A standby that is not promoted has none of its own.
 */
const READ_TIMELINE = sql`SELECT
    concat_ws(' ', c.system_identifier, d.oid, CASE WHEN pg_is_in_recovery() THEN 'recovery'
      ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END) AS name,
    current_setting('transaction_read_only') = 'on' AS "readOnly"
  FROM pg_control_system() AS c, pg_database AS d WHERE d.datname = current_database()`;

/** Some providers let nobody call the functions of the WAL. */
const READ_ONLY_ALONE = sql`SELECT NULL AS name,
    current_setting('transaction_read_only') = 'on' AS "readOnly"`;

const Found = v.object({ name: v.nullable(v.string()), readOnly: v.boolean() });

/**
 * The timeline that a connection writes.
 *
 * @param ask runs a statement outside of any transaction and answers its rows
 * @throws if the connection is lost
 */
export async function readTimeline(
  ask: (statement: SqlText) => Promise<unknown[]>,
): Promise<Timeline> {
  const [row] = await ask(READ_TIMELINE).catch(() => ask(READ_ONLY_ALONE));
  const { name, readOnly } = v.parse(Found, row);
  // Clients get it too, and need not know the cluster's own number.
  const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
  return { name: name === null ? null : digest(name).slice(0, 16), readOnly };
}

/** What has become of the database, as the log of a server says it. */
export type Turn =
  /** No connection can be made, or none lasts. */
  | { kind: 'away'; reason: unknown }
  /** It answers, and refuses changes. */
  | { kind: 'read-only' }
  /** It answers and takes changes again, after so many seconds; perhaps with another history. */
  | { kind: 'back'; seconds: number; replaced: boolean };

/** What a server knows of its database from the connections that it makes. Each turn is told once. */
export class Presence {
  /** The newest history that this server has seen; null before the first, and if none is told. */
  #timeline: string | null = null;
  #state: 'there' | 'away' | 'read-only' = 'there';
  #since = 0;

  constructor(private readonly tell: (turn: Turn) => void) {}

  /** A connection was made, or has been asked again. */
  met({ name, readOnly }: Timeline): void {
    if (readOnly) return this.#turn('read-only', { kind: 'read-only' });
    const replaced = this.#timeline !== null && name !== null && name !== this.#timeline;
    if (name !== null) this.#timeline = name;
    if (this.#state === 'there' && !replaced) return;
    const seconds = this.#state === 'there' ? 0 : (performance.now() - this.#since) / 1000;
    this.#state = 'there';
    this.tell({ kind: 'back', seconds: Math.round(seconds), replaced });
  }

  /** No connection could be made. */
  missed(reason: unknown): void {
    this.#turn('away', { kind: 'away', reason });
  }

  #turn(state: 'away' | 'read-only', turn: Turn): void {
    if (this.#state === state) return;
    if (this.#state === 'there') this.#since = performance.now();
    this.#state = state;
    this.tell(turn);
  }
}
