/** The memory budget: which answers may reserve memory, and which wait for it. */
import { AppError } from './errors';

const MEGABYTE = 1_048_576;

/** An answer up to this part of the budget is small. Small answers do not wait behind large ones. */
const SMALL_PART = 1 / 64;

/** An answer that waits for memory. */
interface Waiting {
  bytes: number;
  granted: (memory: Reservation) => void;
}

/**
 * One limit for the memory of the rows of all answers. Rows are in typed arrays, outside the heap that Node
 * itself limits.
 *
 * ```
 * const answer = await budget.run(async (memory) => {
 *   memory.grow(bytesSoFar);          // whenever the size changes
 *   return { columns, memory };
 * });
 * …
 * answer.memory.release();            // once it is sent
 * ```
 *
 * An answer that does not fit waits in order of arrival, and reserves nothing meanwhile: an answer that
 * cannot grow releases its memory. Two answers therefore never wait for each other
 * (docs/decisions/0014-memory-and-the-row-cache.md).
 */
export class Budget {
  private reserved = 0;
  private line: Waiting[] = [];
  private giveWay: (bytes: number) => void = () => {};
  private isGivingWay = false;

  /**
   * @param bytes that may be reserved at a time
   * @param patience longest waiting time in milliseconds; 0 for no limit
   */
  constructor(
    readonly bytes: number,
    private readonly patience = 0,
  ) {}

  /**
   * Registers a callback for a shortage. It gets the missing number of bytes and releases memory that is not
   * needed at the moment, such as a cache.
   */
  whenShort(giveWay: (bytes: number) => void): void {
    this.giveWay = giveWay;
  }

  /** Call this when more memory can be released on a shortage than before. */
  mayGiveWay(): void {
    this.grantNext();
  }

  /** Bytes that are reserved at present. */
  get held(): number {
    return this.reserved;
  }

  /** Number of answers that wait for memory. */
  get waiting(): number {
    return this.line.length;
  }

  /**
   * Runs `attempt` with a reservation that it grows as needed. If memory is short, the attempt ends with a
   * {@link MemoryShort}. The budget then waits for more memory and runs the attempt again, so the attempt
   * must leave nothing behind. The memory is released if the attempt fails; if it returns, its caller must
   * release it.
   *
   * @param signal ends the waiting; a running attempt has to observe it itself
   * @throws AppError 422 for more than the whole budget, 503 if memory is not free in time; the reason of
   * `signal`; the errors of `attempt`
   */
  async run<T>(attempt: (memory: Reservation) => Promise<T>, signal?: AbortSignal): Promise<T> {
    let waited = 0;
    for (let memory = this.grant(0); ;) {
      try {
        return await attempt(memory);
      } catch (error) {
        memory.release();
        if (!(error instanceof MemoryShort)) throw error;
        const since = performance.now();
        memory = await this.wait(Math.min(error.needed, this.bytes), waited, signal);
        waited += performance.now() - since;
      }
    }
  }

  /**
   * Runs an optional `attempt` once. If memory is short, it does not wait.
   * @throws MemoryShort if there is not enough; AppError 422 for more than the whole budget; the
   * errors of `attempt`
   */
  async once<T>(attempt: (memory: Reservation) => Promise<T>): Promise<T> {
    const memory = this.grant(0);
    try {
      return await attempt(memory);
    } catch (error) {
      memory.release();
      throw error;
    }
  }

