/** Times statements and transactions, and ends those that hang. */
import type pg from 'pg';
import { AppError } from '../../errors';
import { backendOf, cancelStatement, cutOff } from './cancel';

/** Time limits in milliseconds; 0 for no limit. */
interface Limits {
  /** Longest time of one statement. The server ends a late statement itself if it can. */
  statement: number;
  /** Longest time for which a request may use a connection, over all its statements. */
  hold: number;
}

/** Time that the server gets to end a late statement, and once more after a cancel. */
const GRACE_MILLISECONDS = 2_000;

/** The longest delay of setTimeout, a 32-bit integer. */
const LONGEST = 2_147_483_647;

/**
 * Limits the time of the statements that a request runs on one connection. The server's `statement_timeout`
 * is not enough: a network may lose the answer, and PostgreSQL does not check for a cancel during one long
 * computation. A late statement is cancelled. If that does not help, the connection is cut off and the
 * server's process is terminated (docs/decisions/0011-how-a-hanging-write-ends.md).
 */
export class Watch {
  private readonly until: number;
  private isCut = false;

  /** @param terminate terminates a server process by its id */
  constructor(
    private readonly client: pg.ClientBase,
    private readonly limits: Limits,
    private readonly terminate: (backend: number) => void,
  ) {
    this.until = limits.hold === 0 ? Infinity : performance.now() + limits.hold;
  }

  /** Whether the connection was cut off. The pool must not use it again. */
  get cut(): boolean {
    return this.isCut;
  }

  /**
   * Runs a statement if there is time left.
   *
   * @throws AppError 500 if the request is past its time, 503 if the server neither answers nor ends the
   * statement
   */
  async run<T>(statement: () => Promise<T>): Promise<T> {
    const left = this.until - performance.now();
    if (left <= 0) {
      throw new AppError(500, 'This request took longer than allowed; nothing was changed');
    }
    const { statement: limit } = this.limits;
    const allowed = limit === 0 ? LONGEST : limit + GRACE_MILLISECONDS;

    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const cut = () => {
        this.isCut = true;
        const backend = backendOf(this.client);
        cutOff(this.client);
        this.terminate(backend);
        reject(unanswered());
      };
      const cancel = () => {
        void cancelStatement(this.client);
        timer = setTimeout(cut, GRACE_MILLISECONDS);
      };
      timer = setTimeout(cancel, Math.min(left, allowed, LONGEST));
    });
    try {
      return await Promise.race([statement(), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const unanswered = () =>
  new AppError(503, 'The database neither answered nor ended this request in time', {
    retryAfter: 10,
  });
