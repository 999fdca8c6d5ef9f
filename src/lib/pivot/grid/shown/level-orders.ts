/** The order of names at each level of the rows or columns. */
import type { GridSettings, LayoutSort } from '../../../contract/stored-layout';
import type { Schema } from '../../values/engine-types';
import { inOrder, listedFirst, type NameOrder } from '../../values/name-order';
import type { BesideTable } from '../views/beside';

/** The settings of a view that decide the order of its names. */
interface OrderedView {
  config: { group_by: readonly string[]; split_by: readonly string[]; sort: readonly LayoutSort[] };
  schema: Schema;
  beside: Pick<BesideTable, 'usualOrderOf' | 'isUsualSort'>;
}

/**
 * Returns the order of each level, the outermost first; null for the engine's order. Empty if the user sorts the rows or
 * columns.
 *
 * @param orders the orders that the user has set, by field
 */
export function levelOrders(
  side: 'rows' | 'columns',
  { config, schema, beside }: OrderedView,
  orders: GridSettings['orders'] = {},
): readonly (NameOrder | null)[] {
  const isOfColumns = side === 'columns';
  const sort = config.sort.filter(([, direction]) => direction.startsWith('col ') === isOfColumns);
  if (sort.some(([name]) => !beside.isUsualSort(name))) return [];
  return (isOfColumns ? config.split_by : config.group_by).map((field) => {
    const usual = beside.usualOrderOf(field);
    const byName = usual === 'by time' ? null : inOrder;
    const listed = Object.hasOwn(orders, field) ? orders[field] : undefined;
    if (listed && schema[field] === 'string') return listedFirst(listed, byName);
    // The engine sorts all levels by the time that sorts one of them.
    return usual === 'by name' || sort.length > 0 ? byName : null;
  });
}
