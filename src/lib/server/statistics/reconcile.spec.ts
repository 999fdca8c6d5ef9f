import { describe, expect, it } from 'vitest';
import { generator } from '../../../../tests/support/random';
import { reconcile, type UncertainSum } from './reconcile';

const never = () => false;
const always = () => true;
const series = (forecast: number, variance: number) => ({ forecast, variance });

/** What {@link reconcile} minimises. */
function distance(amounts: readonly number[], parts: Parts, sums: readonly UncertainSum[]): number {
  const off = (amount: number, { forecast, variance }: Parts[number]) =>
    (amount - forecast) ** 2 / variance;
  return (
    parts.reduce((total, part, i) => total + off(amounts[i]!, part), 0) +
    sums.reduce(
      (total, each) =>
        total +
        off(
          each.parts.reduce((sum, i) => sum + amounts[i]!, 0),
          each,
        ),
      0,
    )
  );
}
type Parts = Parameters<typeof reconcile>[0];

describe('forecasts of two levels', () => {
  it('meet where their variances say', () => {
    // Both parts together have the variance 2, the total has 2, so each gives in by half.
    const parts = [series(10, 1), series(20, 1)];
    const [a, b] = reconcile(parts, [{ ...series(40, 2), parts: [0, 1] }], never);
    expect([a, b]).toEqual([expect.closeTo(12.5, 6), expect.closeTo(22.5, 6)]);
  });

  it('move the uncertain part, and not the certain one', () => {
    const parts = [series(10, 0), series(20, 3)];
    const moved = reconcile(parts, [{ ...series(40, 0), parts: [0, 1] }], never);
    expect(moved).toEqual([10, expect.closeTo(30, 4)]);
  });

  it('stay as they are if they agree, or if nothing can move', () => {
    const parts = [series(10, 1), series(20, 4)];
    expect(reconcile(parts, [{ ...series(30, 2), parts: [0, 1] }], never)).toEqual([10, 20]);
    const certain = [series(10, 0), series(20, 0)];
    expect(reconcile(certain, [{ ...series(40, 2), parts: [0, 1] }], never)).toEqual([10, 20]);
    expect(reconcile(certain, [], never)).toEqual([10, 20]);
  });

  it('are not below 0 unless they may be, and then the others give way', () => {
    const parts = [series(1, 1), series(20, 1)];
    const sums = [{ ...series(15, 0), parts: [0, 1] }];
    const [least, other] = reconcile(parts, sums, never);
    expect(least).toBe(0);
    expect(other).toBeCloseTo(15, 3);
    expect(reconcile(parts, sums, always)[0]).toBeCloseTo(-2, 4);
  });
});

describe('forecasts of crossing levels', () => {
  it('are the closest to all of them', () => {
    const random = generator(7);
    // Three regions of four products each, the totals of both, and the total of all.
    const parts = Array.from({ length: 12 }, () => series(100 * random(), 1 + 20 * random()));
    const members = (isIn: (i: number) => boolean) => parts.flatMap((_, i) => (isIn(i) ? [i] : []));
    const sums = [
      ...[0, 1, 2].map((region) => members((i) => i % 3 === region)),
      ...[0, 1, 2, 3].map((product) => members((i) => i % 4 === product)),
      members(always),
    ].map((each) => ({ ...series(60 * each.length * random(), 5 + 50 * random()), parts: each }));
    const found = reconcile(parts, sums, always);
    const least = distance(found, parts, sums);
    expect(least).toBeLessThan(
      distance(
        parts.map(({ forecast }) => forecast),
        parts,
        sums,
      ),
    );
    for (const [i] of parts.entries()) {
      for (const step of [-0.01, 0.01]) {
        const other = found.map((amount, k) => (k === i ? amount + step : amount));
        expect(distance(other, parts, sums)).toBeGreaterThan(least);
      }
    }
  });

  it('that contradict each other without any variance share the difference', () => {
    const parts = [series(10, 1), series(10, 1)];
    const sums = [series(30, 0), series(50, 0)].map((each) => ({ ...each, parts: [0, 1] }));
    const [a, b] = reconcile(parts, sums, never);
    expect(a! + b!).toBeCloseTo(40, 2);
  });
});
