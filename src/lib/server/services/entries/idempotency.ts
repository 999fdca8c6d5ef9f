/** Makes a repeated write once. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Data } from 'apache-arrow';
import * as v from 'valibot';
import { decode, encodeParts } from '../../arrow/encode';
import type { Budget, Reservation } from '../../budget';
import { compress } from '../../compress';
import type { KeptAnswer, WriteKey } from '../../db/log/idempotency';
import { claimKey, findAnswer, keepAnswer, purgeAnswers } from '../../db/log/idempotency';
import type { Queryable } from '../../db/connection/queryable';
import { territoriesOf } from '../../db/people/territories';
import type { Transaction } from '../../db/connection/transaction';
import { AppError } from '../../errors';
import { readVersion } from '../version/forecast-version';

/** The columns of a stored answer. They are stored apart from its fields. */
export const keptColumns = v.array(v.object({ name: v.string(), data: v.instance(Data) }));

/**
 * Makes a write at most once per key (docs/contract/05-operations.md#sending-a-write-again). The write's
 * transaction also stores its answer. A later request with the same key gets that answer, unless the sender's
 * territories have changed since.
 *
 * @param versionId the version with which the stored answer is deleted; null to keep it for its whole day
 * @param key undefined if the client sent none; the write is then made each time
 * @param schema schema of the answer
 * @param memory reservation for the columns of the answer
 * @throws AppError 409 if the key came with another body, or if the sender's territories have changed since; MemoryShort; the errors
 * of `write`
 */
export async function once<Answer extends object>(
  transaction: Transaction,
  versionId: number | null,
  key: WriteKey | undefined,
  schema: v.GenericSchema<unknown, Answer>,
  memory: Reservation,
  write: () => Promise<Answer>,
): Promise<Answer> {
  if (!key) return write();
  const territories = await digestOfTerritories(transaction, versionId);
  if (!(await claimKey(transaction, { ...key, digest: key.digest + territories }))) {
    // A stored answer disappears early only if its version is deleted. The write then refuses with 404.
    return (await keptAnswer(transaction, key, schema, memory)) ?? write();
  }
  const answer = await write();
  await keepAnswer(transaction, key, versionId, await pack(answer));
  await purgeAnswers(transaction);
  return answer;
}

/**
 * The sender's territories of a version and the sources of the sender's token as a part of a digest; empty if neither
 * limits the sender.
 *
 * @throws AppError 404 for a version that is gone; 409 if the lookup of an attribute cannot be joined
 */
async function digestOfTerritories(db: Queryable, versionId: number | null): Promise<string> {
  const territories = versionId === null ? null : await territoriesOf(db, versionId);
  const sources = db.sender.sources?.toSorted((a, b) => a - b) ?? null;
  if (territories === null && sources === null) return '';
  const { own = null, nameAttributes = false } = territories ?? {};
  // The rows of an attribute change without a change of the territory.
  const keys =
    versionId !== null && nameAttributes ? (await readVersion(db, versionId)).part?.keys : null;
  const more = [...(sources ? [sources] : []), ...(keys ? [keys] : [])];
  const limits = JSON.stringify(more.length === 0 ? own : [own, ...more]);
  return `.${createHash('sha256').update(limits).digest('hex')}`;
}

/**
 * The stored answer of a write with this key; undefined if there was none within the last day.
 *
 * @param memory reservation for the columns of the answer
 * @throws AppError 409 if the key came with another body; {@link OtherTerritories}; MemoryShort
 */
async function keptAnswer<Answer extends object>(
  db: Queryable,
  key: WriteKey | undefined,
  schema: v.GenericSchema<unknown, Answer>,
  memory: Reservation,
): Promise<Answer | undefined> {
  const kept = key && (await findAnswer(db, key));
  if (!kept) return undefined;
  if (!kept.digest.startsWith(key.digest)) {
    throw new AppError(
      409,
      'This Idempotency-Key was used for another request; send a new key with a new request',
    );
  }
  const territories = await digestOfTerritories(db, kept.version_id).catch((error: unknown) => {
    // The part of the sender cannot be read now, or the version is gone.
    const isUnknown = error instanceof AppError && (error.status === 404 || error.status === 409);
    throw isUnknown ? new OtherTerritories() : error;
  });
  if (kept.digest !== key.digest + territories) throw new OtherTerritories();
  return v.parse(schema, await unpack(kept, memory));
}

/** Refuses a stored answer because the sender's territories have changed since: it may have rows outside them. */
class OtherTerritories extends AppError {
  constructor() {
    super(
      409,
      'The request of this Idempotency-Key was carried out, but your territories have changed since, so its answer is not sent again; read the version',
    );
  }
}

/**
 * {@link keptAnswer} with its own memory reservation, for a write whose entry is gone. Undefined too if the sender's
 * territories have changed since: then the write is judged as a new one.
 */
export const answeredBefore = <Answer extends object>(
  { db, budget }: { db: Queryable; budget: Budget },
  key: WriteKey | undefined,
  schema: v.GenericSchema<unknown, Answer>,
): Promise<(Answer & { memory: Reservation }) | undefined> =>
  budget.run(async (memory) => {
    const answer = await keptAnswer(db, key, schema, memory).catch((error: unknown) => {
      if (error instanceof OtherTerritories) return undefined;
      throw error;
    });
    return answer && { ...answer, memory };
  });

const decompress = promisify(gunzip);

/** The fields of an answer that JSON can carry, and its columns if it has any. */
const WithColumns = v.looseObject({ columns: v.optional(keptColumns) });

/** Columns are stored as an Arrow stream, which is much shorter than their JSON. */
async function pack(answer: object): Promise<KeptAnswer> {
  const { columns, ...fields } = v.parse(WithColumns, answer);
  return {
    answer: JSON.stringify(fields),
    columns: columns ? Buffer.concat(await compress(encodeParts(columns), 'gzip')) : null,
  };
}

async function unpack({ answer, columns }: KeptAnswer, memory: Reservation): Promise<object> {
  const fields = v.parse(v.looseObject({}), JSON.parse(answer));
  if (!columns) return fields;
  // The last four bytes of a gzip stream are its uncompressed length.
  const view = new DataView(columns.buffer, columns.byteOffset, columns.byteLength);
  memory.grow(view.getUint32(columns.byteLength - 4, true));
  const bytes = await decompress(columns);
  return { ...fields, columns: decode(bytes) };
}
