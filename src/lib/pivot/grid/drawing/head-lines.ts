/** The names of measures in their headers. */

/** Longest name that stays in one line: hardly wider than an amount. */
const ONE_LINE = 9;

/**
 * Splits the name of a measure into the lines of its header: "Sales: Δ % to " and "Cautious 2027". A long name is
 * split at the blank that makes the longer line shortest; the blank stays at the end of the first line, so that
 * the lines together are the name. "Δ %" stays together, and a name without a blank in one line.
 */
export function headLines(name: string): [string] | [string, string] {
  if (name.length <= ONE_LINE) return [name];
  const places = [...name.matchAll(/\S (?!%)/g)].map(({ index }) => index + 2);
  const longer = (place: number) => Math.max(place - 1, name.length - place);
  const [best] = places.toSorted((a, b) => longer(a) - longer(b));
  return best === undefined || best === name.length
    ? [name]
    : [name.slice(0, best), name.slice(best)];
}

/**
 * Returns the name of a measure in its header, if all shown measures are parts of one: "Sales: Δ %" is "Δ %" beside
 * "Sales".
 *
 * @param label of the measure
 * @param whole the label of the measure that it is a part of
 */
export const nameOfPart = (label: string, whole: string): string =>
  label.startsWith(`${whole}: `) ? label.slice(whole.length + ': '.length) : label;

/**
 * Whether a unit, such as "% of parent column", stands in a second line below the name of its measure. The last line of a
 * name in two lines has the unit, too.
 */
export const isBelow = (unit: string | null, lines: readonly string[]): unit is string =>
  unit !== null && unit.length > ONE_LINE && lines.length === 1;
