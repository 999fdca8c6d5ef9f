/** The errors of a forecast over cells: WAPE and bias. */
import type { ForecastError } from '../../contract/accuracy';
import { movePoint, withoutNoise } from '../../contract/decimals';

/** Sums by cell. */
export type CellSums = ReadonlyMap<string, number>;

/** An amount of a cell. */
export interface CellAmount {
  cell: string;
  amount: number;
}

/**
 * Sums by cell that grow amount by amount. Amounts with a fixed number of decimals are added up as whole numbers of
 * the last decimal, so what cancels out is 0. A sum of doubles is 0 if it is noise.
 */
class GrowingSums {
  private readonly sums = new Map<string, { sum: number; gross: number }>();
  private readonly unit: number;

  /** @param decimals of all amounts; null for doubles */
  constructor(private readonly decimals: number | null) {
    this.unit = 10 ** (decimals ?? 0);
  }

  /** Adds an amount. @returns the sum of its cell before and after it */
  add({ cell, amount }: CellAmount): { before: number; after: number } {
    const known = this.sums.get(cell) ?? { sum: 0, gross: 0 };
    const own = this.decimals === null ? amount : Math.round(movePoint(amount, this.decimals));
    const gross = known.gross + Math.abs(own);
    const total = known.sum + own;
    const sum = this.decimals === null ? withoutNoise(total, gross) : total;
    this.sums.set(cell, { sum, gross });
    return { before: known.sum / this.unit, after: sum / this.unit };
  }

  /** The sums. */
  all(): Map<string, number> {
    return new Map([...this.sums].map(([cell, { sum }]) => [cell, sum / this.unit]));
  }
}

/** Adds up amounts by cell. @param decimals of all amounts; null for doubles */
export function sumByCell(amounts: Iterable<CellAmount>, decimals: number | null): CellSums {
  const sums = new GrowingSums(decimals);
  for (const each of amounts) sums.add(each);
  return sums.all();
}

/** A number without the noise of added doubles; never "-0". */
export const tidy = (amount: number): number =>
  Math.abs(amount) < 1e-12 ? 0 : Number(amount.toPrecision(12));

/**
 * The errors of a forecast that grows amount by amount. WAPE is the sum of the absolute errors, divided by the sum of
 * the absolute actual amounts. Bias is the sum of the signed errors, divided by the same sum (Hyndman and
 * Athanasopoulos, *Forecasting*, 5.8; Kolassa and Schütz 2007).
 */
export class CellErrors {
  /** Forecast less actual amount, by cell. */
  private readonly differences: GrowingSums;
  private size = 0;
  private off = 0;
  private over = 0;

  /** Begins with a forecast of 0 in every cell. @param decimals of all amounts; null for doubles */
  constructor(actual: CellSums, decimals: number | null) {
    this.differences = new GrowingSums(decimals);
    for (const [cell, amount] of actual) {
      this.size += Math.abs(amount);
      this.add({ cell, amount: -amount });
    }
  }

  /** Adds an amount to the forecast of a cell. */
  add(amount: CellAmount): void {
    const { before, after } = this.differences.add(amount);
    this.off += Math.abs(after) - Math.abs(before);
    this.over += after - before;
  }

  /** The errors of the forecast so far; null if the actual amounts are all 0. */
  get errors(): ForecastError {
    const share = (sum: number) => (this.size === 0 ? null : tidy(sum / this.size));
    return { wape: share(this.off), bias: share(this.over) };
  }
}
