/** The values of the columns that a view shows. */
import { EXACT, type Decimals } from '../../../contract/decimals';
import { pathKey } from '../../slice/cell';
import { Answers } from '../../waiting';
import { parseColumns, parseRows, ROW_KEY, ROW_PATH } from '../../values/columns-json';
import type { ShowAs } from '../../../contract/stored-layout';
import type { CellValue, View, ViewConfig, ViewWindow } from '../../values/engine-types';
import { isAdditive, paintingOf, type Ratio, sumIn } from '../../values/ratios';
import { isShareOf, ranksOf, shareIn, type ShownAs } from '../../values/show-as';
import { endsInOthers } from '../../values/others';
import type { ColumnPaths } from './column-paths';
import { relatedColumn, type ViewColumns } from './related-column';
import { type DrawnColumn, sums } from '../cells/grid-columns';

type RowRange = Pick<ViewWindow, 'start_row' | 'end_row'>;

/** Rows of a view with a list of values per column. */
interface ReadValues {
  paths: CellValue[][];
  values: CellValue[][];
}

/** Returns a number for a row by its path. */
type OfRow = (path: readonly CellValue[]) => CellValue;

/** How a view shows its measures. */
interface ShownMeasures {
  /** The columns that are computed from others. */
  ratios: ReadonlyMap<string, Ratio>;
  /** Returns the measures that are shown in relation to other sums. */
  shownAs: () => ShownAs;
  /** Whether a split column is a date or a period of one. */
  isTime: (column: string) => boolean;
  /** Returns the decimals of the sums of a column. */
  decimalsOf: (column: string) => Decimals;
}

/**
 * The values of the columns that a view shows: a total is the sum of several engine columns, a share is
 * computed from them.
 */
export class ShownValues {
  private readonly ratios: ReadonlyMap<string, Ratio>;
  private readonly aggregates: ViewConfig['aggregates'];
  /** Numbers that need other rows, for each view and column. */
  private byPath = new WeakMap<View, Answers<OfRow>>();

  constructor(
    private readonly view: View,
    private readonly config: Readonly<ViewConfig>,
    private readonly paths: ColumnPaths,
    private readonly measures: ShownMeasures,
  ) {
    this.ratios = measures.ratios;
    this.aggregates = config.aggregates;
  }

  /** Clears the cached values after rows or columns came or went. */
  forget(): void {
    this.byPath = new WeakMap();
  }

  /**
   * Reads what the grid shows: the values that {@link rows} reads, in relation to other sums where the measure is
   * shown so. Parameters and result are those of {@link rows}.
   */
  async shown(
    view: View,
    columns: readonly DrawnColumn[],
    rows: RowRange,
    printed: readonly string[],
  ): Promise<ReadValues> {
    const ways = columns.map(({ measure }) => this.wayOf(measure));
    if (ways.every((way) => way === null)) return this.rows(view, columns, rows, printed);
    const related = await this.relatedColumns(columns);
    const isBeside = (way: ShowAs | null) => way === 'running_total' || way === 'share_of_column';
    const beside = columns.map((column, i) => (isBeside(ways[i] ?? null) && related[i]) || column);
    const read = await this.rows(view, [...columns, ...beside], rows, printed);
    const { paths } = read;
    const others = await this.ofOtherRows(view, ways, related, printed);
    const values = columns.map((column, i): CellValue[] => {
      const own = read.values[i] ?? [];
      const same = read.values[columns.length + i] ?? [];
      const way = ways[i];
      const other = others[i];
      if (!way) return own;
      if (!related[i]) return own.map(() => null);
      if (way === 'running_total') return same;
      const numbers = other ? paths.map(other) : same;
      if (way === 'rank') return numbers;
      return own.map((sum, y) => shareIn(sum, numbers[y], this.decimalsOf(column)));
    });
    return { paths, values };
  }

  /**
   * Returns the sum of which a cell is shown as a share; null if it is empty or rounds to zero, or if the cell shows no
   * share.
   *
   * @param y position of the row, whose path is `rowPath`
   */
  async wholeOf(column: DrawnColumn, y: number, rowPath: CellValue[]): Promise<number | null> {
    const way = this.wayOf(column.measure);
    const [other] = await this.relatedColumns([column]);
    if (!way || !isShareOf(way) || !other) return null;
    const printed = await this.paths.printed();
    const [ofRow] = await this.ofOtherRows(this.view, [way], [other], printed);
    const [same] = ofRow ? [] : await this.column(other, { start_row: y, end_row: y + 1 });
    const whole = ofRow ? ofRow(rowPath) : same;
    return sumIn(whole, this.decimalsOf(column)) || null;
  }

