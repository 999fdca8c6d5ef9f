/** The arithmetic of a scale: linked amounts, and those of the request. */
import { type FixedDecimals, movePoint, roundedProduct, roundTo } from '../../contract/decimals';
import type { SlicePreview } from '../../contract/previews';
import { tidy } from '../../pivot/values/cell-value';
import { isSingleRole, type WithSingle } from '../../contract/columns';
import {
  type AmountFields,
  amountField,
  byKey,
  joinedAmounts,
  keysIn,
  type Measured,
  roundedTo,
  totalOf,
  type WithDecimals,
} from '../../contract/measures';

/** A change that is asked of a measure: a new total, an amount to add, or a percentage to add. */
export interface MeasureEdit {
  by: 'total' | 'change' | 'percent';
  /** NaN if the typed text is not a valid amount. */
  amount: number;
  /** The column of the measure that changes, if the amount is the result of a formula; its own choice if absent. */
  changes?: string;
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

/** The edits of the measures; null leaves a measure unchanged. */
export interface ScaleDraft {
  edits: WithSingle<MeasureEdit | null>;
  /** Keep value per unit: the other measure changes by the same share. */
  holdPrice: boolean;
  /** Whether locks hold some of the rows. The price that is held is then that of the others. */
  isPartlyLocked?: boolean;
}

/**
 * The known facts of the rows that will change: their totals, and, once the service has answered, which of
 * them are free to change.
 */
export type KnownTotals = Measured & WithDecimals & Partial<Pick<SlicePreview, 'free'>>;

/** The measures that a scale changes, before and after; null for one that stays. */
export type Drafts = WithSingle<MeasureDraft | null>;

export interface ScaleOutcome {
  drafts: Drafts;
  /** The amounts that the request would carry; null if nothing would change. */
  amounts: AmountFields | null;
  /** The exact change of the units that would hold the price, if it has to be rounded. */
  unroundedUnits: number | null;
}

/** Returns the drafts of a scale that changes one measure. */
export const onlyDraft = (key: string, draft: MeasureDraft | null): Drafts => ({
  ...{ value: null, units: null, [key]: draft },
});

/**
 * Returns the three linked fields of both measures, and the amounts to send. If everything changes by one
 * percentage, the percentage is sent: it then applies to every row behind the cell, even if a total is 0. A
 * percentage of one measure is applied to its total. A total is sent as a total. If the price is held, the
 * amounts or the totals of both measures are sent, and the service spreads the value over the rows in the same
 * way as the units. If locks hold some of the rows, the price and the percentages are those of the others.
 */
export function scaleOutcome(
  draft: ScaleDraft,
  totals: KnownTotals,
  fixed: FixedDecimals = { value: null, units: null },
): ScaleOutcome {
  const { value_total, units_total, free } = totals;
  const { value: byValue, units: byUnits } = draft.edits;
  const keys = keysIn(totals);
  const edits = new Map(keys.map((key) => [key, draft.edits[key] ?? null]));
  const editOf = (key: string) => edits.get(key) ?? null;
  const isHeld = draft.holdPrice && value_total !== null && units_total !== null;
  const isPartlyHeld = isHeld && draft.isPartlyLocked === true;
  /** The totals of the rows whose price is held: locked rows keep theirs anyway. */
  const priced = isPartlyHeld ? free : totals;
  if (isHeld) {
    if (byValue && !byUnits)
      edits.set('units', sameShare(byValue, value_total, priced?.value_total));
    else if (byUnits && !byValue)
      edits.set('value', sameShare(byUnits, units_total, priced?.units_total));
  }
  // Two totals count locked rows, too, so they do not say at which price the others change.
  const isKnown = !isPartlyHeld || byValue === null || byUnits === null;
  const hasPrice = isHeld && isKnown && !!priced?.value_total && !!priced.units_total;
  const isOnePercentage = !hasPrice || isPartlyHeld;
  const pct = isOnePercentage ? onePercentage([...edits.values()]) : null;
  const isPriced = hasPrice && pct === null;
  const isOfFree = pct !== null || isPartlyHeld;
  const draftOf = (key: string): MeasureDraft | null => {
    const now = totalOf(totals, key);
    if (now === null) return null;
    const base = isOfFree && free ? (totalOf(free, key) ?? 0) : now;
    const own = fixed[key] ?? null;
    const ofFree = pct !== null && free ? roundedTo(free, key) : null;
    const places = ofFree ?? own ?? roundedTo(totals, key);
    const changed = measureDraft(editOf(key), now, { base, places, isFixed: own !== null });
    // Without an edit of its own, its percentage is that of its change.
    return draft.edits[key] ? changed : { ...changed, percent: percentOf(changed) };
  };
  const drafts: Drafts = { value: null, units: null, ...byKey(keys, draftOf) };
  const scaled = (amounts: AmountFields | null, unroundedUnits: number | null = null) => ({
    ...{ drafts, amounts, unroundedUnits },
  });
  const [value, units] = [editOf('value'), editOf('units')];
  if (isPartlyHeld && !isPriced && (value ?? units)) {
    // One percentage for all rows keeps their price, even if their totals are 0.
    return scaled(pct !== null && pct !== 0 ? { pct } : null);
  }
  if (isPriced && value && units && drafts.value && drafts.units) {
    const base = priced?.units_total ?? drafts.units.now;
    const asked = changeOf(units, drafts.units.now, { base });
    const typed = (key: string) =>
      draft.edits[key] ?? (isSingleRole(key) ? (byValue ?? byUnits) : null);
    const amounts = joinedAmounts([
      // A percentage cannot be sent beside a held price.
      ...keys.map((key) => changed(key, typed(key), drafts[key] ?? null)),
      { spread: 'price' as const },
    ]);
    return scaled(
      drafts.value.change && drafts.units.change ? amounts : null,
      asked === drafts.units.change ? null : asked,
    );
  }
  if (pct !== null) return scaled(pct === 0 ? null : { pct });
  return scaled(joinedAmounts(keys.map((key) => amountOf(key, editOf(key), drafts[key] ?? null))));
}

const percentOf = ({ now, change }: Pick<MeasureDraft, 'now' | 'change'>): number | null =>
  now === 0 ? null : tidy((change / now) * 100);

/** Returns the outcome of one measure, independently of the others. A percentage applies to all rows. */
export function measureOutcome(
  key: string,
  edit: MeasureEdit,
  totals: KnownTotals,
  fixed: number | null,
): MeasureDraft | null {
  const now = totalOf(totals, key);
  if (now === null) return null;
  const places = fixed ?? roundedTo(totals, key);
  return measureDraft(edit, now, { base: now, places, isFixed: fixed !== null });
}

/** Decimals of computed amounts of a measure that has whole numbers although its type fixes no decimals. */
const LEAST_DECIMALS = 2;

/**
 * Returns the edit of a measure that was computed from a result, with the decimals that the measure has: the service
 * would give all rows the decimals of the amount if the type fixes none.
 *
 * @param fixed decimals of the type; null if it fixes none: then those of the rows, at least 2
 */
export function roundedEdit(
  key: string,
  edit: MeasureEdit,
  rows: WithDecimals,
  fixed: number | null,
): MeasureEdit {
  const places = fixed ?? roundedTo(rows, key);
  if (edit.by === 'percent' || places === null) return edit;
  return { ...edit, amount: roundTo(edit.amount, fixed ?? Math.max(LEAST_DECIMALS, places)) };
}

/**
 * Returns a measure that follows the percentage of value, before and after, if value is spread in
 * proportion (docs/contract/14-what-the-operations-compute.md#scale). Rows that locks hold keep their amounts. Null
 * if the free rows have no value.
 *
 * @param edit of value
 * @param value before and after the edit
 */
export function followedOutcome(
  key: string,
  edit: MeasureEdit,
  value: MeasureDraft,
  totals: KnownTotals,
  fixed: number | null = null,
): MeasureDraft | null {
  const { free = totals } = totals;
  const [now, own] = [totalOf(totals, key), totalOf(free, key)];
  const whole = totalOf(free, 'value');
  if (now === null || own === null || !whole) return null;
  // A percentage counts as it was typed, not as the rounded change of the value.
  const change = edit.by === 'percent' ? (value.now * edit.amount) / 100 : value.change;
  const followed: MeasureEdit = { by: 'change', amount: tidy((change * own) / whole) };
  const places = fixed ?? roundedTo(totals, key);
  return measureDraft(followed, now, { base: now, places, isFixed: places !== null });
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

/** Returns a change of a total as a percentage of the rows that it changes. @param base their total */
function sameShare(
  edit: MeasureEdit,
  now: number,
  base: number | null | undefined,
): MeasureEdit | null {
  if (edit.by === 'percent') return edit;
  return base ? { by: 'percent', amount: (changeOf(edit, now) / base) * 100 } : null;
}

/**
 * Returns the percentage by which everything changes, which the service then applies to every free row; else
 * null.
 *
 * @param edits of all measures
 */
function onePercentage(edits: readonly (MeasureEdit | null)[]): number | null {
  const [first] = edits;
  const isOne = edits.every((edit) => edit?.by === 'percent' && edit.amount === first?.amount);
  return isOne ? (first?.amount ?? null) : null;
}

/**
 * Returns the amount of a scale for one measure, independently of the others; null if the measure does not
 * change. A percentage applies to all rows, including those that locks hold.
 */
export function amountOf(
  key: string,
  edit: MeasureEdit | null,
  draft: MeasureDraft | null,
): AmountFields | null {
  if (!edit || !draft || draft.change === 0) return null;
  return edit.by === 'percent'
    ? amountField(key, 'pct', edit.amount)
    : exactAmount(key, edit, draft);
}

/** Returns the exact amount of a measure that changes; null if it does not. */
const changed = (
  key: string,
  edit: MeasureEdit | null,
  draft: MeasureDraft | null,
): AmountFields | null =>
  edit && draft && draft.change !== 0 ? exactAmount(key, edit, draft) : null;

/** Returns the total of a measure if a total was asked for, otherwise its change. */
const exactAmount = (
  key: string,
  edit: MeasureEdit | null,
  { total, change }: MeasureDraft,
): AmountFields =>
  edit?.by === 'total' ? amountField(key, 'total', total) : amountField(key, 'incr', change);
