/** Finds the types and notations that the cells of a column fit. */
import type { FileColumn, FileDateOrder, FileDecimal, FileType } from '../../contract/files';
import { FILE_DATE_ORDERS, FILE_DECIMALS } from '../../contract/files';
import { isMidnight, parseDate } from './dates';
import { parseNumber } from './numbers';

/** Number of lines that are remembered of the cells that do not fit. */
const LINES = 5;
/** A type that more cells than these, and more than a tenth of the others, do not have is given up. */
const FEW = 20;

/** The cells that have a type, and those that do not. */
class Fit {
  fits = 0;
  misses = 0;
  readonly lines: number[] = [];

  get isComplete(): boolean {
    return this.misses === 0 && this.fits > 0;
  }

  /** Whether almost all cells have the type. */
  get isNear(): boolean {
    return this.fits > 0 && !this.isGivenUp && this.misses <= this.fits / 5;
  }

  get isGivenUp(): boolean {
    return this.misses > FEW && this.misses > this.fits / 10;
  }

  miss(line: number): void {
    this.misses++;
    if (this.lines.length < LINES) this.lines.push(line);
  }
}

class NumberFit extends Fit {
  mostWhole = 1;
  mostDecimals = 0;
  percents = 0;
  withCurrency = 0;
  padded = 0;
  readonly currencies = new Set<string>();

  /** Whether the numbers can be added up: all in percent or none, all in one currency or none. */
  get agrees(): boolean {
    const allOrNone = (n: number) => n === 0 || n === this.fits;
    const oneCurrency = this.currencies.size <= 1 && allOrNone(this.withCurrency);
    return this.padded === 0 && allOrNone(this.percents) && oneCurrency;
  }
}

class DateFit extends Fit {
  withZone = 0;
  pastMidnight = 0;

  /** The narrowest type that holds all dates; null if only some have an offset from UTC. */
  get type(): FileType | null {
    if (this.withZone > 0) return this.withZone === this.fits ? 'timestamptz' : null;
    return this.pastMidnight > 0 ? 'timestamp' : 'date';
  }
}

/** Collects what the cells of one column can be, under every notation. */
export class ColumnFacts {
  private readonly numbers = { point: new NumberFit(), comma: new NumberFit() };
  private readonly dates = { ymd: new DateFit(), dmy: new DateFit(), mdy: new DateFit() };
  private readonly booleans = new Fit();
  /** Whether all cells are blank. */
  isEmpty = true;
  /** Whether a number or date has another value in another notation. */
  private readonly isOpen = { decimal: false, dateOrder: false };
  private readonly isChosenNumber: boolean;
  private readonly isChosenDate: boolean;

  /** @param chosen the type that was sent for the column; its cells are counted however many do not fit */
  constructor(private readonly chosen?: FileType) {
    this.isChosenNumber = chosen === 'integer' || chosen === 'numeric';
    this.isChosenDate = chosen === 'date' || chosen === 'timestamp' || chosen === 'timestamptz';
  }

  /**
   * @param text a cell; one that is blank has every type
   * @param isNumber whether the file stores it as a number, which always has a point
   */
  take(text: string, line: number, isNumber = false): void {
    const cell = text.trim();
    if (cell === '') return;
    this.isEmpty = false;
    this.takeNumber(cell, line, isNumber);
    this.takeDate(cell, line);
    if (this.booleans.isGivenUp) return;
    if (/^(true|false)$/i.test(cell)) this.booleans.fits++;
    else this.booleans.miss(line);
  }

  private takeNumber(cell: string, line: number, isNumber: boolean): void {
    const values = FILE_DECIMALS.map((decimal) => {
      const fit = this.numbers[decimal];
      if (fit.isGivenUp && !this.isChosenNumber) return undefined;
      const number = parseNumber(cell, isNumber ? 'point' : decimal);
      if (number === null) {
        fit.miss(line);
        return undefined;
      }
      fit.fits++;
      fit.mostWhole = Math.max(fit.mostWhole, number.whole);
      fit.mostDecimals = Math.max(fit.mostDecimals, number.decimals);
      if (number.isPercent) fit.percents++;
      if (number.isPadded) fit.padded++;
      if (number.currency) {
        fit.withCurrency++;
        if (fit.currencies.size < 2) fit.currencies.add(number.currency);
      }
      return number.text;
    });
    if (differ(values)) this.isOpen.decimal = true;
  }

