/** The values of the columns that a view shows. */
import { parseColumns, parseRows, ROW_KEY, ROW_PATH } from '../../values/columns-json';
import type { CellValue, View, ViewConfig, ViewWindow } from '../../values/engine-types';
import { isAdditive, paintingOf, type Ratio } from '../../values/ratios';
import type { ColumnPaths } from './column-paths';
import { type DrawnColumn, sums } from '../cells/grid-columns';

type RowRange = Pick<ViewWindow, 'start_row' | 'end_row'>;

/**
 * The values of the columns that a view shows: a total is the sum of several engine columns, a share is
 * computed from them.
 */
export class ShownValues {
  constructor(
    private readonly view: View,
    private readonly paths: ColumnPaths,
    /** The columns that are computed from others. */
    private readonly ratios: ReadonlyMap<string, Ratio>,
    private readonly aggregates: ViewConfig['aggregates'],
  ) {}

  /** Reads the values of one column in one call to the engine. */
  async column(column: DrawnColumn, rows: RowRange): Promise<CellValue[]> {
    const { values } = await this.rows(this.view, [column], rows, await this.paths.printed());
    return values[0] ?? [];
  }

  /**
   * Reads the values of some columns in one call to the engine, as one list per column.
   *
   * @param view the view to read, which may have just replaced the reader's
   * @param printed the engine's columns as it prints them
   */
  async rows(
    view: View,
    columns: readonly DrawnColumn[],
    rows: RowRange,
    printed: readonly string[],
  ): Promise<{ paths: CellValue[][]; values: CellValue[][] }> {
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
    const values = await Promise.all(
      columns.map(async (column, i) => {
        const lists = (parts[i] ?? []).map((part) => Promise.all((part ?? []).map(valuesAt)));
        return this.valuesOf(column, await Promise.all(lists));
      }),
    );
    return { paths: read.paths ?? read.keys ?? [], values };
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
    const isSum = (painting?.parts ?? [measure]).every((name) => isAdditive(this.aggregates[name]));
    const added = parts.map((columns) => {
      if (columns.length === 0) return undefined;
      if (leaves.length === 1) return columns[0];
      if (isSum) return sums(columns);
      return columns[0]?.map(() => null);
    });
    return painting ? painting.paint(added) : [...(added[0] ?? [])];
  }
}

/** Reads all columns of a view by their positions, also those that print alike. */
async function readWhole(view: View, rows: RowRange): Promise<[name: string, CellValue[]][]> {
  return parseColumns(await view.to_columns_string(rows))
    .filter(([name]) => name !== ROW_PATH && name !== ROW_KEY)
    .map(([name, values]) => [
      name,
      values.filter((value): value is CellValue => !Array.isArray(value)),
    ]);
}
