/** Names of rows, and texts about the rows that an empty cell may be modelled on. */
import type { Decimals } from '$lib/contract/decimals';
import type { ReadCell } from '$lib/pivot/slice/cell';
import type { Fields } from '$lib/plan/arrangement/fields.svelte';
import type { Likeness } from '$lib/plan/amounts/likeness';
import type { PlannedVersion } from '$lib/plan/version/planned-version.svelte';
import { formatAmount } from '../../format';
import { setText } from './entry-text';

/** Returns the last member of a cell's row path, or of its column path; undefined for a total. */
const memberOf = (fields: Fields, at: Pick<ReadCell, 'rowPath' | 'columnPath'>) =>
  fields.membersOf({ ...at, measure: null }).at(-1)?.text;

/** Returns the name of a row; that of the total row is “all rows”. */
export const rowName = (fields: Fields, rowPath: ReadCell['rowPath']): string =>
  memberOf(fields, { rowPath, columnPath: null }) ?? 'all rows';

/** Returns the name of the rows of a model. */
export function likenessText({ kind, cell }: Likeness, fields: Fields): string {
  if (kind === 'row') return 'all of this row';
  if (kind === 'column') return memberOf(fields, { ...cell, rowPath: [] }) ?? 'another column';
  return rowName(fields, cell.rowPath);
}

/** Describes the chosen model of an empty cell, for users who do not see the list; null if there is none. */
export function offeredText(
  likenesses: readonly Likeness[],
  chosen: number,
  { fields, planned, decimals }: { fields: Fields; planned: PlannedVersion; decimals: Decimals },
): string | null {
  const likeness = likenesses[chosen];
  if (!likeness) return null;
  const count = likenesses.length;
  const more = count > 1 ? ` ${chosen + 1} of ${count}. Choose with the arrow keys.` : '';
  const total = formatAmount(likeness.total, decimals);
  const set = setText(likeness.set, planned);
  return `This cell has no rows yet. Copy them from ${likenessText(likeness, fields)}, ${total}; the copies get ${set}.${more}`;
}
