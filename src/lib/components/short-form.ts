/** Amounts typed into a cell, with the words that may follow them. */
import type { MeasureEdit } from '$lib/plan/scale-draft';
import { readAmount } from './number-text';

/** An amount with its words. */
export interface ShortForm {
  /** Null for an empty text. */
  edit: MeasureEdit | null;
  /** Whether the group above the cell keeps its total. */
  keepTotal: boolean;
}

const KEEP_TOTAL = 'keep total';
/** An amount, a blank, and `keep total` or a beginning of it from `keep` on. */
const KEPT = /^(.*\S)\s+keep(\s+t(o(t(al?)?)?)?)?$/i;

/**
 * Parses the text typed into a cell: an amount as {@link readAmount} reads it, and after a blank `keep total`,
 * of which `keep` is enough.
 */
export function readShortForm(text: string): ShortForm {
  const [, amount] = KEPT.exec(text.trim()) ?? [];
  return { edit: readAmount(amount ?? text), keepTotal: amount !== undefined };
}

/** Returns why a text is not an amount. Words that are being typed after an amount are explained. */
export function whyNoAmount(text: string): string {
  const [, amount = '', typed = ''] = /^(.*\S)\s+([a-z]{2,})$/i.exec(text.trim()) ?? [];
  const edit = readAmount(amount);
  const isBegun = edit && !Number.isNaN(edit.amount) && KEEP_TOTAL.startsWith(typed.toLowerCase());
  return isBegun
    ? 'keep total: the row above keeps its total, and its other rows give or get the change'
    : 'Not an amount: type 12500, 1.5m, +500, -3%, *1.05 or =2*750';
}
