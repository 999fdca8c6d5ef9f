/** Loads the rows of a version into a pivot, and reports the phase. */
import type { History } from '../../contract/primitives';
import type { Layout } from '../../contract/stored-layout';
import * as api from '../../client/api';
import type { CheckedFormula } from '../../contract/formulas';
import { ApiError } from '../../client/http';
import { LatestCall } from '../../client/latest.svelte';
import type { Pivot } from '../../pivot/pivot';
import type { PivotEvents } from '../../pivot/pivot-parts';
import { usableFormulas } from '../../pivot/rows/formula-columns';
import type { ComparedRows } from '../../pivot/table/ready-rows';
import { RowsError } from '../../pivot/rows/rows';
import type { Progress } from './download';
import { downloadRows, TooLargeError } from './download';
import { Lookups } from './lookups.svelte';
import type { PlannedVersion } from './planned-version.svelte';

/**
 * Returns the sentence of an error for the page. Errors of the service and of this code have sentences; an
 * error of the engine needs a few words before its own.
 */
export function pivotMessageOf(error: unknown): string {
  if (error instanceof ApiError || error instanceof RowsError || error instanceof TooLargeError) {
    return error.message;
  }
  return error instanceof Error && error.message
    ? `The pivot could not do that: ${error.message}`
    : 'The pivot could not do that.';
}

/** The state of the pivot's place on the page. */
export type Phase =
  | { kind: 'loading'; step: 'rows' | 'engine'; progress: Progress | null }
  | { kind: 'ready' }
  | { kind: 'empty' }
  | { kind: 'failed'; reason: string; retry: boolean };

/** The place of a pivot on the page, and its callbacks. */
interface PivotPlace extends Omit<PivotEvents, 'onBusy'> {
  host: HTMLElement;
  dark: boolean;
  /**
   * Returns the rows of other versions to load beside. Never throws.
   *
   * @param whyNotBeside the reason why some rows cannot be compared; null if they can
   */
  compared(whyNotBeside: (rows: ComparedRows) => string | null): Promise<readonly ComparedRows[]>;
  /** Returns the layout that {@link arrange} will apply, without the parts that are not known yet. Never throws. */
  layout(): Promise<Layout>;
  /** Applies the layout to a pivot that was just opened. */
  arrange(pivot: Pivot): Promise<void>;
}

/** Number of rows from which a banner warns; it blocks nothing (docs/contract/09-errors-limits-guards.md). */
const LARGE_ROWS = 500_000;

/** Downloads a version's rows and owns the pivot that they are loaded into. */
export class Loading {
  phase = $state.raw<Phase>({ kind: 'loading', step: 'rows', progress: null });
  /** Number of rows in the loaded table; null if the service did not send it. */
  rows = $state.raw<number | null>(null);
  /** Whether single rows were loaded because the SQL of the display grain is not generated yet. */
  fellBack = $state.raw(false);
  /** Whether the engine is rearranging the rows or opening groups. */
  arranging = $state(false);
  /** The columns of conversions with amounts without a rate, each with the number of these amounts. */
  missingRates = $state.raw<readonly (readonly [name: string, rows: number])[]>([]);
  /** Whether the pivot has no columns, because no row matches its filters. */
  isBlank = $state(false);
  /** Whether there are no cells to select: the load failed, or no row matches the filters. */
  readonly hasNoCells = $derived(
    this.phase.kind === 'failed' || (this.phase.kind === 'ready' && this.isBlank),
  );
  readonly large = $derived(this.rows !== null && this.rows >= LARGE_ROWS);

