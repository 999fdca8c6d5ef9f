/** Adds up the rows that an entry wrote, and reads the numbers beside them on screen. */
import { numbersIn } from './compare';
import type { WrittenRow } from './stored';

/** Sum of a measure over some rows. */
export const sumOf = (rows: readonly WrittenRow[], measure: string): number =>
  rows.reduce((sum, { amounts }) => sum + (amounts[measure] ?? 0), 0);

/** Whether a leaf has some values. */
export const isAt = (leaf: WrittenRow['leaf'], set: Record<string, string | null>): boolean =>
  Object.entries(set).every(([column, value]) => leaf[column] === value);

/** Rows of an entry, those of one leaf added up. */
export function byLeaf(rows: readonly WrittenRow[]): WrittenRow[] {
  const leaves = new Map<string, WrittenRow>();
  for (const row of rows) {
    const key = JSON.stringify(row.leaf);
    const amounts = { ...leaves.get(key)?.amounts };
    for (const [name, amount] of Object.entries(row.amounts)) {
      amounts[name] = (amounts[name] ?? 0) + amount;
    }
    leaves.set(key, { leaf: row.leaf, amounts });
  }
  return [...leaves.values()];
}

/** A price on screen with the decimals of an announced one. */
export const pricedAs = (drawn: string, announced: string): string => {
  const places = /\.(\d+)$/.exec(announced)?.[1]?.length ?? 0;
  const off = Math.abs(Number(numbersIn(drawn)[0]) - Number(announced));
  const shownPlaces = /\.(\d+)$/.exec(drawn)?.[1]?.length ?? 0;
  return off <= 1.01 * 0.5 * 10 ** -Math.min(places, shownPlaces) + 1e-9 ? announced : drawn;
};
