import { describe, expect, it } from 'vitest';
import type { AlertCondition, AlertOf } from '../../../contract/alerts';
import { questionOf } from './alert-question';

describe('questionOf', () => {
  it.each<[AlertOf, AlertCondition, string, string]>([
    ['amount', { operator: 'above', amount: 1000 }, '1001.50', '1,001.5 is above 1,000'],
    [
      'difference_pct',
      { operator: 'below', amount: -5 },
      '-7.3000',
      'a difference of −7.3 % is below −5 %',
    ],
    [
      'difference_pct',
      { operator: 'above', amount: 100 },
      '100.00012',
      'a difference of 100.00012 % is above 100 %',
    ],
    [
      'amount',
      { operator: 'outside', from: -1, to: 2.5 },
      '2.50000000000000000001',
      '2.50000000000000000001 is outside of −1 to 2.5',
    ],
  ])('%s %j: %s', (of, condition, amount, expected) => {
    const text = questionOf({ name: 'Margin', owner: 'bea', of, condition }, amount);
    expect(text).toBe(`@bea Alert “Margin”: ${expected}. What is the reason?`);
  });
});
