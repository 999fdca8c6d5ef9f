/** The conditions that a bar or point of a chart puts on rows and columns of the grid. */
import type { CellCondition } from '../slice/cell';
import type { Chart } from './chart-reader';

/**
 * Returns the conditions of the cells that a bar or point adds up.
 *
 * @param place index of its place on the axis
 * @param line index of its series; null for all series
 */
export function conditionsOf(
  { axis, series, places, lines }: Pick<Chart, 'axis' | 'series' | 'places' | 'lines'>,
  place: number,
  line: number | null,
): CellCondition[] {
  const members = line === null ? null : (lines[line]?.members ?? null);
  return [
    ...(axis.length > 0 ? [{ columns: axis, paths: places[place] ?? [] }] : []),
    ...(series !== null && members
      ? [{ columns: [series], paths: members.map((value) => [value]) }]
      : []),
  ];
}
