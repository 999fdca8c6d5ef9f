import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { asName, faultOfName, looksAlike } from './names';
import { label, pfUser, shortName } from './primitives';
import { isPossible, mayTake } from './reviews';

describe('a name', () => {
  it.each(['ann', 'Žofia Nagyné 周', 'Doe, Jane (Ops)', "D'Arcy", 'a  b', 'x\u00a0y', '🙂'])(
    'may be %j',
    (name) => expect(faultOfName(name)).toBeNull(),
  );

  it.each([
    ['ann\u3164', 'must not contain the invisible character U+3164'],
    ['\u115fann', 'must not contain the invisible character U+115F'],
    ['a\u2800nn', 'must not contain the invisible character U+2800'],
    ['ann\ufe0f', 'must not contain the invisible character U+FE0F'],
    ['ann\u{e0100}', 'must not contain the invisible character U+E0100'],
    ['ann\u2028', 'must not contain the invisible character U+2028'],
    ['ann\u0378', 'must not contain U+0378, which is no character of Unicode'],
    ['ann\u{10ffff}', 'must not contain U+10FFFF, which is no character of Unicode'],
    ['ann\u200b', 'must not contain control characters'],
    ['an\tn', 'must not contain control characters'],
    ['ann ', 'must not begin or end with a space'],
    ['\u00a0ann', 'must not begin or end with a space'],
    ['ann\u00a0', 'must not begin or end with a space'],
    ['ann\u3000', 'must not begin or end with a space'],
  ])('%j is refused', (name, fault) => {
    expect(faultOfName(name)).toBe(fault);
    for (const schema of [pfUser, shortName, label]) {
      expect(v.safeParse(schema, name).issues?.map(({ message }) => message)).toEqual([fault]);
    }
  });

  it('is composed', () => {
    expect(v.parse(pfUser, 'Jo\u0308rg')).toBe('J\u00f6rg');
    expect(v.parse(shortName, 'Cafe\u0301')).toBe('Caf\u00e9');
  });

  it('that a file gives to a column has one line and no characters that nobody sees', () => {
    expect(asName(' Net\u200b\u3164 \u00a0Sales\ufe0f\n(EUR)\u0378 ')).toBe('Net Sales (EUR)');
    expect(asName('\u2800')).toBe('');
  });

  it('looks like another one that differs in case or Unicode form only', () => {
    expect(looksAlike('ann', 'Ann')).toBe(true);
    expect(looksAlike('JO\u0308RG', 'j\u00f6rg')).toBe(true);
    expect(looksAlike('ann', 'anna')).toBe(false);
  });
});

it('nobody whose name looks like that of the owner approves a review', () => {
  const review = { owner: 'ann', reviewers: ['Ann', 'bea'], state: 'submitted' as const };
  expect(isPossible(review, 'approve')).toBe(true);
  for (const [name, may] of [
    ['Ann', false],
    ['ann', false],
    ['bea', true],
  ] as const) {
    expect([name, mayTake(review, 'approve', { name, isAdmin: false })]).toEqual([name, may]);
  }
});
