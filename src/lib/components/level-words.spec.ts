import { expect, it } from 'vitest';
import { agreementText, levelName } from './level-words';

it('a level has the names of its dimensions', () => {
  expect(levelName([])).toBe('The total');
  expect(levelName(['a', 'b'], (name) => name.toUpperCase())).toBe('A × B');
});

it('a forecast says which levels it agrees with', () => {
  expect(agreementText(undefined)).toBe('');
  expect(agreementText([])).toBe('');
  expect(agreementText([[], ['Region'], ['Region', 'Product']])).toBe(
    ', agreeing with the total, Region and Region × Product',
  );
});