  /** Returns the decimals of the sums of a column; {@link EXACT} for numbers that are no sums. */
  decimalsOf({ measure }: DrawnColumn): Decimals {
    return isAdditive(this.aggregates[measure]) ? this.measures.decimalsOf(measure) : EXACT;
  }

  /** Returns the way in which a measure is shown; null if the view shows its sums. */
  wayOf(measure: string): ShowAs | null {
    if (this.config.group_by.length === 0) return null;
    return this.measures.shownAs().get(measure) ?? null;
  }

  /** Returns for each column the one that its sums are shown in relation to; null if there is none. */
  private async relatedColumns(columns: readonly DrawnColumn[]): Promise<(DrawnColumn | null)[]> {
    const { split_by } = this.config;
    const measures = this.paths.shown;
    const typed = split_by.length > 0 ? await this.paths.typed() : [];
    const all: ViewColumns = {
      measures,
      groups: typed.filter((_, x) => x % measures.length === 0),
      areTimes: split_by.map(this.measures.isTime),
    };
    return columns.map((column) => {
      const way = this.wayOf(column.measure);
      return way && relatedColumn(column, way, all);
    });
  }

  /**
   * Returns for each column the numbers that need other rows than the one of a cell: the sum of which it is a share, or
   * its rank. Null for a way that needs none. The columns that are not cached are read in one call to the engine.
   *
   * @param related see {@link relatedColumns}
   */
  private ofOtherRows(
    view: View,
    ways: readonly (ShowAs | null)[],
    related: readonly (DrawnColumn | null)[],
    printed: readonly string[],
  ): Promise<(OfRow | null)[]> {
    const answers = this.byPath.get(view) ?? new Answers<OfRow>();
    this.byPath.set(view, answers);
    const wanted = related.map((column, i) => {
      const way = ways[i];
      if (!column || !way || way === 'running_total' || way === 'share_of_column') return null;
      // All columns of a measure are shares of the same total, so it has one key.
      const leaves = way === 'share_of_total' ? [] : column.leaves;
      return { column, way, key: JSON.stringify([way, column.measure, leaves]) };
    });
    const missing = wanted.flatMap((each) =>
      each && each.way !== 'share_of_total' && !answers.has(each.key) ? [each] : [],
    );
    const reading = missing.length > 0 ? this.ofAllRows(view, missing, printed) : null;
    const numbers = wanted.map(
      (each) =>
        each &&
        answers.get(each.key, async () => {
          const read = reading && (await reading)[missing.indexOf(each)];
          if (read) return read;
          const top = { start_row: 0, end_row: 1 };
          const { values } = await this.rows(view, [each.column], top, printed);
          return constantly(values[0]?.[0] ?? null);
        }),
    );
    return Promise.all(numbers);
  }

  /** Reads columns in all rows of a view: the sums of the parent of a row, or its rank. */
  private async ofAllRows(
    view: View,
    wanted: readonly { column: DrawnColumn; way: ShowAs }[],
    printed: readonly string[],
  ): Promise<OfRow[]> {
    // Groups that are not shown count in ranks.
    const whole = view.engine ?? view;
    const all = { start_row: 0, end_row: await whole.num_rows() };
    const columns = wanted.map(({ column }) => column);
    const { paths, values } = await this.rows(whole, columns, all, printed);
    const positions = new Map(paths.map((path, y) => [pathKey(path), y]));
    const ys = [...paths.keys()].filter(
      (y) => (paths[y]?.length ?? 0) < this.config.group_by.length,
    );
    const parents = new Map(ys.map((y, i) => [pathKey(paths[y] ?? []), i]));
    return wanted.map(({ way }, i) => {
      const sums = values[i] ?? [];
      if (way === 'rank') return ofRows(positions, ranksOf(paths, sums));
      const ofParents = ys.map((y) => sums[y] ?? null);
      return ofParent(parents, ofParents);
    });
  }

  /** Reads the sums of one column in one call to the engine. */
  async column(column: DrawnColumn, rows: RowRange): Promise<CellValue[]> {
    const { values } = await this.rows(this.view, [column], rows, await this.paths.printed());
    return values[0] ?? [];
  }

