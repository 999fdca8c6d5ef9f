/** Limits the connections of one person, so that others can work. */
import { AppError } from '../../errors';
import { RETRY_AFTER } from './failures';
import { Queue, TooManyWait, WaitedTooLong } from './queue';

/** The largest number of requests of one person that wait for their own connections. */
const MOST_WAITING = 100;

/** The queues of people whose own requests hold all connections that one person may hold. */
export class OwnTurns {
  private readonly queue: Queue<string>;
  /** Number of requests that were refused. */
  refused = 0;

  /**
   * @param most connections of one person
   * @param patience longest waiting time in milliseconds; 0 is no limit
   */
  constructor(most: number, patience: number) {
    const widths = { all: Infinity, ofKey: most, beside: Infinity };
    this.queue = new Queue(widths, patience, MOST_WAITING);
  }

  /** Number of requests that wait for other requests of the same person. */
  get waiting(): number {
    return this.queue.waiting;
  }

  /**
   * Runs work that holds one connection, when the holder has one left.
   *
   * @param holder see `Sender.holder`
   * @throws AppError 429 if too many requests of the holder wait, or one has waited too long
   */
  async run<Result>(holder: string | null, work: () => Promise<Result>): Promise<Result> {
    if (holder === null) return work();
    try {
      return await this.queue.run(holder, work);
    } catch (error) {
      if (!(error instanceof WaitedTooLong || error instanceof TooManyWait)) throw error;
      this.refused += 1;
      throw new AppError(
        429,
        'Your other requests hold all connections to the database that one person may hold (PF_CONNECTIONS_PER_PERSON); nothing was changed, try again in a moment',
        { retryAfter: RETRY_AFTER },
      );
    }
  }
}
