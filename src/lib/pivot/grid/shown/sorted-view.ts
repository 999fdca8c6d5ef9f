/** Sorts the rows of a view by names and by numbers that the engine does not add up, and limits them. */
import type { Limit } from '../../../contract/stored-layout';
import { pathKey } from '../../slice/cell';
import { tidy } from '../../values/cell-value';
import { parseColumns, ROW_KEY, ROW_PATH } from '../../values/columns-json';
import type { CellValue, View, ViewConfig, ViewWindow } from '../../values/engine-types';
import type { NameOrder } from '../../values/name-order';
import {
  childrenOf,
  type LimitedRows,
  limitedRows,
  NO_LIMITS,
  type OthersRow,
} from './limited-rows';

/** The rows of a view in the engine's order: their paths, and the numbers by which they are sorted. */
export interface KeyedRows {
  paths: readonly (readonly CellValue[])[];
  /** A list of numbers for each sort key, then for each limit. */
  keys: readonly (readonly CellValue[])[];
}

/** How rows are sorted by one key. */
export interface SortDirection {
  /** `asc` or `desc`, with ` abs` for absolute amounts, as layouts write it. */
  direction: string;
  /** Whether the grid computes the numbers: rows without one come last. The engine sorts them as 0. */
  isComputed: boolean;
}

/** How the rows of a view are sorted and limited. */
interface RowArrangement {
  /** One for each sort key, the first one decides first; none for the order of `names`. */
  sort: readonly SortDirection[];
  /** The order of each level of the rows, the outermost first; null for the engine's order. */
  names: readonly (NameOrder | null)[];
  /** The limit of each level of the rows, the outermost first; null for none. */
  limits: readonly (Limit | null)[];
}

/** Reads the rows of the engine's view with their sort keys. */
export type ReadKeys = (view: View) => Promise<KeyedRows>;

/** Above this number of separate reads, all rows between the first and the last are read instead. */
const MOST_READS = 64;

/**
 * A view of the engine with its rows in another order, and limited. Row numbers of all methods are positions in that
 * order. Without an order and limits, it is the engine's view.
 */
export class SortedView implements View {
  private keys: ({ read: ReadKeys } & RowArrangement) | null = null;
  private order: Promise<LimitedRows> | null = null;
  /** The rows that were read last. */
  private latest: LimitedRows | null = null;
  /** Whether the groups that limits show stay the same when rows change. */
  keepsGroups = false;

  constructor(
    private view: View,
    /** Called after the groups that limits show were chosen. */
    private readonly onChosen: (rows: LimitedRows) => void = () => undefined,
  ) {}

  /** The engine's view, with all of its rows. */
  get engine(): View {
    return this.view;
  }

  /** Replaces the engine's view by another handle of it, after rows came or went. */
  follow(view: View): void {
    this.view = view;
    this.order = null;
  }

  /**
   * Sorts the rows within their parent rows, and limits them. Rows with equal numbers and names stay in the engine's
   * order.
   *
   * @param read reads the numbers; they are read again after each change of the rows
   */
  arrange(read: ReadKeys, { sort, names, limits }: RowArrangement): void {
    const isArranged = [...sort, ...names, ...limits].some((each) => each !== null);
    this.keys = isArranged ? { read, sort, names, limits } : null;
    this.order = null;
    if (!this.keepsGroups) this.latest = null;
  }

  /** Keeps the groups that another view of the same rows shows. */
  keepGroupsOf(other: SortedView): void {
    this.keepsGroups = true;
    this.latest = other.latest;
  }

  /** Chooses the groups that limits show again, from the next read on. */
  choose(): void {
    this.order = null;
  }

  /** Returns the values of the groups behind a row "Others"; null if there is no such row. */
  async membersOf(path: readonly CellValue[]): Promise<readonly CellValue[] | null> {
    const rows = await this.ordered();
    return rows && othersAt(rows, path);
  }

  /** Returns the groups that limits show, as keys of their paths, for each level with a limit. */
  async kept(): Promise<LimitedRows['kept']> {
    return ((await this.ordered()) ?? NO_LIMITS).kept;
  }

  /** Returns the values of the groups behind a row "Others" that was read last; null if there was no such row. */
  knownMembersOf(path: readonly CellValue[]): readonly CellValue[] | null {
    return this.latest && othersAt(this.latest, path);
  }

  /** The open rows whose groups a limit hides, of the rows that were read last; see {@link LimitedRows}. */
  get emptied(): ReadonlySet<string> {
    return (this.latest ?? NO_LIMITS).emptied;
  }

