/** Texts about log entries and their effects. */
import type { ActualsAnswer } from '$lib/contract/actuals';
import { changesOf, type MeasureChange } from '$lib/contract/amounts';
import type { Decimals } from '$lib/contract/decimals';
import type { EntryTotals, LogEntry } from '$lib/contract/log';
import type { Like } from '$lib/contract/shapes';
import type { SetClause, Shift } from '$lib/contract/movement';
import { lastOfMonth } from '$lib/contract/calendar';
import type { Caution } from '$lib/plan/amounts/caution';
import type { ByMeasure } from '$lib/contract/columns';
import { totalOf } from '$lib/contract/measures';
import { namedMeasure, type MeasureWords } from '$lib/plan/amounts/measure-words';
import type { FileImport, Operation } from '$lib/plan/amounts/operation';
import type { ScaleEdit } from '$lib/contract/operations';
import type { Drafts } from '$lib/plan/amounts/scale-draft';
import type { Effect } from '$lib/plan/amounts/tried-rows';
import { formatDay } from '$lib/pivot/values/date-language';
import { formatAmount, formatMonth, formatTotal, plural } from '../../format';
import { agreementText } from '../../level-words';
import { formatNumber } from '../../number-text';
import { termText } from './slice-text';

/** Returns a number without and with a change: "1,204.50 → 1,325". */
export const beforeAfterText = (before: number, after: number, decimals: Decimals): string =>
  `${formatAmount(before, decimals)} → ${formatAmount(after, decimals)}`;

/** Lists the measures that a scale changes, before and after: "100.00 → 120.00 Sales, 5 → 6 Units"; empty for none. */
export const changesText = (changes: Drafts, words: MeasureWords): string =>
  words.measures
    .flatMap(({ key, name, decimals }) => {
      const draft = changes[key];
      if (!draft || draft.change === 0) return [];
      return [`${beforeAfterText(draft.now, draft.total, decimals)} ${name}`];
    })
    .join(', ');

/** Returns an amount with its sign and the decimals of its measure: "+1,204.50"; 0 has no sign. */
export const signedText = (amount: number, decimals: Decimals) =>
  formatAmount(amount, decimals, { signDisplay: 'exceptZero' });

/** The operation of an entry with its parameters. */
type DescribedEntry = LogEntry extends infer Entry
  ? Entry extends LogEntry
    ? Pick<Entry, 'operation' | 'params'>
    : never
  : never;

/**
 * Describes an entry or an operation in one line: "+10 %", "Region → East", "× 1.05, Region → East", "dates moved
 * by 1 year", "closed through Mar 2027". Null if the log has no parameters of it, or a load has no offset.
 */
export function entryText(entry: DescribedEntry, words: MeasureWords): string | null {
  if (entry.params === null) return null;
  switch (entry.operation) {
    case 'baseline':
    case 'reference': {
      const { date_offset } = entry.params;
      if (date_offset === undefined) return null;
      const isMoved = !/^0+ days?$/.test(date_offset);
      return isMoved ? `dates moved by ${date_offset}` : 'dates unchanged';
    }
    case 'forecast': {
      const { by, levels, unit } = entry.params;
      const level =
        by.length > 0
          ? `by ${by.map((column) => words.labelOf(column)).join(', ')} and ${unit}`
          : `by ${unit}`;
      const agreement = agreementText(levels, (column) => words.labelOf(column));
      return `${level}${agreement}, learned through ${monthOrDay(entry.params.history.through)}`;
    }
    case 'scale': {
      const { params } = entry;
      const held = params.hold?.length ? ', except held rows' : '';
      if (!('edits' in params)) return amountsText(params, words) + held;
      return editsText(params.edits.map((edit) => amountsText(edit, words))) + held;
    }
    case 'recode': {
      const { set, shift, factor, leave_locked } = entry.params;
      const share = factor === undefined ? '' : percentOf(factor);
      const left = leave_locked ? 'except locked rows' : '';
      return joined([share, setText(set, words), shiftText(shift, words), left]);
    }
    case 'clone': {
      const { scale_factor, set, shift, factors } = entry.params;
      const by = `× ${formatNumber(scale_factor, { maximumFractionDigits: 6 })}`;
      const ramp = factors ? 'other factors by date' : '';
      return joined([by, ramp, setText(set, words), shiftText(shift, words)]);
    }
    case 'reverse':
      return `of entry ${entry.params.reverse_of}`;
    case 'import': {
      const { file, edits, edit_count = edits.length } = entry.params;
      return `${plural(edit_count, 'cell')} of ${file.name}`;
    }
    case 'refresh': {
      // The log does not say which of them differed; at least one did.
      const { length } = entry.params.loads;
      return `of ${plural(length, 'load')}: source changed${length > 1 ? ' for at least one' : ''}`;
    }
    case 'actual':
      return `closed through ${monthOrDay(entry.params.through)}`;
  }
}

