import type { Budget, Reservation } from './budget';
import type { EntryRows } from './arrow/entry-rows';
import type { Encoding } from './compress';

/** The bytes of an answer, in memory that others may be reading at the same time. */
export interface HeldBody extends Made {
  /** Gives the memory back; to be called once the bytes are sent or nobody wants them any more. */
  release(): void;
}

/** A body that is made. */
export interface Made {
  /** The bytes, one part after the other. */
  parts: readonly Uint8Array[];
  rowCount: number;
  /** The rows that the bytes were made of; undefined if they cannot be told apart by their entries. */
  rows: EntryRows | undefined;
  /** When each of their entries was written, by its id. */
  stamps?: ReadonlyMap<number, string>;
  /** Names the state of the version that the bytes follow from; equal on all servers. */
  state: string;
  /** The history of the database that they are of; null if it does not tell. */
  timeline: string | null;
  /** How the bytes are compressed; undefined if they are not. */
  encoding?: Encoding;
  /** Bytes of the Arrow stream, before it is compressed. */
  length: number;
}

/** How a client wants rows. */
export interface Asked {
  /** Whether the client has the rows of a state; it then gets none. */
  isKnown: (state: string) => boolean;
  /** How they are compressed; undefined if they are not. */
  encoding: Encoding | undefined;
  /** Tells that the client has gone away; if nobody else waits for the rows, that ends the statement. */
  signal: AbortSignal;
}

/**
 * What a read answers: a body, or that the client has it already. Without a tag, the client cannot know
 * later whether the rows are still the newest.
 */
export type Read =
  | { kind: 'rows'; body: HeldBody; tag: string | undefined }
  | { kind: 'unchanged'; tag: string; timeline: string | null };

/** Rows that another body was made of. */
export interface Borrowed {
  rows: EntryRows;
  stamps: ReadonlyMap<number, string>;
  /** That its body holds. */
  bytes: number;
  release(): void;
}

/** What a body is of. */
export interface BodyOf {
  /** What its bytes follow from. */
  state: string;
  /**
   * The same for all states of which one can be made from another; undefined for a part of a state, which is
   * not kept.
   */
  series: string | undefined;
}

/**
 * The bodies that are being made, read or kept. Readers of one state of a version share one body:
 * whoever asks while it is made waits for it, and whoever asks later gets the same bytes. The newest
 * body of a series is kept when its last reader is done, as long as nobody needs its memory: the
 * next state has most of the same rows (docs/decisions/0015-rows-are-kept.md).
 */
export class Bodies {
  readonly #byState = new Map<string, Body>();
  readonly #newest = new Map<string, Body>();
  /** Those that nobody reads, in the order that they give way in. */
  readonly #kept = new Set<Body>();
  /** Reads whose body was there, and reads for which one had to be made. */
  hits = 0;
  misses = 0;

