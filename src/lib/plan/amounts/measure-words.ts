/** The measures of a source in the words of the planner. */
import { SINGLE_ROLES } from '../../contract/columns';
import type { Decimals, MeasureDecimals } from '../../contract/decimals';

/** Names and decimals of the measures of a source. */
export interface MeasureWords {
  /** The label of a column. */
  labelOf(column: string): string;
  /** Whether the values of a column are calendar days; if left out, each value that looks like a day is one. */
  isDay?(column: string): boolean;
  /** The labels of the value and units columns; undefined for a measure that the source lacks. */
  measureNames: { value: string | undefined; units: string | undefined };
  /** Number of decimals of the amounts of each measure. */
  decimals: MeasureDecimals;
}

/** A measure of a source. */
export interface NamedMeasure {
  /** Its name in requests and answers: `value`, `units` or the column of a further measure. */
  key: string;
  /** Its label. */
  name: string;
  decimals: Decimals;
}

/** Returns the measures of a source: value and units if it has them, then the further ones. */
export function namedMeasures(words: MeasureWords): NamedMeasure[] {
  const { measureNames, decimals } = words;
  const single = SINGLE_ROLES.flatMap((key): NamedMeasure[] => {
    const name = measureNames[key];
    return name === undefined ? [] : [{ key, name, decimals: decimals[key] }];
  });
  const further = [...(decimals.further ?? [])].map(([key, own]): NamedMeasure => {
    return { key, name: words.labelOf(key), decimals: own };
  });
  return [...single, ...further];
}

/** Decimals of amounts of a measure that the source no longer has. */
const UNKNOWN: Decimals = { least: 0, most: 6 };

/** Returns a measure by its key, also one that the source no longer has. */
export function namedMeasure(key: string, words: MeasureWords): NamedMeasure {
  const known = namedMeasures(words).find((measure) => measure.key === key);
  if (known) return known;
  const { decimals } = words;
  const own = key === 'value' || key === 'units' ? decimals[key] : UNKNOWN;
  return { key, name: words.labelOf(key), decimals: own };
}
