import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import { Data } from 'apache-arrow';
import * as v from 'valibot';
import { decode, encode } from '../arrow/encode';
import type { Queryable, Transaction } from '../db/database';
import type { KeptAnswer, WriteKey } from '../db/idempotency';
import { claimKey, findAnswer, keepAnswer, purgeAnswers } from '../db/idempotency';
import { AppError } from '../errors';

/** Columns in an answer that is kept: they are stored apart from its fields. */
export const keptColumns = v.array(v.object({ name: v.string(), data: v.instance(Data) }));

/**
 * Makes a write at most once per key (docs/contract/05-operations.md#sending-a-write-again). The
 * write's transaction also stores its answer. A later request with the same key gets that answer.
 *
 * @param key undefined if the client sent none; the write is then made each time
 * @param schema what the write answers
 * @throws AppError 409 if the key came with another body, and whatever `write` throws
 */
export async function once<Answer extends object>(
  transaction: Transaction,
  versionId: number,
  key: WriteKey | undefined,
  schema: v.GenericSchema<unknown, Answer>,
  write: () => Promise<Answer>,
): Promise<Answer> {
  if (!key) return write();
  if (!(await claimKey(transaction, key))) {
    // A kept answer is deleted only with its version; the write then refuses with 404.
    return (await keptAnswer(transaction, key, schema)) ?? write();
  }
  const answer = await write();
  await keepAnswer(transaction, key, versionId, await pack(answer));
  await purgeAnswers(transaction);
  return answer;
}

/**
 * What a write with this key answered; undefined if there was none within the last day.
 *
 * @throws AppError 409 if the key came with another body
 */
export async function keptAnswer<Answer extends object>(
  db: Queryable,
  key: WriteKey | undefined,
  schema: v.GenericSchema<unknown, Answer>,
): Promise<Answer | undefined> {
  const kept = key && (await findAnswer(db, key));
  if (!kept) return undefined;
  if (kept.digest !== key.digest) {
    throw new AppError(
      409,
      'This Idempotency-Key came with another request before; send a new key with a new request',
    );
  }
  return v.parse(schema, await unpack(kept));
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Fields of an answer that JSON can carry, and perhaps the rows it is about. */
const WithColumns = v.looseObject({ columns: v.optional(keptColumns) });

/** Columns are stored as the Arrow stream they make, a small part of their JSON. */
async function pack(answer: object): Promise<KeptAnswer> {
  const { columns, ...fields } = v.parse(WithColumns, answer);
  const level = constants.Z_BEST_SPEED;
  return {
    answer: JSON.stringify(fields),
    columns: columns ? await compress(encode(columns), { level }) : null,
  };
}

async function unpack({ answer, columns }: KeptAnswer): Promise<object> {
  const fields = v.parse(v.looseObject({}), JSON.parse(answer));
  return { ...fields, ...(columns && { columns: decode(await decompress(columns)) }) };
}
