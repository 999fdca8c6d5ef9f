/** Opens the event stream of a version. */
import { createHash } from 'node:crypto';
import type { VersionEvent } from '../../../contract/events';
import type { Database } from '../../db/database';
import type { ExactTotals } from '../../db/totals/totals';
import { getVersion } from '../../db/versions/versions';
import { AppError } from '../../errors';
import type { Events } from '../../event-streams';
import type { KeptTotals } from '../../kept-totals';
import { seenAlerts } from './alerts';
import { comments } from './comments';
import { readLimited } from '../version/forecast-version';
import { locks } from '../version/locks';
import { logEntries, undoneEntries } from '../entries/log';
import { reviews } from './reviews';

/** What the answers about a version are computed with. */
interface Reading {
  db: Database;
  totals: KeptTotals<ExactTotals>;
}

/**
 * Streams the events of a version from now on (docs/contract/19-planning-together.md#live). A sender who reads a part
 * gets `resync` when something that they may see has changed, `deleted`, and no other event.
 *
 * @param lastEventId id of the last event that the client has received on an earlier stream; null if none
 * @throws AppError 404 if there is no such version, 503 if too many streams are open
 */
export async function watchVersion(
  { events, ...reading }: Reading & { events: Events },
  versionId: number,
  lastEventId: string | null,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { db } = reading;
  const isPart = (await readLimited(db, versionId)) !== undefined;
  const read = () =>
    seenOf(reading, versionId).catch(async (error: unknown) => {
      // If the version was deleted meanwhile, its table is gone too. The 404 then names the version.
      await getVersion(db, versionId);
      throw error;
    });
  const hasNews = isPart ? await newsOf(read) : undefined;
  const stream = await events.stream(versionId, lastEventId, { sender: db.sender, hasNews });
  try {
    // These checks follow the opening of the stream, so that no deletion and no change of territories is missed.
    await getVersion(db, versionId);
    if (((await readLimited(db, versionId)) !== undefined) !== isPart) {
      throw new AppError(503, 'The territories of the source are changing', { retryAfter: 1 });
    }
    return stream;
  } catch (error) {
    await stream.cancel();
    throw error;
  }
}

/**
 * Returns a function that tells whether a value differs from that of its last call. Calls wait for one another, and
 * those that wait together read the value once.
 */
async function newsOf(read: () => Promise<string>): Promise<() => Promise<boolean>> {
  let last = await read();
  let running: Promise<unknown> = Promise.resolve();
  let isWaiting = false;
  return async () => {
    // The call that waits reads the value later than this one was made.
    if (isWaiting) return false;
    isWaiting = true;
    const compared = running.then(async () => {
      isWaiting = false;
      const before = last;
      last = await read();
      return last !== before;
    });
    running = compared.catch(() => undefined);
    return compared;
  };
}

/** Reads what the sender may see of a version: its fields, its entries or another list. */
type Seen = (reading: Reading, versionId: number) => Promise<unknown>;

const seenVersion: Seen = ({ db }, id) => getVersion(db, id);
const seenEntries: Seen = async (reading, id) => [
  (await logEntries(reading, id)).log,
  await undoneEntries(reading.db, id),
];

/** Reads what each kind of event changes; null for a kind that by itself changes nothing that such a sender sees. */
const SEEN: Readonly<Record<VersionEvent['kind'], Seen | null>> = {
  status: seenVersion,
  written: seenEntries,
  undone: seenEntries,
  cleared: seenEntries,
  note: seenEntries,
  locks: ({ db }, id) => locks(db, id),
  comment: ({ db }, id) => comments(db, id),
  review: ({ db }, id) => reviews(db, id),
  alert: ({ db }, id) => seenAlerts(db, id),
  deleted: null,
  resync: null,
};

/** A digest of everything about a version that a sender who reads a part may see. */
async function seenOf(reading: Reading, versionId: number): Promise<string> {
  const digest = createHash('sha256');
  for (const read of new Set(Object.values(SEEN))) {
    if (read) digest.update(JSON.stringify(await read(reading, versionId)));
  }
  return digest.digest('base64url');
}
