/** Menu items that keep columns in place. */
import type { CellIdentity } from '$lib/pivot/slice/cell';
import { lastColumnOf } from '$lib/pivot/grid/drawing/pinned';
import type { PlanSession } from '$lib/plan/session.svelte';
import type { MenuItem } from '../../ui/Menu.svelte';

/** Returns menu items that pin the columns up to that of a cell or header, and that unpin all. */
export function pinItems(
  target: CellIdentity,
  { arrangement, pivot }: Pick<PlanSession, 'arrangement' | 'pivot'>,
): MenuItem[] {
  const columns = pivot?.grid.shown.columns ?? [];
  const { group_by = [], pinned_columns = 0 } = arrangement.shown;
  const count = group_by.length > 0 ? lastColumnOf(columns, target) + 1 : 0;
  // The last column has none behind it to scroll.
  const canPin = count > 0 && count < columns.length && count !== pinned_columns;
  const pin = (label: string, wanted: number | undefined): MenuItem => ({
    label,
    onselect: () => void arrangement.setGrid({ pinned_columns: wanted }),
  });
  return [
    ...(canPin ? [pin('Pin the columns up to here', count)] : []),
    ...(pinned_columns > 0 ? [pin('Unpin the columns', undefined)] : []),
  ];
}
