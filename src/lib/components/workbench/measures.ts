/** The labels of a source's measures. */
import type { ColumnEntry } from '$lib/contract/columns';

/** The labels of the source's value and units columns; null if it has none. */
export type Measures = { value: string | null; units: string | null };

export function measuresOf(
  columns: readonly Pick<ColumnEntry, 'cname' | 'label' | 'role'>[],
): Measures {
  const named = (role: ColumnEntry['role']) => {
    const column = columns.find((each) => each.role === role);
    return column ? column.label || column.cname : null;
  };
  return { value: named('value'), units: named('units') };
}
