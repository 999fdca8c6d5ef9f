/** Amounts that were typed into cells and that the service has not confirmed yet. */
import { connection } from '../../client/connection.svelte';
import { ApiError, Unanswered } from '../../client/http';
import { messageOf } from '../../client/message-of';
import { isKeyTaken, randomKey } from '../../client/writes';
import type { CellIdentity } from '../../pivot/slice/cell';
import { InTurn } from '../../pivot/waiting';
import type { CellReader } from '../selection/cell-reader';
import type { Changes, Written } from '../changes/changes.svelte';
import type { OperationRequest } from '../amounts/operation';
import type { Caution } from '../amounts/caution';

/** Time, in ms, after which a write that is not confirmed is shown. */
const SLOW_MS = 2000;

/** Delays, in ms, before a write is sent again. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/** An amount that has to be confirmed, because its rows cancel each other out. Nothing is written. */
export class Unconfirmed extends ApiError {
  constructor(readonly caution: Caution) {
    super(0, 'Nothing was changed: the rows of this cell cancel each other out.');
  }
}

/** A cell, and the amount that was typed into it. */
export interface TypedCell {
  cell: CellIdentity;
  text: string;
}

/** The amounts of one write, until the service has written or refused them. */
export class UnsavedWrite {
  /** Whether it takes longer than a write usually does. */
  isSlow = $state(false);
  /** Whether it could not be sent, or got no answer. */
  isUnanswered = $state(false);
  cells = $state.raw<readonly TypedCell[]>([]);
  /** The cell with its amount, or the number of cells, for a sentence. */
  name = $state('');
  /** The last request, which may have been written; null if none was sent. */
  sent: OperationRequest | null = null;
  /** The service writes at most one request with this key. */
  readonly key = randomKey();
  private readonly dropping = new AbortController();

  constructor(private readonly reader: CellReader) {}

  /** Sets the cells and the amounts that were typed into them. */
  into(cells: readonly TypedCell[]): void {
    this.cells = cells;
    const [first, ...others] = cells;
    this.name =
      first && others.length === 0
        ? `${this.reader.nameOf(first.cell)}: ${first.text}`
        : `${cells.length.toLocaleString()} cells`;
  }

  /** Aborts once the planner drops it. */
  get dropped(): AbortSignal {
    return this.dropping.signal;
  }

  drop(): void {
    this.dropping.abort();
  }
}

/**
 * Typed amounts that the service has not written or refused yet. They are written one after another. An amount
 * without an answer is sent again once the server answers. If it was not written before, its request is computed
 * again from the stored rows (docs/decisions/0020-amounts-are-typed-into-cells.md).
 */
export class Unsaved {
  private all = $state.raw<readonly UnsavedWrite[]>([]);
  private readonly writes = new InTurn();

  /** The writes that the page shows as unsaved, in the order of typing. */
  readonly shown: readonly UnsavedWrite[] = $derived(
    this.all.filter(({ isSlow, isUnanswered }) => isSlow || isUnanswered),
  );

  constructor(
    private readonly changes: Changes,
    private readonly reader: CellReader,
  ) {}

  /** Returns a write into some cells. */
  of(cells: readonly TypedCell[]): UnsavedWrite {
    const write = new UnsavedWrite(this.reader);
    write.into(cells);
    return write;
  }

  /** Runs `work` after all amounts that were typed before it are written. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.writes.run(work);
  }

  /**
   * Writes typed amounts after those that were typed before them, and repeats it until there is an answer.
   *
   * @param make computes the request from the stored rows
   * @returns null if the planner has dropped them
   * @throws ApiError if the service refuses them; whatever `make` throws. If the page has shown them as
   * unsaved, the message names the cell
   */
  async write(
    write: UnsavedWrite,
    make: (signal: AbortSignal) => Promise<OperationRequest>,
  ): Promise<(Written & Pick<OperationRequest, 'kind'>) | null> {
    this.all = [...this.all, write];
    const timer = setTimeout(() => (write.isSlow = true), SLOW_MS);
    try {
      return await this.inTurn(() => this.untilAnswered(write, make));
    } catch (error) {
      const isRefused = error instanceof ApiError && !(error instanceof Unconfirmed);
      if (!isRefused || !this.shown.includes(write)) throw error;
      // The planner may look at another cell, so the message names this one.
      const { status, message, field, column } = error;
      throw new ApiError(status, `${write.name}. ${message}`, { field, column });
    } finally {
      clearTimeout(timer);
      this.remove(write);
    }
  }

  /** Stops a write. If it was sent, it may be saved nevertheless. */
  drop(write: UnsavedWrite): void {
    write.drop();
    this.remove(write);
  }

  private remove(write: UnsavedWrite): void {
    this.all = this.all.filter((each) => each !== write);
  }

  private async untilAnswered(
    write: UnsavedWrite,
    make: (signal: AbortSignal) => Promise<OperationRequest>,
  ): Promise<(Written & Pick<OperationRequest, 'kind'>) | null> {
    write.isUnanswered = connection.lost;
    for (let pause = 0; ; pause = Math.min(2 * pause || FIRST_PAUSE, LONGEST_PAUSE)) {
      await connection.back(pause, write.dropped);
      if (write.dropped.aborted) return null;
      const signal = AbortSignal.any([connection.signal, write.dropped]);
      try {
        return await this.attempt(write, make, signal);
      } catch (error) {
        // A server that has just restarted may not be ready yet.
        const isEarly = pause > 0 && error instanceof ApiError && error.status === 503;
        if (!(error instanceof Unanswered || isEarly || signal.aborted)) throw error;
        write.isUnanswered = true;
      }
    }
  }

  private async attempt(
    write: UnsavedWrite,
    make: (signal: AbortSignal) => Promise<OperationRequest>,
    signal: AbortSignal,
  ): Promise<Written & Pick<OperationRequest, 'kind'>> {
    const { key, sent } = write;
    const recovered = sent && (await this.changes.recover(sent, { key, signal }));
    if (sent && recovered) return { ...recovered, kind: sent.kind };
    const request = await make(signal);
    write.sent = request;
    try {
      return { ...(await this.changes.apply(request, { key, signal })), kind: request.kind };
    } catch (error) {
      if (!isKeyTaken(error)) throw error;
      // The earlier request arrived after the service was asked about it.
      write.sent = sent;
      throw new Unanswered(0, messageOf(error));
    }
  }
}
