import * as v from 'valibot';
import { VersionEvent } from '../../contract/events';
import { sql } from '../sql/quote';
import type { Transaction } from './transaction';

/** The channel of PostgreSQL on which the processes of the service tell each other what was committed. */
export const CHANNEL = 'forecast_pivot';

/** What is sent on the channel. */
const Told = v.object({ version: v.number(), event: VersionEvent });
export type Told = v.InferOutput<typeof Told>;

/** An event of a version as it is sent on the channel. */
export const messageOf = (version: number, event: VersionEvent): string =>
  JSON.stringify({ version, event } satisfies Told);

/**
 * Tells every process of an event of a version once this transaction is committed, and nobody if it is
 * rolled back. PostgreSQL tells them in the order of commits.
 */
export const tell = (
  transaction: Transaction,
  version: number,
  event: VersionEvent,
): Promise<number> =>
  transaction.run(sql`SELECT pg_notify($1, $2)`, [CHANNEL, messageOf(version, event)]);

/** Tells of all versions of a source that whatever a client holds of them may be outdated. */
export const tellAll = (transaction: Transaction, sourceId: number): Promise<number> =>
  transaction.run(
    sql`SELECT pg_notify($1, json_build_object('version', id, 'event', $3::json)::text)
     FROM pf.version WHERE source_id = $2 ORDER BY id`,
    [CHANNEL, sourceId, JSON.stringify({ kind: 'resync' } satisfies VersionEvent)],
  );

/** Reads a message of the channel; undefined for one that is not from the service. */
export function toldIn(message: string): Told | undefined {
  try {
    const parsed = v.safeParse(Told, JSON.parse(message));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}