  private takeDate(cell: string, line: number): void {
    const values = FILE_DATE_ORDERS.map((order) => {
      const fit = this.dates[order];
      if (fit.isGivenUp && !this.isChosenDate) return undefined;
      const found = parseDate(cell, order);
      if (found === null) {
        fit.miss(line);
        return undefined;
      }
      fit.fits++;
      if (found.zone) fit.withZone++;
      if (!isMidnight(found.time)) fit.pastMidnight++;
      return found.date;
    });
    if (differ(values)) this.isOpen.dateOrder = true;
  }

  /** Whether more cells are numbers with a point (above 0) or with a comma (below 0). */
  get pointsOverCommas(): number {
    return preference(this.numbers.point, this.numbers.comma, this.isChosenNumber);
  }

  /** Whether more cells are dates with the day first (above 0) or with the month first (below 0). */
  get daysOverMonths(): number {
    return preference(this.dates.dmy, this.dates.mdy, this.isChosenDate);
  }

  /** Whether almost all cells are dates, or dates were chosen, and some begin with the year. */
  get hasYearsFirst(): boolean {
    return this.dates.ymd.isNear || (this.isChosenDate && this.dates.ymd.fits > 0);
  }

  /** Whether almost all cells are dates, or dates were chosen, and some need an order of day and month. */
  get needsDateOrder(): boolean {
    const { ymd, dmy, mdy } = this.dates;
    const isOne = dmy.isNear || mdy.isNear || this.isChosenDate;
    return isOne && Math.max(dmy.fits, mdy.fits) > ymd.fits;
  }

  /** Whether almost all cells are numbers, or numbers were chosen, and some have two values. */
  get leavesDecimalOpen(): boolean {
    const { point, comma } = this.numbers;
    const isOne = this.chosen === undefined ? point.isNear || comma.isNear : this.isChosenNumber;
    return isOne && this.isOpen.decimal;
  }

  /** Whether almost all cells are dates, or dates were chosen, and some have two values. */
  get leavesDateOrderOpen(): boolean {
    const { dmy, mdy } = this.dates;
    const isOne = this.chosen === undefined ? dmy.isNear || mdy.isNear : this.isChosenDate;
    return isOne && this.isOpen.dateOrder;
  }

  /** The narrowest type that all cells have; `text` if there is none. */
  type(decimal: FileDecimal, order: FileDateOrder): FileType {
    const dates = this.dates[order];
    if (this.booleans.isComplete) return 'boolean';
    const number = this.numberType(decimal);
    if (number) return number;
    return (dates.isComplete && dates.type) || 'text';
  }

  /** Digits behind the point that a numeric column needs; null if they and those before it are too many. */
  scale(decimal: FileDecimal): number | null {
    const { mostWhole, mostDecimals, isGivenUp } = this.numbers[decimal];
    return isGivenUp || mostWhole + mostDecimals > 36 ? null : mostDecimals;
  }

  /** The type that almost all cells of a column of texts have. */
  nearly(decimal: FileDecimal, order: FileDateOrder): FileColumn['nearly'] {
    const numbers = this.numbers[decimal];
    const dates = this.dates[order];
    const kinds = [
      ...(numbers.padded === 0 ? [{ fit: numbers, type: wholeOr(numbers) }] : []),
      { fit: dates, type: dates.type },
    ];
    const near = kinds.find(({ fit }) => fit.misses > 0 && fit.isNear);
    if (!near?.type) return null;
    const { misses, lines } = near.fit;
    return { type: near.type, row_count: misses, lines };
  }

  private numberType(decimal: FileDecimal): 'integer' | 'numeric' | undefined {
    const numbers = this.numbers[decimal];
    return numbers.isComplete && numbers.agrees ? wholeOr(numbers) : undefined;
  }
}

/** Compares the cells that fit minus those that do not; 0 if almost all fit neither, and the type was not chosen. */
function preference(one: Fit, other: Fit, isChosen: boolean): number {
  if (!isChosen && !one.isNear && !other.isNear) return 0;
  // The cells after giving up were not counted.
  const score = (fit: Fit) => (fit.isGivenUp && !isChosen ? -Infinity : fit.fits - fit.misses);
  return Math.sign(score(one) - score(other));
}

const wholeOr = ({ mostDecimals, mostWhole }: NumberFit): 'integer' | 'numeric' =>
  mostDecimals === 0 && mostWhole <= 18 ? 'integer' : 'numeric';

const differ = (values: readonly (string | undefined)[]): boolean =>
  new Set(values.filter((value) => value !== undefined)).size > 1;
