/** Formats numbers, dates and texts for the cells of the grid. */
import type { ColumnFormat } from '../../values/column-format';
import type { CellValue, ColumnType } from '../../values/engine-types';
import { tidy } from '../../values/cell-value';
import { dateLanguage } from '../../values/date-language';

const CENTS: Intl.NumberFormatOptions = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

/** Returns the number options of a column: those of the layout, otherwise two decimals for amounts. */
export const numberOptions = (
  type: ColumnType | undefined,
  { number_format }: ColumnFormat,
): Intl.NumberFormatOptions => number_format ?? (type === 'float' ? CENTS : {});

/** Formats the values of one column as the grid shows them. */
export class CellFormat {
  private readonly number: Intl.NumberFormat;
  private readonly date: Intl.DateTimeFormat;
  private readonly divisor: number;
  /** The texts of sums that round to zero. */
  private readonly zeros: ReadonlySet<string>;

  /** @param languages languages of the browser, the preferred one first */
  constructor(
    private readonly type: ColumnType | undefined,
    format: ColumnFormat,
    languages: readonly string[],
  ) {
    this.divisor = format.divisor ?? 1;
    this.number = new Intl.NumberFormat([...languages], numberOptions(type, format));
    this.zeros = new Set([0, -0].map((zero) => this.number.format(zero)));
    this.date = new Intl.DateTimeFormat(
      languages.map(dateLanguage),
      type === 'datetime'
        ? { dateStyle: 'short', timeStyle: 'medium', timeZone: 'UTC' }
        : { dateStyle: 'short', timeZone: 'UTC' },
    );
  }

  get isNumber(): boolean {
    return this.type === 'integer' || this.type === 'float';
  }

  /** Returns the text of a cell; an empty text for no value. */
  text(value: CellValue | undefined): string {
    if (value === null || value === undefined) return '';
    if (typeof value !== 'number') return String(value);
    if (this.type === 'date' || this.type === 'datetime') return this.date.format(value);
    return this.number.format(tidy(value) / this.divisor);
  }

  /** Checks whether a cell shows a number below zero; a number that rounds to zero does not count. */
  isNegative(value: CellValue | undefined): boolean {
    return (
      this.isNumber && typeof value === 'number' && value < 0 && !this.zeros.has(this.text(value))
    );
  }
}
