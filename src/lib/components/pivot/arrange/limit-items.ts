/** Menu items that limit the groups of the rows, and the texts of limits. */
import type { PlanSession } from '$lib/plan/session.svelte';
import type { LimitFact } from '$lib/pivot/grid/shown/shown';
import { limitText } from '../text/limit-text';
import { measureNumbers } from '../text/measure-numbers';
import type { MenuItem } from '../../ui/Menu.svelte';

/**
 * Returns the menu item that limits the rows.
 *
 * @param about the field whose groups are limited, or the measure by which they are
 */
export function limitItems(
  about: { field?: string; by?: string },
  { arrangement, fields }: Pick<PlanSession, 'arrangement' | 'fields'>,
): MenuItem[] {
  const { group_by = [] } = arrangement.shown;
  const measures = limitMeasures({ fields });
  if (group_by.length === 0 || measures.length === 0) return [];
  if (about.by !== undefined && !measures.some(({ name }) => name === about.by)) return [];
  return [{ label: 'Top, bottom or threshold …', onselect: () => (fields.limiting = about) }];
}

/** Returns the measures on screen by which groups can be limited. */
export const limitMeasures = ({ fields }: Pick<PlanSession, 'fields'>) =>
  fields.measures.filter((field) => fields.hasNumbers(field.name) && fields.limits(field));

/** Returns the text of a limit; see {@link limitText}. */
export const limitFactText = (fact: LimitFact, { fields }: Pick<PlanSession, 'fields'>): string =>
  limitText(fact, {
    labelOf: (name) => fields.labelOf(name),
    numberOf: (number, by) => measureNumbers(fields, by).text(number),
  });
