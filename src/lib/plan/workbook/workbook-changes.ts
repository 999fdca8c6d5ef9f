/** Compares a workbook with what was exported: which numbers the file has changed. */
import { roundTo, type FixedDecimals } from '../../contract/decimals';
import type { Slice } from '../../contract/slices';
import type { Book, BookCell } from '../../pivot/excel/read-back';
import { joinedSlices } from '../../pivot/slice/joined-slices';
import { tidy } from '../../pivot/values/cell-value';
import type { CellValue } from '../../pivot/values/engine-types';

/** A number that the file has changed. */
export interface FileChange {
  address: string;
  /** The headers of the cell, for a sentence. */
  name: string;
  /** The key of the measure. */
  measure: string;
  slice: Slice;
  was: number;
  /** What the file says, rounded to the decimals of the measure. */
  file: number;
}

/** A changed cell that cannot be written, with the reason as a sentence. */
export interface FileFault {
  address: string;
  name: string;
  why: string;
}

/** The numbers that a file has changed, and the changed cells that cannot be written. */
export interface FileChanges {
  changes: FileChange[];
  faults: FileFault[];
}

const EMPTY =
  'The cell was empty when it was exported: it has no rows to change. Type the amount into the pivot.';
const NO_MEASURE = 'The source no longer has this measure. Export the pivot again.';
const COMPUTED = 'This number is computed from others. Change value or units.';

/** Maximum number of addresses in a sentence. */
const MOST_NAMED = 5;

/** A cell that the file has changed, and its place in the trees of rows and columns. */
interface PlacedNumber {
  address: string;
  measure: string;
  row: readonly CellValue[];
  column: readonly CellValue[];
  /** By how much the file changes the cell; null if it has no number. */
  difference: number | null;
  /** The change to write; null if the cell cannot be changed. */
  change: FileChange | null;
}

/**
 * Returns what a workbook says that was not exported so. An empty cell is no change, and 0 is 0. A total that agrees
 * with its changed parts follows from them and is no change of its own; one that disagrees is a fault, and so are its
 * parts. A total above a changed cell that cannot be written is a fault, unless its other parts explain it.
 */
export function changesOf(book: Book, decimals: FixedDecimals): FileChanges {
  const faults: FileFault[] = [];
  const placed: PlacedNumber[] = [];
  const names = namesOf(book);
  for (const each of book.cells) {
    const read = changeOf(each, decimals);
    if (read === null) continue;
    const name = names(each);
    const { address } = each;
    const change = 'why' in read ? null : { ...read, address, name };
    if ('why' in read) faults.push({ address, name, why: read.why });
    const { measure } = each.column;
    if (measure === null) continue;
    const difference =
      each.cell.kind === 'number' ? Number(each.cell.text) - (each.was ?? 0) : null;
    const place = { address, measure, row: each.row.path, column: each.column.path };
    placed.push({ ...place, difference, change });
  }
  const refused = new Map<PlacedNumber, string>();
  const { smallest, sums } = partsOf(placed);
  const refuse = (cells: readonly PlacedNumber[], why: string) => {
    for (const cell of cells) if (cell.change && !refused.has(cell)) refused.set(cell, why);
  };
  for (const [total, parts] of sums) {
    const why = whyDisagree(total, parts, decimals[total.measure] ?? null);
    if (why) refuse(why.isOfTotal ? [total] : [total, ...parts], why.sentence);
  }
  for (const [one, other] of crossing(smallest.filter(({ change }) => change))) {
    refuse(
      [one, other],
      `${one.address} and ${other.address} have rows in common. Change the cells in which they cross.`,
    );
  }
  for (const [{ change }, why] of refused) {
    if (change) faults.push({ address: change.address, name: change.name, why });
  }
  const changes = smallest.flatMap((cell) =>
    cell.change && !refused.has(cell) ? [cell.change] : [],
  );
  return { changes, faults };
}

/**
 * Returns why a total does not follow from its changed parts; null if it does, or if it cannot be written anyway.
 * `isOfTotal` tells that the parts can be written nevertheless.
 */
function whyDisagree(
  { change: total }: PlacedNumber,
  parts: readonly PlacedNumber[],
  decimals: number | null,
): { sentence: string; isOfTotal: boolean } | null {
  if (!total) return null;
  const isTotal = (sum: number) => isNear(total.was + sum, total.file, decimals);
  const written = parts.filter(({ change }) => change);
  const sum = written.reduce((all, { change }) => all + (change ? change.file - change.was : 0), 0);
  if (written.length > 0 && isTotal(sum)) return null;
  const lost = parts.filter(({ change }) => !change);
  const isExplained = isTotal(lost.reduce((all, { difference }) => all + (difference ?? NaN), sum));
  if (lost.length > 0 && (written.length === 0 || isExplained)) {
    const sentence = `The total ${total.address} was changed together with ${addresses(lost)}, which cannot be written. Change either the total or the parts.`;
    return { sentence, isOfTotal: true };
  }
  const wanted = tidy(total.was + sum);
  const sentence = `The total ${total.address} is ${total.file}, and its parts ${addresses(written)} make it ${wanted}. Change either the total or the parts.`;
  return { sentence, isOfTotal: false };
}

