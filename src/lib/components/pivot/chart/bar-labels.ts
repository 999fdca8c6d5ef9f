/** Places totals on stacked bars and values on plain bars. */
import { added, type Sums } from '$lib/pivot/chart/chart';
import type { Picture } from './chart-picture';

/** Where a bar is drawn, in pixels. */
export interface BarBox {
  x: number;
  y: number;
  /** Where the bar starts: at zero, or at the end of the bar below it. */
  base: number;
  width: number;
}

/** A number at the end of a bar or stack. */
export interface BarLabel {
  text: string;
  x: number;
  y: number;
  /** Whether it stands below the bar, as those of negative numbers do. */
  isBelow: boolean;
}

/** Distance of a label from its bar, in pixels. */
const GAP = 3;
/** Greatest width by which a label may exceed its bar, in pixels. */
const OVERHANG = 4;

/**
 * Returns the labels of all bars in the format of their numbers, or shorter if these are too wide. Lines, and
 * bars that are too narrow for the shorter labels, have none.
 *
 * @param boxOf returns where the bar of a series at a place is drawn; null if it is not
 * @param widthOf returns the width of a text, in pixels
 */
export function barLabels(
  picture: Pick<Picture, 'kind' | 'labels' | 'series' | 'stacked' | 'valueText' | 'tickText'>,
  boxOf: (place: number, series: number) => BarBox | null,
  widthOf: (text: string) => number,
): BarLabel[] {
  if (picture.kind === 'Y Line') return [];
  const bars = picture.labels.flatMap((_, place) => barsAt(picture, place, boxOf));
  for (const text of [picture.valueText, picture.tickText]) {
    const labels = bars.map(({ sum, x, top, bottom, width }) => {
      const isBelow = sum < 0;
      const y = isBelow ? bottom + GAP : top - GAP;
      return { text: text(sum), x, y, isBelow, room: width + OVERHANG };
    });
    if (labels.every((label) => widthOf(label.text) <= label.room)) return labels;
  }
  return [];
}

/** A bar, or the bars that are stacked. */
interface Stack {
  sum: number;
  x: number;
  top: number;
  bottom: number;
  width: number;
}

/** Returns the bars or stacks at a place. */
function barsAt(
  { series, stacked }: Pick<Picture, 'series' | 'stacked'>,
  place: number,
  boxOf: (place: number, series: number) => BarBox | null,
): Stack[] {
  const stacks = new Map<number, number[]>();
  for (const [i, { side }] of series.entries()) {
    const stack = stacked ? side : i;
    stacks.set(stack, [...(stacks.get(stack) ?? []), i]);
  }
  return [...stacks.values()].flatMap((members): Stack[] => {
    const [sum = null] = members
      .map((i): Sums => [series[i]?.values[place] ?? null])
      .reduce(added, [null]);
    const boxes = members.flatMap((i) =>
      series[i]?.values[place] == null ? [] : (boxOf(place, i) ?? []),
    );
    const [first] = boxes;
    if (sum === null || !first) return [];
    const ends = boxes.flatMap(({ y, base }) => [y, base]);
    const { x, width } = first;
    return [{ sum, x, width, top: Math.min(...ends), bottom: Math.max(...ends) }];
  });
}
