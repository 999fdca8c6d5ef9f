import { AppError } from './errors';

const MEGABYTE = 1_048_576;

/** The part of the budget up to which an answer is small, and need not wait behind others. */
const SMALL_PART = 1 / 64;

/** Somebody whom memory is not free for yet. */
interface Waiting {
  bytes: number;
  granted: (memory: Reservation) => void;
}

/**
 * One bound on the memory that the rows of all answers take at a time. They lie in typed arrays,
 * outside of the heap that Node itself limits.
 *
 * ```
 * const answer = await budget.run(async (memory) => {
 *   memory.grow(bytesSoFar);          // as often as that changes
 *   return { columns, memory };
 * });
 * …
 * answer.memory.release();            // once it is sent
 * ```
 *
 * Who does not fit waits, in the order they came, and holds nothing meanwhile: an answer that has rows
 * and cannot have more gives back what it has. So no two answers ever wait for each other
 * (docs/decisions/0014-one-budget-for-rows.md).
 */
export class Budget {
  #held = 0;
  #waiting: Waiting[] = [];
  #giveWay: (bytes: number) => void = () => {};
  #isGivingWay = false;

  /**
   * @param bytes that may be held at a time
   * @param patience milliseconds that somebody waits at most; 0 is without limit
   */
  constructor(
    readonly bytes: number,
    private readonly patience = 0,
  ) {}

  /**
   * Calls `giveWay` when memory is short, with the bytes that are: it releases memory that nobody needs
   * at the moment, if there is any.
   */
  whenShort(giveWay: (bytes: number) => void): void {
    this.#giveWay = giveWay;
  }

  /** To be called if there is more than before that could give way. */
  mayGiveWay(): void {
    this.#grantNext();
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held;
  }

  /** How many answers wait for memory now. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Runs `attempt` with memory that it grows as it needs it. If there is not enough, the attempt ends
   * with a {@link MemoryShort}; this then waits for more and runs it again, so it must leave nothing
   * behind. Memory is given back if the attempt fails; if it returns, that is up to its caller.
   *
   * @param signal ends the waiting; an attempt that runs has to see to it itself
   * @throws AppError 422 for more than the whole budget, 503 if memory is not free in time; the reason
   * of `signal`; whatever `attempt` throws
   */
  async run<T>(attempt: (memory: Reservation) => Promise<T>, signal?: AbortSignal): Promise<T> {
    let waited = 0;
    for (let memory = this.#grant(0); ;) {
      try {
        return await attempt(memory);
      } catch (error) {
        memory.release();
        if (!(error instanceof MemoryShort)) throw error;
        const since = performance.now();
        memory = await this.#wait(Math.min(error.needed, this.bytes), waited, signal);
        waited += performance.now() - since;
      }
    }
  }

  /**
   * Runs `attempt` once, for what can be done without: if memory is short, nobody waits for it.
   *
   * @throws MemoryShort if there is not enough; AppError 422 for more than the whole budget; whatever
   * `attempt` throws
   */
  async once<T>(attempt: (memory: Reservation) => Promise<T>): Promise<T> {
    const memory = this.#grant(0);
    try {
      return await attempt(memory);
    } catch (error) {
      memory.release();
      throw error;
    }
  }

