/** The settings of a view and the types of its columns. */
import type { LayoutFilter } from '../../../contract/stored-layout';
import { namesUsed } from '../../layout/layout';
import { byName } from '../../values/cell-value';
import type { EngineTable, View, Schema, ViewConfig } from '../../values/engine-types';
import type { BesideTable, Untold } from './beside';

/** A view's settings, and the types of its columns. */
export interface ViewFacts {
  config: Readonly<ViewConfig>;
  schema: Schema;
  /** Number of row levels of the view: `config` also names the levels that are added when rows are opened. */
  levels: number;
  /** The columns of the view that are only there for computed columns. */
  hidden: ReadonlySet<string>;
}

/**
 * Reads the settings of a view.
 *
 * @param untold view settings that `get_config()` omits
 */
export async function viewFacts(
  table: EngineTable,
  view: View,
  { sort = [], aggregates = {}, group_by = [], columns }: Untold,
  beside: Pick<BesideTable, 'textOf'>,
): Promise<ViewFacts> {
  const [config, tableSchema, expressionSchema] = await Promise.all([
    view.get_config(),
    table.schema(),
    view.expression_schema(),
  ]);
  // The engine adds nulls to the lists of `in` filters in its configuration; they match nothing.
  const filter = config.filter.map(([column, operator, term]): LayoutFilter => [
    column,
    operator,
    Array.isArray(term) ? term.filter((v) => v !== null) : term,
  ]);
  // `group_by` may already be that of the next view; a view without groups is not a part of it.
  const isPart = config.group_by.length > 0 && config.group_by.every((x, i) => x === group_by[i]);
  const arranged = { ...config, filter, sort, group_by: isPart ? group_by : config.group_by };
  const asColumns = [...namesUsed(arranged)].flatMap((name): [string, string][] => {
    const text = name === null ? undefined : beside.textOf(name);
    return name === null || text === undefined ? [] : [[name, text]];
  });
  // Only dates that are grouped by a unit of time appear as columns; their values are the first days of the
  // periods.
  const types = asColumns.map(([name]) => [name, 'date' as const]);
  return {
    config: {
      ...arranged,
      expressions: byName({ ...config.expressions, ...Object.fromEntries(asColumns) }),
      aggregates: byName(aggregates),
    },
    schema: byName({ ...Object.fromEntries(types), ...tableSchema, ...expressionSchema }),
    levels: config.group_by.length,
    hidden: hiddenIn(config.columns, columns),
  };
}

/** Returns the columns of a view that a layout does not show; none if it shows no column of the view. */
function hiddenIn(
  ofView: readonly (string | null)[],
  shown: readonly (string | null)[] = ofView,
): ReadonlySet<string> {
  const names = ofView.filter((name) => name !== null);
  const hidden = names.filter((name) => !shown.includes(name));
  return new Set(hidden.length < names.length ? hidden : []);
}
