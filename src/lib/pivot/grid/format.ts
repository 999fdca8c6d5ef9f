import type { ColumnFormat } from '../values/column-format';
import type { CellValue, ColumnType } from '../values/engine-types';
import { tidy } from '../values/cell-value';

const CENTS: Intl.NumberFormatOptions = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

/** How the numbers of a column are written: as a layout says it, else amounts to the cent. */
export const numberOptions = (
  type: ColumnType | undefined,
  { number_format }: ColumnFormat,
): Intl.NumberFormatOptions => number_format ?? (type === 'float' ? CENTS : {});

/** Writes the values of one column as the grid shows them. */
export class CellFormat {
  private readonly number: Intl.NumberFormat;
  private readonly date: Intl.DateTimeFormat;
  private readonly divisor: number;
  /** What is shown for sums that round to nothing. */
  private readonly zeros: ReadonlySet<string>;

  /** @param languages the browser's, the preferred one first */
  constructor(
    private readonly type: ColumnType | undefined,
    format: ColumnFormat,
    languages: readonly string[],
  ) {
    this.divisor = format.divisor ?? 1;
    this.number = new Intl.NumberFormat([...languages], numberOptions(type, format));
    this.zeros = new Set([0, -0].map((zero) => this.number.format(zero)));
    this.date = new Intl.DateTimeFormat(
      [...languages],
      type === 'datetime'
        ? { dateStyle: 'short', timeStyle: 'medium', timeZone: 'UTC' }
        : { dateStyle: 'short', timeZone: 'UTC' },
    );
  }

  get isNumber(): boolean {
    return this.type === 'integer' || this.type === 'float';
  }

  /** What a cell shows; the empty text for no value. */
  text(value: CellValue | undefined): string {
    if (value === null || value === undefined) return '';
    if (typeof value !== 'number') return String(value);
    if (this.type === 'date' || this.type === 'datetime') return this.date.format(value);
    return this.number.format(tidy(value) / this.divisor);
  }

  /** Whether a cell shows a number below zero, not one that only rounds to it. */
  isNegative(value: CellValue | undefined): boolean {
    return (
      this.isNumber && typeof value === 'number' && value < 0 && !this.zeros.has(this.text(value))
    );
  }
}
