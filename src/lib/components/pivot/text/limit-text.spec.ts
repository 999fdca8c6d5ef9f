import { expect, it } from 'vitest';
import type { Limit } from '$lib/contract/stored-layout';
import { limitText } from './limit-text';

it('says what a limit leaves out', () => {
  const text = (keep: Limit['keep'], number: number, hidden?: number) => {
    const fact = { field: 'customer', limit: { keep, number, by: 'change' } };
    return limitText(hidden === undefined ? fact : { ...fact, hidden, all: 1240 }, {
      labelOf: (name) => (name === 'customer' ? 'Customer' : 'Δ %'),
      numberOf: (value) => `${value * 100} %`,
    });
  };
  expect(text('top', 3, 1237)).toBe('Customer: top 3 by Δ %, 1,237 in Others');
  expect(text('bottom', 10, 37)).toBe('Customer: bottom 10 by Δ %, 37 in Others');
  expect(text('below', -0.05, 12)).toBe(
    'Customer: Δ % below -5 %, 12 of 1,240 hidden, totals include them',
  );
  expect(text('top', 3)).toBe('Customer: top 3 by Δ %');
  expect(text('below', -0.05)).toBe('Customer: Δ % below -5 %');
  expect(text('above', 1, 0)).toBe('Customer: Δ % above 100 %, 0 of 1,240 hidden');
});

it.each([
  ['not_in_rows', 'Customer is not in the rows'],
  ['not_shown', 'Sales is not shown'],
  ['no_total', 'Sales has no total of several columns'],
] as const)('says why a limit cannot apply: %s', (problem, reason) => {
  const fact = { field: 'Customer', limit: { keep: 'top', number: 3, by: 'Sales' } as const };
  const words = { labelOf: (name: string) => name, numberOf: String };
  expect(limitText({ ...fact, problem }, words)).toBe(
    `Customer: top 3 by Sales does not apply, because ${reason}`,
  );
});
