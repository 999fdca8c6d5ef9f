/** The amounts that a log entry or a trial adds to the cells of a view. */
import { type CellIdentity, cellKey, pathKey } from '../../slice/cell';
import { tidyChange, valueKey } from '../../values/cell-value';
import { parseRows } from '../../values/columns-json';
import {
  type CellValue,
  type EngineTable,
  type ViewConfig,
  withView,
} from '../../values/engine-types';
import { isAdditive, type Ratio } from '../../values/ratios';

/** Upper limit of groups: with more, no cell is marked. */
const MOST_GROUPS = 200_000;

type MembersOf = (path: readonly CellValue[]) => readonly CellValue[] | null;

/** The parts of a view's settings that decide which rows are behind a cell. */
type TriedView = Pick<
  ViewConfig,
  'group_by' | 'split_by' | 'columns' | 'filter' | 'filter_op' | 'expressions' | 'aggregates'
>;

/** Amounts that the rows of a log entry, or those of a trial, add to each cell of a view. */
export class Tried {
  /**
   * @param amounts by cell
   * @param parts the measures behind the column of a formula
   */
  private constructor(
    private readonly amounts: ReadonlyMap<string, number>,
    private readonly parts: ReadonlyMap<string, readonly string[]> = new Map(),
    /** The values of the groups that the rows change, by the key of the path of their parent. */
    private readonly changed: ReadonlyMap<string, ReadonlySet<CellValue>> = new Map(),
    /** Returns the values of the groups behind a row "Others"; null for any other row. */
    private readonly membersOf: MembersOf = () => null,
  ) {}

  /**
   * Adds up the rows of one log entry in the groups of a view. There are no amounts for ungrouped views, and
   * none for views whose filters are joined by "or".
   *
   * @param ratios the columns that are computed from others, which have no sums
   * @param sizes whether to add up absolute amounts, so that a cell whose rows cancel out has an amount, too
   */
  static async read(
    table: EngineTable,
    { group_by, split_by, columns, filter, filter_op, expressions, aggregates }: TriedView,
    ratios: ReadonlyMap<string, Ratio>,
    logid: number,
    sizes = false,
    membersOf?: MembersOf,
  ): Promise<Tried> {
    const shown = columns.filter((name) => name !== null);
    const parts = new Map(
      shown.flatMap((name) => {
        const ratio = ratios.get(name);
        return ratio && 'result' in ratio ? [[name, ratio.parts] as const] : [];
      }),
    );
    const measures = [...new Set([...shown, ...[...parts.values()].flat()])].filter(
      (name) => !ratios.has(name) && isAdditive(aggregates[name]),
    );
    const isOr = filter_op === 'or' && filter.length > 1;
    if (group_by.length === 0 || measures.length === 0 || isOr) return new Tried(new Map());
    const changed: Partial<ViewConfig> = {
      group_by: [...group_by, ...split_by],
      columns: measures,
      filter: [...filter, ['pf_logid', '==', logid]],
      expressions: { ...expressions },
      // The engine rejects objects without a prototype.
      aggregates: {
        ...aggregates,
        ...(sizes && Object.fromEntries(measures.map((name) => [name, 'sum abs']))),
      },
    };
    const text = await withView(table, changed, (view) =>
      view.to_columns_string({ end_row: MOST_GROUPS + 1 }),
    );
    const { paths, columns: sums } = parseRows(text);
    if (!paths || paths.length > MOST_GROUPS) return new Tried(new Map());
    const amounts = amountsOf(paths, sums, group_by.length, split_by.length);
    return new Tried(amounts, parts, groupsIn(paths, group_by.length), membersOf);
  }

  /** Checks whether the rows change the result of a formula in a cell; false for a cell of any other column. */
  changesResult(cell: CellIdentity): boolean {
    const parts = this.parts.get(cell.measure ?? '') ?? [];
    return parts.some((measure) => this.amountIn({ ...cell, measure }) !== 0);
  }

  /** Returns the amount that the rows add to a cell; 0 if they do not change it, and for the result of a formula. */
  amountIn(cell: CellIdentity): number {
    const members = this.membersOf(cell.rowPath);
    if (!members) return this.amounts.get(cellKey(cell)) ?? 0;
    const parent = cell.rowPath.slice(0, -1);
    const keys = keysOf(members);
    let sum = 0;
    for (const value of this.changed.get(pathKey(parent))?.values() ?? []) {
      if (keys.has(valueKey(value)))
        sum += this.amounts.get(cellKey({ ...cell, rowPath: [...parent, value] })) ?? 0;
    }
    return tidyChange(sum);
  }
}

/** Returns the values of the groups of some paths, by the key of the path of their parent. */
function groupsIn(
  paths: readonly CellValue[][],
  depth: number,
): ReadonlyMap<string, ReadonlySet<CellValue>> {
  const groups = new Map<string, Set<CellValue>>();
  for (const path of paths) {
    const value = path.at(-1);
    if (value === undefined || path.length > depth) continue;
    const key = pathKey(path.slice(0, -1));
    const values = groups.get(key) ?? new Set();
    groups.set(key, values.add(value));
  }
  return groups;
}

const keysByMembers = new WeakMap<readonly CellValue[], ReadonlySet<string>>();

/** Returns the keys of the members of a row "Others". They are computed once for each list of members. */
function keysOf(members: readonly CellValue[]): ReadonlySet<string> {
  const known = keysByMembers.get(members) ?? new Set(members.map(valueKey));
  keysByMembers.set(members, known);
  return known;
}

/**
 * Converts sums of groups to sums of cells. The view has the split columns as its innermost groups, so that
 * their values are typed: a row with all groups is one cell, and a part of every cell above it.
 */
function amountsOf(
  paths: readonly CellValue[][],
  sums: ReadonlyMap<string, readonly CellValue[]>,
  depth: number,
  splits: number,
): Map<string, number> {
  const amounts = new Map<string, number>();
  for (const [y, path] of paths.entries()) {
    if (path.length !== depth + splits) continue;
    // The totals of columns include it, too.
    const columnPaths =
      splits === 0
        ? [null]
        : Array.from({ length: splits + 1 }, (_, level) => path.slice(depth, depth + level));
    for (const [measure, values] of sums) {
      const amount = values[y];
      if (typeof amount !== 'number' || amount === 0) continue;
      for (let level = 0; level <= depth; level++) {
        for (const columnPath of columnPaths) {
          const key = cellKey({ rowPath: path.slice(0, level), columnPath, measure });
          amounts.set(key, (amounts.get(key) ?? 0) + amount);
        }
      }
    }
  }
  for (const [key, amount] of amounts) {
    amounts.set(key, tidyChange(amount));
  }
  return amounts;
}
