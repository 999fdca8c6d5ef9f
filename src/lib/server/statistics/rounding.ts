/** Rounds the amounts of forecasts to the decimals of their column. */
import { at, sum } from './series';

/** @param decimals null for a floating-point column, whose amounts stay as they are */
export const rounded = (amount: number, decimals: number | null): number =>
  decimals === null ? amount : Number(amount.toFixed(Math.min(20, Math.max(0, decimals))));

/**
 * Rounds amounts so that the first n of them add up to their rounded sum, for each n: small amounts are not lost.
 *
 * @param decimals null for a floating-point column, whose amounts stay as they are
 */
export function roundedTogether(amounts: readonly number[], decimals: number | null): number[] {
  if (decimals === null) return [...amounts];
  let [exact, given] = [0, 0];
  return amounts.map((amount) => {
    exact += amount;
    const next = rounded(rounded(exact, decimals) - given, decimals);
    given += next;
    return next;
  });
}

/** Significant digits of a double; units that are finer cannot be distributed. */
const DIGITS = 15;

/**
 * Rounds amounts of several series so that they add up in each period: those of all series, and those of each group of
 * nested levels, to their sum rounded up or down. What rounding adds to a series or group in one period is taken off in
 * later ones, so small amounts are not lost. A series without an amount below 0 gets none.
 *
 * @param amounts of each series by period
 * @param levels for each level, the coarsest first, the number of the group of each series. Each level divides the groups
 * of the one before
 * @param decimals null for a floating-point column, whose amounts stay as they are
 */
export function roundedAtLevels(
  amounts: readonly (readonly number[])[],
  levels: readonly (readonly number[])[],
  decimals: number | null,
): number[][] {
  if (decimals === null) return amounts.map((series) => [...series]);
  const periods = Array.from({ length: amounts[0]?.length ?? 0 }, (_, h) => h);
  const sizes = periods.map((h) => sum(amounts.map((series) => Math.abs(at(series, h)))));
  const most = DIGITS - Math.ceil(Math.log10(1 + Math.max(0, ...sizes)));
  const places = Math.max(0, Math.min(decimals, most));
  const unit = 10 ** places;
  const given = amounts.map((): number[] => []);
  const owe = (node: Node, h: number): number => {
    const more = node.parts
      ? sum(node.parts.map((part) => owe(part, h)))
      : unit * at(amounts[node.series] ?? [], h);
    node.owed += more;
    return more;
  };
  const give = (node: Node, units: number): void => {
    node.owed -= units;
    if (!node.parts) given[node.series]?.push(rounded(units / unit, places));
    else {
      const shares = distributed(node.parts, units);
      for (const [i, part] of node.parts.entries()) give(part, at(shares, i));
    }
  };
  const all = treeOf(amounts, levels);
  for (const h of periods) {
    owe(all, h);
    give(all, Math.max(all.least, Math.round(all.owed)));
  }
  return given;
}

/** A series, or a group of series or groups. */
interface Node {
  /** Units that it has not been given yet. */
  owed: number;
  /** The least number of units that it may be given. */
  least: number;
  /** Position of the series; that of its first one for a group. */
  series: number;
  /** Undefined for a series. */
  parts?: readonly Node[];
}

function treeOf(
  amounts: readonly (readonly number[])[],
  levels: readonly (readonly number[])[],
): Node {
  const group = (series: readonly number[], parts: readonly Node[]): Node => {
    const least = Math.min(...new Set(parts.map((part) => part.least)));
    return { owed: 0, least, series: at(series, 0), parts };
  };
  const divided = (
    series: readonly number[],
    [level, ...finer]: readonly (readonly number[])[],
  ): Node => {
    if (!level) {
      const leastOf = (i: number) => (amounts[i]?.some((amount) => amount < 0) ? -Infinity : 0);
      return group(
        series,
        series.map((i) => ({ owed: 0, least: leastOf(i), series: i })),
      );
    }
    const groups = new Map<number, number[]>();
    for (const i of series) {
      const known = groups.get(at(level, i));
      if (known) known.push(i);
      else groups.set(at(level, i), [i]);
    }
    const parts = [...groups.values()].map((each) => divided(each, finer));
    return group(series, parts);
  };
  return divided(
    amounts.map((_, i) => i),
    levels,
  );
}

/** Distributes units over parts. Each part gets its owed units, rounded down or up so that the parts add up to `units`. */
function distributed(parts: readonly Node[], units: number): number[] {
  const shares = parts.map(({ owed, least }) => Math.max(least, Math.floor(owed)));
  let left = units - sum(shares);
  const rest = (i: number) => (parts[i]?.owed ?? 0) - at(shares, i);
  const order = parts.map((_, i) => i).sort((a, b) => rest(b) - rest(a) || a - b);
  if (left < 0) order.reverse();
  const step = Math.sign(left);
  while (left !== 0) {
    const before = left;
    for (const i of order) {
      if (left === 0) break;
      if (at(shares, i) + step < (parts[i]?.least ?? 0)) continue;
      shares[i] = at(shares, i) + step;
      left -= step;
    }
    if (left === before) break;
  }
  return shares;
}