/** Returns what a cell changes, or why it cannot; null if it changes nothing. */
function changeOf(
  { row, column, was, cell }: BookCell,
  fixed: FixedDecimals,
): Pick<FileChange, 'measure' | 'slice' | 'was' | 'file'> | { why: string } | null {
  const { kind, text } = cell;
  if (kind !== 'number') {
    return text.trim() === ''
      ? null
      : { why: `“${text.slice(0, 40)}” is ${KINDS[kind]}, not a number.` };
  }
  const { measure } = column;
  const number = Number(text);
  const decimals = measure === null ? null : (fixed[measure] ?? null);
  if (was !== null && isNear(was, number, decimals)) return null;
  if (measure === null) return { why: column.why ?? COMPUTED };
  if (!Object.hasOwn(fixed, measure)) return { why: NO_MEASURE };
  const file = decimals === null ? tidy(number) : roundTo(tidy(number), decimals);
  if (was === null) return file === 0 ? null : { why: EMPTY };
  const why = row.why ?? column.why;
  if (why !== null || !row.slice || !column.slice) return { why: why ?? COMPUTED };
  const slice = joinedSlices(row.slice, column.slice);
  return slice ? { measure, slice, was, file } : { why: EMPTY };
}

const KINDS = {
  text: 'a text',
  date: 'a date',
  boolean: 'true or false',
  error: 'an error',
  unknown: 'a formula without a saved result',
} as const;

/**
 * Whether two amounts are equal in the decimals of their measure, or in the six that a workbook has of a measure
 * without fixed ones. A spreadsheet keeps 15 digits.
 */
export const isNear = (one: number, other: number, decimals: number | null): boolean =>
  decimals === null
    ? Math.abs(one - other) <= Math.max(5e-7, 1e-12 * Math.max(Math.abs(one), Math.abs(other)))
    : roundTo(tidy(one), decimals) === roundTo(tidy(other), decimals);

/** Keys of a path and of all paths above it. */
const upward = (path: readonly CellValue[]): string[] =>
  Array.from({ length: path.length + 1 }, (_, i) => JSON.stringify(path.slice(0, i)));

const place = (measure: string, row: string, column: string): string =>
  `${measure}|${row}|${column}`;

/** Splits changed cells into those without a changed part, and totals with their smallest changed parts. */
function partsOf(cells: readonly PlacedNumber[]): {
  smallest: PlacedNumber[];
  sums: Map<PlacedNumber, PlacedNumber[]>;
} {
  const at = new Map(cells.map((cell) => [keyOf(cell), cell]));
  const above = (cell: PlacedNumber): PlacedNumber[] =>
    upward(cell.row).flatMap((row) =>
      upward(cell.column).flatMap((column) => {
        const found = at.get(place(cell.measure, row, column));
        return found && found !== cell ? [found] : [];
      }),
    );
  const totals = new Set(cells.flatMap(above));
  const smallest = cells.filter((cell) => !totals.has(cell));
  const sums = new Map<PlacedNumber, PlacedNumber[]>();
  for (const total of totals) sums.set(total, []);
  for (const cell of smallest) for (const total of above(cell)) sums.get(total)?.push(cell);
  return { smallest, sums };
}

const keyOf = ({ measure, row, column }: PlacedNumber): string =>
  place(measure, JSON.stringify(row), JSON.stringify(column));

/** Pairs of a row total and a column total that cross, with each cell that crosses another one at least once. */
function crossing(cells: readonly PlacedNumber[]): [PlacedNumber, PlacedNumber][] {
  // The cells by their row, and by each column above their own.
  const below = new Map<string, PlacedNumber[]>();
  for (const cell of cells) {
    const row = JSON.stringify(cell.row);
    for (const column of upward(cell.column).slice(0, -1)) {
      const at = place(cell.measure, row, column);
      const others = below.get(at);
      if (others) others.push(cell);
      else below.set(at, [cell]);
    }
  }
  return cells.flatMap((cell) => {
    const column = JSON.stringify(cell.column);
    return upward(cell.row)
      .slice(0, -1)
      .flatMap((row): [PlacedNumber, PlacedNumber][] => {
        const others = below.get(place(cell.measure, row, column)) ?? [];
        const pairs = others.map((other): [PlacedNumber, PlacedNumber] => [other, cell]);
        // One of them is enough for the next cell that crosses them.
        others.splice(1);
        return pairs;
      });
  });
}

function addresses(cells: readonly PlacedNumber[]): string {
  const named = cells.slice(0, MOST_NAMED).map(({ address }) => address);
  const more = cells.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns a function that names a cell by its headers: "Furniture / Chairs, 2027-01-01, Sales". */
function namesOf({ rows, columns }: Book): (cell: BookCell) => string {
  const depth = Math.max(0, ...columns.map(({ heads }) => heads.length));
  const endings = Array.from({ length: depth }, (_, i) => commonEnding(columns, i));
  const heads = new Map(rows.map(({ path, heads }) => [JSON.stringify(path), heads[0] ?? '']));
  return ({ row, column }) => {
    const down = upward(row.path).flatMap((key) => heads.get(key) ?? []);
    const own = row.path.length > 0 ? down.slice(-row.path.length) : down;
    const across = column.heads
      .map((head, i) => (DAY.test(head) ? head.slice(0, -(endings[i] ?? 0) || undefined) : head))
      .filter((head) => head !== '');
    return [own.join(' / '), ...across].join(', ');
  };
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Returns the number of characters that the days of a level of headers do not need: those of years and months. */
function commonEnding(columns: Book['columns'], level: number): number {
  const days = columns.flatMap(({ heads }) => heads[level] ?? []).filter((head) => DAY.test(head));
  const ending = ['-01-01', '-01'].find((text) => days.every((day) => day.endsWith(text)));
  return ending?.length ?? 0;
}
