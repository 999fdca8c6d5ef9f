/** The paths of a view's columns, and the values behind them. */
import type { LayoutSort } from '../../../contract/stored-layout';
import { pathKey } from '../../slice/cell';
import { printed, unprinted, valueKey } from '../../values/cell-value';
import { type ReadRows, ROW_KEY, ROW_PATH } from '../../values/columns-json';
import type {
  CellValue,
  ColumnType,
  EngineTable,
  View,
  Schema,
  ViewConfig,
} from '../../values/engine-types';
import { Answers } from '../../waiting';
import { OwnViews } from './own-views';

/** Attempts to read the columns while rows come and go. */
const ATTEMPTS = 3;
/** Key of the only answer, which is about the whole view. */
const WHOLE = 'whole';

/**
 * The columns of a view: their paths as the engine prints them, and the typed values behind these. If the
 * printed text is ambiguous, the values come from a second view that is grouped by the split columns.
 */
export class ColumnPaths {
  private readonly columnTuples = new Answers<(CellValue[] | null)[]>();
  private readonly printedAnswer = new Answers<string[]>();
  private readonly views = new OwnViews();

  constructor(
    private readonly table: EngineTable,
    private readonly view: View,
    private readonly config: Readonly<ViewConfig>,
    private readonly schema: Schema,
  ) {}

  /** The columns of the view, in order, without its empty places. */
  get shown(): string[] {
    return this.config.columns.filter((name): name is string => name !== null);
  }

  /**
   * Returns the typed split values behind every column of the view, in order; null where they are ambiguous.
   */
  typed(): Promise<(CellValue[] | null)[]> {
    return this.columnTuples.get(WHOLE, () => this.readTyped());
  }

  /**
   * Returns the view's columns as the engine prints them, without the columns that only sort the columns: in
   * a view without split columns the engine prints these too, but they have no numbers.
   */
  printed(): Promise<string[]> {
    return this.printedAnswer.get(WHOLE, async () => {
      const paths = await this.view.column_paths();
      return paths.filter((path) =>
        this.config.split_by.length === 0
          ? this.shown.includes(path)
          : path !== ROW_PATH && path !== ROW_KEY,
      );
    });
  }

  /** Clears the cached paths after rows came or went. */
  forget(): void {
    this.columnTuples.forget();
    this.printedAnswer.forget();
  }

  /** Deletes the second view. */
  dispose(): Promise<void> {
    return this.views.dispose();
  }

  private async readTyped(): Promise<(CellValue[] | null)[]> {
    const types = this.config.split_by.map((column) => this.schema[column]);
    return readPrinted(await this.printed(), types, this.shown) ?? (await this.pairColumns(types));
  }

  /** Reads the same values from a second view. */
  private async pairColumns(
    types: readonly (ColumnType | undefined)[],
  ): Promise<(CellValue[] | null)[]> {
    const { split_by, sort } = this.config;
    const columnSort = sort.flatMap(([column, direction]): LayoutSort[] =>
      direction.startsWith('col ') ? [[column, direction.slice('col '.length)]] : [],
    );
    const companion = await this.views.open(WHOLE, () =>
      this.table.view({
        group_by: split_by,
        columns: [...new Set(columnSort.map(([column]) => column))],
        ...this.selection(),
        sort: columnSort,
      }),
    );
    let matched: (CellValue[] | null)[] = [];
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const [paths, rows] = await Promise.all([this.printed(), this.views.read(companion)]);
      const tuples = (rows.paths ?? []).filter((path) => path.length === split_by.length);
      matched = pairColumns(paths, tuples, types, this.shown, tiesOf(rows, columnSort.length > 0));
      if (!matched.includes(null)) break;
      this.printedAnswer.forget();
    }
    return matched;
  }

  private selection() {
    const { filter, filter_op, expressions } = this.config;
    return { filter, ...(filter_op && { filter_op }), expressions: { ...expressions } };
  }
}

/**
 * Parses the typed split values behind each column from the column name that the engine prints; null if the
 * name is ambiguous: an empty value and the text "null", a fraction, a text with a `|`.
 *
 * @param paths the columns as the engine prints them, in its order
 * @param types types of the split columns
 * @param columns the columns that the view shows
 */
export function readPrinted(
  paths: readonly string[],
  types: readonly (ColumnType | undefined)[],
  columns: readonly string[],
): CellValue[][] | null {
  if (new Set(paths).size < paths.length || paths.length % columns.length !== 0) return null;
  const read: CellValue[][] = [];
  for (const [x, path] of paths.entries()) {
    const name = `|${columns[x % columns.length]}`;
    if (!path.endsWith(name)) return null;
    const parts = path.slice(0, -name.length).split('|');
    if (parts.length !== types.length) return null;
    const tuple = parts.map((part, i) => unprinted(part, types[i]));
    if (tuple.includes(undefined)) return null;
    read.push(tuple.filter((value) => value !== undefined));
  }
  return read;
}

/**
 * Returns a test for whether two groups tie in the sort of the columns, compared at the level where their
 * paths differ.
 */
function tiesOf({ paths, columns }: ReadRows, isSorted: boolean) {
  if (!isSorted) return () => false;
  const keys = new Map(
    (paths ?? []).map((path, y) => [
      pathKey(path),
      JSON.stringify([...columns.values()].map((values) => values[y])),
    ]),
  );
  return (a: readonly CellValue[], b: readonly CellValue[]): boolean => {
    const parting = a.findIndex((value, i) => valueKey(value) !== valueKey(b[i] ?? null)) + 1;
    return keys.get(pathKey(a.slice(0, parting))) === keys.get(pathKey(b.slice(0, parting)));
  };
}

/**
 * Pairs each column with the typed split values behind it. The groups of the split columns have the order of
 * the columns, except for groups that tie in the sort of the columns. The order therefore distinguishes
 * groups that print alike; null where it cannot, or if rows came or went between the two reads.
 *
 * @param tie whether two groups are equal in the sort of the columns
 */
export function pairColumns(
  paths: readonly string[],
  tuples: readonly CellValue[][],
  types: readonly (ColumnType | undefined)[],
  columns: readonly string[],
  tie: (a: readonly CellValue[], b: readonly CellValue[]) => boolean,
): (CellValue[] | null)[] {
  if (paths.length !== tuples.length * columns.length) return paths.map(() => null);
  const alike = new Map<string, CellValue[][]>();
  for (const tuple of tuples) {
    const text = tuple.map((value, i) => printed(value, types[i])).join('|');
    alike.set(text, [...(alike.get(text) ?? []), tuple]);
  }
  const seen = new Map<string, number>();
  return paths.map((path, x) => {
    const column = columns[x % columns.length] ?? '';
    const candidates = alike.get(path.slice(0, -column.length - 1)) ?? [];
    const turn = seen.get(path) ?? 0;
    seen.set(path, turn + 1);
    const tuple = candidates[turn];
    if (!tuple || !path.endsWith(`|${column}`)) return null;
    return candidates.some((other) => other !== tuple && tie(tuple, other)) ? null : tuple;
  });
}
