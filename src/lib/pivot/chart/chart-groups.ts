/** Reads groups and their sums from the engine for a chart. */
import type { Layout } from '../../contract/stored-layout';
import { type CellCondition, pathKey } from '../slice/cell';
import { tidy, valueKey } from '../values/cell-value';
import { parseRows, type ReadRows } from '../values/columns-json';
import {
  type CellValue,
  type EngineTable,
  type View,
  type ViewConfig,
  withView,
} from '../values/engine-types';
import { endsInOthers, isOthers, othersValue, type ShownGroups } from '../values/others';
import { added, biggest, rest, type Sums } from './chart';

/** A group, or several groups that are combined into one. */
export interface Group {
  paths: readonly (readonly CellValue[])[];
  isFolded: boolean;
}

/** Returns a single group. */
export const groupOf = (path: readonly CellValue[]): Group => ({ paths: [path], isFolded: false });

/** A group and the groups inside it. */
export interface Outer {
  group: Group;
  sums: Sums;
  inner: ReadonlyMap<string, Sums>;
}

/** How the groups of a chart are chosen. */
interface MatrixChoice {
  /** Whether sums of groups may be added up. */
  isSum: boolean;
  /** Number of columns, from the first on, that determine the size of a group. */
  ranking: number;
  /** The groups that the limits of drawn columns show; null for no such limit. */
  shownGroups: ShownGroups | null;
}

/** A group of some columns as the grid shows it: a value may stand for the row "Others". */
interface LimitedGroup {
  path: readonly CellValue[];
  sums: Sums;
  /** The paths of the rows that it adds up, in the columns of the limits. */
  rows: (readonly CellValue[])[];
}

/** Reads groups and the sums inside them from the engine. */
export class Matrix {
  /** Whether a limit has hidden groups that were read, so that they are missing in all sums. */
  hidesGroups = false;
  /** The groups that {@link biggestShown} has read of some columns, by the key of their path. */
  private limited: { names: readonly string[]; groups: ReadonlyMap<string, LimitedGroup> } | null =
    null;

  constructor(
    private readonly table: EngineTable,
    private readonly layout: Layout,
    readonly columns: readonly string[],
    private readonly choice: MatrixChoice,
  ) {}

  /** Whether sums of groups may be added up. */
  get isSum(): boolean {
    return this.choice.isSum;
  }

  /** Returns the positions of the biggest groups; see {@link biggest}. */
  places(sums: readonly Sums[], most: number): number[] {
    return biggest(
      sums.map((each) => each.slice(0, this.choice.ranking)),
      most,
    );
  }

  /** Reads the groups of some columns with their sums, including the groups without a value. */
  async groups(
    names: readonly string[],
    columns: readonly string[] = this.columns,
    more: Partial<ViewConfig> = {},
  ): Promise<{ path: CellValue[]; sums: Sums }[]> {
    const rows = await this.ask({ group_by: [...names], columns: [...columns], ...more }, readAll);
    return this.leaves(rows, names.length, columns);
  }

