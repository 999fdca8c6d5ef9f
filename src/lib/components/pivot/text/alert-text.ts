/** Texts of alerts. */
import type { Alert, AlertCondition, AlertOf } from '$lib/contract/alerts';
import type { PlannedVersion } from '$lib/plan/version/planned-version.svelte';
import { formatNumber } from '../../number-text';

/** What an alert compares, as the page names it. */
export const ALERT_OF_WORDS: Readonly<Record<AlertOf, string>> = {
  amount: 'Amount of the plan',
  difference: 'Δ to the reference',
  difference_pct: 'Δ % of the reference',
};

const SHORT: Readonly<Record<AlertOf, string>> = {
  amount: '',
  difference: ' Δ',
  difference_pct: ' Δ %',
};

/** How many decimals of a number of an alert are written at most. */
const DECIMALS: Readonly<Record<AlertOf, number>> = {
  amount: 6,
  difference: 6,
  difference_pct: 2,
};

/** Writes a number that an alert compares: 1,000 or -5 %. */
export const alertNumber = (number: number, of: AlertOf): string =>
  `${formatNumber(number, { maximumFractionDigits: DECIMALS[of] })}${of === 'difference_pct' ? ' %' : ''}`;

function conditionText(condition: AlertCondition, of: AlertOf): string {
  return condition.operator === 'outside'
    ? `outside of ${alertNumber(condition.from, of)} to ${alertNumber(condition.to, of)}`
    : `${condition.operator} ${alertNumber(condition.amount, of)}`;
}

/** Returns when an alert holds: "Sales Δ % below -5 %". */
export function alertText(
  { measure, of, condition }: Pick<Alert, 'measure' | 'of' | 'condition'>,
  { measures }: Pick<PlannedVersion, 'measures'>,
): string {
  const name = measures.find(({ key }) => key === measure)?.name ?? measure;
  return `${name}${SHORT[of]} ${conditionText(condition, of)}`;
}
