/** The levels of a forecast: their groups, and forecasts of several levels that agree. */
import type { ForecastColumn } from '../../sql/forecast-columns';
import { groupId } from '../../sql/groups';
import { agreedIn, type ForecastedSum, forecastForParts } from '../../statistics/agree';
import type { ForecastOptions } from '../../statistics/forecast';
import type { Forecasted } from '../../statistics/together';
import type { Turns } from '../../turns';

/** Amounts by period; null before the first one. */
export type Amounts = (number | null)[];

/** A level, with the amounts of its groups, and the cells that each group adds up or is a part of. */
export interface Level {
  by: readonly string[];
  groups: { amounts: Amounts; cells: number[] }[];
}

/** Returns for each level the number of the group of each cell. @param levels positions of the dimensions that stay */
export function groupNumbers(
  cells: readonly { id: readonly (string | null)[] }[],
  levels: readonly (readonly number[])[],
): number[][] {
  return levels.map((kept) => {
    const numbers = new Map<string, number>();
    return cells.map(({ id }) => {
      const key = groupId(kept.map((i) => id[i] ?? null));
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return number;
    });
  });
}

/** Returns the number of groups of each level. @param levels as in {@link groupNumbers} */
export const groupCounts = (...of: Parameters<typeof groupNumbers>): number[] =>
  groupNumbers(...of).map((numbers) => new Set(numbers).size);

/** The level that keeps some dimensions: its groups add up cells. */
export function coarser(
  { by, sums }: { by: readonly ForecastColumn[]; sums: readonly { id: (string | null)[] }[] },
  cells: readonly Amounts[],
  kept: readonly number[],
): Level {
  const groups: Level['groups'] = [];
  const [numbers = []] = groupNumbers(sums, [kept]);
  for (const [c, number] of numbers.entries()) {
    const cell = cells[c] ?? [];
    const known = groups[number];
    if (!known) groups[number] = { amounts: [...cell], cells: [c] };
    else {
      known.cells.push(c);
      for (const [t, amount] of cell.entries()) {
        known.amounts[t] = added(known.amounts[t] ?? null, amount);
      }
    }
  }
  return { by: kept.map((i) => by[i]?.name ?? ''), groups };
}

const added = (sum: number | null, amount: number | null): number | null =>
  sum === null ? amount : sum + (amount ?? 0);

/**
 * Returns the finest of some levels and those that it divides, one after the other, the coarsest first: each has all
 * dimensions of the one before.
 */
export function nestedLevels(levels: readonly (readonly number[])[]): (readonly number[])[] {
  const nested: (readonly number[])[] = [];
  for (const level of levels.toSorted((a, b) => b.length - a.length)) {
    const [finer = level] = nested;
    if (level.every((i) => finer.includes(i))) nested.unshift(level);
  }
  return nested;
}

/**
 * Makes the forecasts of cells and of coarser levels agree. Other requests are answered between two periods.
 *
 * @returns the amounts of each cell by period of the horizon, not rounded
 */
export async function agreed(
  cells: readonly Forecasted[],
  sums: readonly ForecastedSum[],
  options: ForecastOptions,
  turns: Turns,
): Promise<number[][]> {
  const given = await turns.each(sums, (each) => ({
    ...each,
    forecast: forecastForParts(each, cells, options),
  }));
  const amounts = cells.map((): number[] => []);
  for (let h = 0; h < options.horizon; h++) {
    await turns.give();
    for (const [c, amount] of agreedIn(h, cells, given).entries()) amounts[c]?.push(amount);
  }
  return amounts;
}
