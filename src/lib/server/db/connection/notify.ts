/** Commits as notifications: what writers send with NOTIFY, and its reading. */
import * as v from 'valibot';
import { VersionEvent } from '../../../contract/events';
import { sql } from '../../sql/quote';
import type { Transaction } from './transaction';

/** The NOTIFY channel on which the processes of the service inform each other about commits. */
export const CHANNEL = 'forecast_pivot';

/** The payload of a notification. */
const Told = v.object({ version: v.number(), event: VersionEvent });
export type Told = v.InferOutput<typeof Told>;

/** Encodes an event of a version as a notification payload. */
export const messageOf = (version: number, event: VersionEvent): string =>
  JSON.stringify({ version, event } satisfies Told);

/**
 * Notifies all processes of an event when this transaction commits. A rollback drops the notification.
 * PostgreSQL delivers notifications in the order of commits.
 */
export const tell = (
  transaction: Transaction,
  version: number,
  event: VersionEvent,
): Promise<number> =>
  transaction.run(sql`SELECT pg_notify($1, $2)`, [CHANNEL, messageOf(version, event)]);

/** Notifies all processes of several events of a version, like {@link tell}, by one statement. */
export const tellEach = (
  transaction: Transaction,
  version: number,
  events: readonly VersionEvent[],
): Promise<number> =>
  transaction.run(sql`SELECT pg_notify($1, message) FROM unnest($2::text[]) AS message`, [
    CHANNEL,
    events.map((event) => messageOf(version, event)),
  ]);

/** Notifies the clients of all versions of a source that their data may be outdated. */
export const tellAll = (transaction: Transaction, sourceId: number): Promise<number> =>
  transaction.run(
    sql`SELECT pg_notify($1, json_build_object('version', id, 'event', $3::json)::text)
     FROM pf.version WHERE source_id = $2 ORDER BY id`,
    [CHANNEL, sourceId, JSON.stringify({ kind: 'resync' } satisfies VersionEvent)],
  );

/** Decodes a notification payload; undefined if the service did not send it. */
export function toldIn(message: string): Told | undefined {
  try {
    const parsed = v.safeParse(Told, JSON.parse(message));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}
