/** The errors of a forecast over cells: WAPE and bias. */
import type { ForecastError } from '../../contract/accuracy';

/** Sums by cell. */
export type CellSums = ReadonlyMap<string, number>;

/** Adds up amounts by cell. */
export function sumByCell(amounts: Iterable<{ cell: string; amount: number }>): CellSums {
  const sums = new Map<string, number>();
  for (const { cell, amount } of amounts) sums.set(cell, (sums.get(cell) ?? 0) + amount);
  return sums;
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
  private readonly differences = new Map<string, number>();
  private size = 0;
  private off = 0;
  private over = 0;

  /** Begins with a forecast of 0 in every cell. */
  constructor(actual: CellSums) {
    for (const [cell, amount] of actual) {
      this.size += Math.abs(amount);
      this.add({ cell, amount: -amount });
    }
  }

  /** Adds an amount to the forecast of a cell. */
  add({ cell, amount }: { cell: string; amount: number }): void {
    const before = this.differences.get(cell) ?? 0;
    const after = before + amount;
    this.differences.set(cell, after);
    this.off += Math.abs(after) - Math.abs(before);
    this.over += amount;
  }

  /** The errors of the forecast so far; null if the actual amounts are all 0. */
  get errors(): ForecastError {
    const share = (sum: number) => (this.size === 0 ? null : tidy(sum / this.size));
    return { wape: share(this.off), bias: share(this.over) };
  }
}
