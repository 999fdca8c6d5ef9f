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

  /** Reads the values of one column. */
  async column(column: DrawnColumn, rows: RowRange): Promise<CellValue[]> {
    const parts = this.partsOf(column).map((leaves) =>
      Promise.all((leaves ?? []).map((leaf) => this.summed(leaf, rows))),
    );
    return this.valuesOf(column, await Promise.all(parts));
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
    // Of columns that print alike, the engine returns only the last.
    const valuesAt = (leaf: number): Promise<CellValue[]> | CellValue[] => {
      const path = printed[leaf] ?? '';
      const values = counts.get(path) === 1 ? read.columns.get(path) : undefined;
      return values ?? this.summed(leaf, rows);
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

  /**
   * Reads the values of one column of the view. A column with a unique name is found by name, because with a
   * sort by a hidden column the engine's column windows are shifted and return more columns.
   */
  private async summed(x: number, rows: RowRange): Promise<CellValue[]> {
    const paths = await this.paths.printed();
    const path = paths[x] ?? '';
    const alone = paths.indexOf(path) === paths.lastIndexOf(path);
    const window = alone ? { ...rows, start_col: x, end_col: x + 1 } : rows;
    const read = parseColumns(await this.view.to_columns_string(window)).filter(
      ([name]) => name !== ROW_PATH && name !== ROW_KEY,
    );
    const column = alone ? read.find(([name]) => name === path) : read[x];
    return (column?.[1] ?? []).filter((value): value is CellValue => !Array.isArray(value));
  }
}