  /** @param waited milliseconds that the same answer has waited before */
  #wait(bytes: number, waited: number, signal?: AbortSignal): Promise<Reservation> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const leave = (error: unknown) => {
        settled();
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(error);
        // Those behind may need less.
        this.#grantNext();
      };
      const left = Math.max(0, this.patience - waited);
      const timer = this.patience > 0 ? setTimeout(() => leave(busy()), left) : undefined;
      const abort = () => leave(signal?.reason);
      const settled = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const waiting: Waiting = {
        bytes,
        granted: (memory) => {
          settled();
          resolve(memory);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(waiting);
      // What was short may have come free since.
      this.#grantNext();
    });
  }

  #grant(bytes: number): Reservation {
    this.#held += bytes;
    return new Reservation(bytes, {
      most: this.bytes,
      change: (from, to) => {
        if (to > this.bytes) throw tooLarge(this.bytes);
        if (to > from && !this.#mayGrow(from, to)) return false;
        this.#held += to - from;
        // What gives way is for the one that is short.
        if (to < from && !this.#isGivingWay) this.#grantNext();
        return true;
      },
    });
  }

  /** Whether there is room, and nobody has waited for it longer. */
  #mayGrow(from: number, to: number): boolean {
    const small = this.bytes * SMALL_PART;
    const jumpsQueue = this.#waiting.length > 0 && from <= small && to > small;
    return !jumpsQueue && this.#fits(to - from);
  }

  #fits(bytes: number): boolean {
    const short = this.#held + bytes - this.bytes;
    if (short > 0 && bytes <= this.bytes) {
      this.#isGivingWay = true;
      this.#giveWay(short);
      this.#isGivingWay = false;
    }
    return this.#held + bytes <= this.bytes;
  }

  /** Gives what is free to those who wait, in their order; small answers may pass large ones. */
  #grantNext(): void {
    // A small answer waits for twice what it was short of.
    const small = 2 * this.bytes * SMALL_PART;
    let isPassed = false;
    this.#waiting = this.#waiting.filter(({ bytes, granted }) => {
      if ((isPassed && bytes > small) || !this.#fits(bytes)) {
        isPassed = true;
        return true;
      }
      granted(this.#grant(bytes));
      return false;
    });
  }
}

/** Memory that one answer holds of a budget. Only a budget makes one. */
export class Reservation {
  #bytes: number;
  #isOver = false;

  constructor(
    bytes: number,
    private readonly budget: {
      most: number;
      /** @returns false if memory is short; nothing has changed then */
      change: (from: number, to: number) => boolean;
    },
  ) {
    this.#bytes = bytes;
  }

  /** Bytes that it holds. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Holds at least as much as an answer will take at the least, before it is begun.
   *
   * @throws MemoryShort if that is not free
   */
  expect(estimate: number): void {
    this.#atLeast(Math.min(estimate, this.budget.most), estimate);
  }

  /** Whether so much is within the whole budget. */
  mayHold(bytes: number): boolean {
    return bytes <= this.budget.most;
  }

  /**
   * Holds at least `bytes`.
   *
   * @throws MemoryShort if that is not free; AppError 422 beyond the whole budget
   */
  grow(bytes: number): void {
    // Less than twice as much would soon be short again.
    this.#atLeast(bytes, 2 * bytes);
  }

  /** Gives back what goes beyond `bytes`. */
  trim(bytes: number): void {
    if (bytes < this.#bytes) this.#become(bytes);
  }

  /** Gives everything back; the second time there is nothing left to give. */
  release(): void {
    this.#isOver = true;
    this.trim(0);
  }

  #atLeast(bytes: number, worthWaitingFor: number): void {
    // Nobody would give back what a reader takes that was cut off and reads on.
    if (this.#isOver) throw new Error('This memory has been given back');
    if (bytes > this.#bytes && !this.#become(bytes)) throw new MemoryShort(worthWaitingFor);
  }

  #become(bytes: number): boolean {
    const done = this.budget.change(this.#bytes, bytes);
    if (done) this.#bytes = bytes;
    return done;
  }
}

/** Why an attempt of {@link Budget.run} ends and will be made again, with `needed` bytes to begin with. */
export class MemoryShort extends Error {
  constructor(readonly needed: number) {
    super('Not enough memory is free');
  }
}

/** What a request is told that waited for memory too long. */
const busy = () =>
  new AppError(
    503,
    'The rows of other answers take all the memory set aside for them; nothing was changed, try again in a moment',
    { retryAfter: 5 },
  );

const tooLarge = (bytes: number) =>
  new AppError(
    422,
    `These rows take more than the ${Math.floor(bytes / MEGABYTE)} MB that PF_MEMORY_MB allows for all answers together; nothing was changed. Take fewer at a time, by a narrower slice or a display grain, or allow more`,
  );