  async to_columns_string(window: ViewWindow = {}): Promise<string> {
    const order = (await this.ordered())?.rows;
    if (!order) return this.view.to_columns_string(window);
    const { start_row = 0, end_row = order.length, ...rest } = window;
    const wanted = order.slice(start_row, end_row);
    const ys = wanted.flatMap((row) => (typeof row === 'number' ? row : row.ys));
    const runs = runsOf(ys.sort((a, b) => a - b));
    const parts = runs.length > MOST_READS ? [spanOf(ys)] : runs;
    const read = await Promise.all(
      (parts.length > 0 ? parts : [{ start: 0, end: 0 }]).map(async ({ start, end }) => {
        const part = { ...rest, start_row: start, end_row: end };
        return { columns: parseColumns(await this.view.to_columns_string(part)) };
      }),
    );
    const names = read[0]?.columns.map(([name]) => name) ?? [];
    const places = placesIn(parts, ys);
    const columns = names.map((name, i) => {
      const lists = read.map(({ columns }) => columns[i]?.[1] ?? []);
      const valueOf = (y: number) => {
        const { part, at } = places.get(y) ?? NOWHERE;
        return lists[part]?.[at];
      };
      const isPath = name === ROW_PATH || name === ROW_KEY;
      const list = wanted.flatMap((row) => {
        if (typeof row !== 'number') return [isPath ? row.path : sumOf(row, valueOf)];
        const value = valueOf(row);
        return value === undefined ? [] : [value];
      });
      return `${JSON.stringify(name)}:${JSON.stringify(list)}`;
    });
    return `{${columns.join(',')}}`;
  }

  async expand(row: number): Promise<number> {
    const y = await this.engineRow(row);
    if (y === null) return 0;
    this.order = null;
    return this.view.expand(y);
  }

  async collapse(row: number): Promise<number> {
    const y = await this.engineRow(row);
    if (y === null) return 0;
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

  async num_rows(): Promise<number> {
    const isLimited = this.keys?.limits.some((limit) => limit !== null);
    const limited = isLimited ? await this.ordered() : null;
    return limited ? limited.rows.length : this.view.num_rows();
  }

  num_columns(): Promise<number> {
    return this.view.num_columns();
  }

  delete(): Promise<void> {
    return this.view.delete();
  }

  /** Returns the position of a row in the engine's view; null for a row that adds up others. */
  private async engineRow(row: number): Promise<number | null> {
    const rows = (await this.ordered())?.rows;
    const found = rows?.[row] ?? row;
    return typeof found === 'number' ? found : null;
  }

  private ordered(): Promise<LimitedRows> | null {
    const { keys, view } = this;
    if (!keys) return null;
    const order = (this.order ??= keys
      .read(view)
      .then((rows) => {
        const before = this.keepsGroups ? (this.latest?.kept ?? null) : null;
        const limited = arrangedRows(rows, keys, before);
        if (this.keys === keys) {
          this.latest = limited;
          this.onChosen(limited);
        }
        return limited;
      })
      .catch((error: unknown) => {
        if (this.order === order) this.order = null;
        throw error;
      }));
    return order;
  }
}

function arrangedRows(
  { paths, keys }: KeyedRows,
  { sort, names, limits }: RowArrangement,
  before: LimitedRows['kept'] | null,
): LimitedRows {
  const order = sortedRows({ paths, keys }, sort, names);
  if (limits.every((limit) => limit === null)) return { ...NO_LIMITS, rows: order };
  let at = sort.length;
  const ofLevels = limits.map((limit) => limit && { limit, numbers: keys[at++] ?? [] });
  return limitedRows(order, paths, ofLevels, before);
}

const othersAt = ({ others }: LimitedRows, path: readonly CellValue[]) =>
  others.get(pathKey(path))?.members ?? null;

/** Adds up the numbers of the groups of a row; null if none of them has a number. */
function sumOf({ ys }: OthersRow, valueOf: (y: number) => unknown): CellValue {
  let sum: number | null = null;
  for (const y of ys) {
    const value = valueOf(y);
    if (typeof value === 'number') sum = (sum ?? 0) + value;
  }
  return sum;
}

/**
 * Returns the positions of rows in sorted order: each row is followed by the rows below it.
 *
 * @param names the order of each level among rows with equal numbers; null for the engine's order
 */
export function sortedRows(
  { paths, keys }: KeyedRows,
  sort: readonly SortDirection[],
  names: readonly (NameOrder | null)[] = [],
): number[] {
  const tests = sort.map((each, i) => comparison(keys[i] ?? [], each));
  const byName = (a: number, b: number) => {
    const [one = [], other = []] = [paths[a], paths[b]];
    return names[one.length - 1]?.(one.at(-1) ?? null, other.at(-1) ?? null) ?? 0;
  };
  const compare = (a: number, b: number) =>
    tests.reduce((order, test) => order || test(a, b), 0) || byName(a, b) || a - b;
  const below = childrenOf(paths, paths.keys());
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

/** The place of a row in the ranges that were read. */
interface PlaceOfRow {
  part: number;
  at: number;
}

const NOWHERE: PlaceOfRow = { part: -1, at: -1 };

/** Returns the places of sorted row numbers in sorted ranges that contain them. */
function placesIn(parts: readonly SortedRun[], ys: readonly number[]): Map<number, PlaceOfRow> {
  const places = new Map<number, PlaceOfRow>();
  let part = 0;
  for (const y of ys) {
    while (y >= (parts[part]?.end ?? Infinity)) part++;
    places.set(y, { part, at: y - (parts[part]?.start ?? 0) });
  }
  return places;
}

/** Returns the range that contains all rows of a list. */
const spanOf = (rows: readonly number[]): SortedRun => ({
  start: rows.reduce((least, y) => Math.min(least, y), Infinity),
  end: rows.reduce((most, y) => Math.max(most, y + 1), 0),
});
