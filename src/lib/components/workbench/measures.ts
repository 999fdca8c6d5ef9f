/** The measures of a source in the words of the planner. */
import { baseTypeOf, measuresOf, type ColumnEntry } from '$lib/contract/columns';
import { decimalsShown } from '$lib/contract/decimals';
import type { NamedMeasure } from '$lib/plan/amounts/measure-words';

/** Returns the measures of a source with the decimals that their types fix. */
export const namedMeasures = (
  columns: readonly Pick<ColumnEntry, 'cname' | 'label' | 'role' | 'type' | 'base_type'>[],
): NamedMeasure[] =>
  measuresOf(columns).map(({ key, column }) => ({
    ...{ key, column: column.cname, name: column.label || column.cname },
    decimals: decimalsShown(key === 'units' ? key : 'value', baseTypeOf(column)),
  }));

/** Returns the label of a measure. */
export const labelOfMeasure = (measures: readonly NamedMeasure[], key: string): string =>
  measures.find((measure) => measure.key === key)?.name ?? key;
