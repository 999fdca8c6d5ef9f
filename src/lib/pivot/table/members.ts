/** Lists and counts the values of a column. */
import type { Column } from '@uwdata/flechette';
import { contains } from '../../contract/folding';
import type { Scalar } from '../../contract/primitives';
import { dictionaryOf, isThere, numbersOf, type ArrowColumns } from '../rows/arrow-columns';
import { toScalar, valueKey } from '../values/cell-value';
import type { CellValue, Schema } from '../values/engine-types';
import { daysIn } from '../rows/days';
import { cellValueAt, type KnownValues } from '../rows/known-values';
import { inOrder } from '../values/name-order';
import { nextTask } from '../waiting';
import type { TableRows } from './table-rows';

/** Number of rows after which the loop yields to the page. */
const ROWS_PER_TURN = 250_000;

/** One value of a column. */
export interface Member {
  /** The value as a filter names it; null is the empty value. */
  value: Scalar | null;
  /** Number of rows; null until they are counted. */
  rows: number | null;
  /** Sum of the measure; null until it is computed, and without a measure. */
  sum: number | null;
}

/**
 * The values of columns in the version's own rows, without those of other versions and of previews. They are
 * read from the rows themselves, so the engine's table need not have the column.
 */
export class Members {
  constructor(
    private readonly rows: Pick<TableRows, 'runs'>,
    private readonly schema: Schema,
    private readonly values: KnownValues,
    /** Whether the rows of a log entry are the version's own. */
    private readonly isOwn: (logid: number) => boolean,
    /** The date or number by which the values of a column are sorted; columns without one are sorted by value. */
    private readonly orders: ReadonlyMap<string, string> = new Map(),
  ) {}

  /** Returns the values of a column that contain a text, sorted; null if the column is not loaded. */
  async containing(
    column: string,
    search: string,
    limit: number,
  ): Promise<(Scalar | null)[] | null> {
    const type = this.schema[column];
    if (type === undefined) return null;
    const values = this.values.of(column) ?? (await this.read(column));
    return values
      .map((value) => toScalar(value, type))
      .filter((value) => contains(String(value ?? ''), search.trim()))
      .slice(0, limit);
  }

  /**
   * Returns the values of a column without their row counts, if they are already known; null if the rows have
   * to be read.
   */
  known(column: string): Member[] | null {
    const values = this.orders.has(column) ? null : this.values.of(column);
    const type = this.schema[column];
    return (
      values && values.map((value) => ({ value: toScalar(value, type), rows: null, sum: null }))
    );
  }

  /**
   * Returns the values of a column, each with its number of rows and the sum of a measure, which is null
   * without a measure. They are sorted by value, or by the first day or the smallest number of each value.
   */
  async counted(column: string, measure: string | null): Promise<Member[]> {
    const type = this.schema[column];
    return (await this.count(column, measure)).map(({ value, rows, sum }) => ({
      value: toScalar(value, type),
      rows,
      sum: measure === null ? null : sum,
    }));
  }

  private async read(column: string): Promise<CellValue[]> {
    const { moment } = this.values;
    const values = (await this.count(column, null)).map(({ value }) => value);
    if (moment === this.values.moment) this.values.set(column, values);
    return values;
  }

  private async count(column: string, measure: string | null): Promise<MemberGroup[]> {
    const groups = new Map<string, MemberGroup>();
    const order = this.orders.get(column);
    let rows = 0;
    // The runs are a snapshot: rows that are added or removed meanwhile do not count.
    for (const { columns, runs } of this.rows.runs(this.isOwn)) {
      const counts = countsOf(columns, column, measure, order);
      for (const { from, to } of runs) {
        for (let start = from; start < to; start += ROWS_PER_TURN) {
          const end = Math.min(to, start + ROWS_PER_TURN);
          counts.add(start, end);
          rows += end - start;
          if (rows < ROWS_PER_TURN) continue;
          await nextTask();
          rows = 0;
        }
      }
      for (const group of counts.groups()) add(groups, group);
    }
    return [...groups.values()].sort((a, b) => {
      const isEmpty = a.value === null || b.value === null;
      return (isEmpty ? 0 : inOrder(a.first, b.first)) || inOrder(a.value, b.value);
    });
  }
}

