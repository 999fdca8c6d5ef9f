/** Finds the types and notations that the cells of a column fit. */
import type {
  DashesAs,
  FileColumn,
  FileDateOrder,
  FileDecimal,
  FileType,
} from '../../contract/files';
import { FILE_DATE_ORDERS, FILE_DECIMALS } from '../../contract/files';
import { isDash } from './convert';
import { type FileDate, isMidnight, parseDate } from './dates';
import { type FileNumber, parseNumber } from './numbers';

/** Number of months that are remembered of a column of dates. */
const MOST_MONTHS = 2_400;
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

/** A cell as the file has it. */
export interface SampleCell {
  line: number;
  cell: string;
  /** Whether the file stores it as a number. */
  isNumber: boolean;
}

/** Counts cells of one kind, and keeps the first. */
class Sample {
  count = 0;
  readonly cells: SampleCell[] = [];

  take(cell: SampleCell): void {
    this.count++;
    if (this.cells.length < SAMPLED) this.cells.push(cell);
  }
}

/** Number of cells that are kept of one kind. */
const SAMPLED = 3;

/** Number of different numbers among which equal ones are looked for. */
const COMPARED = 1_000;

class NumberFit extends Fit {
  mostWhole = 1;
  mostDecimals = 0;
  percents = 0;
  withCurrency = 0;
  codes = 0;
  readonly currencies = new Set<string>();

  /** Whether the numbers can be added up: all in percent or none, all in one currency or none. */
  get agrees(): boolean {
    const allOrNone = (n: number) => n === 0 || n === this.fits;
    const oneCurrency = this.currencies.size <= 1 && allOrNone(this.withCurrency);
    return this.codes === 0 && allOrNone(this.percents) && oneCurrency;
  }
}

class DateFit extends Fit {
  withZone = 0;
  pastMidnight = 0;
  /** Dates in eight digits, which can be whole numbers. */
  compact = 0;
  private firsts = 0;
  /** The months of the dates, as their number since year 0. */
  private readonly months = new Set<number>();

