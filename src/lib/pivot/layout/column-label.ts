/** The label of a column of the pivot, as people see it. */
import type { ColumnEntry } from '../../contract/columns';

type Labelled = Pick<ColumnEntry, 'cname' | 'label'>;

/**
 * Returns the label of a column, or its name if it has none. The label of a part of a measure, such as
 * "Sales: Δ", begins with that of the measure.
 */
export function columnLabel(name: string, columns: readonly Labelled[]): string {
  const own = columns.find(({ cname }) => cname === name);
  if (own) return own.label || name;
  const [whole] = columns
    .filter(({ cname }) => name.startsWith(`${cname}: `))
    .toSorted((a, b) => b.cname.length - a.cname.length);
  return whole?.label ? whole.label + name.slice(whole.cname.length) : name;
}
