/** Reads the cells that rules compare with each other. */
import type { CellValue, View } from '../../values/engine-types';
import {
  markOf,
  type CellMark,
  type MarkRules,
  type MarkScale,
  scaleOf,
} from '../../values/mark-rules';
import type { DrawnColumn } from '../cells/grid-columns';
import type { ViewReader } from '../views/view-reader';

/** The cells of the deepest level on screen, by which rules mark them. */
export interface ComparedCells {
  /** Number of values in the paths of their columns, and of their rows; null for rows that are not grouped. */
  across: number;
  depth: number | null;
  /** The range of their numbers, by measure. */
  scales: ReadonlyMap<string, MarkScale>;
}

/** Returns how the rules of a measure mark a cell; null if they do not. @param compared null without rules */
export function markIn(
  rules: MarkRules,
  compared: ComparedCells | null,
  column: Pick<DrawnColumn, 'measure' | 'path'> | null,
  rowPath: readonly CellValue[] | undefined,
  value: CellValue | undefined,
): CellMark | null {
  const ofMeasure = column && rules.get(column.measure);
  if (!ofMeasure || !compared || typeof value !== 'number') return null;
  const { across, depth, scales } = compared;
  const isCompared =
    (column.path?.length ?? 0) === across && (depth === null || rowPath?.length === depth);
  return markOf(value, ofMeasure, (isCompared && scales.get(column.measure)) || null);
}

/** Reads the numbers of some measures in the cells of the deepest level on screen. */
export async function readCompared(
  reader: ViewReader,
  view: View,
  {
    measures,
    columns,
    printed,
  }: {
    measures: readonly string[];
    columns: readonly DrawnColumn[];
    /** Paths of the engine's columns as it prints them. */
    printed: readonly string[];
  },
): Promise<ComparedCells> {
  const across = Math.max(0, ...columns.map(({ path }) => path?.length ?? 0));
  const deepest = columns.filter(
    ({ measure, path }) => measures.includes(measure) && (path?.length ?? 0) === across,
  );
  const { paths, values } = await reader.values.shown(view, deepest, {}, printed);
  const isGrouped = reader.config.group_by.length > 0;
  const depth = isGrouped ? paths.reduce((most, path) => Math.max(most, path.length), 0) : null;
  const scales = new Map<string, MarkScale>();
  for (const measure of measures) {
    const numbers = deepest.flatMap((column, i) =>
      column.measure === measure
        ? (values[i] ?? []).filter((_, y) => depth === null || paths[y]?.length === depth)
        : [],
    );
    const scale = scaleOf(numbers);
    if (scale) scales.set(measure, scale);
  }
  return { across, depth, scales };
}