  take({ date, time, zone, isCompact }: FileDate): void {
    this.fits++;
    if (zone) this.withZone++;
    if (!isMidnight(time)) this.pastMidnight++;
    if (isCompact) this.compact++;
    if (!date.endsWith('-01')) return;
    this.firsts++;
    if (this.months.size < MOST_MONTHS)
      this.months.add(Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)));
  }

  /** Whether all dates are the first days of months that follow each other. */
  get isMonthly(): boolean {
    if (!this.isComplete || this.firsts < this.fits || this.months.size < 2) return false;
    const months = [...this.months];
    return Math.max(...months) - Math.min(...months) === this.months.size - 1;
  }

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
  /** Numbers and dates that have another value in another notation. */
  readonly openDecimals = new Sample();
  readonly openDates = new Sample();
  /** Dashes in place of numbers. */
  readonly dashes = new Sample();
  /** Numbers that can be codes: `1E5`, or more than 15 digits. */
  private readonly codes = new Sample();
  /** Numbers with digits from their binary form, and those with many decimals. */
  readonly noise = new Sample();
  readonly long = new Sample();
  /** Dates whose year has two digits. */
  readonly shortYears = new Sample();
  /** Different texts of one number: `1.1` and `1.10`. */
  private readonly equal = new Sample();
  private readonly texts = new Map<string, string>();
  private readonly wholes = new Sample();
  private readonly isChosenNumber: boolean;
  private readonly isChosenDate: boolean;

  /** @param chosen the type that was sent for the column; its cells are counted however many do not fit */
  constructor(
    private readonly chosen?: FileType,
    private readonly dashesAs: DashesAs = 'zero',
  ) {
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
    const isHyphen = isDash(cell);
    if (isHyphen) this.dashes.take({ line, cell, isNumber });
    if (!isHyphen || this.dashesAs === 'text') this.takeNumber(cell, line, isNumber);
    this.takeDate(cell, line, isNumber);
    if (this.booleans.isGivenUp) return;
    if (/^(true|false)$/i.test(cell)) this.booleans.fits++;
    else this.booleans.miss(line);
  }

  private takeNumber(cell: string, line: number, isNumber: boolean): void {
    let found: FileNumber | null = null;
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
      found ??= number;
      if (number.isCode && !isNumber) fit.codes++;
      if (number.currency) {
        fit.withCurrency++;
        if (fit.currencies.size < 2) fit.currencies.add(number.currency);
      }
      return number.text;
    });
    const sample = { line, cell, isNumber };
    if (differ(values)) this.openDecimals.take(sample);
    if (found !== null) this.compare(found, sample);
  }

  private compare(number: FileNumber, sample: SampleCell): void {
    const { text, exact, decimals, isCode, isPadded } = number;
    if (isCode && !isPadded && !sample.isNumber) this.codes.take(sample);
    if (text !== exact) this.noise.take(sample);
    if (decimals > MANY_DECIMALS) this.long.take(sample);
    if (sample.cell.length === 8 && /^\d{8}$/.test(sample.cell)) this.wholes.take(sample);
    if (this.texts.size >= COMPARED || sample.isNumber) return;
    if (!/^\d+(?:[.,]\d+)?$/.test(sample.cell)) return;
    const value = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
    const other = this.texts.get(value);
    if (other !== undefined && other !== sample.cell) this.equal.take(sample);
    else if (other === undefined) this.texts.set(value, sample.cell);
  }

  private takeDate(cell: string, line: number, isNumber: boolean): void {
    let hasShortYear = false;
    const values = FILE_DATE_ORDERS.map((order) => {
      const fit = this.dates[order];
      if (fit.isGivenUp && !this.isChosenDate) return undefined;
      const found = parseDate(cell, order);
      if (found === null) {
        fit.miss(line);
        return undefined;
      }
      fit.take(found);
      hasShortYear ||= found.hasShortYear;
      return found.date;
    });
    const sample = { line, cell, isNumber };
    if (differ(values)) this.openDates.take(sample);
    if (hasShortYear) this.shortYears.take(sample);
  }

  /** Whether more cells are numbers with a point (above 0) or with a comma (below 0). */
  get pointsOverCommas(): number {
    return preference(this.numbers.point, this.numbers.comma, this.isChosenNumber);
  }

  /** Whether more cells are dates with the day first (above 0) or with the month first (below 0). */
  get daysOverMonths(): number {
    return preference(this.dates.dmy, this.dates.mdy, this.isChosenDate);
  }

  /** Whether the dates are a series of months with the day first (above 0) or with the month first (below 0). */
  get monthlyDaysOverMonths(): number {
    return Number(this.dates.dmy.isMonthly) - Number(this.dates.mdy.isMonthly);
  }

  /** Whether dashes stand among numbers. */
  get hasDashesAmongNumbers(): boolean {
    const { point, comma } = this.numbers;
    return this.dashes.count > 0 && (point.fits > 0 || comma.fits > 0);
  }

  /** Types between which the cells do not decide, the likelier first, and cells that show it; null if they do. */
  openType(decimal: FileDecimal): { types: FileType[]; why: string; cells: SampleCell[] } | null {
    const numbers = this.numbers[decimal];
    if (!numbers.isComplete) return null;
    const number = wholeOr(numbers);
    if (this.isCompactDate) {
      const why = 'Whole numbers of eight digits can be dates.';
      return { types: ['date', number, 'text'], why, cells: this.wholes.cells };
    }
    if (this.codes.count > 0) {
      const why = 'Cells such as these can be codes or numbers.';
      return { types: ['text', number], why, cells: this.codes.cells };
    }
    if (this.equal.count === 0 || number === 'integer') return null;
    const [first] = this.equal.cells;
    const twin = first && this.texts.get(first.cell.replace(/[.,]?0+$/, '').replace(',', '.'));
    const why = `Different texts are one number, such as ${[twin, first?.cell].filter(Boolean).join(' and ')}.`;
    return { types: [number, 'text'], why, cells: this.equal.cells };
  }

  /** Whether all cells are dates in eight digits. */
  private get isCompactDate(): boolean {
    const { ymd } = this.dates;
    return ymd.isComplete && ymd.compact === ymd.fits && ymd.type === 'date';
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
    return isOne && this.openDecimals.count > 0;
  }

  /** Whether almost all cells are dates, or dates were chosen, and some have two values. */
  get leavesDateOrderOpen(): boolean {
    const { dmy, mdy } = this.dates;
    const isOne = this.chosen === undefined ? dmy.isNear || mdy.isNear : this.isChosenDate;
    return isOne && this.openDates.count > 0;
  }

  /** The narrowest type that all cells have; `text` if there is none. */
  type(decimal: FileDecimal, order: FileDateOrder): FileType {
    const dates = this.dates[order];
    if (this.booleans.isComplete) return 'boolean';
    if (this.isCompactDate) return 'date';
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
      ...(numbers.codes === 0 ? [{ fit: numbers, type: wholeOr(numbers) }] : []),
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

/** Decimals beyond which a number is an example of one with many. */
const MANY_DECIMALS = 6;

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
