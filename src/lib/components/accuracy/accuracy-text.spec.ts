import { describe, expect, it } from 'vitest';
import {
  errorText,
  improvementText,
  listedImprovement,
  listedShare,
  listedSignedShare,
  personText,
} from './accuracy-text';

describe('Texts of accuracy', () => {
  it('say how far a forecast was off', () => {
    expect(errorText({ wape: 0.125, bias: 0.03 })).toBe('12.5 % off, and 3 % too high in total');
    expect(errorText({ wape: 0.125, bias: -0.03 })).toBe('12.5 % off, and 3 % too low in total');
    expect(errorText({ wape: 0.1, bias: 0 })).toBe('10 % off, and right in total');
    expect(errorText({ wape: 0, bias: 0 })).toBe('exactly right');
    expect(errorText({ wape: null, bias: null })).toBe('without actual amounts to compare it with');
  });

  it('say what changes did', () => {
    expect(improvementText(0.2, 0.182)).toBe('1.8 points better');
    expect(improvementText(0.18, 0.19)).toBe('1 point worse');
    expect(improvementText(0.18, 0.18)).toBe('neither better nor worse');
    expect(improvementText(null, 0.18)).toBeNull();
    expect(
      personText(
        { pf_user: 'bob', entries: 2 },
        { before: { wape: 0.2, bias: 0 }, after: { wape: 0.1, bias: 0 } },
      ),
    ).toBe('bob’s 2 changes made it 10 points better.');
    const unknown = { wape: null, bias: null };
    expect(personText({ pf_user: 'bob', entries: 1 }, { before: unknown, after: unknown })).toBe(
      'bob’s 1 change cannot be judged: there are no actual amounts.',
    );
  });

  it('write the shares of a table with one decimal', () => {
    expect([0.719, 0.71, 0, null].map(listedShare)).toEqual(['71.9 %', '71.0 %', '0.0 %', '–']);
    expect([0.05, -0.05, -0.0001, null].map(listedSignedShare)).toEqual([
      '+5.0 %',
      '-5.0 %',
      '0.0 %',
      '–',
    ]);
    expect(listedImprovement(0.18, 0.19)).toBe('1.0 points worse');
    expect(listedImprovement(null, 0.19)).toBe('–');
  });
});
