/** The factors of a clone by periods, and the amounts of the copy. */
import * as api from '../../client/api';
import { Latest } from '../../client/latest.svelte';
import { user } from '../../client/user.svelte';
import type { ByMeasure } from '../../contract/columns';
import type { Factor } from '../../contract/movement';
import type { CloneRequest } from '../../contract/operations';
import { tidyChange } from '../../pivot/values/cell-value';
import { AnsweredRows } from '../../pivot/rows/rows';
import { nextTask } from '../../pivot/waiting';
import {
  BLANK_PERIOD,
  type FactorPeriod,
  factorsOf,
  rampOver,
  whyNoFactors,
} from '../amounts/factor-periods';
import type { PlannedVersion } from '../version/planned-version.svelte';

/** Debounce of previews, in ms: each of them runs the clone. */
const PAUSE_MS = 400;
/** Number of rows after which the page gets a turn. */
const ROWS_PER_TURN = 50_000;

/**
 * The factors of a clone by periods. How much the copy adds depends on the dates of the rows, so the amounts
 * are those of the service's preview.
 */
export class Ramp {
  periods = $state.raw<readonly FactorPeriod[]>([]);
  /** The sums of the rows that the clone writes. */
  private readonly copied = new Latest<ByMeasure<number>>(PAUSE_MS);

  constructor(private readonly planned: PlannedVersion) {}

  /** Why the periods cannot be sent; null if they can. */
  get problem(): string | null {
    return whyNoFactors(this.periods);
  }

  /** The factors of the request; null if there are none, or they cannot be sent. */
  readonly factors = $derived.by<Factor[] | null>(() =>
    this.periods.length === 0 || this.problem !== null ? null : factorsOf(this.periods),
  );

  /** The sums of the copy; null until the service has answered. */
  get sums(): ByMeasure<number> | null {
    return this.copied.waiting ? null : this.copied.answer;
  }

  /** Why the clone would be refused; null if it would not, or until the service has answered. */
  get refusal(): string | null {
    return this.copied.waiting ? null : this.copied.failure;
  }

  /** Asks the service for {@link sums} of a clone; null forgets them. */
  ask(body: Omit<CloneRequest, 'pf_user'> | null): void {
    if (!body) return this.copied.clear();
    // Nothing is written, so the name does not count.
    const request = { ...body, pf_user: user.name || 'preview' };
    this.copied.ask(async (signal) => {
      const answer = await api.previewRows('POST /versions/{id}/{operation}/preview', {
        id: this.planned.id,
        operation: 'clone',
        body: request,
        signal,
      });
      return sumsOf(new AnsweredRows(answer), this.planned.measureColumns);
    });
  }

  /** Adds a blank period. */
  add(): void {
    this.periods = [...this.periods, BLANK_PERIOD];
  }

  /** Changes a period. */
  change(at: number, fields: Partial<FactorPeriod>): void {
    this.periods = this.periods.map((period, i) => (i === at ? { ...period, ...fields } : period));
  }

  /** Removes a period. */
  remove(at: number): void {
    this.periods = this.periods.filter((_, i) => i !== at);
  }

  /** Replaces the periods by a ramp, if there is one; see {@link rampOver}. */
  fill(day: string, months: number, full: number): void {
    this.periods = rampOver(day, months, full) ?? this.periods;
  }

  /** Returns a function that removes the periods, unless they were changed since. */
  clearingAfter(): () => void {
    const { periods } = this;
    return () => {
      if (this.periods === periods) this.periods = [];
    };
  }
}

/** Returns the sums of the measures of some rows. @param columns of the measures */
async function sumsOf(rows: AnsweredRows, columns: ByMeasure<string>): Promise<ByMeasure<number>> {
  const sums: Record<string, number> = {};
  for (const [key, column] of Object.entries(columns)) {
    let sum = 0;
    for (let y = 0; y < rows.count; y++) {
      if (y > 0 && y % ROWS_PER_TURN === 0) await nextTask();
      sum += Number(rows.at(column, y) ?? 0);
    }
    sums[key] = tidyChange(sum);
  }
  return sums;
}
