/** Sorts the rows of a view by numbers that the engine does not add up. */
import { tidy } from '../../values/cell-value';
import { parseColumns } from '../../values/columns-json';
import type { CellValue, View, ViewConfig, ViewWindow } from '../../values/engine-types';

/** The rows of a view in the engine's order: their paths, and the numbers by which they are sorted. */
export interface KeyedRows {
  paths: readonly (readonly CellValue[])[];
  /** A list of numbers for each sort key. */
  keys: readonly (readonly CellValue[])[];
}

/** How rows are sorted by one key. */
export interface SortDirection {
  /** `asc` or `desc`, with ` abs` for absolute amounts, as layouts write it. */
  direction: string;
  /** Whether the grid computes the numbers: rows without one come last. The engine sorts them as 0. */
  isComputed: boolean;
}

/** Reads the rows of the engine's view with their sort keys. */
export type ReadKeys = (view: View) => Promise<KeyedRows>;

/** Above this number of separate reads, all rows between the first and the last are read instead. */
const MOST_READS = 64;

/**
 * A view of the engine with its rows in another order. Row numbers of all methods are positions in that
 * order. Without an order, it is the engine's view.
 */
export class SortedView implements View {
  private keys: { read: ReadKeys; sort: readonly SortDirection[] } | null = null;
  private order: Promise<readonly number[]> | null = null;

  constructor(private view: View) {}

  /** Replaces the engine's view by another handle of it, after rows came or went. */
  follow(view: View): void {
    this.view = view;
    this.order = null;
  }

  /**
   * Sorts the rows within their parent rows. Rows with equal numbers stay in the engine's order.
   *
   * @param read reads the numbers; they are read again after each change of the rows
   * @param sort one for each sort key, the first one decides first; none for the engine's order
   */
  sortBy(read: ReadKeys, sort: readonly SortDirection[]): void {
    this.keys = sort.length > 0 ? { read, sort } : null;
    this.order = null;
  }

  async to_columns_string(window: ViewWindow = {}): Promise<string> {
    const order = await this.ordered();
    if (!order) return this.view.to_columns_string(window);
    const { start_row = 0, end_row = order.length, ...rest } = window;
    const wanted = order.slice(start_row, end_row);
    const runs = runsOf(wanted);
    const parts = runs.length > MOST_READS ? [spanOf(wanted)] : runs;
    const read = await Promise.all(
      (parts.length > 0 ? parts : [{ start: 0, end: 0 }]).map(async ({ start, end }) => {
        const part = { ...rest, start_row: start, end_row: end };
        return { start, columns: parseColumns(await this.view.to_columns_string(part)) };
      }),
    );
    const names = read[0]?.columns.map(([name]) => name) ?? [];
    const columns = names.map((name, i) => {
      const values = new Map(
        read.flatMap(({ start, columns }) =>
          (columns[i]?.[1] ?? []).map((value, y) => [start + y, value] as const),
        ),
      );
      const list = wanted.flatMap((y) => (values.has(y) ? [values.get(y)] : []));
      return `${JSON.stringify(name)}:${JSON.stringify(list)}`;
    });
    return `{${columns.join(',')}}`;
  }

  async expand(row: number): Promise<number> {
    const y = await this.engineRow(row);
    this.order = null;
    return this.view.expand(y);
  }

  async collapse(row: number): Promise<number> {
    const y = await this.engineRow(row);
    this.order = null;
    return this.view.collapse(y);
  }

  async set_depth(depth: number): Promise<void> {
    this.order = null;
    await this.view.set_depth(depth);
  }

  get_config(): Promise<ViewConfig> {
    return this.view.get_config();
  }

  expression_schema() {
    return this.view.expression_schema();
  }

  schema() {
    return this.view.schema();
  }

  column_paths(window?: ViewWindow): Promise<string[]> {
    return this.view.column_paths(window);
  }

  num_rows(): Promise<number> {
    return this.view.num_rows();
  }

  num_columns(): Promise<number> {
    return this.view.num_columns();
  }

  delete(): Promise<void> {
    return this.view.delete();
  }

  private async engineRow(row: number): Promise<number> {
    return (await this.ordered())?.[row] ?? row;
  }

  private ordered(): Promise<readonly number[]> | null {
    const { keys, view } = this;
    if (!keys) return null;
    const order = (this.order ??= keys
      .read(view)
      .then((rows) => sortedRows(rows, keys.sort))
      .catch((error: unknown) => {
        if (this.order === order) this.order = null;
        throw error;
      }));
    return order;
  }
}

/** Returns the positions of rows in sorted order: each row is followed by the rows below it. */
export function sortedRows({ paths, keys }: KeyedRows, sort: readonly SortDirection[]): number[] {
  const tests = sort.map((each, i) => comparison(keys[i] ?? [], each));
  const compare = (a: number, b: number) =>
    tests.reduce((order, test) => order || test(a, b), 0) || a - b;
  const below = new Map<number, number[]>();
  const above: number[] = [];
  for (const [y, path] of paths.entries()) {
    above.length = path.length;
    const parent = above.at(-1) ?? -1;
    const siblings = below.get(parent) ?? [];
    below.set(parent, siblings);
    siblings.push(y);
    above.push(y);
  }
  const sorted: number[] = [];
  const add = (parent: number) => {
    for (const y of (below.get(parent) ?? []).sort(compare)) {
      sorted.push(y);
      add(y);
    }
  };
  add(-1);
  return sorted;
}

/** Returns a comparison of two rows by one sort key. */
function comparison(keys: readonly CellValue[], { direction, isComputed }: SortDirection) {
  const isAbsolute = direction.endsWith(' abs');
  const sign = direction.startsWith('asc') ? 1 : -1;
  const keyOf = (y: number) => {
    const key = keys[y];
    if (typeof key !== 'number') return isComputed ? null : 0;
    // Sums that differ by the rounding of floating-point numbers are equal.
    return tidy(isAbsolute ? Math.abs(key) : key);
  };
  return (a: number, b: number): number => {
    const [one, other] = [keyOf(a), keyOf(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * (one - other);
  };
}

interface SortedRun {
  start: number;
  end: number;
}

/** Splits a list of row numbers into runs of consecutive ones. */
function runsOf(rows: readonly number[]): SortedRun[] {
  const runs: SortedRun[] = [];
  for (const y of rows) {
    const last = runs.at(-1);
    if (last?.end === y) last.end++;
    else runs.push({ start: y, end: y + 1 });
  }
  return runs;
}

/** Returns the range that contains all rows of a list. */
const spanOf = (rows: readonly number[]): SortedRun => ({
  start: rows.reduce((least, y) => Math.min(least, y), Infinity),
  end: rows.reduce((most, y) => Math.max(most, y + 1), 0),
});
