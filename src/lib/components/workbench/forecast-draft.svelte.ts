/** The form that starts a plan from a forecast, with its preview. */
import { callInLines, writeInLines } from '$lib/client/api';
import { Latest } from '$lib/client/latest.svelte';
import { messageOf } from '$lib/client/message-of';
import type { ColumnEntry } from '$lib/contract/columns';
import {
  type ForecastAnswer,
  type ForecastPreview,
  type ForecastPreviewRequest,
  type ForecastUnit,
  FitProgress,
  type GroupForecast,
  type SellingDays,
} from '$lib/contract/forecasts';
import { coarserLevels } from '$lib/contract/forecasts';
import { dayAfter, firstDayOf, laterMonth, monthOf } from '$lib/contract/calendar';
import { asName, looksAlike } from '$lib/contract/names';
import type { Days } from '$lib/plan/amounts/day-ranges';
import { isSameLevel, LevelComparison } from './level-comparison.svelte';
import { LoadDraft } from './load-draft.svelte';

/** Marked days: those of an event, which has a name, or days that are ignored. */
export type MarkedDays = Days & { name?: string };

/** Debounce of the preview while the form is filled in. */
const PAUSE_MS = 500;

/** Number of days at the end of a month that may be without a row in a complete month. */
const QUIET_DAYS = 5;

/** The end of the last complete month of a source. @param last the source's last day */
const lastMonthEnd = (last: string): string =>
  dayAfter(firstDayOf(monthOf(dayAfter(last, QUIET_DAYS + 1))), -1);

/** The end of the twelve months that begin after the last day of a month. */
const yearAfter = (day: string): string =>
  dayAfter(firstDayOf(laterMonth(monthOf(dayAfter(day)), 12)), -1);

/** The form that starts a plan from a forecast. */
export class ForecastDraft {
  readonly rows: LoadDraft;
  readonly preview = new Latest<ForecastPreview>(PAUSE_MS);
  /** The progress of the preview that is asked for; null before the first report. */
  progress = $state.raw<FitProgress | null>(null);
  readonly levels: LevelComparison;
  unit = $state<ForecastUnit>('month');
  /** Last day of the history, and first and last day of the horizon. */
  through = $state('');
  from = $state('');
  until = $state('');
  by = $state<string[]>([]);
  /** The levels that the forecast agrees with; those that are not coarser than `by` do not count. */
  private marked = $state.raw<readonly (readonly string[])[]>([]);
  /** The levels that are coarser than `by`. */
  readonly coarser: string[][] = $derived(coarserLevels(this.by));
  /** Those of them that the forecast agrees with. */
  readonly agreeing: string[][] = $derived(
    this.coarser.filter((level) => this.marked.some((each) => isSameLevel(each, level))),
  );
  /** Ranges of days that are ignored or belong to an event, in the order in which they were marked. */
  ignore = $state.raw<readonly MarkedDays[]>([]);
  /** The days that are being entered for another such range; empty texts if there are none. */
  entered = $state<Days>({ from: '', to: '' });
  /** The name that is being entered for the next ranges; empty to ignore them. */
  enteredName = $state('');
  /** The days of a week that count in months and quarters. */
  sellingDays = $state<SellingDays | 'all'>('all');
  method = $state<NonNullable<ForecastPreviewRequest['method']>>('auto');
  replace = $state(false);
  leaveOut = $state(false);
  note = $state('');
  busy = $state(false);
  /** The progress of the load; null before the first report. */
  loaded = $state.raw<FitProgress | null>(null);
  /** Why the last load was refused. */
  failure = $state<string | null>(null);

  /**
   * @param columns of the source
   * @param last the last day of the source; null if it is not known
   */
  constructor(
    private readonly versionId: number,
    columns: readonly ColumnEntry[],
    last: string | null,
  ) {
    this.rows = new LoadDraft(columns);
    this.levels = new LevelComparison(versionId);
    if (last === null) return;
    this.through = lastMonthEnd(last);
    this.from = dayAfter(this.through);
    this.until = yearAfter(this.through);
  }

  /** The request of the preview; null while the form is incomplete. */
  readonly request: ForecastPreviewRequest | null = $derived.by(() => {
    const { rows, unit, through, from, until, by, agreeing, method, ignore, sellingDays } = this;
    if (!rows.request || !through || !from || !until) return null;
    const { filters, raw_where } = rows.request;
    return {
      ...(raw_where == null ? { filters } : { raw_where }),
      ...{ unit, by, method },
      ...(agreeing.length > 0 ? { levels: agreeing } : {}),
      ...(ignore.length > 0 ? { ignore: [...ignore] } : {}),
      ...(sellingDays === 'all' || unit === 'week' ? {} : { selling_days: sellingDays }),
      history: { through },
      horizon: { from, through: until },
    };
  });

