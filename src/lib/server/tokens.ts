/** Signs programs in by their tokens (docs/contract/20-who-is-signed-in.md#tokens). */
import { createHash } from 'node:crypto';
import { networkOf } from './addresses';
import type { OwnToken } from './db/people/tokens';
import { AppError } from './errors';
import type { Sender } from './sender';

/** How a secret begins, and the number of random bytes that follow in Base64url. */
export const TOKEN_PREFIX = 'pf_';
export const TOKEN_BYTES = 32;

/** A secret within a text. */
const SECRET = /pf_[\w-]{43}/g;

/** Interval in which the last use of a token is recorded by a process, in milliseconds. */
const USE_INTERVAL = 5 * 60_000;

/** The largest number of wrong tokens from one address in an interval, and the interval in milliseconds. */
const MOST_WRONG = 20;
const WRONG_INTERVAL = 60_000;

/** The largest number of addresses, of accepted and of wrong tokens that a process remembers. */
const MOST_REMEMBERED = 10_000;

/** The SHA-256 of a secret, as it is stored. */
export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Returns whether a URL contains a secret. */
export const hasSecret = (url: string): boolean => withoutSecrets(url) !== url;

/** Returns a path or URL without the secrets in it; it is decoded if it has any. */
export function withoutSecrets(url: string): string {
  let decoded = url;
  try {
    decoded = decodeURIComponent(url);
  } catch {
    // It is searched as it is.
  }
  const without = decoded.replace(SECRET, 'pf_…');
  return without === decoded ? url : without;
}

/** How the tokens are stored. */
interface Stored {
  /** Finds a valid token by the hash of its secret; undefined for a wrong, revoked or expired token. */
  find: (hash: Buffer) => Promise<OwnToken | undefined>;
  recordUse: (id: number) => Promise<unknown>;
}

/** Finds the senders of tokens, and limits wrong ones by address. */
export class Tokens {
  /** When the use of each accepted token was last recorded, by its hash. */
  private readonly recorded = new Map<string, number>();
  /** The hashes of wrong tokens. */
  private readonly refused = new Map<string, true>();
  /** The number of wrong tokens of each address since a time. */
  private readonly wrong = new Map<string, { since: number; count: number }>();

  /** @param now time in milliseconds */
  constructor(
    private readonly stored: Stored,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * The sender of a request with a token. Each request asks the database, so a token that is revoked by any server holds
   * no longer.
   *
   * @param address of the client; undefined if unknown
   * @throws AppError 401 for a token that is wrong, revoked or expired; 429 after too many of them from the address. A
   * valid token is accepted from there all the same: many programs may share the address of a proxy
   */
  async senderOf(secret: string, address: string | undefined): Promise<Sender> {
    const hash = hashOf(secret);
    const key = hash.toString('base64');
    const from = address === undefined ? '' : networkOf(address);
    const tooMany = this.tooManyWrong(from);
    // The database is not asked again about a wrong token.
    if (tooMany && this.refused.has(key)) throw tooMany;
    const token = await this.stored.find(hash);
    if (!token) {
      this.recorded.delete(key);
      remember(this.refused, key, true);
      if (tooMany) throw tooMany;
      this.noteWrong(from);
      throw new AppError(401, 'The token is wrong, was revoked or has expired');
    }
    const { id, name: user, roles, groups, sources } = token;
    if (this.now() - (this.recorded.get(key) ?? -Infinity) >= USE_INTERVAL) {
      remember(this.recorded, key, this.now());
      // A database that accepts no changes still answers reads.
      void this.stored.recordUse(id).catch(() => {});
    }
    return { user, roles, groups, holder: `person ${user}`, token: id, sources };
  }

  /** The refusal of further wrong tokens from an address; undefined while there are few. */
  private tooManyWrong(from: string): AppError | undefined {
    const { since, count } = this.wrong.get(from) ?? { since: 0, count: 0 };
    const left = since + WRONG_INTERVAL - this.now();
    if (count < MOST_WRONG || left <= 0) return undefined;
    return new AppError(429, 'Too many wrong tokens came from your address; try again later', {
      retryAfter: Math.ceil(left / 1000),
    });
  }

  private noteWrong(from: string): void {
    const earlier = this.wrong.get(from);
    if (earlier && this.now() - earlier.since < WRONG_INTERVAL) earlier.count += 1;
    else remember(this.wrong, from, { since: this.now(), count: 1 });
  }
}

/** Sets a value as the newest one, and forgets the oldest one if there are too many. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
