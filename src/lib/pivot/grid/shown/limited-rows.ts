/** Chooses the groups that limits show, and adds up the others in one row. */
import { isRanked, type Limit } from '../../../contract/stored-layout';
import { pathKey } from '../../slice/cell';
import { tidyChange } from '../../values/cell-value';
import type { CellValue } from '../../values/engine-types';
import { othersValue } from '../../values/others';

/** A limit on the groups of one level of the rows. */
export interface LevelLimit {
  limit: Limit;
  /** The number of each row of the engine's view by which its groups are chosen. */
  numbers: readonly CellValue[];
}

/** The row of the groups of a parent that a limit leaves out. */
export interface OthersRow {
  path: readonly CellValue[];
  /** Positions of the groups in the engine's view. */
  ys: readonly number[];
  /** The values of the groups. */
  members: readonly CellValue[];
}

/** How many groups of a level are not shown, in all open parents. */
export interface HiddenGroups {
  hidden: number;
  all: number;
}

/** Rows that are shown: positions in the engine's view, and rows that add up others. */
export interface LimitedRows {
  rows: readonly (number | OthersRow)[];
  /** The rows that add up others, by the key of their path. */
  others: ReadonlyMap<string, OthersRow>;
  /** The groups that are shown, as keys of paths, for each level with a limit. */
  kept: ReadonlyMap<number, ReadonlySet<string>>;
  leftOut: ReadonlyMap<number, HiddenGroups>;
  /** Open rows without a row below them, because a limit hides all of their groups, as keys of their paths. */
  emptied: ReadonlySet<string>;
}

/** No rows, without limits. */
export const NO_LIMITS: LimitedRows = {
  rows: [],
  others: new Map(),
  kept: new Map(),
  leftOut: new Map(),
  emptied: new Set(),
};

/**
 * Limits the rows of a view. Rows with equal numbers are chosen by the order of their names, so that the choice does
 * not depend on the sort. Rows without a number are chosen last, and no comparison admits them.
 *
 * @param order positions of the rows, each followed by the rows below it
 * @param limits the limit of each level of the rows, the outermost first; null for none
 * @param before the groups to show if the choice must not change: other groups are left out. A parent without any of
 * these groups is limited as usual
 */
export function limitedRows(
  order: readonly number[],
  paths: readonly (readonly CellValue[])[],
  limits: readonly (LevelLimit | null)[],
  before: LimitedRows['kept'] | null = null,
): LimitedRows {
  const below = childrenOf(paths, order);
  const rows: (number | OthersRow)[] = [];
  const kept = new Map<number, Set<string>>();
  const leftOut = new Map<number, HiddenGroups>();
  const byPath = new Map<string, OthersRow>();
  const emptied = new Set<string>();
  const add = (parent: number) => {
    const groups = below.get(parent) ?? [];
    const level = (paths[groups[0] ?? -1]?.length ?? 0) - 1;
    const limited = limits[level];
    const keptBefore = before?.get(level);
    const isShownBefore = (y: number) => keptBefore?.has(pathKey(paths[y] ?? [])) === true;
    // A parent that was not there before has no kept groups.
    const known = groups.some(isShownBefore) ? keptBefore : undefined;
    const chosen = !limited
      ? new Set(groups)
      : known
        ? new Set(groups.filter(isShownBefore))
        : chosenOf(groups, paths, limited);
    for (const y of groups.filter((y) => chosen.has(y))) {
      rows.push(y);
      add(y);
    }
    if (!limited || groups.length === 0) return;
    const keys = kept.get(level) ?? new Set<string>();
    for (const y of chosen) keys.add(pathKey(paths[y] ?? []));
    kept.set(level, keys);
    const others = groups.filter((y) => !chosen.has(y));
    const { hidden = 0, all = 0 } = leftOut.get(level) ?? {};
    leftOut.set(level, { hidden: hidden + others.length, all: all + groups.length });
    if (others.length === 0) return;
    if (!isRanked(limited.limit)) {
      if (chosen.size === 0) emptied.add(pathKey(paths[parent] ?? []));
      return;
    }
    const path = [...(paths[parent] ?? []), othersValue(others.length)];
    const row = { path, ys: others, members: others.map((y) => paths[y]?.at(-1) ?? null) };
    rows.push(row);
    byPath.set(pathKey(path), row);
  };
  add(-1);
  return { rows, others: byPath, kept, leftOut, emptied };
}

/**
 * Returns the rows below each row, as positions; those without a row above them are below -1.
 *
 * @param order positions of the rows, each followed by the rows below it
 */
export function childrenOf(
  paths: readonly (readonly CellValue[])[],
  order: Iterable<number>,
): Map<number, number[]> {
  const below = new Map<number, number[]>();
  const above: number[] = [];
  for (const y of order) {
    above.length = paths[y]?.length ?? 0;
    const parent = above.at(-1) ?? -1;
    const siblings = below.get(parent) ?? [];
    below.set(parent, siblings);
    siblings.push(y);
    above.push(y);
  }
  return below;
}

function chosenOf(
  groups: readonly number[],
  paths: readonly (readonly CellValue[])[],
  { limit, numbers }: LevelLimit,
): ReadonlySet<number> {
  const { keep, number } = limit;
  const numberOf = (y: number) => {
    const own = numbers[y];
    return typeof own === 'number' ? tidyChange(own) : null;
  };
  if (!isRanked(limit)) {
    const admits = (own: number | null) =>
      own !== null && (keep === 'above' ? own > number : own < number);
    return new Set(groups.filter((y) => admits(numberOf(y))));
  }
  const sign = keep === 'top' ? -1 : 1;
  const ranked = [...groups].sort((a, b) => {
    const [one, other] = [numberOf(a), numberOf(b)];
    const isOne = Number(one === null) - Number(other === null);
    const byNumber = one === null || other === null ? isOne : sign * (one - other);
    return byNumber || byValue(paths[a]?.at(-1) ?? null, paths[b]?.at(-1) ?? null);
  });
  return new Set(ranked.slice(0, number));
}

/** Compares two values of a column; the empty one comes last. */
function byValue(one: CellValue, other: CellValue): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one) < String(other) ? -1 : Number(String(one) > String(other));
}
