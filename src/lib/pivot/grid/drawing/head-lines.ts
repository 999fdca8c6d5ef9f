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
 * Returns the name of a measure in its header, beside the other shown measures. If all are parts of one measure
 * that is shown too, they are named without it: "Sales", "reference" and "Δ %".
 *
 * @param names the labels of all shown measures
 */
export function headNames(names: readonly string[]): (name: string) => string {
  const whole = names.find((one) =>
    names.every((name) => name === one || name.startsWith(`${one}: `)),
  );
  return (name) =>
    whole === undefined || name === whole ? name : name.slice(whole.length + ': '.length);
}