  /**
   * @param budget that every body takes its memory of
   * @param keeps whether a body outlives its readers, and others are made from it
   */
  constructor(
    readonly budget: Budget,
    readonly keeps: boolean,
  ) {
    budget.whenShort((bytes) => this.#giveWay(bytes));
  }

  /** Bytes of the bodies that nobody reads. */
  get keptBytes(): number {
    let bytes = 0;
    for (const body of this.#kept) bytes += body.bytes;
    return bytes;
  }

  /**
   * Reads the body of a state. If there is none, `make` makes it, for all who ask meanwhile.
   *
   * @param signal ends the reading
   * @throws what the body failed with
   */
  read(of: BodyOf, signal: AbortSignal, make: (body: Body) => Promise<Made>): Promise<HeldBody> {
    const shared = this.#byState.get(of.state);
    if (shared) {
      this.hits += 1;
      return shared.read(signal);
    }
    const body = this.#begin(of);
    const reading = body.read(signal);
    void body.make(() => make(body));
    return reading;
  }

  #begin(of: BodyOf): Body {
    const body = new Body({
      moves: (from, to) => {
        if (from && this.#byState.get(from.state) === body) this.#byState.delete(from.state);
        if (to) this.#byState.set(to.state, body);
      },
      made: ({ series }) => {
        if (series === undefined) return;
        const before = this.#newest.get(series);
        this.#newest.set(series, body);
        if (before && this.#kept.has(before)) before.end();
      },
      /** @returns whether it is kept */
      left: ({ series }) => {
        if (!this.keeps || series === undefined || this.#newest.get(series) !== body) return false;
        this.#kept.add(body);
        this.budget.mayGiveWay();
        return true;
      },
      wanted: () => this.#kept.delete(body),
      over: (of) => {
        this.#kept.delete(body);
        if (of?.series === undefined || this.#newest.get(of.series) !== body) return;
        this.#newest.delete(of.series);
      },
    });
    body.becomes(of);
    return body;
  }

  /**
   * The rows of the newest body of a series, to make another one from. They stay until they are
   * released.
   */
  borrow(series: string): Borrowed | undefined {
    return this.keeps ? this.#newest.get(series)?.borrow() : undefined;
  }

  #giveWay(bytes: number): void {
    let left = bytes;
    for (const body of this.#kept) {
      if (left <= 0) return;
      left -= body.bytes;
      body.end();
    }
  }
}

/** What a body tells the {@link Bodies} that it is one of. */
interface Listener {
  moves(from: BodyOf | undefined, to: BodyOf | undefined): void;
  made(of: BodyOf): void;
  left(of: BodyOf): boolean;
  wanted(): void;
  over(of: BodyOf | undefined): void;
}

/** One body, from the moment that it is asked for until nobody wants it any more. */
export class Body {
  readonly #abort = new AbortController();
  readonly #outcome: Promise<Made>;
  #settle!: { made: (body: Made) => void; failed: (error: unknown) => void };
  #of: BodyOf | undefined;
  #readers = 0;
  #reservation: Reservation | undefined;
  #made: Made | undefined;

  constructor(private readonly listener: Listener) {
    this.#outcome = new Promise((made, failed) => (this.#settle = { made, failed }));
    // All readers may be gone when it fails.
    this.#outcome.catch(() => {});
  }

  /** Aborts when nobody wants the body any more. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Bytes that it holds. */
  get bytes(): number {
    return this.#reservation?.bytes ?? 0;
  }

  /**
   * Says what the body is of; another state if the version changes before its rows are read.
   *
   * @throws the reason of `signal` if nobody wants the body any more
   */
  becomes(of: BodyOf): void {
    this.signal.throwIfAborted();
    if (of.state !== this.#of?.state) this.listener.moves(this.#of, of);
    this.#of = of;
  }

  /**
   * Counts a reader in, until it releases the body or `signal` aborts.
   *
   * @throws what the body failed with
   */
  async read(signal: AbortSignal): Promise<HeldBody> {
    const leave = this.#enter();
    const release = () => {
      signal.removeEventListener('abort', release);
      leave();
    };
    if (signal.aborted) release();
    else signal.addEventListener('abort', release);
    try {
      return { ...(await this.#outcome), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Its rows, if it is made and they can be told apart by their entries; to be released. */
  borrow(): Borrowed | undefined {
    const { rows, stamps } = this.#made ?? {};
    return rows && stamps && { rows, stamps, bytes: this.bytes, release: this.#enter() };
  }

  /** Counts a reader in. @returns counts it out, once */
  #enter(): () => void {
    this.listener.wanted();
    this.#readers += 1;
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#readers -= 1;
      if (this.#readers === 0) this.#left();
    };
  }

  #left(): void {
    const isKept = this.#made && this.#of && this.listener.left(this.#of);
    if (!isKept) this.end();
  }

  /** Takes over the memory that the body is made in. */
  holds(reservation: Reservation): void {
    this.#reservation = reservation;
    if (this.signal.aborted) reservation.release();
  }

  /**
   * Runs what makes the body, and hands its outcome to all readers. If it fails, whoever asks next
   * begins anew.
   */
  async make(work: () => Promise<Made>): Promise<void> {
    try {
      const made = await work();
      // The last reader may have left while the last bytes were made.
      this.signal.throwIfAborted();
      this.#made = made;
      if (this.#of) this.listener.made(this.#of);
      this.#settle.made(made);
    } catch (error) {
      this.#settle.failed(error);
      this.end();
    }
  }

  /** Ends it: nobody finds it any more, and its memory is free. */
  end(): void {
    this.listener.moves(this.#of, undefined);
    this.listener.over(this.#of);
    this.#of = undefined;
    this.#made = undefined;
    this.#reservation?.release();
    this.#abort.abort();
  }
}
