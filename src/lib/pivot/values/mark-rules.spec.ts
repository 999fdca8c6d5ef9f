import { describe, expect, it } from 'vitest';
import { markOf, scaleOf } from './mark-rules';

const SCALE = scaleOf(Array.from({ length: 20 }, (_, i) => i + 1));

describe('rules that mark numbers', () => {
  it('marks numbers above, below and between amounts, also in totals', () => {
    expect(markOf(101, [{ rule: 'above', amount: 100 }], null)).toEqual({ sign: 'above' });
    expect(markOf(100, [{ rule: 'above', amount: 100 }], null)).toBeNull();
    expect(markOf(-0.06, [{ rule: 'below', amount: -0.05 }], null)).toEqual({ sign: 'below' });
    expect(markOf(-0.05, [{ rule: 'below', amount: -0.05 }], null)).toBeNull();
    const between = [{ rule: 'between', from: 1, to: 2 }] as const;
    expect([0.9, 1, 2, 2.1].map((number) => markOf(number, between, null)?.sign ?? null)).toEqual([
      ...[null, 'between', 'between', null],
    ]);
    // The sum of 0.1 and 0.2 is 0.3 on the screen.
    expect(markOf(0.1 + 0.2, [{ rule: 'above', amount: 0.3 }], null)).toBeNull();
  });

  it('marks the largest and the smallest tenth, with equal numbers', () => {
    expect(SCALE).toEqual({ least: 1, most: 20, low: 2, high: 19 });
    const marked = (rule: 'top' | 'bottom') =>
      Array.from({ length: 20 }, (_, i) => i + 1).filter((n) => markOf(n, [{ rule }], SCALE));
    expect(marked('top')).toEqual([19, 20]);
    expect(marked('bottom')).toEqual([1, 2]);
    const ties = scaleOf([5, 5, 5, 1]);
    expect(markOf(5, [{ rule: 'top' }], ties)).toEqual({ sign: 'top' });
    expect(scaleOf([null, 'text'])).toBeNull();
    // Totals are not compared with the cells that they add up.
    expect(markOf(210, [{ rule: 'top' }], null)).toBeNull();
    expect(markOf(5, [{ rule: 'top' }], scaleOf([5, 5]))).toBeNull();
  });

  it('gives bars the length of the amount, from the right below zero', () => {
    const scale = scaleOf([-50, 100, null]);
    expect(markOf(50, [{ rule: 'bar' }], scale)).toEqual({ fill: { kind: 'bar', share: 0.5 } });
    expect(markOf(-50, [{ rule: 'bar' }], scale)).toEqual({
      fill: { kind: 'bar-below', share: 0.5 },
    });
    expect(markOf(0, [{ rule: 'bar' }], scaleOf([0, 0]))).toBeNull();
  });

  it('gives scales of colours a sign for each fifth', () => {
    const scale = scaleOf([0, 100]);
    const two = (number: number) => markOf(number, [{ rule: 'two_colours' }], scale);
    expect(two(0)).toEqual({ sign: 'step-1', fill: { kind: 'high', share: 0 } });
    expect(two(100)).toEqual({ sign: 'step-5', fill: { kind: 'high', share: 1 } });
    const three = (number: number) => markOf(number, [{ rule: 'three_colours' }], scale);
    expect(three(25)).toEqual({ sign: 'step-2', fill: { kind: 'low', share: 0.5 } });
    expect(three(50)).toEqual({ sign: 'step-3', fill: { kind: 'high', share: 0 } });
  });

  it('takes the sign and the fill from different rules, each from the first one', () => {
    const rules = [{ rule: 'bar' }, { rule: 'above', amount: 10 }, { rule: 'top' }] as const;
    expect(markOf(20, rules, SCALE)).toEqual({ sign: 'above', fill: { kind: 'bar', share: 1 } });
  });
});
