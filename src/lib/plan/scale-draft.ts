import { exactBelow, movePoint, roundedProduct, roundTo } from '../contract/decimals';
import type { ScaleEdit } from '../contract/operations';
import { MAX_SWING, type SlicePreview } from '../contract/previews';
import { tidy } from '../pivot/values/cell-value';

/** What is asked of a measure: a new total, an amount more or less, or a percentage more. */
export interface MeasureEdit {
  by: 'total' | 'change' | 'percent';
  /** NaN if what was typed is no amount. */
  amount: number;
  /** Why an amount that is NaN cannot be used; undefined if it is no number at all. */
  problem?: string;
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

/**
 * What is known of the rows that are to change: their totals, and, once the service has answered, which of
 * them are free to change.
 */
export type KnownTotals = Pick<SlicePreview, 'value_total' | 'units_total'> &
  Partial<Pick<SlicePreview, 'free' | 'value_decimals' | 'units_decimals'>>;

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
  totals: KnownTotals,
  fixed: Decimals = { value: null, units: null },
): ScaleOutcome {
  const { value_total, units_total } = totals;
  const decimals: Decimals = {
    value: fixed.value ?? totals.value_decimals ?? null,
    units: fixed.units ?? totals.units_decimals ?? null,
  };
  let valueEdit = value_total === null ? null : draft.value;
  let unitsEdit = units_total === null ? null : draft.units;
  const isHeld = draft.holdPrice && value_total !== null && units_total !== null;
  if (isHeld) {
    if (valueEdit && !unitsEdit) unitsEdit = sameShare(valueEdit, value_total);
    else if (unitsEdit && !valueEdit) valueEdit = sameShare(unitsEdit, units_total);
  }
  const isPriced = isHeld && !draft.isPartlyLocked && !!value_total && !!units_total;
  const pct = isPriced ? null : onePercentage(valueEdit, unitsEdit, totals);
  const draftOf = (role: 'value' | 'units', edit: MeasureEdit | null): MeasureDraft | null => {
    const now = totals[`${role}_total`];
    if (now === null) return null;
    const { free } = totals;
    const base = pct !== null && free ? (free[`${role}_total`] ?? 0) : now;
    const places = (pct !== null ? free?.[`${role}_decimals`] : undefined) ?? decimals[role];
    return measureDraft(edit, now, { base, places, isFixed: fixed[role] !== null });
  };
  const value = draftOf('value', valueEdit);
  const units = draftOf('units', unitsEdit);
  if (isHeld && draft.isPartlyLocked && valueEdit && unitsEdit) {
    // The totals say nothing of the price of the rows that are open, but one percentage keeps it.
    const { by, amount } = draft.value ?? draft.units ?? valueEdit;
    const amounts = by === 'percent' && amount !== 0 ? { pct: amount } : null;
    return { value, units, amounts, unroundedUnits: null };
  }
  if (isPriced && valueEdit && unitsEdit && value && units) {
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
  if (pct !== null)
    return { value, units, amounts: pct === 0 ? null : { pct }, unroundedUnits: null };
  const amounts = amountsOf(valueEdit, unitsEdit, value, units);
  return { value, units, amounts, unroundedUnits: null };
}

/** What becomes of one measure, whatever becomes of the other: a percentage is one of all rows. */
export function measureOutcome(
  role: 'value' | 'units',
  edit: MeasureEdit,
  totals: KnownTotals,
  fixed: number | null,
): MeasureDraft | null {
  const now = totals[`${role}_total`];
  if (now === null) return null;
  const places = fixed ?? totals[`${role}_decimals`] ?? null;
  return measureDraft(edit, now, { base: now, places, isFixed: fixed !== null });
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

/**
 * @param base the total that a percentage is one of
 * @param places decimals that a percentage is rounded to; null for none
 * @param isFixed whether the column rounds amounts, too; otherwise it takes as many decimals as they have
 */
function measureDraft(
  edit: MeasureEdit | null,
  now: number,
  { base, places, isFixed }: { base: number; places: number | null; isFixed: boolean },
): MeasureDraft {
  const change = edit ? changeOf(edit, now, { base, places, isFixed }) : 0;
  const percent =
    edit?.by === 'percent' ? edit.amount : now === 0 ? null : tidy((change / now) * 100);
  return { now, total: tidy(now + change), change, percent };
}

function changeOf(
  { by, amount }: MeasureEdit,
  now: number,
  {
    base = now,
    places = null,
    isFixed = false,
  }: { base?: number; places?: number | null; isFixed?: boolean } = {},
): number {
  if (by === 'percent') {
    return places === null
      ? tidy((base * amount) / 100)
      : roundedProduct(base, movePoint(amount, -2), places);
  }
  const change = by === 'total' ? tidy(amount - now) : amount;
  return places === null || !isFixed ? change : roundTo(change, places);
}

function sameShare(edit: MeasureEdit, now: number): MeasureEdit | null {
  if (edit.by === 'percent') return edit;
  const change = changeOf(edit, now);
  return now === 0 ? null : { by: 'percent', amount: (change / now) * 100 };
}

/** The percentage that everything changes by: the service then applies it to every free row; else null. */
function onePercentage(
  valueEdit: MeasureEdit | null,
  unitsEdit: MeasureEdit | null,
  { value_total, units_total }: KnownTotals,
): number | null {
  const edits = [valueEdit, unitsEdit].filter((edit) => edit !== null);
  const [first] = edits;
  const measures = [value_total, units_total].filter((total) => total !== null).length;
  const isOne =
    first !== undefined &&
    edits.length === measures &&
    edits.every((edit) => edit.by === 'percent' && edit.amount === first.amount);
  return isOne ? first.amount : null;
}

function amountsOf(
  valueEdit: MeasureEdit | null,
  unitsEdit: MeasureEdit | null,
  value: MeasureDraft | null,
  units: MeasureDraft | null,
): Amounts | null {
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

/** What a change does beside what it says, because the rows that it changes cancel each other out. */
export type Caution =
  /** The parts come to far more than the change, and have to be confirmed. `gross` is what they add up to. */
  | { kind: 'offset'; measure: 'value' | 'units'; gross: number }
  /** No amount can follow the proportions of the rows: the service spreads it equally only. */
  | { kind: 'cancelled'; measure: 'value' | 'units' };

/**
 * Whether the rows that a change is spread over cancel each other out
 * (docs/contract/14-what-the-operations-compute.md#scale).
 *
 * @returns null if they do not, and while the service has not answered yet
 */
export function cautionOf(
  { amounts, value, units }: Pick<ScaleOutcome, 'amounts' | 'value' | 'units'>,
  { free }: KnownTotals,
  isEqual: boolean,
): Caution | null {
  if (!amounts || !free || isEqual) return null;
  for (const [measure, draft] of [
    ['value', value],
    ['units', units],
  ] as const) {
    const caution =
      draft && draft.change !== 0 && cautionOfMeasure(measure, draft.change, free, amounts);
    if (caution) return caution;
  }
  return null;
}

function cautionOfMeasure(
  measure: 'value' | 'units',
  change: number,
  free: SlicePreview['free'],
  { pct }: Amounts,
): Caution | null {
  const weights = pct == null ? weightsOf(measure, free) : measure;
  if (weights === null) return null;
  const gross = free[`${weights}_gross`];
  if (gross === null || gross === 0) return null;
  if (pct != null) return { kind: 'offset', measure, gross: tidy((gross * Math.abs(pct)) / 100) };
  const swing = gross / Math.abs(free[`${weights}_total`] ?? 0);
  return swing <= MAX_SWING
    ? { kind: 'offset', measure, gross: tidy(Math.abs(change) * swing) }
    : { kind: 'cancelled', measure };
}

/** The measure whose amounts say how an increment is spread; null for equal parts. */
function weightsOf(
  measure: 'value' | 'units',
  free: SlicePreview['free'],
): 'value' | 'units' | null {
  const isZero = (role: 'value' | 'units') => !free[`${role}_total`] && !free[`${role}_gross`];
  if (!isZero(measure)) return measure;
  const other = measure === 'value' ? 'units' : 'value';
  return free[`${other}_total`] ? other : null;
}

/**
 * Why an amount cannot be written to the last digit; null if it can. A total is reached by what is missing
 * from it, so what is there has to be exact, too.
 *
 * @param decimals of the column; null if it has no fixed number of them
 */
export function whyInexact(
  { by, amount }: MeasureEdit,
  now: number,
  decimals: number | null,
): string | null {
  if (by === 'percent' || decimals === null) return null;
  const limit = exactBelow(decimals);
  if (Math.abs(amount) >= limit) return TOO_LARGE;
  return by === 'total' && Math.abs(now) >= limit
    ? 'This total is too large to be known to the last digit. Type a change, such as +500, or a percentage.'
    : null;
}

/** Why an amount is refused that no number of the page holds to its last digit. */
export const TOO_LARGE =
  'This amount has more digits than can be kept exactly. Type a smaller change, or a percentage.';
