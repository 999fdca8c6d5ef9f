/** The labels of a source's measures. */
import { decimalsShown, type MeasureDecimals } from '$lib/contract/decimals';
import { baseTypeOf, type ColumnEntry } from '$lib/contract/columns';

/**
 * The labels of the source's value and units columns, null for a missing column, those of the further measures by
 * column, and the decimals of value and units.
 */
export type Measures = {
  value: string | null;
  units: string | null;
  further: ReadonlyMap<string, string>;
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
    further: new Map(
      columns.flatMap(({ cname, label, role }) =>
        role === 'measure' ? [[cname, label || cname] as const] : [],
      ),
    ),
    decimals: { value: decimals('value'), units: decimals('units') },
  };
}

/** Returns the label of a measure. @param key `value`, `units` or the column of a further measure */
export const labelOfMeasure = ({ value, units, further }: Measures, key: string): string => {
  if (key === 'value') return value ?? key;
  return (key === 'units' ? units : further.get(key)) ?? key;
};
