/** Menu items that sort the rows. */
import type { SortKey } from '$lib/pivot/layout/column-sort';
import { sortOf } from '$lib/plan/arrangement/fields';
import type { PlanSession } from '$lib/plan/session.svelte';
import type { MenuItem } from '../../ui/Menu.svelte';

/** Returns menu items that sort the rows. @param words returns the beginning of each label */
export function sortItems(
  keys: readonly SortKey[],
  { fields, arrangement }: Pick<PlanSession, 'fields' | 'arrangement'>,
  words = ({ label }: SortKey) => `Sort rows by ${label}`,
): MenuItem[] {
  const sorted = keys.map(({ name }) => sortOf(name, arrangement.shown));
  const [first] = keys.filter((_, i) => sorted[i] !== null);
  return [
    ...keys.flatMap((key, i): MenuItem[] => [
      {
        label: `${words(key)}: largest first`,
        checked: sorted[i] === 'desc',
        onselect: () => fields.sort(key, 'desc'),
      },
      {
        label: `${words(key)}: smallest first`,
        checked: sorted[i] === 'asc',
        onselect: () => fields.sort(key, 'asc'),
      },
    ]),
    ...(first ? [{ label: 'Do not sort', onselect: () => fields.sort(first, null) }] : []),
  ];
}
