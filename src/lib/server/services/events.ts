import type { Database } from '../db/database';
import { getVersion } from '../db/versions';
import type { Events } from '../events';

/**
 * What is committed to a version from now on, as server-sent events (docs/contract/19-planning-together.md#live).
 *
 * @param lastEventId the last event that the client has had from an earlier stream; null if it had none
 * @throws AppError 404 if there is no such version, 503 if too many streams are open
 */
export async function watchVersion(
  { db, events }: { db: Database; events: Events },
  versionId: number,
  lastEventId: string | null,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const stream = await events.stream(versionId, lastEventId);
  try {
    // Looked up after the stream is open, so that it does not miss that the version is deleted.
    await getVersion(db, versionId);
    return stream;
  } catch (error) {
    await stream.cancel();
    throw error;
  }
}
