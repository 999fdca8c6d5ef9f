/** The numbers of a chart in relation to others: shares, running totals and ranks. */
import type { Decimals } from '../../contract/decimals';
import type { Layout, ShowAs } from '../../contract/stored-layout';
import { pathKey } from '../slice/cell';
import { tidy } from '../values/cell-value';
import type { CellValue } from '../values/engine-types';
import { isShareOf, shareIn } from '../values/show-as';
import { added, type ChartAxes, type Sums } from './chart';

/** The sums of a chart: for each series, those of each position on the axis. */
export type ChartSums = readonly (readonly Sums[])[];

/** The places of a chart's sums in the rows and columns of its layout. */
export interface ChartPlaces extends Pick<ChartAxes, 'axis' | 'series'> {
  layout: Pick<Layout, 'group_by' | 'split_by'>;
  /** The values of the axis columns at each position; empty for combined groups. */
  paths: readonly (readonly CellValue[])[];
  /** Whether the sum of a series at a position is that of combined groups. */
  isFolded: (series: number, position: number) => boolean;
  /** The decimals of the sums of each side. */
  decimals: readonly Decimals[];
}

/**
 * Returns the numbers of a chart as the grid shows them in a way: a share of the groups that its series or its axis
 * parts, or of all of them; running totals along an axis of columns; ranks among the rows that the chart draws.
 * Combined groups have no rank.
 *
 * @param paint computes the numbers of a series from its sums, one list for each side
 * @returns for each series a list of numbers for each side
 */
export function numbersAs(
  way: ShowAs,
  sums: ChartSums,
  places: ChartPlaces,
  paint: (sums: readonly Sums[]) => (number | null)[][],
): (number | null)[][][] {
  const own = sums.map((each) => paint(each));
  if (way === 'running_total') return running(sums, places).map((each) => paint(each));
  const keyOf = keysOf(way, places);
  if (way === 'rank')
    return own.map((sides, s) => sides.map((_, side) => ranks(own, side, keyOf, places)[s] ?? []));
  const wholes = new Map<string, Sums>();
  for (const [s, each] of sums.entries())
    for (const [x, sum] of each.entries()) {
      const key = keyOf(s, x);
      const known = wholes.get(key);
      wholes.set(key, known ? added(known, sum) : sum);
    }
  return sums.map((each, s) => {
    const whole = paint(each.map((_, x) => wholes.get(keyOf(s, x)) ?? []));
    return (own[s] ?? []).map((numbers, side) =>
      numbers.map((number, x) => shareIn(number, whole[side]?.[x], places.decimals[side])),
    );
  });
}

type KeyOf = (series: number, position: number) => string;

/** Returns a function with equal keys for the sums that are parts of the same whole, or ranked together. */
function keysOf(way: ShowAs, places: ChartPlaces): KeyOf {
  if (way === 'share_of_total') return () => '';
  const { series, paths } = places;
  const innermost = innermostOf(way, places);
  if (innermost === undefined) return (s, x) => `${s} ${x}`;
  if (innermost === series) return (_, x) => String(x);
  return (s, x) => `${s} ${pathKey(paths[x]?.slice(0, -1) ?? [])}`;
}

/** Returns the innermost column of the rows, or of the columns, that a chart draws; undefined if it draws none. */
function innermostOf(
  way: ShowAs,
  { axis, series, layout: { group_by = [], split_by = [] } }: ChartPlaces,
): string | undefined {
  const side = way === 'share_of_column' ? split_by : group_by;
  return side.findLast((name) => axis.includes(name) || name === series);
}

/**
 * Whether the numbers of all series at a position add up: shares do if their whole contains all series.
 *
 * @param way undefined for the sums themselves
 */
export function addsUp(way: ShowAs | undefined, places: ChartPlaces): boolean {
  if (way === undefined || way === 'share_of_total') return true;
  return isShareOf(way) && innermostOf(way, places) === places.series;
}

/**
 * Adds up the sums along an axis of columns; it begins again in each group of the outer columns. The position without
 * a value is the last one on the axis, but counts first, as in the grid.
 */
function running(sums: ChartSums, { axis, layout, paths }: ChartPlaces): ChartSums {
  const last = axis.at(-1);
  if (last === undefined || !layout.split_by?.includes(last)) return sums;
  const isEmpty = (x: number) => paths[x]?.at(-1) === null;
  const order = [...paths.keys()].sort((a, b) => Number(isEmpty(b)) - Number(isEmpty(a)));
  return sums.map((each) => {
    const all = [...each];
    const totals = new Map<string, Sums>();
    for (const x of order) {
      const parent = pathKey(paths[x]?.slice(0, -1) ?? []);
      const [sum = [], before] = [each[x], totals.get(parent)];
      const total = before ? added(before, sum) : sum;
      totals.set(parent, total);
      all[x] = total;
    }
    return all;
  });
}

function ranks(
  own: readonly (readonly (readonly (number | null)[])[])[],
  side: number,
  keyOf: KeyOf,
  { isFolded }: ChartPlaces,
): (number | null)[][] {
  const numbers = own.map((sides, s) =>
    (sides[side] ?? []).map((number, x) =>
      number === null || isFolded(s, x) ? null : tidy(number),
    ),
  );
  const together = new Map<string, number[]>();
  for (const [s, each] of numbers.entries())
    for (const [x, number] of each.entries())
      if (number !== null)
        together.set(keyOf(s, x), [...(together.get(keyOf(s, x)) ?? []), number]);
  return numbers.map((each, s) =>
    each.map((number, x) =>
      number === null
        ? null
        : 1 + (together.get(keyOf(s, x)) ?? []).filter((other) => other > number).length,
    ),
  );
}
