/** Fits the columns of a file to a table that exists, and adds up what the file changes in it. */
import { digitsOf } from '../../contract/decimals';
import type { FileAmounts, FileEffect, FileMode, FileType } from '../../contract/files';
import { AppError } from '../errors';
import type { FilePlan } from './recognise';
import { withRoom } from './numbers';

/** A column of the table. */
export interface TargetColumn {
  cname: string;
  /** Null if files cannot fill a column of this type. */
  type: FileType | null;
  /** Its type as PostgreSQL writes it. */
  declared: string;
  /** Decimals that its type has at most; null if it fixes none. */
  scale: number | null;
  /** Whether it is a column of texts without any. */
  isEmpty: boolean;
}

/** A column of the table with the type that holds its values and those of the file. */
export interface WiderColumn {
  cname: string;
  from: string;
  type: FileType;
  /** Decimals of a numeric column; null for any number of them. */
  scale: number | null;
}

/** The columns that are too narrow for a file, with wider types. */
export function widerColumns({ columns }: Target, plan: FilePlan): WiderColumn[] {
  const sent = new Map(plan.columns.map((column) => [column.cname, column]));
  return columns.flatMap(({ cname, declared: from, ...own }) => {
    const file = sent.get(cname);
    if (!file) return [];
    const isNarrow = own.scale !== null && file.scale !== null && file.scale > own.scale;
    const hasDecimals = file.type === 'numeric';
    const isNumber =
      hasDecimals && (own.type === 'integer' || (own.type === 'numeric' && isNarrow));
    const isNew = own.type === 'text' && own.isEmpty && file.type !== 'text';
    if (!isNumber && !isNew) return [];
    const scale = file.scale === null ? null : withRoom(Math.max(file.scale, own.scale ?? 0));
    return [{ cname, from, type: file.type, scale: hasDecimals ? scale : null }];
  });
}

/** An existing table that a file is loaded into. */
export interface Target {
  tname: string;
  mode: FileMode;
  columns: readonly TargetColumn[];
  /** The column whose months are compared; null without one. */
  date: string | null;
  /** The columns that are added up. */
  amounts: readonly string[];
}

/** Number of months of an effect. */
const MOST_MONTHS = 500;

/**
 * Gives the columns of a file the types of the table.
 *
 * @param wider the columns of the table that get other types
 * @throws AppError 422 if the file has not the columns of the table, or one has a type that files do not have
 */
export function fittedTo(
  { columns: existing, tname }: Target,
  plan: FilePlan,
  wider: readonly WiderColumn[],
): FilePlan {
  const types = new Map(wider.map((column) => [column.cname, column]));
  const columns = existing.map((column) => ({ ...column, ...types.get(column.cname) }));
  const list = (names: readonly string[]) => names.map((name) => `“${name}”`).join(', ');
  const own = new Map(columns.map((column) => [column.cname, column]));
  const sent = new Set(plan.columns.map(({ cname }) => cname));
  const missing = [...own.keys()].filter((name) => !sent.has(name));
  const more = [...sent].filter((name) => !own.has(name));
  if (missing.length > 0 || more.length > 0) {
    const parts = [
      ...(missing.length > 0 ? [`the file lacks ${list(missing)}`] : []),
      ...(more.length > 0 ? [`the table lacks ${list(more)}`] : []),
    ];
    throw new AppError(
      422,
      `The file has other columns than the table ${tname}: ${parts.join(', and ')}. Name the columns alike, or make a new table`,
    );
  }
  // The table has its types already.
  const isOpen = (parameter: FilePlan['unsure'][number]) =>
    parameter !== 'types' && parameter !== 'decimals';
  return {
    ...plan,
    unsure: plan.unsure.filter(isOpen),
    questions: plan.questions.filter(({ parameter }) => isOpen(parameter)),
    columns: plan.columns.map((column) => {
      const { type, declared, scale } = own.get(column.cname) ?? {
        type: null,
        declared: '',
        scale: null,
      };
      if (type === null) {
        throw new AppError(
          422,
          `The column “${column.cname}” has the type ${declared}, which files cannot fill`,
        );
      }
      const decimals = type === 'numeric' ? scale : null;
      return { ...column, type, decimals, nearly: null, mostDecimals: scale };
    }),
  };
}

/** An exact decimal number: whole digits, and how many of them are decimals. */
interface Exact {
  digits: bigint;
  places: number;
}

const ZERO: Exact = { digits: 0n, places: 0 };

function sumOf(one: Exact, other: Exact): Exact {
  const places = Math.max(one.places, other.places);
  const scaled = ({ digits, places: own }: Exact) => digits * 10n ** BigInt(places - own);
  return { digits: scaled(one) + scaled(other), places };
}

const numberOf = ({ digits, places }: Exact): number => Number(`${digits}e${-places}`);

/** Rows and exact sums. */
interface Sums {
  rows: number;
  amounts: Exact[];
}

/** Rows and sums by month; the key of rows without a date is the empty text. */
export class MonthSums {
  private readonly byMonth = new Map<string, Sums>();

  constructor(private readonly width: number) {}

  /**
   * @param month its first day; null without a date
   * @param amounts as text, in the order of the columns; null is 0
   */
  add(month: string | null, rows: number, amounts: readonly (string | null)[]): void {
    const key = month ?? '';
    const sums = this.byMonth.get(key) ?? { rows: 0, amounts: [] };
    sums.rows += rows;
    for (let i = 0; i < this.width; i++) {
      const amount = amounts[i];
      if (amount != null) sums.amounts[i] = sumOf(sums.amounts[i] ?? ZERO, digitsOf(amount));
    }
    this.byMonth.set(key, sums);
  }

  /** Returns the months in order, that without a date last. */
  get months(): string[] {
    return [...this.byMonth.keys()].toSorted((a, b) =>
      a === '' ? 1 : b === '' ? -1 : a < b ? -1 : 1,
    );
  }

  /** Returns rows and sums of a month; of all months without one. */
  of(month?: string): Sums {
    const all = month === undefined ? [...this.byMonth.values()] : [this.byMonth.get(month)];
    return all.reduce<Sums>((sum, each) => (each ? added(sum, each) : sum), {
      rows: 0,
      amounts: [],
    });
  }
}

function added(one: Sums, other: Sums): Sums {
  const width = Math.max(one.amounts.length, other.amounts.length);
  const amounts = Array.from({ length: width }, (_, i) =>
    sumOf(one.amounts[i] ?? ZERO, other.amounts[i] ?? ZERO),
  );
  return { rows: one.rows + other.rows, amounts };
}

/** Returns what the rows of a file change in a table. @param stored what the table has @param file what the file has */
export function effectOf(
  { mode, date, amounts }: Target,
  stored: MonthSums,
  file: MonthSums,
): FileEffect {
  const answered = ({ rows, amounts: sums }: Sums): FileAmounts => ({
    row_count: rows,
    amounts: Object.fromEntries(amounts.map((name, i) => [name, numberOf(sums[i] ?? ZERO)])),
  });
  const both = (month?: string) => {
    const [before, own] = [stored.of(month), file.of(month)];
    return {
      before: answered(before),
      after: answered(mode === 'replace' ? own : added(before, own)),
    };
  };
  const months = new MonthSums(0);
  for (const month of [...stored.months, ...file.months]) months.add(month || null, 0, []);
  const listed = date === null ? [] : months.months;
  return {
    mode,
    date_col: date,
    ...both(),
    month_count: listed.length,
    months: listed.slice(0, MOST_MONTHS).map((month) => ({ month: month || null, ...both(month) })),
  };
}