  /** @param waited milliseconds that the same answer has waited before */
  private wait(bytes: number, waited: number, signal?: AbortSignal): Promise<Reservation> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const leave = (error: unknown) => {
        settled();
        this.line = this.line.filter((other) => other !== waiting);
        reject(error);
        // The answers behind it may need less.
        this.grantNext();
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
      this.line.push(waiting);
      // Memory may have been released since the shortage.
      this.grantNext();
    });
  }

  private grant(bytes: number): Reservation {
    this.reserved += bytes;
    return new Reservation(bytes, {
      most: this.bytes,
      change: (from, to) => {
        if (to > this.bytes) throw tooLarge(this.bytes);
        if (to > from && !this.mayGrow(from, to)) return false;
        this.reserved += to - from;
        // Memory that is released on a shortage belongs to the answer that is short.
        if (to < from && !this.isGivingWay) this.grantNext();
        return true;
      },
    });
  }

  /** Whether there is room, and nobody has waited for it longer. */
  private mayGrow(from: number, to: number): boolean {
    const small = this.bytes * SMALL_PART;
    const jumpsQueue = this.line.length > 0 && from <= small && to > small;
    return !jumpsQueue && this.fits(to - from);
  }

  private fits(bytes: number): boolean {
    const short = this.reserved + bytes - this.bytes;
    if (short > 0 && bytes <= this.bytes) {
      this.isGivingWay = true;
      this.giveWay(short);
      this.isGivingWay = false;
    }
    return this.reserved + bytes <= this.bytes;
  }

  /** Grants free memory to waiting answers in order. Small answers may pass large ones. */
  private grantNext(): void {
    // A small answer waits for twice the memory that it was short of.
    const small = 2 * this.bytes * SMALL_PART;
    let isPassed = false;
    this.line = this.line.filter(({ bytes, granted }) => {
      if ((isPassed && bytes > small) || !this.fits(bytes)) {
        isPassed = true;
        return true;
      }
      granted(this.grant(bytes));
      return false;
    });
  }
}

/** The memory that one answer has reserved. Only a budget makes one. */
export class Reservation {
  private size: number;
  private isOver = false;

  constructor(
    bytes: number,
    private readonly budget: {
      most: number;
      /** @returns false if memory is short; nothing has changed then */
      change: (from: number, to: number) => boolean;
    },
  ) {
    this.size = bytes;
  }

  /** Reserved bytes. */
  get bytes(): number {
    return this.size;
  }

  /**
   * Reserves the smallest size of an answer before it is begun.
   * @throws MemoryShort if that much is not free
   */
  expect(estimate: number): void {
    this.atLeast(Math.min(estimate, this.budget.most), estimate);
  }

  /** Whether a size is within the whole budget. */
  mayHold(bytes: number): boolean {
    return bytes <= this.budget.most;
  }

  /**
   * Reserves at least `bytes`.
   * @throws MemoryShort if that much is not free; AppError 422 beyond the whole budget
   */
  grow(bytes: number): void {
    // Less than twice the size would soon be short again.
    this.atLeast(bytes, 2 * bytes);
  }

  /** Releases everything beyond `bytes`. */
  trim(bytes: number): void {
    if (bytes < this.size) this.become(bytes);
  }

  /** Releases everything. Further calls have no effect. */
  release(): void {
    this.isOver = true;
    this.trim(0);
  }

  private atLeast(bytes: number, worthWaitingFor: number): void {
    // A cancelled reader must not reserve memory: nothing would release it.
    if (this.isOver) throw new Error('This memory has already been released');
    if (bytes > this.size && !this.become(bytes)) throw new MemoryShort(worthWaitingFor);
  }

  private become(bytes: number): boolean {
    const done = this.budget.change(this.size, bytes);
    if (done) this.size = bytes;
    return done;
  }
}

/** Ends an attempt of {@link Budget.run}, which runs it again with `needed` bytes to begin with. */
export class MemoryShort extends Error {
  constructor(readonly needed: number) {
    super('Not enough memory is free');
  }
}

/** The error of a request that has waited for memory too long. */
const busy = () =>
  new AppError(
    503,
    'Other answers use all the memory for rows; nothing was changed, try again in a moment',
    { retryAfter: 5 },
  );

const tooLarge = (bytes: number) =>
  new AppError(
    422,
    `These rows need more than the ${Math.floor(bytes / MEGABYTE)} MB that PF_MEMORY_MB allows for all answers together; nothing was changed. Use a narrower slice or a display grain, or raise PF_MEMORY_MB`,
  );
