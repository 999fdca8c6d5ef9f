/** The names of columns by origin. */
import { type Origin, WITH_OTHER } from './origin-columns';

/** The suffix of the column names of each origin, after the name of the measure. */
export type Suffixes = Readonly<Partial<Record<Origin, string>>>;
export const SUFFIXES: Suffixes = {
  baseline: 'baseline',
  changes: 'changes',
  forecast: 'forecast',
  missed: 'missed by',
  reference: 'reference',
  difference: 'Δ',
  percent: 'Δ %',
};
const otherSuffixes = (name: string): Suffixes => ({
  other: name,
  otherDifference: `Δ to ${name}`,
  otherPercent: `Δ % to ${name}`,
});

/** Returns the name of a measure's column for one origin. */
export const nameOf = (measure: string, origin: Origin, suffixes: Suffixes) =>
  `${measure}: ${suffixes[origin]}`;

/** Returns suffixes with which another version's columns get unused names, and adds these to the taken ones. */
export function freeSuffixes(
  { id, name }: { id: number; name: string },
  measures: readonly string[],
  taken: Set<string>,
): Suffixes {
  for (let n = 0; ; n++) {
    const suffixes = otherSuffixes(
      n === 0 ? name : `${name} (version ${id}${n > 1 ? `, ${n}` : ''})`,
    );
    const names = measures.flatMap((measure) =>
      WITH_OTHER.map((origin) => nameOf(measure, origin, suffixes)),
    );
    if (names.some((each) => taken.has(each))) continue;
    for (const each of names) taken.add(each);
    return suffixes;
  }
}