/** Formats a day, without its day of the month if it is the last one: "Mar 2027", "Mar 15, 2027". */
const monthOrDay = (day: string): string =>
  day === lastOfMonth(day) ? formatMonth(day) : formatDay(day);

/** Describes an operation that is being tried, as {@link entryText} does once it is written. */
export const triedText = (
  { kind, body }: Operation | FileImport,
  words: MeasureWords,
): string | null =>
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- a body has the fields of parameters
  entryText({ operation: kind, params: body } as DescribedEntry, words);

/**
 * Lists the amounts that a change adds to the plan: "+1,000.00 Sales", "250 Sales moved".
 *
 * @param together the difference that several changes make: each amount has its share of it, as in "+1,000.00 Sales
 * (80 % of the difference)". A share above 100 % is omitted.
 */
export function effectTexts(
  effect: Effect,
  words: MeasureWords,
  together: ByMeasure<number> | null = null,
): string[] {
  return words.measures.flatMap(({ key, name, decimals }) => {
    const [amount, moved] = [effect.amounts[key] ?? 0, effect.moved[key]];
    if (amount === 0) return moved ? [`${formatAmount(moved, decimals)} ${name} moved`] : [];
    const text = `${signedText(amount, decimals)} ${name}`;
    if (together === null) return [text];
    const whole = together[key] ?? 0;
    // Other changes offset this one, so its share would be above 100 %.
    if (Math.abs(amount) > Math.abs(whole)) return [text];
    const share = formatNumber((amount / whole) * 100, { maximumFractionDigits: 1 });
    return [`${text} (${share} % of the difference)`];
  });
}

const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(', ');

const percentOf = (share: number): string =>
  `${formatNumber(share * 100, { maximumFractionDigits: 6 })} %`;

/**
 * Lists the intervals that dates are moved by: "Order Date + 3 months", "Order Date - 1 year"; empty if there are
 * none.
 */
const shiftText = (shift: Shift | undefined, words: MeasureWords): string =>
  Object.entries(shift ?? {})
    .map(([column, interval]) => {
      const back = /^-(\d+ [a-z]+)$/.exec(interval)?.[1];
      return `${words.labelOf(column)} ${back ? `- ${back}` : `+ ${interval}`}`;
    })
    .join(', ');

const HOW_SPREAD = {
  proportional: '',
  equal: ', in equal parts',
  price: ', at the price of each row',
};

/** Describes how an amount is spread: ", by month of Order Date"; empty for in proportion. */
function spreadText(spread: ScaleAmounts['spread'], words: MeasureWords): string {
  if (spread == null) return '';
  if (typeof spread === 'string') return HOW_SPREAD[spread];
  const { profile, like } = spread;
  if (!profile) return like ? likeText(like, words) : '';
  const by = `by ${profile.unit} of ${words.labelOf(profile.column)}`;
  return `, ${profile.even ? 'evenly ' : ''}${by}${profile.days ? ', by number of days' : ''}`;
}

function likeText({ by, origins, version_id }: Like, words: MeasureWords): string {
  const isReference = version_id === undefined && origins?.join() === 'reference';
  const rows = isReference ? 'the reference' : 'other rows';
  return `, like ${rows} by ${by.map((column) => words.labelOf(column)).join(', ')}`;
}

/** Maximum number of changes of one entry that are listed. */
const MOST_TOLD = 3;

/** Describes several edits: "+5 % Sales in each of 3 selections", "2 changes: +5 % Sales, -10 Sales". */
function editsText(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  if (others.length === 0) return first;
  if (others.every((text) => text === first))
    return `${first} in each of ${texts.length} selections`;
  const more = texts.length - MOST_TOLD;
  const told = texts.slice(0, MOST_TOLD).join(', ');
  return `${texts.length} changes: ${told}${more > 0 ? ` and ${more} more` : ''}`;
}

