/** Opens the event stream of a version. */
import type { Database } from '../db/database';
import { getVersion } from '../db/versions';
import type { Events } from '../event-streams';

/**
 * Streams the events of a version from now on (docs/contract/19-planning-together.md#live).
 *
 * @param lastEventId id of the last event that the client has received on an earlier stream; null if none
 * @throws AppError 404 if there is no such version, 503 if too many streams are open
 */
export async function watchVersion(
  { db, events }: { db: Database; events: Events },
  versionId: number,
  lastEventId: string | null,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const stream = await events.stream(versionId, lastEventId, db.sender);
  try {
    // This check follows the opening of the stream, so that no deletion is missed.
    await getVersion(db, versionId);
    return stream;
  } catch (error) {
    await stream.cancel();
    throw error;
  }
}
