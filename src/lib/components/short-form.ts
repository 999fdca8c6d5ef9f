/** Amounts typed into a cell, with the words that may follow them. */
import type { TypedWords } from '$lib/plan/amounts/operation';
import type { ShownShare } from '$lib/plan/selection/cell-reader';
import type { MeasureEdit } from '$lib/plan/amounts/scale-draft';
import { movePoint } from '$lib/contract/decimals';
import { EXAMPLE, formatNumber, readAmount } from './number-text';

/** An amount with its words. The edit is null for an empty text; `=keep` is a change of 0. */
export interface ShortForm extends TypedWords {
  edit: MeasureEdit | null;
}

/** The words, each with its explanation. */
const WORDS = {
  '=keep': 'the total stays, and its months get the shape',
  'keep total': 'the row above keeps its total, and its other rows give or get the change',
  'like ref': 'the amount is spread over months like the reference',
};
/** An amount, a blank, and words that are complete enough. */
const KEPT = /^(.*\S)\s+keep(\s+t(o(t(al?)?)?)?)?$/i;
const RESHAPED = /^=\s*keep$/i;
const LIKE = /^(.*\S)\s+like\s+ref(e(r(e(n(ce?)?)?)?)?)?$/i;

/** Returns the text that reads as a total of `value`, for editing; a share is a percentage. */
export function editableText(value: number, isShare: boolean): string {
  const digits = { useGrouping: false, maximumFractionDigits: 12 };
  // An amount that begins with a minus is read as a change.
  if (value < 0) return `=${formatNumber(value, digits)}`;
  return isShare ? `${formatNumber(movePoint(value, 2), digits)}%` : formatNumber(value, digits);
}

/**
 * Parses the text typed into a cell: an amount as {@link readAmount} reads it, or `=keep` for the present total,
 * and after a blank `keep total`, of which `keep` is enough, `like ref`, or both.
 *
 * @param share the share that the cell shows: `35%` is then the total 0.35, and `+2%` a change of 0.02; null for a cell
 * of amounts
 */
export function readShortForm(text: string, share: ShownShare | null = null): ShortForm {
  const words = { keepTotal: false, likeReference: false, reshape: false };
  let amount = text.trim();
  for (;;) {
    if (RESHAPED.test(amount))
      return { edit: { by: 'change', amount: 0 }, ...words, reshape: true };
    const [kept, like] = [KEPT, LIKE].map((each) => each.exec(amount)?.[1]);
    if (kept !== undefined && !words.keepTotal) words.keepTotal = true;
    else if (like !== undefined && !words.likeReference) words.likeReference = true;
    else return { edit: share ? readShare(amount, share) : readAmount(amount), ...words };
    amount = kept ?? like ?? '';
  }
}

function readShare(text: string, share: ShownShare): MeasureEdit | null {
  const edit = readAmount(text);
  if (edit?.by !== 'percent')
    return share === 'of_sum' && isPlainNumber(text) ? withPercent(edit) : edit;
  if (!text.trimEnd().endsWith('%')) return edit;
  const isChange = /^[+\-\u2212]/.test(text.trimStart());
  return { ...edit, by: isChange ? 'change' : 'total', amount: movePoint(edit.amount, -2) };
}

const isPlainNumber = (text: string): boolean => !text.trimStart().startsWith('=');

/**
 * Refuses a share above 1 without a percent sign: spreadsheets read 30 in a cell of percentages as 30 %, and as a factor
 * it would be 30 times the sum.
 */
function withPercent(edit: MeasureEdit | null): MeasureEdit | null {
  if (!edit || !(Math.abs(edit.amount) > 1)) return edit;
  const digits = {
    useGrouping: false,
    maximumFractionDigits: 12,
    signDisplay: edit.by === 'change' ? ('always' as const) : ('auto' as const),
  };
  const [typed, factor] = [edit.amount, movePoint(edit.amount, -2)].map((n) =>
    formatNumber(n, digits),
  );
  return { ...edit, amount: NaN, problem: `Type ${typed}% or ${factor}` };
}

/** Returns why a text is not an amount. Words that are being typed after an amount are explained. */
export function whyNoAmount(text: string, isShare = false): string {
  const whole = text.trim();
  const [, amount = '', word = ''] = /^(.*?\S)\s+([a-z]{2,}( [a-z]*)?)$/i.exec(whole) ?? [];
  const edit = readShortForm(amount).edit;
  const isAmount = edit !== null && !Number.isNaN(edit.amount);
  const typed = isAmount ? word : whole.startsWith('=') ? whole : '';
  const begun = Object.entries(WORDS).find(
    ([each]) => typed.length > 1 && each.startsWith(typed.toLowerCase()),
  );
  if (begun) return begun.join(': ');
  return isShare
    ? `Not a share: type 35%, ${formatNumber(0.35)}, +2% or *${formatNumber(1.05)}`
    : `Not an amount: type 12500, ${EXAMPLE}, +500, -3%, *${formatNumber(1.05)} or =2*750`;
}