  /**
   * Reads the biggest groups of a column, the biggest first, with the groups inside them. If there are more,
   * all others are combined into one. Of columns with a limit, these are the groups that the rows show.
   */
  async biggest(
    outer: string,
    inner: readonly string[],
    most: number,
  ): Promise<{ outers: Outer[]; left: number }> {
    const { shownGroups } = this.choice;
    // Of the outermost column, the groups to draw are known before the groups inside them are read.
    if (shownGroups && shownGroups.columns.length > 1)
      return this.biggestShown([outer, ...inner], most, shownGroups);
    const depth = 1 + inner.length;
    const limit = shownGroups?.columns[0] === outer ? (shownGroups.levels[0] ?? null) : null;
    const isKept = ({ path }: { path: CellValue[] }) => limit?.kept.has(pathKey(path)) ?? true;
    const config = { group_by: [outer, ...inner], columns: [...this.columns] };
    const { all, shown, rows } = await this.ask(config, async (view) => {
      await view.set_depth(0);
      const closed = await readAll(view);
      const read = this.leaves(closed, 1);
      const all = limit && !limit.hasOthers ? read.filter(isKept) : read;
      const kept = [...all.keys()].filter((i) => all[i] && isKept(all[i]));
      const room = kept.length < all.length ? most - 1 : most;
      const shown = this.places(
        kept.map((i) => all[i]?.sums ?? []),
        room,
      ).flatMap((i) => kept[i] ?? []);
      const places = new Map(all.map(({ path }, i) => [pathKey(path), i]));
      const ys = (closed.paths ?? [])
        .map((path, y) => ({ i: path.length === 1 ? places.get(pathKey(path)) : undefined, y }))
        // Groups that are not drawn are not in the totals from which those of others are computed.
        .filter(({ i }) => i !== undefined && (all.length < read.length || shown.includes(i)))
        .map(({ y }) => y);
      // From the last to the first: opening a row moves the rows below it.
      if (inner.length > 0) for (const y of ys.reverse()) await open(view, y, inner.length);
      return { all, shown, rows: inner.length > 0 ? await readAll(view) : closed };
    });
    if (limit && !limit.hasOthers) this.hidesGroups = true;
    const within = new Map<string, Map<string, Sums>>();
    for (const { path, sums } of inner.length > 0 ? this.leaves(rows, depth) : []) {
      const key = pathKey(path.slice(0, 1));
      const found = within.get(key) ?? new Map<string, Sums>();
      within.set(key, found.set(pathKey(path.slice(1)), sums));
    }
    const outers = shown.flatMap((i): Outer[] => {
      const group = all[i];
      return group
        ? [
            {
              group: groupOf(group.path),
              sums: group.sums,
              inner: within.get(pathKey(group.path)) ?? NONE,
            },
          ]
        : [];
    });
    const others = all.length - outers.length;
    if (others === 0 || !this.isSum) return { outers, left: others };
    const folded = all.filter((_, i) => !shown.includes(i));
    const left =
      limit && !limit.hasOthers
        ? addedUp(folded.map(({ path }) => within.get(pathKey(path)) ?? NONE))
        : await this.innerRest(inner, outers);
    const sums = folded.reduce<Sums>((sum, each) => added(sum, each.sums), this.nothing);
    const group = { paths: folded.map(({ path }) => path), isFolded: true };
    return { outers: [...outers, { group, sums, inner: left }], left: 0 };
  }

  /** Does what {@link biggest} does where a limit below the outermost level chooses groups in each parent. */
  private async biggestShown(
    names: readonly string[],
    most: number,
    shownGroups: ShownGroups,
  ): Promise<{ outers: Outer[]; left: number }> {
    const groups = await this.limitedGroups(names, shownGroups);
    this.limited = { names, groups };
    const found = new Map<string, { path: CellValue[]; sums: Sums; inner: Map<string, Sums> }>();
    for (const { path, sums } of groups.values()) {
      const [value = null, ...inside] = path;
      const key = pathKey([value]);
      const outer = found.get(key) ?? { path: [value], sums: this.nothing, inner: new Map() };
      outer.sums = added(outer.sums, sums);
      found.set(key, outer);
      outer.inner.set(pathKey(inside), sums);
    }
    const all = [...found.values()];
    const single = all.filter(({ path }) => !endsInOthers(path));
    const places = this.places(
      single.map(({ sums }) => sums),
      single.length < all.length ? most - 1 : most,
    );
    const shown = places.flatMap((i) => single[i] ?? []);
    const folded = all.filter((each) => !shown.includes(each));
    const outers = shown.map((each): Outer => ({ ...each, group: groupOf(each.path) }));
    const group = { paths: folded.map(({ path }) => path), isFolded: true };
    if (folded.length === 0 || !this.isSum)
      return { outers, left: this.countOf(group, names[0] ?? '') };
    const sums = folded.reduce<Sums>((sum, each) => added(sum, each.sums), this.nothing);
    const inner = addedUp(folded.map((each) => each.inner));
    return { outers: [...outers, { group, sums, inner }], left: 0 };
  }

  /** Reads the groups of some columns as the grid shows them, by the key of their path. */
  private async limitedGroups(
    names: readonly string[],
    shownGroups: ShownGroups,
  ): Promise<Map<string, LimitedGroup>> {
    const { columns } = shownGroups;
    const all = [...columns, ...names.filter((name) => !columns.includes(name))];
    const levels = names.map((name) => all.indexOf(name));
    const groups = new Map<string, LimitedGroup>();
    for (const { path, sums } of await this.groups(all)) {
      const shown = shownPath(path, shownGroups);
      if (!shown) {
        this.hidesGroups = true;
        continue;
      }
      const own = levels.map((level) => shown[level] ?? null);
      const key = pathKey(own);
      const known = groups.get(key);
      const row = path.slice(0, columns.length);
      if (!known) {
        groups.set(key, { path: own, sums, rows: [row] });
        continue;
      }
      // Averages of several rows are unknown.
      known.sums = this.isSum ? added(known.sums, sums) : this.nothing;
      known.rows.push(row);
    }
    return groups;
  }

