/** The cache of rows: bodies of answers, shared by readers of one state of a version. */
import type { History } from '../contract/primitives';
import type { Budget, Reservation } from './budget';
import type { EntryRows } from './arrow/entry-rows';
import type { Encoding } from './compress';

/** The bytes of an answer, in memory that several readers may share. */
export interface HeldBody extends Made {
  /** Releases the memory. Call it once the bytes are sent or no longer wanted. */
  release(): void;
}

/** A finished body. */
export interface Made {
  /** The bytes in parts, in order. */
  parts: readonly Uint8Array[];
  rowCount: number;
  /** The rows of the body; undefined if they cannot be grouped by entry. */
  rows: EntryRows | undefined;
  /** When each entry was written, by entry id. */
  stamps?: ReadonlyMap<number, string>;
  /** Name of the state of the version that the bytes depend on; equal on all servers. */
  state: string;
  /** Name of the bytes for clients: the state, or a digest of the bytes if the state has rows that they lack. */
  tag: string;
  /** Name of the rows that the makers of the body may read. */
  scope: string;
  /** The history of the rows. */
  history: History;
  /** The compression; undefined if there is none. */
  encoding?: Encoding;
  /** Length of the uncompressed Arrow stream, in bytes. */
  length: number;
}

/** How a client wants to receive rows. */
export interface Asked {
  /** Whether the client already has the rows of a state. It then receives none. */
  isKnown: (state: string) => boolean;
  /** The compression; undefined if there is none. */
  encoding: Encoding | undefined;
  /** Aborts when the client has disconnected. If nobody else waits for the rows, the statement ends. */
  signal: AbortSignal;
}

/**
 * The result of a read: a body, or the information that the client already has the rows. Without a tag, the
 * client cannot ask later whether the rows are still current.
 */
export type Read =
  | { kind: 'rows'; body: HeldBody; tag: string | undefined }
  | { kind: 'unchanged'; tag: string; history: History };

/** Rows borrowed from another body. */
export interface Borrowed {
  rows: EntryRows;
  stamps: ReadonlyMap<number, string>;
  /** Bytes of memory of the lending body. */
  bytes: number;
  release(): void;
}

/** The contents of a body. */
export interface BodyOf {
  /** The state that its bytes depend on. */
  state: string;
  /**
   * Equal for all states that can reuse each other's rows; undefined for a partial state, which is not
   * cached.
   */
  series: string | undefined;
}

/**
 * The bodies that are being made, read or cached. Readers of one state of a version share one body: a reader
 * that asks while it is made waits for it, and later readers get the same bytes. The newest body of a series
 * stays cached after its last reader is done, while nobody else needs its memory: the next state has most of
 * the same rows (docs/decisions/0014-memory-and-the-row-cache.md).
 */
export class Bodies {
  private readonly byState = new Map<string, Body>();
  private readonly newest = new Map<string, Body>();
  /** Cached bodies without a reader, in the order in which they are evicted. */
  private readonly kept = new Set<Body>();
  /** Reads whose body was cached, and reads for which one had to be made. */
  hits = 0;
  misses = 0;

  /**
   * @param budget the memory budget of all bodies
   * @param keeps whether bodies are cached after their last reader, for other bodies to reuse
   */
  constructor(
    readonly budget: Budget,
    readonly keeps: boolean,
  ) {
    budget.whenShort((bytes) => this.giveWay(bytes));
  }

  /** Bytes of cached bodies without a reader. */
  get keptBytes(): number {
    let bytes = 0;
    for (const body of this.kept) bytes += body.bytes;
    return bytes;
  }

  /**
   * Reads the body of a state. If there is none, `make` makes it, for all who ask meanwhile.
   *
   * @param signal ends the reading
   * @throws the error that the body failed with
   */
  read(of: BodyOf, signal: AbortSignal, make: (body: Body) => Promise<Made>): Promise<HeldBody> {
    const shared = this.byState.get(of.state);
    if (shared) {
      this.hits += 1;
      return shared.read(signal);
    }
    const body = this.begin(of);
    const reading = body.read(signal);
    void body.make(() => make(body));
    return reading;
  }

