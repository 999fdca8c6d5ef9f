/** Names of the levels of a forecast. */

/** Returns the name of a level at the beginning of a sentence: "The total", or "Region × Product". */
export const levelName = (
  by: readonly string[],
  labelOf: (column: string) => string = (column) => column,
): string => (by.length === 0 ? 'The total' : by.map(labelOf).join(' × '));

/**
 * Returns what a forecast agrees with, to be appended to its level: ", agreeing with the total and Region"; empty for a
 * forecast of one level.
 */
export function agreementText(
  levels: readonly (readonly string[])[] | null | undefined,
  labelOf?: (column: string) => string,
): string {
  if (!levels?.length) return '';
  const names = levels.map((by) => (by.length === 0 ? 'the total' : levelName(by, labelOf)));
  const list = new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(names);
  return `, agreeing with ${list}`;
}
