/** The labels of a source's measures. */
import { decimalsShown, type MeasureDecimals } from '$lib/contract/decimals';
import { baseTypeOf, type ColumnEntry } from '$lib/contract/columns';

/** The labels of the source's value and units columns, null for a missing column, and their decimals. */
export type Measures = {
  value: string | null;
  units: string | null;
  decimals: MeasureDecimals;
};

export function measuresOf(
  columns: readonly Pick<ColumnEntry, 'cname' | 'label' | 'role' | 'type' | 'base_type'>[],
): Measures {
  const named = (role: ColumnEntry['role']) => {
    const column = columns.find((each) => each.role === role);
    return column ? column.label || column.cname : null;
  };
  const decimals = (role: 'value' | 'units') =>
    decimalsShown(role, baseTypeOf(columns.find((each) => each.role === role)));
  return {
    value: named('value'),
    units: named('units'),
    decimals: { value: decimals('value'), units: decimals('units') },
  };
}
