import type { Budget, Reservation } from './budget';

/** The bytes of an answer, in memory that others may be reading at the same time. */
export interface HeldBody {
  /** The bytes, one part after the other. */
  parts: readonly Uint8Array[];
  rowCount: number;
  /** Gives the memory back; to be called once the bytes are sent or nobody wants them any more. */
  release(): void;
}

/** A body that is made. */
export type Made = Pick<HeldBody, 'parts' | 'rowCount'>;

/**
 * The bodies that are being made or read. Readers of one state of a version share one body: whoever
 * asks while it is made waits for it, and whoever asks while somebody still reads it gets the same
 * bytes. With its last reader it is gone.
 */
export class Bodies {
  readonly #byState = new Map<string, Body>();

  /** @param budget that every body takes its memory of */
  constructor(readonly budget: Budget) {}

  /** The body of a state, if somebody makes or reads it. @param state what its bytes follow from */
  find(state: string): Body | undefined {
    return this.#byState.get(state);
  }

  /** Begins the body of a state; from now on it is found. */
  begin(state: string): Body {
    const body = new Body((from, to) => {
      if (from !== undefined && this.#byState.get(from) === body) this.#byState.delete(from);
      if (to !== undefined) this.#byState.set(to, body);
    });
    body.becomes(state);
    return body;
  }
}

/** One body, from the moment that it is asked for until its last reader is done. */
export class Body {
  readonly #abort = new AbortController();
  readonly #made: Promise<Made>;
  #settle!: { made: (body: Made) => void; failed: (error: unknown) => void };
  #state: string | undefined;
  #readers = 0;
  #reservation: Reservation | undefined;

  /** @param moves says under which state the body is found: no longer `from`, but `to` */
  constructor(private readonly moves: (from?: string, to?: string) => void) {
    this.#made = new Promise((made, failed) => (this.#settle = { made, failed }));
    // All readers may be gone when it fails.
    this.#made.catch(() => {});
  }

  /** Aborts when nobody wants the body any more. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * Says which state the body is of; another one if the version changes before its rows are read.
   *
   * @throws the reason of `signal` if nobody wants the body any more
   */
  becomes(state: string): void {
    this.signal.throwIfAborted();
    if (state === this.#state) return;
    this.moves(this.#state, state);
    this.#state = state;
  }

  /**
   * Counts a reader in, until it releases the body or `signal` aborts.
   *
   * @throws what the body failed with
   */
  async read(signal: AbortSignal): Promise<HeldBody> {
    let reading = true;
    const release = () => {
      if (!reading) return;
      reading = false;
      signal.removeEventListener('abort', release);
      this.#readers -= 1;
      if (this.#readers === 0) this.#end();
    };
    this.#readers += 1;
    if (signal.aborted) release();
    else signal.addEventListener('abort', release);
    try {
      return { ...(await this.#made), release };
    } catch (error) {
      release();
      throw error;
    }
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
      this.#settle.made(await work());
      // The last reader may have left while the last bytes were made.
      if (this.#readers === 0) this.#end();
    } catch (error) {
      this.#settle.failed(error);
      this.#end();
    }
  }

  #end(): void {
    this.moves(this.#state);
    this.#state = undefined;
    this.#reservation?.release();
    this.#abort.abort();
  }
}
