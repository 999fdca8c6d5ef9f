/** Closing months on actuals: the choices of the dialog, and their preview. */
import { isCloseEntry } from '../../contract/log';
import * as api from '../../client/api';
import { Latest } from '../../client/latest.svelte';
import { user } from '../../client/user.svelte';
import type { ActualsPreview, ActualsRequest } from '../../contract/actuals';
import type { LoadParams, LoadPreviewRequest } from '../../contract/loads';
import type { Locks } from '../records/locks.svelte';
import type { Log } from '../records/log.svelte';
import {
  dayAfter,
  firstDayOf,
  lastOfMonth,
  monthOf,
  monthOver,
  monthsBetween,
} from '../../contract/calendar';
import type { Days } from '../amounts/day-ranges';
import type { PlannedVersion } from '../version/planned-version.svelte';
import { Remainder } from './remainder.svelte';
import type { Shapes } from './shapes.svelte';

/** Debounce of the preview while the dialog is filled in. */
const PAUSE_MS = 350;

/** The dialog that closes months of the first date column (docs/contract/05-operations.md#post-versionsidactuals). */
export class Closing {
  isOpen = $state(false);
  /** Whether the dialog was opened to restate closed months; its months can be changed. */
  isForClosed = $state(false);
  /** The first and the last month to close, such as "2027-03"; empty until the months are read. */
  from = $state('');
  through = $state('');
  note = $state('');
  /** Whether the user accepts that the plan becomes 0 in months without rows of the source. */
  acceptsZero = $state(false);
  /** The months of the plan, until the end of its last year. */
  readonly plan = new Latest<readonly string[]>();
  readonly preview = new Latest<ActualsPreview>(PAUSE_MS);
  /** What becomes of the difference. */
  readonly remainder: Remainder;

  /** The closed days. */
  readonly closed: readonly Days[] = $derived.by(() =>
    this.locks.closedDays(this.planned.dateColumn),
  );
  /** The months to choose from that are already closed, at least in part. */
  readonly restated: readonly string[] = $derived.by(() =>
    this.chosen.filter((month) => this.isClosed(month)),
  );
  /** The chosen months; none if the first one is after the last one. */
  readonly chosen: readonly string[] = $derived.by(() =>
    (this.plan.answer ?? []).filter((month) => month >= this.from && month <= this.through),
  );
  /** The months after the close. */
  readonly open: readonly string[] = $derived.by(() =>
    (this.plan.answer ?? []).filter((month) => month > this.through),
  );
  /** The rows of the source that the newest close has used; null if no months are closed. */
  readonly latest: LoadParams | null = $derived.by(
    () => this.log.answer?.entries.find(isCloseEntry)?.params ?? null,
  );

  constructor(
    private readonly planned: PlannedVersion,
    private readonly locks: Locks,
    private readonly log: Log,
    shapes: Shapes,
  ) {
    this.remainder = new Remainder(planned, shapes);
  }

  /** Why no months can be closed, as a sentence; null if they can. */
  get obstacle(): string | null {
    if (this.planned.dateColumn === undefined)
      return 'The source has no date, so it has no months.';
    return this.planned.obstacle;
  }

  /** Opens the dialog for the closed months, to restate them. */
  showClosed(): void {
    const [first, last] = [this.closed[0], this.closed.at(-1)];
    if (!first || !last) return;
    this.show({ from: first.from, to: last.to });
    this.isForClosed = true;
  }

  /** Opens the dialog. @param asked the days to close; by default all open months that are over, or the next one */
  show(asked?: Days): void {
    this.isForClosed = false;
    this.remainder.clear();
    this.note = '';
    this.acceptsZero = false;
    this.from = this.through = '';
    this.preview.clear();
    this.isOpen = true;
    this.plan.ask(async (signal) => {
      const { months } = await api.call('GET /versions/{id}/totals', {
        id: this.planned.id,
        signal,
      });
      const [first, last] = [months[0], months.at(-1)].map((each) => monthOf(each?.month ?? ''));
      if (!first || !last) return [];
      const choices = monthsBetween(first, `${last.slice(0, 4)}-12`);
      if (!signal.aborted) this.choose(choices, asked);
      return choices;
    });
  }

  /** Asks for a preview. @param rows the rows of the source; null while their form is incomplete */
  ask(rows: LoadPreviewRequest | null): void {
    this.acceptsZero = false;
    const request = rows && this.monthsOf(rows);
    if (!request) return this.preview.clear();
    const asked = { ...request, ...(user.name && { pf_user: user.name }) };
    this.preview.ask((signal) =>
      api.call('POST /versions/{id}/actuals/preview', { id: this.planned.id, body: asked, signal }),
    );
  }

  /** Returns the request of the close; null if no months are chosen. */
  requestOf(rows: LoadPreviewRequest): Omit<ActualsRequest, 'pf_user'> | null {
    const request = this.monthsOf(rows);
    const note = this.note.trim();
    return request && { ...request, ...(note !== '' && { note }) };
  }

  /** Returns the request without the note, which is not part of a preview. */
  private monthsOf(rows: LoadPreviewRequest): Omit<ActualsRequest, 'pf_user' | 'note'> | null {
    const { dateColumn } = this.planned;
    if (dateColumn === undefined || this.chosen.length === 0) return null;
    const days = { from: firstDayOf(this.from), through: lastOfMonth(this.through) };
    return { ...rows, column: dateColumn, ...days };
  }

  /** Reads the months that take the difference, if it is spread. They end after the close. */
  readRemainder(): void {
    const { remainder, through, open } = this;
    const last = open.at(-1);
    if (last !== undefined && !open.includes(remainder.until)) {
      remainder.until = usualEnd(through, last);
    }
    remainder.read(through === '' ? '' : lastOfMonth(through));
  }

  private isClosed(month: string): boolean {
    const [first, last] = [firstDayOf(month), lastOfMonth(month)];
    return this.closed.some(({ from, to }) => from <= last && to >= first);
  }

  /** Chooses the months that were asked for, with all open months before them, or those that are over. */
  private choose(choices: readonly string[], asked: Days | undefined): void {
    const [first = '', last = ''] = [choices[0], choices.at(-1)];
    const closedTo = this.closed.at(-1)?.to;
    const afterClosed = closedTo === undefined ? first : monthOf(dayAfter(closedTo));
    const next = choices.includes(afterClosed) ? afterClosed : last;
    const over = monthOver();
    const wanted = asked ? monthOf(asked.to) : over > next ? over : next;
    this.through = choices.includes(wanted) ? wanted : wanted > last ? last : first;
    // Closed months are restated alone.
    this.from = this.through < next ? monthOf(asked?.from ?? this.through) : next;
    this.remainder.until = usualEnd(this.through, last);
  }
}

/** The last month that takes a part of the difference, if no other one is chosen: the end of the year of the close. */
function usualEnd(through: string, last: string): string {
  const endOfYear = `${through.slice(0, 4)}-12`;
  return endOfYear === through ? last : endOfYear;
}
