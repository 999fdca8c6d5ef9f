import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choiceOf, choiceText } from './choice-text';

const quoted = fc.string({ minLength: 1 }).map((text) => `“${text}”`);
const choices = fc.oneof(
  fc.constantFrom(null, '', '(empty)', '(blank text)', '“(empty)”', 'null', '“', '“”'),
  fc.string(),
  quoted,
);

describe('how a choice is written', () => {
  it('is read as the same choice', () => {
    fc.assert(fc.property(choices, (choice) => choiceOf(choiceText(choice)) === choice));
  });

  it('tells the empty value and the empty text from texts that are called so', () => {
    expect([null, '', '(empty)', '(blank text)', 'West'].map(choiceText)).toEqual([
      '(empty)',
      '(blank text)',
      '“(empty)”',
      '“(blank text)”',
      'West',
    ]);
  });
});
