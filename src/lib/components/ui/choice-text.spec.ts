import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choiceOf, choiceText } from './choice-text';

const quoted = fc.string({ minLength: 1 }).map((text) => `“${text}”`);
const choices = fc.oneof(
  fc.constantFrom(null, '', '(empty)', '(blank text)', '“(empty)”', 'null', '“', '“”'),
  fc.string(),
  quoted,
);

describe('the text of a choice', () => {
  it('is parsed to the same choice', () => {
    fc.assert(fc.property(choices, (choice) => choiceOf(choiceText(choice)) === choice));
  });

  it('distinguishes the empty value and the empty text from equal texts', () => {
    expect([null, '', '(empty)', '(blank text)', 'West'].map(choiceText)).toEqual([
      '(empty)',
      '(blank text)',
      '“(empty)”',
      '“(blank text)”',
      'West',
    ]);
  });
});
