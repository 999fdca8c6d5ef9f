/** The arithmetic of a scale: linked amounts, and those of the request. */
import { type FixedDecimals, movePoint, roundedProduct, roundTo } from '../contract/decimals';
import type { ScaleEdit } from '../contract/operations';
import type { SlicePreview } from '../contract/previews';
import { tidy } from '../pivot/values/cell-value';
import { price } from '../pivot/values/ratios';

/** A change that is asked of a measure: a new total, an amount to add, or a percentage to add. */
export interface MeasureEdit {
  by: 'total' | 'change' | 'percent';
  /** NaN if the typed text is not a valid amount. */
  amount: number;
  /** Why an amount that is NaN cannot be used; undefined if it is not a number at all. */
  problem?: string;
}

/** A measure before and after; `percent` is null if the total is 0. */
export interface MeasureDraft {
  now: number;
  total: number;
  change: number;
  percent: number | null;
}

/** The edits of value and units; null leaves a measure unchanged. */
export interface ScaleDraft {
  value: MeasureEdit | null;
  units: MeasureEdit | null;
  /** Keep value per unit: the other measure changes by the same share. */
  holdPrice: boolean;
  /** Whether locks hold some of the rows. The price of those rows does not count then. */
  isPartlyLocked?: boolean;
}

/**
 * The known facts of the rows that will change: their totals, and, once the service has answered, which of
 * them are free to change.
 */
export type KnownTotals = Pick<SlicePreview, 'value_total' | 'units_total'> &
  Partial<Pick<SlicePreview, 'free' | 'value_decimals' | 'units_decimals'>>;

export interface ScaleOutcome {
  value: MeasureDraft | null;
  units: MeasureDraft | null;
  /** The amounts that the request would carry; null if nothing would change. */
  amounts: Amounts | null;
  /** The exact change of the units that would hold the price, if it has to be rounded. */
  unroundedUnits: number | null;
}

/** The fields of a scale that hold its amounts. */
export type Amounts = Pick<
  ScaleEdit,
  | 'value_incr'
  | 'units_incr'
  | 'value_pct'
  | 'units_pct'
  | 'value_total'
  | 'units_total'
  | 'pct'
  | 'spread'
  | 'keep'
>;

/**
 * Returns the three linked fields of both measures, and the amounts to send. If everything changes by one
 * percentage, the percentage is sent: it then applies to every row behind the cell, even if a total is 0. A
 * percentage of one measure is applied to its total. A total is sent as a total. If the price is held, the
 * amounts or the totals of both measures are sent, and the service spreads the value over the rows in the same
 * way as the units.
 */
export function scaleOutcome(
  draft: ScaleDraft,
  totals: KnownTotals,
  fixed: FixedDecimals = { value: null, units: null },
): ScaleOutcome {
  const { value_total, units_total } = totals;
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
    const ofFree = pct !== null ? free?.[`${role}_decimals`] : undefined;
    const places = ofFree ?? fixed[role] ?? totals[`${role}_decimals`] ?? null;
    return measureDraft(edit, now, { base, places, isFixed: fixed[role] !== null });
  };
  const value = followed(draftOf('value', valueEdit), draft.value);
  const units = followed(draftOf('units', unitsEdit), draft.units);
  if (isHeld && draft.isPartlyLocked && valueEdit && unitsEdit) {
    // The totals do not determine the price of the free rows, but one percentage for all keeps it.
    const amounts = pct !== null && pct !== 0 ? { pct } : null;
    return { value, units, amounts, unroundedUnits: null };
  }
  if (isPriced && valueEdit && unitsEdit && value && units) {
    const asked = changeOf(unitsEdit, units.now);
    const amounts = {
      ...exactAmount('value', draft.value ?? draft.units, value),
      ...exactAmount('units', draft.units ?? draft.value, units),
    };
    return {
      value,
      units,
      amounts: value.change && units.change ? { ...amounts, spread: 'price' } : null,
      unroundedUnits: asked === units.change ? null : asked,
    };
  }
  if (pct !== null)
    return { value, units, amounts: pct === 0 ? null : { pct }, unroundedUnits: null };
  const amounts = amountsOf(valueEdit, unitsEdit, value, units);
  return { value, units, amounts, unroundedUnits: null };
}

/** Returns a measure with the percentage that its change is, unless the change was asked of the measure itself. */
const followed = (measure: MeasureDraft | null, asked: MeasureEdit | null): MeasureDraft | null =>
  asked === null && measure ? { ...measure, percent: percentOf(measure) } : measure;

const percentOf = ({ now, change }: Pick<MeasureDraft, 'now' | 'change'>): number | null =>
  now === 0 ? null : tidy((change / now) * 100);

/** Returns the outcome of one measure, independently of the other. A percentage applies to all rows. */
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

/** Returns a price before and after a change of its value, which is rounded; null if there are no units. */
export function priceOutcome(
  value: MeasureDraft | null,
  units: number | null,
): MeasureDraft | null {
  const [now, total] = [price(value?.now ?? null, units), price(value?.total ?? null, units)];
  if (!value || now === null || total === null) return null;
  return { now, total, change: total - now, percent: value.percent };
}

/**
 * @param base the total that a percentage applies to
 * @param places decimals that a percentage is rounded to; null for none
 * @param isFixed whether the column also rounds amounts; otherwise it accepts as many decimals as they have
 */
function measureDraft(
  edit: MeasureEdit | null,
  now: number,
  { base, places, isFixed }: { base: number; places: number | null; isFixed: boolean },
): MeasureDraft {
  const change = edit ? changeOf(edit, now, { base, places, isFixed }) : 0;
  const percent = edit?.by === 'percent' ? edit.amount : percentOf({ now, change });
  const total =
    edit?.by === 'total' ? (isFixed ? roundTo(edit.amount, places ?? 0) : edit.amount) : null;
  return { now, total: total ?? tidy(now + change), change, percent };
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

/**
 * Returns the percentage by which everything changes, which the service then applies to every free row; else
 * null.
 */
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
 * Returns the amount of a scale for one measure, independently of the other; null if the measure does not
 * change. A percentage applies to all rows, including those that locks hold.
 */
export function amountOf(
  role: 'value' | 'units',
  edit: MeasureEdit | null,
  draft: MeasureDraft | null,
): Amounts | null {
  if (!edit || !draft || draft.change === 0) return null;
  return edit.by === 'percent' ? { [`${role}_pct`]: edit.amount } : exactAmount(role, edit, draft);
}

/** Returns the total of a measure if a total was asked for, otherwise its change. */
const exactAmount = (
  role: 'value' | 'units',
  edit: MeasureEdit | null,
  { total, change }: MeasureDraft,
): Amounts => (edit?.by === 'total' ? { [`${role}_total`]: total } : { [`${role}_incr`]: change });
