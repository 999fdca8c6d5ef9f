/** Texts of reviews. */
import type { Review, ReviewState, ReviewStep, ReviewStepName } from '$lib/contract/reviews';
import type { Totals } from '$lib/contract/primitives';
import { totalOf } from '$lib/contract/measures';
import type { MeasureWords } from '$lib/plan/amounts/measure-words';
import { formatAmount, plural } from '../../format';

/** The label and the colour of each state. */
export const STATES: Record<
  ReviewState,
  { label: string; tone: 'neutral' | 'accent' | 'success' | 'warning' | 'reference' }
> = {
  open: { label: 'Open', tone: 'neutral' },
  submitted: { label: 'Submitted', tone: 'accent' },
  returned: { label: 'Returned', tone: 'warning' },
  approved: { label: 'Approved', tone: 'success' },
  reopened: { label: 'Reopened', tone: 'reference' },
};

/** The label of each step's button. */
export const STEP_LABELS: Record<ReviewStepName, string> = {
  submit: 'Submit',
  return: 'Return',
  approve: 'Approve',
  reopen: 'Reopen',
};

const TAKEN: Record<ReviewStep['step'], string> = {
  open: 'Opened',
  change: 'Changed',
  submit: 'Submitted',
  return: 'Returned',
  approve: 'Approved',
  reopen: 'Reopened',
};

/** Returns what a step of the history did: "Submitted by ann". */
export const stepText = ({ step, pf_user }: ReviewStep): string => `${TAKEN[step]} by ${pf_user}`;

/** Returns amounts by measure: "Sales 1,200, Quantity 17". */
export const amountsText = (
  totals: Omit<Totals, 'row_count'>,
  words: MeasureWords,
  options: Intl.NumberFormatOptions = {},
): string =>
  words.measures
    .flatMap(({ key, name, decimals }) => {
      const total = totalOf(totals, key);
      return total === null ? [] : [`${name} ${formatAmount(total, decimals, options)}`];
    })
    .join(', ');

/** Returns the changes since the approval: "3 entries, Sales +12,400"; null for a review without changes. */
export function changedText({ changed }: Review, words: MeasureWords): string | null {
  if (!changed) return null;
  const amounts = amountsText(changed, words, { signDisplay: 'exceptZero' });
  return `${plural(changed.entries, 'entry', 'entries')}, ${amounts}`;
}

const or = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/**
 * Asks about reviewers who have not written, commented or reviewed in the version: "Nobody named “beta” has worked in
 * this version. Choose “Change” again to ask them anyway."
 *
 * @param action the label of the button that confirms
 */
export const unknownText = (names: readonly string[], action: string): string =>
  `Nobody named ${or.format(names.map((name) => `“${name}”`))} has worked in this version. Choose “${action}” again to ask them anyway.`;