function percentText(percent: number): string {
  const exact = { signDisplay: 'exceptZero', maximumFractionDigits: 6 } as const;
  return `${formatNumber(percent, exact)} %`;
}

/** The amounts of a change, and whether it keeps the total of a containing slice. */
type ScaleAmounts = Omit<ScaleEdit, 'slice'>;

function amountsText(amounts: ScaleAmounts, words: MeasureWords): string {
  const { pct, spread } = amounts;
  const kept = amounts.keep ? ', total kept' : '';
  if (pct != null) return percentText(pct) + kept;
  const parts = changesOf(amounts).flatMap((change) => changeText(change, words));
  return parts.join(', ') + followText(amounts, words) + spreadText(spread, words) + kept;
}

/** Describes the change of one measure: "+1,204.50 Sales", "+5 % cost", "hours → 40"; empty if it adds 0. */
function changeText({ of, kind, amount }: MeasureChange, words: MeasureWords): string[] {
  const { name, decimals } = namedMeasure('role' in of ? of.role : of.name, words);
  if (amount === 'keep') return [`${name} kept in total`];
  if (kind === 'total') return [`${name} → ${formatAmount(amount, decimals)}`];
  if (kind === 'pct') return [`${percentText(amount)} ${name}`];
  return amount === 0 ? [] : [`${signedText(amount, decimals)} ${name}`];
}

/** Names the measures that change by the percentage of value: ", cost and hours change with Sales". */
function followText({ with: followers }: ScaleAmounts, words: MeasureWords): string {
  if (!followers) return '';
  const [first, ...others] = followers.map((key) => namedMeasure(key, words).name);
  const verb = others.length > 0 ? 'change' : 'changes';
  return `, ${and.format([first ?? '', ...others])} ${verb} with ${namedMeasure('value', words).name}`;
}

const and = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** Describes the side effect of a change: "The rows here cancel each other out: …" */
export function cautionText(caution: Caution, words: MeasureWords): string {
  if (caution.kind === 'cancelled') {
    return 'These rows cancel each other out, so an amount cannot be spread in proportion to them. It can be spread equally.';
  }
  const { name, decimals } = namedMeasure(caution.measure, words);
  const gross = formatAmount(caution.gross, decimals);
  const rows = caution.isOfOthers ? 'The other rows of the group' : 'These rows';
  return `${rows} cancel each other out: increases and decreases of ${name} add up to ${caution.isRough ? 'about ' : ''}${gross}.`;
}

/** Describes a close: "Closed through Mar 2027: 410 → 305.75 Sales, saved as 5 new rows." */
export function closedText(
  { before, after, through, row_count }: ActualsAnswer,
  isRestatement: boolean,
  words: MeasureWords,
): string {
  const totals = words.measures.flatMap(({ key, name, decimals }) => {
    const [was, now] = [totalOf(before, key), totalOf(after, key)];
    if (was === null || now === null || was === now) return [];
    return `${beforeAfterText(was, now, decimals)} ${name}`;
  });
  const what = [...totals, `saved as ${plural(row_count, 'new row')}`].join(', ');
  return `${isRestatement ? 'Restated' : 'Closed'} through ${monthOrDay(through)}: ${what}.`;
}

/** Describes a redo with other totals than before: "Redone: 56,040.00 Sales (previously 56,048.16)." */
export function redoneText(was: EntryTotals, now: EntryTotals, words: MeasureWords): string {
  const texts = words.measures.flatMap(({ key, name, decimals }) => {
    const shown = [now, was].map((totals) => formatTotal(totalOf(totals, key), decimals));
    return shown[0] === shown[1] ? [] : `${shown[0]} ${name} (previously ${shown[1]})`;
  });
  const rows = `${plural(now.row_count, 'row')} (previously ${plural(was.row_count, 'row')})`;
  return `Redone: ${texts.length > 0 ? texts.join(', ') : rows}.`;
}

/**
 * Lists the values that a recode or a clone sets: "Region → East, Segment → empty"; empty if there are none.
 */
export const setText = (set: SetClause, words: MeasureWords): string =>
  Object.entries(set)
    .map(
      ([column, value]) => `${words.labelOf(column)} → ${termText(value, words.isDay?.(column))}`,
    )
    .join(', ');
