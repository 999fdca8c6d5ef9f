/** Queues the reads and writes of each version, so that one version leaves connections to the others. */
import { AppError } from '../../errors';
import { RETRY_AFTER } from './failures';
import { Queue, WaitedTooLong } from './queue';

/**
 * Queue key of replays; no version has this id. A replay may take minutes, so all replays together get the
 * places of one version.
 */
const REPLAYS = 0;

/**
 * Maximum number of connections for writers, so that reads continue. Writers of one version get few, because
 * all but one of them wait for its lock; the rest is for other versions.
 */
const WRITERS = { all: 14, ofKey: 3, beside: 6 };

/**
 * Maximum number of connections for reads of forecast tables. Reads of one version get only some of them: a
 * table that somebody else has locked blocks all its reads, and other versions need the rest.
 */
const READERS = { all: 16, ofKey: 10, beside: 14 };

/** The queues of writers and readers. A waiting request holds no connection. */
export class VersionQueues {
  private readonly writers: Queue;
  private readonly readers: Queue;

  /** @param patience longest waiting time in milliseconds; 0 is no limit */
  constructor(patience: number) {
    this.writers = new Queue(WRITERS, patience);
    this.readers = new Queue(READERS, patience);
  }

  /** Runs a write to a version in its turn. @throws AppError 503 after a timeout in the queue */
  write<Result>(versionId: number, work: () => Promise<Result>): Promise<Result> {
    return inTurn(
      this.writers.run(versionId, work),
      'Other changes to this version have taken longer than PF_WAIT_TIMEOUT; nothing was changed, try again in a moment',
    );
  }

  /** Runs a replay after other replays. @throws AppError 503 after a timeout in the queue */
  replay<Result>(work: () => Promise<Result>): Promise<Result> {
    return inTurn(
      this.writers.run(REPLAYS, work),
      'Other replays have taken longer than PF_WAIT_TIMEOUT; no version was created, try again in a moment',
    );
  }

  /** Runs a read of a version in its turn. @throws AppError 503 after a timeout in the queue */
  read<Result>(versionId: number, work: () => Promise<Result>): Promise<Result> {
    return inTurn(
      this.readers.run(versionId, work),
      'Other requests for this version have taken longer than PF_WAIT_TIMEOUT; try again in a moment',
    );
  }

  /** Numbers of requests that wait for their turn. */
  get waiting(): { writers: number; readers: number } {
    return { writers: this.writers.waiting, readers: this.readers.waiting };
  }
}

/** @throws AppError 503 with a sentence after a timeout in the queue */
async function inTurn<Result>(turn: Promise<Result>, sentence: string): Promise<Result> {
  try {
    return await turn;
  } catch (error) {
    if (!(error instanceof WaitedTooLong)) throw error;
    throw new AppError(503, sentence, { retryAfter: RETRY_AFTER });
  }
}
