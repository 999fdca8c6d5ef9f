import { describe, expect, it } from 'vitest';
import type { ReplayedEntry } from '$lib/contract/replays';
import { moreBy } from '$lib/plan/amounts/entry-totals';
import { differs, planTotal } from './replay-figures';

const totals = (value_total: number | null, row_count = 2, units_total: number | null = 3) => ({
  row_count,
  value_total,
  units_total,
});

const entryOf = (
  operation: 'baseline' | 'reference',
  before: ReplayedEntry['before'],
  after: ReplayedEntry['after'],
  to: number | null = 7,
): ReplayedEntry => ({
  entry: {
    ...{ id: 1, version_id: 1, pf_user: 'ann', stamp: '2026-11-22T00:00:00Z', note: null },
    ...{ operation, slice: null, params: null },
  },
  ...{ before, to, after, reason: to === null ? 'gone' : null },
});

describe('an entry', () => {
  it('differs in rows, in a measure, or because it was skipped', () => {
    const same = totals(77_390.81);
    expect(differs(entryOf('baseline', same, same))).toBe(false);
    expect(differs(entryOf('baseline', same, totals(77_390.81 + 1.5e-11)))).toBe(false);
    expect(differs(entryOf('baseline', same, totals(77_390.82)))).toBe(true);
    expect(differs(entryOf('baseline', same, totals(77_390.81, 3)))).toBe(true);
    expect(differs(entryOf('baseline', same, totals(77_390.81, 2, 4)))).toBe(true);
    expect(differs(entryOf('baseline', totals(null), totals(null)))).toBe(false);
    expect(differs(entryOf('baseline', same, same, null))).toBe(true);
  });

  it('differs in a further measure', () => {
    const of = (cost: number) => ({ ...totals(1), measures: { cost } });
    expect(differs(entryOf('baseline', of(3), of(3)))).toBe(false);
    expect(differs(entryOf('baseline', of(3), of(4)))).toBe(true);
    expect(differs(entryOf('baseline', totals(1), of(4)))).toBe(true);
  });

  it('that was skipped has lost all of its amounts', () => {
    expect([moreBy(1000, null), moreBy(null, null), moreBy(0, 0.5)]).toEqual([-1000, 0, 0.5]);
  });
});

it('counts in the totals if it is part of the plan', () => {
  const list = [
    entryOf('baseline', totals(1), totals(2)),
    entryOf('reference', totals(10), totals(20)),
    entryOf('baseline', totals(null), totals(3)),
  ];
  expect(planTotal(list, ['reference'], 'before', 'value_total')).toBe(1);
  expect(planTotal(list, [], 'after', 'value_total')).toBe(25);
  const costly = entryOf('baseline', { ...totals(1), measures: { cost: 4 } }, totals(1));
  expect(planTotal([costly, costly], [], 'before', { measure: 'cost' })).toBe(8);
});
