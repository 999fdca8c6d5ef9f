/** Finds rows that add up the rows above them, such as those of a spreadsheet's total, and leaves them out. */
import type { TotalsAs } from '../../contract/files';
import type { FileRow, ReadRows } from './csv';
import { parseNumber } from './numbers';

/** Names of rows that add up others. */
const TOTAL =
  /^(?:(?:grand|sub|overall|sum)[\s-]?)?totals?$|^(?:total|summe|gesamt|zwischensumme|subtotal)\b|\b(?:total|summe|gesamt|ergebnis)$|^(?:gesamt(?:summe|ergebnis)|insgesamt|totaal|totale|total général|suma|razem|celkem|yhteensä|итого|всего|合計|総計|小計)$/iu;

/** Longest text that can name a total. */
const LONGEST = 60;
/** Number of rows that can be totals. */
const MOST = 1_000;

/** A row that adds up others. */
export interface TotalRow {
  line: number;
  label: string;
}

/** The rows that add up others, and those that are only named like them. */
export interface TotalRows {
  totals: TotalRow[];
  others: TotalRow[];
  /** Reads the rows without the totals, unless they are kept. */
  read: ReadRows;
}

/**
 * Finds totals: rows with the name of one whose amounts are the sums of the rows above, from the beginning or from
 * another total on. The first row is the header.
 */
export async function withoutTotals(read: ReadRows, as: TotalsAs): Promise<TotalRows> {
  if (!(await hasLabels(read))) return { totals: [], others: [], read };
  const totals: TotalRow[] = [];
  const others: TotalRow[] = [];
  const sums = new RunningSums();
  for await (const row of rowsAfterFirst(read)) {
    const label = totalIn(row);
    if (label === undefined) sums.add(row);
    else if (sums.isSum(row)) {
      totals.push({ line: row.line, label });
      sums.mark();
    } else {
      others.push({ line: row.line, label });
      sums.add(row);
    }
    if (totals.length + others.length > MOST) return { totals: [], others: [], read };
  }
  const lines = new Set(totals.map(({ line }) => line));
  const rest: ReadRows = async function* () {
    for await (const rows of read()) yield rows.filter(({ line }) => !lines.has(line));
  };
  return { totals, others, read: as === 'keep' || lines.size === 0 ? read : rest };
}

async function* rowsAfterFirst(read: ReadRows): AsyncGenerator<FileRow> {
  let isFirst = true;
  for await (const rows of read()) {
    yield* isFirst ? rows.slice(1) : rows;
    isFirst &&= rows.length === 0;
  }
}

async function hasLabels(read: ReadRows): Promise<boolean> {
  for await (const row of rowsAfterFirst(read)) if (totalIn(row) !== undefined) return true;
  return false;
}

/** The name of a total in a row; undefined if it has none. */
export function totalIn({ cells }: FileRow): string | undefined {
  for (const cell of cells) {
    if (cell.length < 2 || cell.length > LONGEST || startsLikeNumber(cell)) continue;
    if (isTotal(cell)) return cell.trim();
  }
  return undefined;
}

/** Whether a cell begins with a digit, a sign or a mark of numbers. */
function startsLikeNumber(cell: string): boolean {
  const first = cell.charCodeAt(0);
  return first >= 0x2b && first <= 0x39;
}

/** Cells that were looked at: names repeat. */
const known = new Map<string, boolean>();
const MOST_KNOWN = 10_000;

function isTotal(cell: string): boolean {
  let is = known.get(cell);
  if (is === undefined) {
    is = TOTAL.test(cell.trim());
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(cell, is);
  }
  return is;
}

/** A number with the size of its last digit. */
interface Amount {
  value: number;
  unit: number;
}

/** Sums of the columns, from the beginning and from each total on, with a decimal point and a decimal comma. */
class RunningSums {
  private readonly sums = { point: new Map<number, number>(), comma: new Map<number, number>() };
  private rows = 0;
  /** The sums at the beginning and at each total. */
  private readonly marks = [{ point: new Map<number, number>(), comma: new Map<number, number>() }];

  add(row: FileRow): void {
    this.rows++;
    for (const decimal of ['point', 'comma'] as const) {
      for (const [i, { value }] of amountsOf(row, decimal)) {
        this.sums[decimal].set(i, (this.sums[decimal].get(i) ?? 0) + value);
      }
    }
  }

  mark(): void {
    this.marks.push({ point: new Map(this.sums.point), comma: new Map(this.sums.comma) });
  }

  /** Whether at least half of the amounts of a row are sums, and one of them is not 0. */
  isSum(row: FileRow): boolean {
    return (['point', 'comma'] as const).some((decimal) => {
      const amounts = [...amountsOf(row, decimal)];
      return this.marks.some((mark) => {
        const own = amounts.filter(([i, amount]) =>
          this.isNear(amount, (this.sums[decimal].get(i) ?? 0) - (mark[decimal].get(i) ?? 0)),
        );
        return own.length * 2 >= amounts.length && own.some(([, { value }]) => value !== 0);
      });
    });
  }

  /** Sums of rounded amounts differ in the last digit. */
  private isNear({ value, unit }: Amount, sum: number): boolean {
    const rounding = Math.min(unit * (1 + this.rows / 10), Math.abs(sum) / 1000);
    return Math.abs(value - sum) <= Math.max(rounding, Math.abs(sum) * 1e-9);
  }
}

function* amountsOf(
  { cells, numbers }: FileRow,
  decimal: 'point' | 'comma',
): Generator<[number, Amount]> {
  for (const [i, cell] of cells.entries()) {
    const number = parseNumber(cell.trim(), numbers?.[i] ? 'point' : decimal);
    if (number) yield [i, { value: Number(number.text), unit: 10 ** -number.decimals }];
  }
}
