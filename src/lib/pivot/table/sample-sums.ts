/** Reads the sums of measures in the first groups of a layout. */
import type { Layout } from '../../contract/stored-layout';
import { parseRows } from '../values/columns-json';
import { type EngineTable, type Schema, withView } from '../values/engine-types';
import { label, labelStyle } from '../values/labels';

/** The sums of a group of rows. */
export interface SampleRow {
  /** The label of the group; null for all rows. */
  label: string | null;
  sums: ReadonlyMap<string, number>;
}

/** Number of groups that are read. */
const GROUPS = 5;

/** The name of an expression with the same value in every row; columns of a source have no control characters first. */
const ALL = '\u0001';

/** Returns the sums of measures in all rows that the filters admit, then in the first groups of a layout if it has any. */
export async function sampleSums(
  table: EngineTable,
  layout: Layout,
  schema: Schema,
  measures: readonly string[],
): Promise<SampleRow[]> {
  const loaded = measures.filter((name) => name in schema);
  const { group_by = [], filter = [], expressions = {} } = layout;
  const by = group_by.slice(0, 1);
  if (loaded.length === 0) return [];
  // The engine adds up rows only in groups; a group by the same number has the total row and one other.
  const grouping =
    by.length > 0
      ? { group_by: by, expressions }
      : { group_by: [ALL], expressions: { ...expressions, [ALL]: '1' } };
  const config = { ...grouping, columns: loaded, filter };
  const text = await withView(table, config, (view) =>
    view.to_columns_string({ end_row: by.length > 0 ? 1 + GROUPS : 1 }),
  );
  const { paths, columns } = parseRows(text);
  const style = labelStyle(schema[by[0] ?? ''], expressions[by[0] ?? '']);
  return (paths ?? []).map((path, y) => ({
    label: path.length === 0 ? null : label(path[0] ?? null, style),
    sums: new Map(
      loaded.flatMap((name) => {
        const sum = columns.get(name)?.[y];
        return typeof sum === 'number' ? [[name, sum] as const] : [];
      }),
    ),
  }));
}
