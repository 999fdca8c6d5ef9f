import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { Column } from '../arrow/column-plan';
import { decode, encode } from '../arrow/encode';
import type { Session, Transaction } from '../db/database';
import type { KeptAnswer, WriteKey } from '../db/idempotency';
import { claimKey, findAnswer, keepAnswer, purgeAnswers } from '../db/idempotency';
import { AppError } from '../errors';

/**
 * Makes a write at most once per key (docs/contract/05-operations.md#sending-a-write-again). Its answer is stored in its
 * own transaction, and a request with the same key gets that, whatever happened since.
 *
 * @param key undefined if the client sent none; the write is then made each time
 * @throws AppError 409 if the key came with another body, and whatever `write` throws
 */
export async function once<Answer extends object>(
  transaction: Transaction,
  versionId: number,
  key: WriteKey | undefined,
  write: () => Promise<Answer>,
): Promise<Answer> {
  if (!key) return write();
  if (!(await claimKey(transaction, key))) {
    // It is gone again only with its version, and then the write says so.
    return (await keptAnswer<Answer>(transaction, key)) ?? write();
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
  session: Session,
  key: WriteKey | undefined,
): Promise<Answer | undefined> {
  const kept = key && (await findAnswer(session, key));
  if (!kept) return undefined;
  if (kept.digest !== key.digest) {
    throw new AppError(
      409,
      'This Idempotency-Key came with another request before; send a new key with a new request',
    );
  }
  return unpack(kept);
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Fields of an answer that JSON can carry, and perhaps the rows it is about. */
interface WithColumns {
  columns?: readonly Column[];
}

/** Columns are stored as the Arrow stream they make, a small part of their JSON. */
async function pack(answer: object): Promise<KeptAnswer> {
  const { columns, ...fields } = answer as WithColumns;
  const level = constants.Z_BEST_SPEED;
  return {
    answer: JSON.stringify(fields),
    columns: columns ? await compress(encode(columns), { level }) : null,
  };
}

async function unpack<Answer>({ answer, columns }: KeptAnswer): Promise<Answer> {
  const fields = JSON.parse(answer) as object;
  return { ...fields, ...(columns && { columns: decode(await decompress(columns)) }) } as Answer;
}
