/** Menu items of a measure: how it is shown, and the rules that mark its cells. */
import type { ShowAs } from '$lib/contract/stored-layout';
import type { PlanSession } from '$lib/plan/session.svelte';
import type { MenuItem } from '../../ui/Menu.svelte';

const WAYS: readonly { way: ShowAs | undefined; label: string }[] = [
  { way: undefined, label: 'Show as amount' },
  { way: 'share_of_total', label: 'Show as % of total' },
  { way: 'share_of_row', label: 'Show as % of parent' },
  { way: 'share_of_column', label: 'Show as % of parent column' },
  { way: 'running_total', label: 'Show as running total' },
  { way: 'rank', label: 'Show as rank' },
];

/**
 * Returns menu items for the ways to show a measure. A share of the parent column needs columns, and a running total
 * needs a date in them. Rows that are not grouped and texts have no items.
 */
function showAsItems(
  measure: string,
  { arrangement, fields, pivot }: Pick<PlanSession, 'arrangement' | 'fields' | 'pivot'>,
): MenuItem[] {
  const { group_by = [], split_by = [], columns = [] } = arrangement.shown;
  const { reader } = pivot?.grid.shown ?? {};
  if (!reader || group_by.length === 0 || !columns.includes(measure)) return [];
  if (!fields.hasNumbers(measure)) return [];
  const style = fields.amountStyleOf(measure);
  const isOffered = (way: ShowAs | undefined) =>
    way === style.show_as ||
    (way === 'running_total'
      ? reader.hasTimeAcross
      : way !== 'share_of_column' || split_by.length > 0);
  return WAYS.filter(({ way }) => isOffered(way)).map(({ way, label }) => ({
    label,
    checked: way === style.show_as,
    onselect: () => void arrangement.showAmounts(measure, { ...style, show_as: way }),
  }));
}

/** Returns menu items for the ways to show a measure, and for the rules that mark its cells. */
export function measureItems(
  measure: string,
  session: Pick<PlanSession, 'arrangement' | 'fields' | 'pivot'>,
): MenuItem[] {
  const { fields } = session;
  return [
    ...showAsItems(measure, session),
    ...(fields.hasNumbers(measure)
      ? [{ label: 'Mark cells …', onselect: () => (fields.marking = measure) }]
      : []),
  ];
}