  /**
   * Reads the sums of some columns in one call to the engine, as one list per column. Computed columns have the
   * numbers that are computed from sums.
   *
   * @param view the view to read, which may have just replaced the reader's
   * @param printed the engine's columns as it prints them
   */
  async rows(
    view: View,
    columns: readonly DrawnColumn[],
    rows: RowRange,
    printed: readonly string[],
  ): Promise<ReadValues> {
    const parts = columns.map((column) => this.partsOf(column));
    const leaves = parts.flat().flatMap((part) => part ?? []);
    const start_col = leaves.reduce((least, leaf) => Math.min(least, leaf), printed.length);
    const end_col = leaves.reduce((most, leaf) => Math.max(most, leaf + 1), 0);
    const read = parseRows(
      await view.to_columns_string({
        ...rows,
        start_col: Math.min(start_col, end_col),
        end_col: Math.max(end_col, 1),
        id: rows.start_row !== undefined,
      }),
    );
    const counts = new Map<string, number>();
    for (const path of printed) counts.set(path, (counts.get(path) ?? 0) + 1);
    let whole: ReturnType<typeof readWhole> | undefined;
    // Of columns that print alike, the engine returns only the last. With a sort by a hidden column its windows
    // of columns are shifted.
    const valuesAt = async (leaf: number): Promise<CellValue[]> => {
      const path = printed[leaf] ?? '';
      const isUnique = counts.get(path) === 1;
      const values = isUnique ? read.columns.get(path) : undefined;
      if (values) return values;
      const all = await (whole ??= readWhole(view, rows));
      return (isUnique ? all.find(([name]) => name === path) : all[leaf])?.[1] ?? [];
    };
    const paths = read.paths ?? read.keys ?? [];
    const values = await Promise.all(
      columns.map(async (column, i) => {
        const lists = (parts[i] ?? []).map((part) => Promise.all((part ?? []).map(valuesAt)));
        const own = this.valuesOf(column, await Promise.all(lists));
        // The groups of such a row were added up.
        if (this.isSum(column)) return own;
        return own.map((value, y) => (endsInOthers(paths[y] ?? []) ? null : value));
      }),
    );
    return { paths, values };
  }

  /**
   * Returns the positions of the engine columns behind a column: for a computed column one list per part,
   * null for a part that the view does not show; for any other column a single list.
   */
  private partsOf({ measure, leaves }: DrawnColumn): (readonly number[] | null)[] {
    const painting = paintingOf(measure, this.ratios);
    if (!painting) return [leaves];
    const { shown } = this.paths;
    return painting.parts.map((part) => {
      const at = shown.indexOf(part);
      return at < 0 ? null : leaves.map((x) => x - (x % shown.length) + at);
    });
  }

  /** Whether the numbers of a column are known: those of several columns together only if they can be added up. */
  hasTotal({ measure, leaves }: DrawnColumn): boolean {
    return (leaves.length === 1 && !paintingOf(measure, this.ratios)) || this.isSum({ measure });
  }

  /** Whether the numbers of a column, or those that it is computed from, can be added up. */
  private isSum({ measure }: Pick<DrawnColumn, 'measure'>): boolean {
    const parts = paintingOf(measure, this.ratios)?.parts ?? [measure];
    return parts.every((name) => isAdditive(this.aggregates[name]));
  }

  /**
   * Combines the values of engine columns into those of one column: a total is their sum, and a computed
   * column is computed from the sums.
   *
   * @param parts the values of the columns that {@link partsOf} returns
   */
  private valuesOf(
    { measure, leaves }: DrawnColumn,
    parts: readonly (readonly (readonly CellValue[] | undefined)[])[],
  ): CellValue[] {
    const painting = paintingOf(measure, this.ratios, this.aggregates);
    const isSum = this.isSum({ measure });
    const added = parts.map((columns) => {
      if (columns.length === 0) return undefined;
      if (leaves.length === 1) return columns[0];
      if (isSum) return sums(columns);
      return columns[0]?.map(() => null);
    });
    return painting ? painting.paint(added) : [...(added[0] ?? [])];
  }
}

// These are not closures of the reading methods, so that cached numbers do not keep everything that was read.
const constantly =
  (value: CellValue): OfRow =>
  () =>
    value;

const ofRows =
  (positions: ReadonlyMap<string, number>, numbers: readonly CellValue[]): OfRow =>
  (path) =>
    numbers[positions.get(pathKey(path)) ?? -1] ?? null;

const ofParent = (...parents: Parameters<typeof ofRows>): OfRow => {
  const ofRow = ofRows(...parents);
  return (path) => ofRow(path.slice(0, -1));
};

/** Reads all columns of a view by their positions, also those that print alike. */
async function readWhole(view: View, rows: RowRange): Promise<[name: string, CellValue[]][]> {
  return parseColumns(await view.to_columns_string(rows))
    .filter(([name]) => name !== ROW_PATH && name !== ROW_KEY)
    .map(([name, values]) => [
      name,
      values.filter((value): value is CellValue => !Array.isArray(value)),
    ]);
}
