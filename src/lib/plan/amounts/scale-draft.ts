/** The arithmetic of a scale: linked amounts, and those of the request. */
import { type FixedDecimals, movePoint, roundedProduct, roundTo } from '../../contract/decimals';
import { isSingleRole } from '../../contract/columns';
import type { SlicePreview } from '../../contract/previews';
import { tidy } from '../../pivot/values/cell-value';
import {
  type AmountFields,
  amountField,
  joinedAmounts,
  keysIn,
  roundedTo,
  totalOf,
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
  value: MeasureEdit | null;
  units: MeasureEdit | null;
  /** The edits of further measures by column. */
  further?: Readonly<Record<string, MeasureEdit | null>>;
  /** Keep value per unit: the other measure changes by the same share. */
  holdPrice: boolean;
  /** Whether locks hold some of the rows. The price that is held is then that of the others. */
  isPartlyLocked?: boolean;
}

/**
 * The known facts of the rows that will change: their totals, and, once the service has answered, which of
 * them are free to change.
 */
export type KnownTotals = Pick<SlicePreview, 'value_total' | 'units_total' | 'measures'> &
  Partial<Pick<SlicePreview, 'free' | 'value_decimals' | 'units_decimals' | 'measure_decimals'>>;

export interface ScaleOutcome {
  value: MeasureDraft | null;
  units: MeasureDraft | null;
  /** The further measures by column; absent if the source has none. */
  further?: Readonly<Record<string, MeasureDraft | null>>;
  /** The amounts that the request would carry; null if nothing would change. */
  amounts: AmountFields | null;
  /** The exact change of the units that would hold the price, if it has to be rounded. */
  unroundedUnits: number | null;
}

/** The drafts of a scale by measure. */
type Drafts = Pick<ScaleOutcome, 'value' | 'units' | 'further'>;

/** Returns the draft of a measure; null if there is none. */
export const draftIn = (drafts: Drafts, key: string): MeasureDraft | null =>
  (isSingleRole(key) ? drafts[key] : drafts.further?.[key]) ?? null;

/** Returns the drafts of a scale with their measures: value and units first. */
export const draftsIn = (drafts: Drafts): (readonly [key: string, draft: MeasureDraft])[] =>
  ['value', 'units', ...Object.keys(drafts.further ?? {})].flatMap((key) => {
    const draft = draftIn(drafts, key);
    return draft ? [[key, draft] as const] : [];
  });

/** Returns the drafts of a scale that changes one measure. */
export const onlyDraft = (key: string, draft: MeasureDraft | null): Drafts => ({
  ...{ value: null, units: null },
  ...(isSingleRole(key) ? { [key]: draft } : { further: { [key]: draft } }),
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
  let valueEdit = value_total === null ? null : draft.value;
  let unitsEdit = units_total === null ? null : draft.units;
  const isHeld = draft.holdPrice && value_total !== null && units_total !== null;
  const isPartlyHeld = isHeld && draft.isPartlyLocked === true;
  /** The totals of the rows whose price is held: locked rows keep theirs anyway. */
  const priced = isPartlyHeld ? free : totals;
  if (isHeld) {
    if (valueEdit && !unitsEdit) unitsEdit = sameShare(valueEdit, value_total, priced?.value_total);
    else if (unitsEdit && !valueEdit)
      valueEdit = sameShare(unitsEdit, units_total, priced?.units_total);
  }
  // Two totals count locked rows, too, so they do not say at which price the others change.
  const isKnown = !isPartlyHeld || draft.value === null || draft.units === null;
  const hasPrice = isHeld && isKnown && !!priced?.value_total && !!priced.units_total;
  const furtherKeys = Object.keys(totals.measures ?? {});
  const furtherEdits = furtherKeys.map((key) => draft.further?.[key] ?? null);
  const isOnePercentage = !hasPrice || isPartlyHeld;
  const pct = isOnePercentage
    ? onePercentage([valueEdit, unitsEdit, ...furtherEdits], totals)
    : null;
  const isPriced = hasPrice && pct === null;
  const isOfFree = pct !== null || isPartlyHeld;
  const draftOf = (key: string, edit: MeasureEdit | null): MeasureDraft | null => {
    const now = totalOf(totals, key);
    if (now === null) return null;
    const base = isOfFree && free ? (totalOf(free, key) ?? 0) : now;
    const own = fixed[key] ?? null;
    const ofFree = pct !== null && free ? roundedTo(free, key) : null;
    return measureDraft(edit, now, {
      base,
      places: ofFree ?? own ?? roundedTo(totals, key),
      isFixed: own !== null,
    });
  };
  const value = followed(draftOf('value', valueEdit), draft.value);
  const units = followed(draftOf('units', unitsEdit), draft.units);
  const further = furtherKeys.map(
    (key, i) => [key, draftOf(key, furtherEdits[i] ?? null)] as const,
  );
  const drafts = {
    value,
    units,
    ...(further.length > 0 && { further: Object.fromEntries(further) }),
  };
  if (isPartlyHeld && !isPriced && (valueEdit ?? unitsEdit)) {
    // One percentage for all rows keeps their price, even if their totals are 0.
    const amounts = pct !== null && pct !== 0 ? { pct } : null;
    return { ...drafts, amounts, unroundedUnits: null };
  }
  if (isPriced && valueEdit && unitsEdit && value && units) {
    const base = priced?.units_total ?? units.now;
    const asked = changeOf(unitsEdit, units.now, { base });
    const amounts = joinedAmounts([
      exactAmount('value', draft.value ?? draft.units, value),
      exactAmount('units', draft.units ?? draft.value, units),
      // A percentage cannot be sent beside a held price.
      ...further.map(([key, measure], i) => changed(key, furtherEdits[i] ?? null, measure)),
      { spread: 'price' as const },
    ]);
    return {
      ...drafts,
      amounts: value.change && units.change ? amounts : null,
      unroundedUnits: asked === units.change ? null : asked,
    };
  }
  if (pct !== null) return { ...drafts, amounts: pct === 0 ? null : { pct }, unroundedUnits: null };
  const amounts = joinedAmounts([
    amountOf('value', valueEdit, value),
    amountOf('units', unitsEdit, units),
    ...further.map(([key, measure], i) => amountOf(key, furtherEdits[i] ?? null, measure)),
  ]);
  return { ...drafts, amounts, unroundedUnits: null };
}

/** Returns a measure with the percentage that its change is, unless the change was asked of the measure itself. */
const followed = (measure: MeasureDraft | null, asked: MeasureEdit | null): MeasureDraft | null =>
  asked === null && measure ? { ...measure, percent: percentOf(measure) } : measure;

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

/**
 * Returns a further measure that follows the percentage of value, before and after, if value is spread in
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
 * @param all the edits of all measures
 */
function onePercentage(all: readonly (MeasureEdit | null)[], totals: KnownTotals): number | null {
  const edits = all.filter((edit) => edit !== null);
  const [first] = edits;
  const isOne =
    first !== undefined &&
    edits.length === keysIn(totals).length &&
    edits.every((edit) => edit.by === 'percent' && edit.amount === first.amount);
  return isOne ? first.amount : null;
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