  /** The history of the database that the rows belong to. */
  history: History = { timeline: null, revision: null };
  /** The formulas of the source, as they were when the rows were loaded. */
  formulas = $state.raw<readonly CheckedFormula[]>([]);
  /** Why the formulas could not be read, so that the pivot shows none; null if they were. */
  formulaFailure = $state.raw<string | null>(null);
  /** The lookups of the source, as they were when the rows were loaded. */
  readonly lookups: Lookups;
  /** The pivot on screen; null until it is ready. */
  pivot: Pivot | null = null;
  private readonly call = new LatestCall();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly planned: PlannedVersion) {
    this.lookups = new Lookups(planned);
  }

  /** Loads the rows into a new pivot. Never throws: a failure becomes the phase. */
  load(place: PivotPlace): Promise<void> {
    this.running = this.loadNow(place);
    return this.running;
  }

  /** Returns the pivot, after any load in progress; null if there is none. */
  async loaded(): Promise<Pivot | null> {
    for (;;) {
      const { running } = this;
      await running;
      if (running === this.running) return this.pivot;
    }
  }

  /** Notes what the pivot shows, after each change of its rows or of their arrangement. */
  noteShown(): void {
    const { grid } = this.pivot ?? {};
    this.missingRates = [...(this.pivot?.missingRates ?? [])];
    this.isBlank =
      grid !== undefined && grid.shown.view !== null && grid.shown.columns.length === 0;
  }

  private async loadNow(place: PivotPlace): Promise<void> {
    const signal = this.call.begin();
    this.phase = { kind: 'loading', step: 'rows', progress: null };
    this.fellBack = false;
    this.arranging = false;
    const { pivot } = this;
    this.pivot = null;
    try {
      await pivot?.dispose();
      // The engine starts while the rows arrive. If it cannot start, opening the pivot reports why.
      import('../../pivot/pivot').then(
        ({ Pivot }) => Pivot.prepare(),
        () => undefined,
      );
      const layout = place.layout();
      const formulas = this.readFormulas(signal);
      const lookups = this.lookups.read(signal);
      const { bytes, index, rows, history, fellBack } = await downloadRows(
        this.planned.id,
        this.planned.stored,
        signal,
        (progress) => {
          if (!signal.aborted) this.phase = { kind: 'loading', step: 'rows', progress };
        },
      );
      this.rows = rows;
      this.history = history;
      this.fellBack = fellBack;
      if (bytes === null) {
        this.phase = { kind: 'empty' };
        return;
      }
      await formulas;
      await lookups;
      this.phase = { kind: 'loading', step: 'engine', progress: null };
      await this.show(bytes, index, { ...place, layout: await layout }, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.phase = {
        kind: 'failed',
        reason: pivotMessageOf(error),
        retry: !(error instanceof TooLargeError),
      };
    }
  }

  /** Reads the formulas of the source. Never throws: without them the pivot opens, and says why they are missing. */
  private async readFormulas(signal: AbortSignal): Promise<void> {
    try {
      const formulas = await api.call('GET /sources/{id}/formulas', {
        id: this.planned.source.id,
        signal,
      });
      if (signal.aborted) return;
      this.formulas = formulas;
      this.formulaFailure = null;
    } catch (error) {
      if (signal.aborted) return;
      this.formulas = [];
      this.formulaFailure = pivotMessageOf(error);
    }
  }

  /** Cancels the download and frees the engine's memory. */
  async dispose(): Promise<void> {
    this.call.stop();
    const { pivot } = this;
    this.pivot = null;
    await pivot?.dispose();
  }

  private async show(
    bytes: ArrayBuffer,
    index: 'pf_id' | 'pf_gkey',
    {
      arrange,
      compared: findCompared,
      ...options
    }: Omit<PivotPlace, 'layout'> & { layout: Layout },
    signal: AbortSignal,
  ): Promise<void> {
    const { Pivot } = await import('../../pivot/pivot');
    const compared = await findCompared((rows) => Pivot.whyNotBeside(bytes, rows));
    if (signal.aborted) return;
    const attributes = await this.lookups.join(
      compared.map(({ id }) => id),
      signal,
    );
    if (signal.aborted) return;
    this.planned.joined = attributes;
    const { columns, current } = this.planned;
    const excluded = current.exclude_iters;
    // A discarded pivot may still finish its work.
    const onBusy = (isBusy: boolean) => {
      if (!signal.aborted) this.arranging = isBusy;
    };
    const formulas = usableFormulas(this.formulas);
    const shown = { index, columns, excluded, compared, formulas, attributes };
    const pivot = await Pivot.open(bytes, { ...options, ...shown, onBusy });
    this.planned.decimals = pivot.decimals;
    try {
      if (!signal.aborted) await arrange(pivot);
    } catch (error) {
      await pivot.dispose();
      throw error;
    }
    if (signal.aborted) return pivot.dispose();
    this.pivot = pivot;
    this.phase = { kind: 'ready' };
  }
}
