/** The measures of a source in the words of the planner. */
import type { Decimals, MeasureDecimals } from '../../contract/decimals';

/** Names and decimals of the measures of a source. */
export interface MeasureWords {
  /** The label of a column. */
  labelOf(column: string): string;
  /** Whether the values of a column are calendar days; if left out, each value that looks like a day is one. */
  isDay?(column: string): boolean;
  /** The measures: value and units if the source has them, then the others. */
  measures: readonly NamedMeasure[];
  /** Number of decimals of the amounts of each measure. */
  decimals: MeasureDecimals;
}

/** A measure of a source. */
export interface NamedMeasure {
  key: string;
  column: string;
  /** Its label. */
  name: string;
  decimals: Decimals;
}

/** Decimals of amounts of a measure that the source no longer has. */
const UNKNOWN: Decimals = { least: 0, most: 6 };

/** Returns a measure by its key, also one that the source no longer has. */
export function namedMeasure(key: string, words: MeasureWords): NamedMeasure {
  const known = words.measures.find((measure) => measure.key === key);
  if (known) return known;
  const decimals = words.decimals[key] ?? UNKNOWN;
  return { key, column: key, name: words.labelOf(key), decimals };
}