  /** Forecasts each group of a level, which agrees with coarser ones. */
  forecastAt(by: readonly string[], levels: readonly (readonly string[])[]): void {
    this.by = [...by];
    this.marked = levels;
  }

  /** Makes the forecast agree with a coarser level, or no longer. */
  toggleLevel(level: readonly string[]): void {
    const others = this.agreeing.filter((each) => !isSameLevel(each, level));
    this.marked = others.length < this.agreeing.length ? others : [...others, level];
  }

  /** Whether the forecast is fitted at a level and agrees with exactly these coarser ones. */
  isAt(by: readonly string[], levels: readonly (readonly string[])[]): boolean {
    return (
      isSameLevel(by, this.by) &&
      levels.length === this.agreeing.length &&
      levels.every((level) => this.agreeing.some((each) => isSameLevel(each, level)))
    );
  }

  /** Whether days were entered that are not marked yet. */
  get isEntering(): boolean {
    return this.entered.from !== '' || this.entered.to !== '';
  }

  /** The entered days as a range; null if one is missing, or if the last one is before the first one. */
  get enteredRange(): Days | null {
    const { from, to } = this.entered;
    return from !== '' && to !== '' && from <= to ? { from, to } : null;
  }

  /** The entered name of an event; empty if days are ignored. */
  get eventName(): string {
    return asName(this.enteredName);
  }

  /** Marks the entered days, if they are a range. The name stays for further days of the event. */
  markEntered(): void {
    const { enteredRange } = this;
    if (!enteredRange) return;
    this.markDays(enteredRange);
    this.entered = { from: '', to: '' };
  }

  /**
   * Marks the periods from one day to another as those of the event with the entered name, or as ignored without a
   * name. Ranges that these days contain are dropped, but not those of other events.
   */
  markDays({ from, to }: Days): void {
    const name = this.eventName;
    const stays = (each: MarkedDays) => {
      const isInside = each.from >= from && each.to <= to;
      const isOther = name !== '' && each.name !== undefined && !looksAlike(each.name, name);
      return !isInside || isOther;
    };
    const marked = { from, to, ...(name === '' ? {} : { name }) };
    this.ignore = [...this.ignore.filter(stays), marked];
  }

  /**
   * Marks periods of the history or of the horizon.
   *
   * @param first the first day of the first one
   * @param next the first day of the period after the last one; undefined at the end of the history or the horizon
   */
  markPeriods(first: string, next: string | undefined): void {
    const end = first > this.through ? this.until : this.through;
    this.markDays({ from: first, to: next === undefined ? end : dayAfter(next, -1) });
  }

  /** Takes the mark off a range of days. */
  unmark(range: MarkedDays): void {
    this.ignore = this.ignore.filter((each) => each !== range);
  }

  /** Requests the preview and the comparison of levels; an incomplete form drops the last ones. */
  ask(): void {
    const { request, versionId } = this;
    this.levels.ask(request);
    this.progress = null;
    if (request === null) this.preview.clear();
    else
      this.preview.ask((signal) => {
        const sent = { id: versionId, body: request, signal };
        return callInLines(
          'POST /versions/{id}/forecast/preview',
          sent,
          FitProgress,
          (progress) => {
            if (!signal.aborted) this.progress = progress;
          },
        );
      });
  }

  /** The groups of a preview, the one with the largest error in the backtest first. */
  readonly groups: GroupForecast[] = $derived(
    (this.preview.answer?.groups ?? []).toSorted((a, b) => errorOf(b) - errorOf(a)),
  );

  /** Loads the forecast. Returns null if the service refused; `failure` has the reason. */
  async load(pf_user: string): Promise<ForecastAnswer | null> {
    if (this.request === null) return null;
    this.busy = true;
    this.loaded = null;
    this.failure = null;
    try {
      const body = {
        ...this.request,
        ...(this.replace ? { replace: true } : {}),
        ...(this.leaveOut ? { missing: 'leave_out' as const } : {}),
        ...{ pf_user, note: this.note.trim() || null },
      };
      const sent = { id: this.versionId, body };
      return await writeInLines('POST /versions/{id}/forecast', sent, FitProgress, (progress) => {
        this.loaded = progress;
      });
    } catch (error) {
      this.failure = messageOf(error);
      return null;
    } finally {
      this.busy = false;
    }
  }
}

/** The error of the forecast in the backtest; −1 without one. */
const errorOf = ({ backtest }: GroupForecast): number => backtest?.wape ?? -1;