  /** Whether limits below the outermost level of the rows have chosen the groups of {@link biggest}. */
  get isLimitedInside(): boolean {
    return this.limited !== null;
  }

  /**
   * Returns the rows of the grid that groups of {@link biggest} add up; only if {@link isLimitedInside}.
   *
   * @param groups a group of the outer column, then one of the inner columns
   */
  rowsBehind(groups: readonly Group[]): CellCondition {
    const { limited, choice } = this;
    const [outer, inner = groupOf([])] = groups;
    const paths = (outer?.paths ?? []).flatMap((path) =>
      inner.paths.flatMap(
        (inside) => limited?.groups.get(pathKey([...path, ...inside]))?.rows ?? [],
      ),
    );
    return { columns: choice.shownGroups?.columns ?? [], paths };
  }

  /** Returns the number of groups of a column that a combined group adds up. */
  countOf({ paths }: Group, column: string): number {
    const { limited, choice } = this;
    const level = choice.shownGroups?.columns.indexOf(column) ?? -1;
    if (!limited || level < 0) return paths.length;
    const place = limited.names.indexOf(column);
    const single = paths.filter((path) => !endsInOthers(path)).map(([value = null]) => value);
    const behind = paths.some(endsInOthers)
      ? [...limited.groups.values()].filter(({ path }) => isOthers(path[place]))
      : [];
    const members = behind.flatMap(({ rows }) => rows.map((row) => row[level] ?? null));
    return new Set([...single, ...members].map(valueKey)).size;
  }

  /** Returns the sums of the inner groups outside some outer groups. */
  private async innerRest(
    inner: readonly string[],
    outers: readonly Outer[],
  ): Promise<ReadonlyMap<string, Sums>> {
    const totals = inner.length > 0 ? await this.groups(inner) : [];
    return new Map(
      totals.map(({ path, sums }) => {
        const key = pathKey(path);
        const parts = outers.map((each) => each.inner.get(key) ?? []);
        return [key, rest(sums, parts)] as const;
      }),
    );
  }

  get nothing(): Sums {
    return this.columns.map(() => null);
  }

  private async ask<T>(
    config: Partial<ViewConfig>,
    question: (view: View) => Promise<T>,
  ): Promise<T> {
    const { filter = [], expressions = {}, aggregates = {} } = this.layout;
    const whole = {
      filter,
      ...config,
      expressions: { ...expressions, ...config.expressions },
      aggregates: { ...aggregates, ...config.aggregates },
    };
    return withView(this.table, whole, question);
  }

  private leaves(
    { paths, columns }: ReadRows,
    depth: number,
    names: readonly string[] = this.columns,
  ): { path: CellValue[]; sums: Sums }[] {
    return (paths ?? []).flatMap((path, y) => {
      if (path.length !== depth) return [];
      const sums = names.map((name) => {
        const value = columns.get(name)?.[y];
        return typeof value === 'number' ? tidy(value) : null;
      });
      return [{ path, sums }];
    });
  }
}

/** The value of a group in a row "Others", however many there are. */
const OTHERS = othersValue(0);

/**
 * Returns the path of the row that shows a group: the group itself, or the row "Others" of one of its parents. Levels
 * below such a row that have a limit belong to it too; null if a limit hides the group.
 */
function shownPath(
  path: readonly CellValue[],
  { levels }: Pick<ShownGroups, 'levels'>,
): readonly CellValue[] | null {
  for (const [level, limit] of levels.entries()) {
    if (!limit || limit.kept.has(pathKey(path.slice(0, level + 1)))) continue;
    if (!limit.hasOthers) return null;
    return path.map((value, i) => (i >= level && levels[i] ? OTHERS : value));
  }
  return path;
}

const NONE: ReadonlyMap<string, Sums> = new Map();

function addedUp(groups: readonly ReadonlyMap<string, Sums>[]): ReadonlyMap<string, Sums> {
  const all = new Map<string, Sums>();
  for (const [key, sums] of groups.flatMap((each) => [...each])) {
    const known = all.get(key);
    all.set(key, known ? added(known, sums) : sums);
  }
  return all;
}

const readAll = async (view: View): Promise<ReadRows> => parseRows(await view.to_columns_string());

/** Opens a row with a number of levels below it. */
async function open(view: View, y: number, levels: number): Promise<void> {
  const before = await view.num_rows();
  await view.expand(y);
  if (levels === 1) return;
  const opened = (await view.num_rows()) - before;
  for (let below = y + opened; below > y; below--) await open(view, below, levels - 1);
}
