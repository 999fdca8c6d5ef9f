import { roundTo } from '../contract/decimals';
import type { ScaleEdit } from '../contract/operations';
import type { SlicePreview } from '../contract/previews';
import { tidy } from '../pivot/values/cell-value';

/** What is asked of a measure: a new total, an amount more or less, or a percentage more. */
export interface MeasureEdit {
  by: 'total' | 'change' | 'percent';
  /** NaN if what was typed is no amount. */
  amount: number;
}

/** A measure before and after; `percent` is null if the total is 0. */
export interface MeasureDraft {
  now: number;
  total: number;
  change: number;
  percent: number | null;
}

/** What the user asks of value and units; null leaves a measure as it is. */
export interface ScaleDraft {
  value: MeasureEdit | null;
  units: MeasureEdit | null;
  /** Keep value per unit: the other measure changes by the same share. */
  holdPrice: boolean;
  /** Whether locks keep some of the rows as they are; their price does not count then. */
  isPartlyLocked?: boolean;
}

/** How many decimals each measure is kept with; null if that is not fixed. */
export interface Decimals {
  value: number | null;
  units: number | null;
}

export interface ScaleOutcome {
  value: MeasureDraft | null;
  units: MeasureDraft | null;
  /** What the request would carry; null if nothing would change. */
  amounts: Amounts | null;
  /** The change of the units that would hold the price, if rounding makes another of it. */
  unroundedUnits: number | null;
}

/** What a scale carries of amounts. */
export type Amounts = Pick<
  ScaleEdit,
  'value_incr' | 'units_incr' | 'value_pct' | 'units_pct' | 'pct' | 'spread'
>;

/**
 * The three linked fields of both measures, and the amounts to send. If everything changes by one
 * percentage, the percentage is sent: then it applies to every row behind the cell, also if a total
 * is 0. A percentage of one measure is one of its total. If the price is held, amounts are sent, and the
 * service gives each row value as it gives it units.
 */
export function scaleOutcome(
  draft: ScaleDraft,
  totals: Pick<SlicePreview, 'value_total' | 'units_total'>,
  decimals: Decimals = { value: null, units: null },
): ScaleOutcome {
  const { value_total, units_total } = totals;
  let valueEdit = value_total === null ? null : draft.value;
  let unitsEdit = units_total === null ? null : draft.units;
  const isHeld = draft.holdPrice && value_total !== null && units_total !== null;
  if (isHeld) {
    if (valueEdit && !unitsEdit) unitsEdit = sameShare(valueEdit, value_total);
    else if (unitsEdit && !valueEdit) valueEdit = sameShare(unitsEdit, units_total);
  }
  const value = value_total === null ? null : measureDraft(valueEdit, value_total, decimals.value);
  const units = units_total === null ? null : measureDraft(unitsEdit, units_total, decimals.units);
  if (isHeld && draft.isPartlyLocked && valueEdit && unitsEdit) {
    // The totals say nothing of the price of the rows that are open, but one percentage keeps it.
    const { by, amount } = draft.value ?? draft.units ?? valueEdit;
    const amounts = by === 'percent' && amount !== 0 ? { pct: amount } : null;
    return { value, units, amounts, unroundedUnits: null };
  }
  if (isHeld && valueEdit && unitsEdit && value?.now && units?.now) {
    const { change: value_incr } = value;
    const { change: units_incr } = units;
    const asked = changeOf(unitsEdit, units.now);
    return {
      value,
      units,
      amounts: value_incr && units_incr ? { value_incr, units_incr, spread: 'price' } : null,
      unroundedUnits: asked === units_incr ? null : asked,
    };
  }
  const amounts = amountsOf(valueEdit, unitsEdit, value, units);
  return { value, units, amounts, unroundedUnits: null };
}

/**
 * Why an amount is spread in proportion, whatever the planner has chosen; null if it can be spread in
 * equal parts too (docs/contract/14-what-the-operations-compute.md).
 */
export function whyInProportion({ value, units, holdPrice }: ScaleDraft): string | null {
  if (holdPrice) return 'To hold the price, value goes where the units go.';
  const isPercentage = [value, units].some((edit) => edit?.by === 'percent');
  return isPercentage ? 'A percentage is one of each row, so it is never spread equally.' : null;
}

function measureDraft(
  edit: MeasureEdit | null,
  now: number,
  decimals: number | null,
): MeasureDraft {
  const asked = edit ? changeOf(edit, now) : 0;
  const change = decimals === null ? asked : roundTo(asked, decimals);
  const percent =
    edit?.by === 'percent' ? edit.amount : now === 0 ? null : tidy((change / now) * 100);
  return { now, total: tidy(now + change), change, percent };
}

function changeOf({ by, amount }: MeasureEdit, now: number): number {
  if (by === 'total') return tidy(amount - now);
  return by === 'change' ? amount : tidy((now * amount) / 100);
}

function sameShare(edit: MeasureEdit, now: number): MeasureEdit | null {
  if (edit.by === 'percent') return edit;
  const change = changeOf(edit, now);
  return now === 0 ? null : { by: 'percent', amount: (change / now) * 100 };
}

function amountsOf(
  valueEdit: MeasureEdit | null,
  unitsEdit: MeasureEdit | null,
  value: MeasureDraft | null,
  units: MeasureDraft | null,
): Amounts | null {
  const edits = [valueEdit, unitsEdit].filter((edit) => edit !== null);
  const [first] = edits;
  if (!first) return null;
  const measures = [value, units].filter((draft) => draft !== null).length;
  const onePercentage =
    edits.length === measures &&
    edits.every((edit) => edit.by === 'percent' && edit.amount === first.amount);
  if (onePercentage) return first.amount === 0 ? null : { pct: first.amount };

  const amounts = {
    ...amountOf('value', valueEdit, value),
    ...amountOf('units', unitsEdit, units),
  };
  return Object.keys(amounts).length > 0 ? amounts : null;
}

/**
 * What a scale carries for one measure, whatever becomes of the other; null if it does not change. A
 * percentage is one of all rows, those that locks hold included.
 */
export function amountOf(
  role: 'value' | 'units',
  edit: MeasureEdit | null,
  draft: MeasureDraft | null,
): Amounts | null {
  if (!edit || !draft || draft.change === 0) return null;
  return edit.by === 'percent'
    ? { [`${role}_pct`]: edit.amount }
    : { [`${role}_incr`]: draft.change };
}
