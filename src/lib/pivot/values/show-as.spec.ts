import { describe, expect, it } from 'vitest';
import { commonUnit, unitText } from './column-format';
import { formatAs, ranksOf, shareIn, shownAsIn } from './show-as';

describe('a share', () => {
  it.each([
    [1, 4, 0.25],
    [-1, 4, -0.25],
    [-1, -4, 0.25],
    [0, 4, 0],
    [4, 0, null],
    [4, 1e-10, null],
    [4e12, 1e-1, null],
    [0, 0, null],
    [null, 4, null],
    [4, null, null],
    [undefined, undefined, null],
  ])('of %s in %s is %s', (sum, whole, share) => {
    expect(shareIn(sum, whole)).toBe(share);
  });

  it.each([
    [1, -0.004, null],
    [0.004, 4, 0],
    [0.01, 0.02, 0.5],
  ])('of %s in %s in cents is %s', (sum, whole, share) => {
    expect(shareIn(sum, whole, { least: 2, most: 2 })).toBe(share);
  });
});

it('ranks rows among those with the same parent, the largest first, ties alike, and none without a sum', () => {
  const paths = [[], ['A'], ['A', 'x'], ['A', 'y'], ['A', null], ['B'], ['B', 'x'], ['B', 'z']];
  const sums = [10, 0.3, 5, 0.1 + 0.2, null, 0.1 + 0.2, -7, -7];
  expect(ranksOf(paths, sums)).toEqual([null, 1, 1, 2, null, 1, 1, 1]);
});

it('reads the ways of a layout, and writes them in headers', () => {
  const ways = shownAsIn({ Sales: { show_as: 'rank' }, Units: { decimals: 1 } });
  expect([...ways]).toEqual([['Sales', 'rank']]);
  const thousands = { divisor: 1000, stored: 2, number_format: { maximumFractionDigits: 0 } };
  expect(unitText(formatAs(thousands, 'share_of_row'))).toBe('% of parent');
  expect(unitText(formatAs(thousands, 'running_total'))).toBe('running total in thousands');
  expect(formatAs(thousands, 'rank').divisor).toBeUndefined();
  expect(formatAs(thousands, null)).toBe(thousands);
  const share = formatAs(thousands, 'share_of_total');
  expect(commonUnit([share, share])).toBe('% of total');
  expect(commonUnit([share, { number_format: { style: 'percent' } }])).toBeNull();
  expect(commonUnit([share, thousands])).toBeNull();
});
