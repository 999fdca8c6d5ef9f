/** Texts of the rules that mark cells. */
import type { MarkRule } from '$lib/contract/stored-layout';
import { ruleText } from '$lib/pivot/values/mark-rules';
import { formatNumber } from '../../number-text';

/** Returns a rule as text: "above 1,000", "below -5%". @param isPercent whether the measure shows percentages */
export const ruleTextOf = (rule: MarkRule, isPercent: boolean): string =>
  ruleText(rule, (number) =>
    formatNumber(number, isPercent ? { style: 'percent' } : { maximumFractionDigits: 12 }),
  );