/** The totals of the rows of one value. */
interface MemberGroup {
  value: CellValue;
  rows: number;
  sum: number;
  /**
   * The first day or number with the value, if the values are sorted by one; Infinity if there is none. Otherwise 0.
   */
  first: number;
}

function add(groups: Map<string, MemberGroup>, { value, rows, sum, first }: MemberGroup): void {
  const key = valueKey(value);
  const group = groups.get(key);
  if (!group) return void groups.set(key, { value, rows, sum, first });
  group.rows += rows;
  group.sum += sum;
  group.first = Math.min(group.first, first);
}

/** Counts the rows of one part by the values of a column. */
interface Counts {
  add(from: number, to: number): void;
  groups(): Iterable<MemberGroup>;
}

function countsOf(
  columns: ArrowColumns,
  name: string,
  measure: string | null,
  order: string | undefined,
): Counts {
  const column = columns.get(name);
  const amounts = measure === null ? null : numbersOf(columns.get(measure));
  const amountAt = (y: number) =>
    amounts && isThere(amounts.validity, y) ? Number(amounts.values[y]) : 0;
  const ordering = order === undefined ? undefined : columns.get(order);
  const ranks = daysIn(ordering) ?? numbersOf(ordering);
  const rankAt = (y: number) => {
    if (order === undefined) return 0;
    return ranks && isThere(ranks.validity, y) ? Number(ranks.values[y] ?? Infinity) : Infinity;
  };
  const at = { amount: amountAt, rank: rankAt };
  const dictionary = column && dictionaryOf(column);
  const codes = column?.data[0];
  return dictionary && codes?.values instanceof Int32Array
    ? countsByCode(dictionary, codes.values, codes.nullCount > 0 ? codes.validity : ALL, at)
    : countsByValue(column, at);
}

/** Reads the other data of a row. */
interface RowReader {
  amount(y: number): number;
  rank(y: number): number;
}

/** The validity bits of a column without empty values. */
const ALL = new Uint8Array(0);

function countsByCode(
  dictionary: Column<unknown>,
  codes: Int32Array,
  validity: Uint8Array,
  read: RowReader,
): Counts {
  // The last index stands for the empty value.
  const empty = dictionary.length;
  const rows = new Int32Array(empty + 1);
  const sums = new Float64Array(empty + 1);
  const firsts = new Float64Array(empty + 1).fill(Infinity);
  return {
    add(from, to) {
      for (let y = from; y < to; y++) {
        const at = isThere(validity, y) ? (codes[y] ?? empty) : empty;
        rows[at] = (rows[at] ?? 0) + 1;
        sums[at] = (sums[at] ?? 0) + read.amount(y);
        firsts[at] = Math.min(firsts[at] ?? Infinity, read.rank(y));
      }
    },
    *groups() {
      for (const [at, count] of rows.entries()) {
        const value = at === empty ? null : cellValueAt(dictionary, at);
        if (count > 0)
          yield { value, rows: count, sum: sums[at] ?? 0, first: firsts[at] ?? Infinity };
      }
    },
  };
}

/** @param column undefined if all of its values are empty */
function countsByValue(column: Column<unknown> | undefined, read: RowReader): Counts {
  const groups = new Map<CellValue, MemberGroup>();
  return {
    add(from, to) {
      for (let y = from; y < to; y++) {
        const value = column ? cellValueAt(column, y) : null;
        const group = groups.get(value);
        if (group) {
          group.rows += 1;
          group.sum += read.amount(y);
          group.first = Math.min(group.first, read.rank(y));
        } else groups.set(value, { value, rows: 1, sum: read.amount(y), first: read.rank(y) });
      }
    },
    groups: () => groups.values(),
  };
}
