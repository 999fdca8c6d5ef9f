/** The text by which an alert asks for a reason. */
import type { AlertCondition } from '../../../contract/alerts';
import { mentionOf } from '../../../contract/comments';
import type { StoredAlert } from '../../db/people/alerts';

/**
 * The text that asks for a reason, such as: @bea Alert “Margin”: −7.3 % is below −5 %. What is the reason?
 *
 * @param amount the number that is compared, as text with all digits; it is rounded unless it then equals a limit
 */
export function questionOf(
  { name, owner, of, condition }: Pick<StoredAlert, 'name' | 'owner' | 'of' | 'condition'>,
  amount: string,
): string {
  const isPercent = of === 'difference_pct';
  const unit = isPercent ? ' %' : '';
  const write = (number: number, maximumFractionDigits: number): string =>
    number.toLocaleString('en-GB', { maximumFractionDigits }).replace('-', '−') + unit;
  const limits = limitsOf(condition).map((limit) => write(limit, 20));
  const rounded = write(Number(amount), isPercent ? 2 : 6);
  const number = limits.includes(rounded) ? amount.replace('-', '−') + unit : rounded;
  const range =
    condition.operator === 'outside'
      ? `outside of ${limits.join(' to ')}`
      : `${condition.operator} ${limits[0]}`;
  const what = of === 'amount' ? '' : 'a difference of ';
  return `${mentionOf(owner)} Alert “${name}”: ${what}${number} is ${range}. What is the reason?`;
}

const limitsOf = (condition: AlertCondition): number[] =>
  condition.operator === 'outside' ? [condition.from, condition.to] : [condition.amount];