  private begin(of: BodyOf): Body {
    const body = new Body({
      moves: (from, to) => {
        if (from && this.byState.get(from.state) === body) this.byState.delete(from.state);
        if (to) this.byState.set(to.state, body);
      },
      made: ({ series }) => {
        if (series === undefined) return;
        const before = this.newest.get(series);
        this.newest.set(series, body);
        if (before && this.kept.has(before)) before.end();
      },
      /** @returns whether it stays cached */
      left: ({ series }) => {
        if (!this.keeps || series === undefined || this.newest.get(series) !== body) return false;
        this.kept.add(body);
        this.budget.mayGiveWay();
        return true;
      },
      wanted: () => this.kept.delete(body),
      over: (of) => {
        this.kept.delete(body);
        if (of?.series === undefined || this.newest.get(of.series) !== body) return;
        this.newest.delete(of.series);
      },
    });
    body.becomes(of);
    return body;
  }

  /**
   * Borrows the rows of the newest body of a series, to make another body from them. They stay in memory
   * until they are released.
   */
  borrow(series: string): Borrowed | undefined {
    return this.keeps ? this.newest.get(series)?.borrow() : undefined;
  }

  private giveWay(bytes: number): void {
    let left = bytes;
    for (const body of this.kept) {
      if (left <= 0) return;
      left -= body.bytes;
      body.end();
    }
  }
}

/** The callbacks of a body to its {@link Bodies}. */
interface Listener {
  moves(from: BodyOf | undefined, to: BodyOf | undefined): void;
  made(of: BodyOf): void;
  left(of: BodyOf): boolean;
  wanted(): void;
  over(of: BodyOf | undefined): void;
}

/** One body, from the first request for it until it is no longer needed. */
export class Body {
  private readonly abort = new AbortController();
  private readonly outcome: Promise<Made>;
  private settle!: { made: (body: Made) => void; failed: (error: unknown) => void };
  private of: BodyOf | undefined;
  private readers = 0;
  private reservation: Reservation | undefined;
  private made: Made | undefined;

  constructor(private readonly listener: Listener) {
    this.outcome = new Promise((made, failed) => (this.settle = { made, failed }));
    // All readers may be gone when it fails.
    this.outcome.catch(() => {});
  }

  /** Aborts when nobody wants the body any more. */
  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Bytes of its memory reservation. */
  get bytes(): number {
    return this.reservation?.bytes ?? 0;
  }

  /**
   * Sets the contents of the body. They change if the version changes before its rows are read.
   * @throws the reason of `signal` if nobody wants the body any more
   */
  becomes(of: BodyOf): void {
    this.signal.throwIfAborted();
    if (of.state !== this.of?.state) this.listener.moves(this.of, of);
    this.of = of;
  }

  /**
   * Registers a reader until it releases the body or `signal` aborts.
   * @throws the error that the body failed with
   */
  async read(signal: AbortSignal): Promise<HeldBody> {
    const leave = this.enter();
    const release = () => {
      signal.removeEventListener('abort', release);
      leave();
    };
    if (signal.aborted) release();
    else signal.addEventListener('abort', release);
    try {
      return { ...(await this.outcome), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Lends its rows if it is finished and they can be grouped by entry. The borrower must release them. */
  borrow(): Borrowed | undefined {
    const { rows, stamps } = this.made ?? {};
    return rows && stamps && { rows, stamps, bytes: this.bytes, release: this.enter() };
  }

  /** Registers a reader. @returns a function that removes it; further calls have no effect */
  private enter(): () => void {
    this.listener.wanted();
    this.readers += 1;
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.readers -= 1;
      if (this.readers === 0) this.left();
    };
  }

  private left(): void {
    const isKept = this.made && this.of && this.listener.left(this.of);
    if (!isKept) this.end();
  }

  /** Takes over the memory reservation that the body is made in. */
  holds(reservation: Reservation): void {
    this.reservation = reservation;
    if (this.signal.aborted) reservation.release();
  }

  /** Makes the body and gives the outcome to all readers. After a failure, the next request starts again. */
  async make(work: () => Promise<Made>): Promise<void> {
    try {
      const made = await work();
      // The last reader may have left while the last bytes were made.
      this.signal.throwIfAborted();
      this.made = made;
      if (this.of) this.listener.made(this.of);
      this.settle.made(made);
    } catch (error) {
      this.settle.failed(error);
      this.end();
    }
  }

  /** Removes the body from the cache and releases its memory. */
  end(): void {
    this.listener.moves(this.of, undefined);
    this.listener.over(this.of);
    this.of = undefined;
    this.made = undefined;
    this.reservation?.release();
    this.abort.abort();
  }
}
