/** The measures of a source in the words of the planner. */
import { baseTypeOf, MEASURE_ROLES, measureKey, type ColumnEntry } from '$lib/contract/columns';
import { decimalsShown } from '$lib/contract/decimals';
import type { NamedMeasure } from '$lib/plan/amounts/measure-words';

/** Returns the measures of a source with the decimals that their types fix: value, units, then the further ones. */
export const measuresOf = (
  columns: readonly Pick<ColumnEntry, 'cname' | 'label' | 'role' | 'type' | 'base_type'>[],
): NamedMeasure[] =>
  MEASURE_ROLES.flatMap((role) =>
    columns
      .filter((column) => column.role === role)
      .map((column): NamedMeasure => ({
        key: measureKey({ role, name: column.cname }),
        name: column.label || column.cname,
        decimals: decimalsShown(role === 'units' ? role : 'value', baseTypeOf(column)),
      })),
  );

/** Returns the label of a measure. @param key `value`, `units` or the column of a further measure */
export const labelOfMeasure = (measures: readonly NamedMeasure[], key: string): string =>
  measures.find((measure) => measure.key === key)?.name ?? key;
