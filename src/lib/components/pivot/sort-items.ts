import type { Layout } from '$lib/contract/stored-layout';
import { sortOf } from '$lib/plan/fields';
import type { Fields, PlacedField } from '$lib/plan/fields.svelte';
import type { MenuItem } from '../ui/Menu.svelte';

/** What a menu offers to sort the rows by a measure. @param words how each item begins */
export function sortItems(
  measure: PlacedField,
  fields: Fields,
  shown: Layout,
  words = `Sort rows by ${measure.label}`,
): MenuItem[] {
  const sorted = sortOf(measure.name, shown);
  const sort = (direction: typeof sorted) => () => fields.sort(measure, direction);
  return [
    { label: `${words}: largest first`, checked: sorted === 'desc', onselect: sort('desc') },
    { label: `${words}: smallest first`, checked: sorted === 'asc', onselect: sort('asc') },
    ...(sorted ? [{ label: 'Do not sort', onselect: sort(null) }] : []),
  ];
}
