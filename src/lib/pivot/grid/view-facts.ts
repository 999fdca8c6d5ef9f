import type { LayoutFilter } from '../../contract/stored-layout';
import { namesUsed } from '../layout/layout';
import { byName } from '../values/cell-value';
import type { EngineTable, EngineView, Schema, ViewConfig } from '../values/engine-types';
import type { BesideTable, Untold } from './beside';

/** What a view shows, and the types of its columns. */
export interface ViewFacts {
  config: Readonly<ViewConfig>;
  schema: Schema;
  /** How many levels of rows the view has: `config` also names those that join it when they are opened. */
  levels: number;
}

/**
 * Reads what a view shows.
 *
 * @param untold what the view was made with, but does not answer in its configuration
 */
export async function viewFacts(
  table: EngineTable,
  view: EngineView,
  { sort = [], aggregates = {}, group_by = [] }: Untold,
  beside: Pick<BesideTable, 'textOf'>,
): Promise<ViewFacts> {
  const [config, tableSchema, expressionSchema] = await Promise.all([
    view.get_config(),
    table.schema(),
    view.expression_schema(),
  ]);
  // The engine adds nulls to the lists of `in` in the configuration it answers; they match nothing.
  const filter = config.filter.map(([column, operator, term]): LayoutFilter => [
    column,
    operator,
    Array.isArray(term) ? term.filter((v) => v !== null) : term,
  ]);
  // The viewer may be told of other rows already: a view without any is no part of them.
  const isPart = config.group_by.length > 0 && config.group_by.every((x, i) => x === group_by[i]);
  const arranged = { ...config, filter, sort, group_by: isPart ? group_by : config.group_by };
  const asColumns = [...namesUsed(arranged)].flatMap((name): [string, string][] => {
    const text = name === null ? undefined : beside.textOf(name);
    return name === null || text === undefined ? [] : [[name, text]];
  });
  // Only dates that are grouped by a unit of time are columns, and what they begin with is a date.
  const types = asColumns.map(([name]) => [name, 'date' as const]);
  return {
    config: {
      ...arranged,
      expressions: byName({ ...config.expressions, ...Object.fromEntries(asColumns) }),
      aggregates: byName(aggregates),
    },
    schema: byName({ ...Object.fromEntries(types), ...tableSchema, ...expressionSchema }),
    levels: config.group_by.length,
  };
}
