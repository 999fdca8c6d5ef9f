/** Finds rows of an exported sheet that somebody has swapped although they have one label. */

/** A row that was exported, and what the sheet has in its place. */
export interface ComparedRow {
  /** Equal for rows of one label. */
  label: string;
  /** Its exact amounts when it was exported, by column; null for an empty cell. */
  was: readonly (number | null)[];
  /** The numbers of the sheet in its place; null for a cell without one. */
  now: readonly (number | null)[];
}

/** A spreadsheet keeps 15 digits. */
const isSame = (one: number | null, other: number | null): boolean =>
  one === null || other === null
    ? one === other
    : Math.abs(one - other) <= 1e-12 * Math.max(Math.abs(one), Math.abs(other));

const areSame = (one: ComparedRow['was'], other: ComparedRow['was']): boolean =>
  one.every((amount, i) => isSame(amount, other[i] ?? null));

/**
 * Returns the rows that have the amounts of another row of their label, which has those of the first one or of a third
 * one, and so on. Nothing tells whether such rows were swapped or their amounts typed.
 */
export function swappedRows(rows: readonly ComparedRow[]): Set<ComparedRow> {
  const changed = new Map<string, ComparedRow[]>();
  for (const row of rows) {
    if (!areSame(row.was, row.now))
      changed.set(row.label, [...(changed.get(row.label) ?? []), row]);
  }
  const swapped = new Set<ComparedRow>();
  for (const alike of changed.values()) {
    const next = (row: ComparedRow) => alike.find(({ was }) => areSame(was, row.now));
    for (const row of alike) {
      let at = next(row);
      for (let n = 1; n < alike.length && at && at !== row; n++) at = next(at);
      if (at === row) swapped.add(row);
    }
  }
  return swapped;
}
