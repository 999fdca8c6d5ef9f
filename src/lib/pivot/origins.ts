import type { DataType, TypedArray } from '@uwdata/flechette';
import {
  batchType,
  bool,
  Column,
  field,
  float64,
  int32,
  Table,
  tableFromIPC,
  tableToIPC,
} from '@uwdata/flechette';
import { isLoad, LOG_OPERATIONS, OPERATIONS, type Iter } from '../contract/operations';
import type { CellValue } from './engine-types';

/** The column that tells what wrote a row. */
const ITER = 'pf_iter';
/** The column that tells which log entry wrote it. */
const LOGID = 'pf_logid';
/** The key of a single row, which only its own version knows it by. */
const ID = 'pf_id';

/**
 * The parts of a measure that a pivot can show beside the plan (docs/decisions/0019-measures-by-origin.md).
 * `difference` is plan less reference; `percent` that difference as a share of the reference. `other`
 * and the two after it are the same with another version in the reference's place
 * (docs/decisions/0023-two-versions-in-one-table.md).
 */
const ORIGINS = [
  'baseline',
  'changes',
  'reference',
  'difference',
  'percent',
  'other',
  'otherDifference',
  'otherPercent',
] as const;
export type Origin = (typeof ORIGINS)[number];

/** These need reference rows to compare with. */
export const WITH_REFERENCE: readonly Origin[] = ['reference', 'difference', 'percent'];
/** These need another version. */
export const WITH_OTHER: readonly Origin[] = ['other', 'otherDifference', 'otherPercent'];

/** What the columns of each origin are called, after the measure. */
type Suffixes = Readonly<Partial<Record<Origin, string>>>;
const SUFFIXES: Suffixes = {
  baseline: 'baseline',
  changes: 'changes',
  reference: 'reference',
  difference: 'Δ',
  percent: 'Δ %',
};
const otherSuffixes = (name: string): Suffixes => ({
  other: name,
  otherDifference: `Δ to ${name}`,
  otherPercent: `Δ % to ${name}`,
});

const CHANGES: readonly string[] = LOG_OPERATIONS.filter((operation) => !isLoad(operation)).map(
  (operation) => OPERATIONS[operation].iter,
);

/** The name of a measure's column for one origin. */
const nameOf = (measure: string, origin: Origin, suffixes: Suffixes) =>
  `${measure}: ${suffixes[origin]}`;

/** Another version of the source, whose rows are loaded beside the plan's to compare with. */
export interface OtherVersion {
  id: number;
  name: string;
  /** Iterations whose rows are no part of its plan. */
  excluded: readonly Iter[];
  /** Columns that hold larger or finer numbers there than here: here, too, they are loaded as such. */
  wide: ReadonlySet<string>;
}

/** How far a row's key is moved, by the key's type: no key of this version is there. */
const SHIFTS = { integer: 2 ** 31, float: 2 ** 53 } as const;

/** The other version as its rows are told apart from those of this one. */
interface Other {
  id: number;
  excluded: ReadonlySet<string>;
  shift: number;
}

/** A column that is painted from the sums of two of three others, since no sum of its own is right. */
export interface Ratio {
  plan: string;
  reference: string;
  difference: string;
}

/** What a measure's column adds up. */
interface OriginColumn {
  measure: string;
  origin: Origin;
}

/** Rows to load, and the columns that were made of them. */
interface Prepared {
  bytes: ArrayBuffer;
  origins: Origins;
}

/**
 * The measures of a pivot by origin. The measure's own column holds the plan: what operations see.
 * The others are columns made before the rows are loaded: as expressions of the engine they would be
 * three times as slow to show and forty times as slow to update.
 */
export class Origins {
  private constructor(
    private readonly columns: ReadonlyMap<string, OriginColumn>,
    /** Every name that such a column could have: a layout may name those of another version. */
    private readonly possible: ReadonlySet<string>,
    private readonly excluded: ReadonlySet<string>,
    readonly measures: readonly string[],
    /** Whether there are reference rows to compare with. */
    readonly compares: boolean,
    private readonly suffixes: Suffixes,
    /** The other version that is compared with; null without one. */
    readonly other: Other | null,
  ) {}

  /**
   * Adds the columns to rows that are to be loaded, and takes what operations leave alone out of the
   * measures.
   *
   * @param bytes a complete Arrow stream of one record batch with `pf_iter`
   * @param measures the names of the measures; those that are not loaded as numbers are left as they are
   * @param excluded the version's excluded iterations
   * @param compared another version to compare with; its rows are loaded after these, see
   * {@link prepareOther}
   */
  static prepare(
    bytes: ArrayBuffer,
    measures: readonly string[],
    excluded: readonly Iter[],
    compared: OtherVersion | null = null,
  ): Prepared {
    const table = tableFromIPC(bytes);
    const rows = rowsByIter(table);
    const isWide = (name: string) => compared?.wide.has(name) ?? false;
    const numbers = measures.flatMap((measure) => {
      const source = numbersOf(table, measure);
      return source ? { measure, ...(isWide(measure) ? widened(source) : source) } : [];
    });
    const compares = rows?.names.includes(OPERATIONS.reference.iter) ?? false;
    const origins = ORIGINS.filter(
      (origin) =>
        (compares || !WITH_REFERENCE.includes(origin)) &&
        (compared !== null || !WITH_OTHER.includes(origin)),
    );
    const taken = new Set(table.schema.fields.map(({ name }) => name));
    const possible = measures.flatMap((measure) =>
      Object.values(SUFFIXES)
        .map((suffix) => `${measure}: ${suffix}`)
        .filter((name) => !taken.has(name)),
    );
    const suffixes = compared
      ? { ...SUFFIXES, ...freeSuffixes(compared, measures, new Set([...taken, ...possible])) }
      : SUFFIXES;
    const made = new Map<string, OriginColumn>();
    const replaced = new Map<string, Column<unknown>>();
    for (const name of compared?.wide ?? []) {
      const narrow = numbersOf(table, name);
      if (narrow) replaced.set(name, whole(widened(narrow)));
    }
    const hasIntegerKeys = numbersOf(table, ID)?.values instanceof Int32Array && !isWide(ID);
    const other = compared && {
      id: compared.id,
      excluded: new Set<string>(compared.excluded),
      shift: hasIntegerKeys ? SHIFTS.integer : SHIFTS.float,
    };
    const added: NamedColumn[] = [];
    const left = new Set<string>(excluded);
    for (const { measure, ...source } of rows ? numbers : []) {
      for (const origin of origins) {
        const name = nameOf(measure, origin, suffixes);
        const needed = RATIOS[origin] ?? [];
        if (taken.has(name) || needed.some((part) => !made.has(nameOf(measure, part, suffixes))))
          continue;
        made.set(name, { measure, origin });
        added.push([name, columnOf(origin, source, rows, left)]);
      }
      if (rows?.names.some((iter) => left.has(iter))) {
        replaced.set(
          measure,
          masked(source, rows, (iter) => !left.has(iter)),
        );
      }
    }
    const result = new Origins(
      made,
      new Set(possible),
      left,
      numbers.map(({ measure }) => measure),
      compares,
      suffixes,
      other,
    );
    if (added.length === 0 && replaced.size === 0) return { bytes, origins: result };
    const columns = table.schema.fields.flatMap(({ name }, i): NamedColumn[] => {
      const column: Column<unknown> | undefined = replaced.get(name) ?? table.children[i];
      return column ? [[name, column]] : [];
    });
    return { bytes: encoded(table, [...columns, ...added]), origins: result };
  }

  /**
   * Rows of the other version as rows of this pivot's table: no key and no log entry of theirs is one of
   * this version's, and no measure but those that compare has a number.
   *
   * @param bytes a complete Arrow stream of one record batch, with the columns that were loaded first
   */
  prepareOther(bytes: ArrayBuffer): ArrayBuffer {
    const table = tableFromIPC(bytes);
    const rows = rowsByIter(table);
    const { other, suffixes } = this;
    const columns: NamedColumn[] = [];
    for (const [i, { name }] of table.schema.fields.entries()) {
      const column: Column<unknown> | undefined = table.children[i];
      const numbers = numbersOf(table, name);
      if (!column || !other) continue;
      if (name === ID && numbers) {
        const isInteger = other.shift === SHIFTS.integer;
        columns.push([name, whole(mapped(numbers, (id) => id - other.shift, isInteger))]);
      } else if (name === LOGID && numbers) {
        columns.push([name, whole(mapped(numbers, (id) => -id))]);
      } else if (this.measures.includes(name) && numbers) {
        const counts = (iter: string) => !other.excluded.has(iter);
        const negative = mapped(numbers, (value) => -value);
        columns.push(
          [nameOf(name, 'other', suffixes), masked(numbers, rows, counts)],
          [nameOf(name, 'otherDifference', suffixes), masked(negative, rows, counts)],
        );
      } else columns.push([name, column]);
    }
    return encoded(table, columns);
  }

  /** What a column of the pivot adds up; null if it is no column that was made here. */
  of(column: string): OriginColumn | null {
    return this.columns.get(column) ?? null;
  }

  /** The columns of a measure beside its own. */
  columnsOf(measure: string): { name: string; origin: Origin }[] {
    return [...this.columns]
      .filter(([, column]) => column.measure === measure)
      .map(([name, { origin }]) => ({ name, origin }));
  }

  /** Whether a name is that of a measure by origin which this version does not have. */
  isAbsent(name: string): boolean {
    return this.possible.has(name) && !this.columns.has(name);
  }

  /** The columns of the version that is compared with, and those that compare with it. */
  get ofOther(): ReadonlySet<string> {
    const names = [...this.columns].filter(([, { origin }]) => WITH_OTHER.includes(origin));
    return new Set(names.map(([name]) => name));
  }

  /** The columns that are painted, by their names. */
  get ratios(): ReadonlyMap<string, Ratio> {
    const ratios = new Map<string, Ratio>();
    for (const [name, { measure, origin }] of this.columns) {
      const [reference, difference] = RATIOS[origin] ?? [];
      if (!reference || !difference) continue;
      ratios.set(name, {
        plan: measure,
        reference: nameOf(measure, reference, this.suffixes),
        difference: nameOf(measure, difference, this.suffixes),
      });
    }
    return ratios;
  }

  /**
   * What the columns of the other version are called now that were made by `before`; null for one that
   * there is no longer.
   */
  renamings(before: Origins): Map<string, string | null> {
    const names = new Map<string, string | null>();
    for (const [name, { measure, origin }] of before.columns) {
      if (!WITH_OTHER.includes(origin)) continue;
      const now = nameOf(measure, origin, this.suffixes);
      names.set(name, this.other && this.columns.has(now) ? now : null);
    }
    return names;
  }

  /** A schema without the columns made here. */
  loaded<T>(schema: Readonly<Record<string, T>>): Record<string, T> {
    return Object.fromEntries(Object.entries(schema).filter(([name]) => !this.columns.has(name)));
  }

  /** The same for rows that an operation wrote: columns of equal length, `pf_iter` among them. */
  extend(columns: Record<string, CellValue[]>): Record<string, CellValue[]> {
    const iters = columns[ITER] ?? [];
    const extended = { ...columns };
    for (const [name, { measure, origin }] of this.columns) {
      const values = columns[measure] ?? [];
      extended[name] = values.map((value, y) => this.share(value, origin, String(iters[y])));
    }
    for (const measure of this.measures) {
      extended[measure] = (columns[measure] ?? []).map((value, y) =>
        this.excluded.has(String(iters[y])) ? null : value,
      );
    }
    return extended;
  }

  /** The same for rows that the other version's log has: as {@link prepareOther} makes them. */
  extendOther(columns: Record<string, CellValue[]>): Record<string, CellValue[]> {
    const iters = columns[ITER] ?? [];
    const { other } = this;
    const extended = { ...columns };
    const move = (name: string, how: (id: number) => number) => {
      const values = columns[name];
      if (values) extended[name] = values.map((id) => (typeof id === 'number' ? how(id) : id));
    };
    move(ID, (id) => id - (other?.shift ?? 0));
    move(LOGID, (id) => -id);
    for (const [name, { measure, origin }] of this.columns) {
      extended[name] = (columns[measure] ?? []).map((value, y) => {
        const counts = typeof value === 'number' && !other?.excluded.has(String(iters[y]));
        if (counts && origin === 'other') return value;
        return counts && origin === 'otherDifference' ? -value : null;
      });
    }
    for (const measure of this.measures) extended[measure] = iters.map(() => null);
    return extended;
  }

  private share(value: CellValue, origin: Origin, iter: string): CellValue {
    if (typeof value !== 'number' || !countsFor(origin, iter, this.excluded)) return null;
    return origin === 'difference' ? value * signOf(iter, this.excluded) : value;
  }
}

/**
 * Plan less reference as a share of the reference, row by row; null if there is nothing to compare
 * with. Two of the three columns are enough.
 */
export function shares([plan, reference, difference]: readonly (
  readonly CellValue[] | undefined
)[]): (number | null)[] {
  const length = Math.max(...[plan, reference, difference].map((column) => column?.length ?? 0));
  return Array.from({ length }, (_, y) => share(plan?.[y], reference?.[y], difference?.[y]));
}

function share(
  plan: CellValue | undefined,
  reference: CellValue | undefined,
  difference: CellValue | undefined,
): number | null {
  const base = isNumber(reference)
    ? reference
    : isNumber(plan) && isNumber(difference)
      ? plan - difference
      : null;
  const change = isNumber(difference)
    ? difference
    : isNumber(plan) && base !== null
      ? plan - base
      : null;
  if (base === null || change === null) return null;
  // What is the difference of two sums is seldom exactly 0.
  if (Math.abs(base) <= RESIDUE * Math.abs(change)) return null;
  return Math.abs(change) <= RESIDUE * Math.abs(base) ? 0 : change / Math.abs(base);
}

/** What the adding up of equal numbers in another order may leave, as a share of them. */
const RESIDUE = 1e-12;

/**
 * Plan less reference, row by row: 0 if the two are equal but for what adding them up in another order
 * leaves.
 */
export function differences([plan, reference, difference = []]: readonly (
  readonly CellValue[] | undefined
)[]): CellValue[] {
  return difference.map((value, y) => {
    const sizes = [plan?.[y], reference?.[y]].filter(isNumber).map(Math.abs);
    return isNumber(value) && Math.abs(value) <= RESIDUE * Math.max(0, ...sizes) ? 0 : value;
  });
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Whether rows of an iteration count for an origin. */
function countsFor(origin: Origin, iter: string, excluded: ReadonlySet<string>): boolean {
  const isReference = iter === OPERATIONS.reference.iter;
  switch (origin) {
    case 'baseline':
      return iter === OPERATIONS.baseline.iter;
    case 'changes':
      return CHANGES.includes(iter);
    case 'reference':
      return isReference;
    case 'difference':
      return isReference || !excluded.has(iter);
    case 'otherDifference':
      return !excluded.has(iter);
    case 'percent':
    case 'other':
    case 'otherPercent':
      return false;
  }
}

/** Which two columns a share is painted from, beside the plan's. */
const RATIOS: Readonly<Partial<Record<Origin, readonly [Origin, Origin]>>> = {
  percent: ['reference', 'difference'],
  otherPercent: ['other', 'otherDifference'],
};

/** The suffixes of another version's columns, which no other column may have. */
function freeSuffixes(
  { id, name }: OtherVersion,
  measures: readonly string[],
  taken: ReadonlySet<string>,
): Suffixes {
  for (let n = 0; ; n++) {
    const suffixes = otherSuffixes(
      n === 0 ? name : `${name} (version ${id}${n > 1 ? `, ${n}` : ''})`,
    );
    const names = measures.flatMap((measure) =>
      WITH_OTHER.map((origin) => nameOf(measure, origin, suffixes)),
    );
    if (names.every((each) => !taken.has(each))) return suffixes;
  }
}

type NamedColumn = [name: string, column: Column<unknown>];

/** Columns in the place of a table's, as the stream that the engine takes over: a buffer of nothing else. */
function encoded({ schema }: Table, columns: readonly NamedColumn[]): ArrayBuffer {
  const fields = columns.map(([name, { type }]) => field(name, type));
  const table = new Table(
    { ...schema, fields },
    columns.map(([, column]) => column),
  );
  const bytes = tableToIPC(table, { format: 'stream' });
  if (!bytes) throw new Error('The rows could not be prepared.');
  return bytes.slice().buffer;
}

/** How rows of an iteration go into the difference: +1 for the plan, −1 for the reference. */
function signOf(iter: string, excluded: ReadonlySet<string>): number {
  return (excluded.has(iter) ? 0 : 1) - (iter === OPERATIONS.reference.iter ? 1 : 0);
}

/** Which iteration each row is of: a place in `names` per row. */
interface RowsByIter {
  names: readonly string[];
  indices: ArrayLike<number>;
}

function rowsByIter(table: Table): RowsByIter | null {
  // Of a name that the stream does not have, it returns undefined, against its declaration.
  const column: Column<unknown> | undefined = table.getChild(ITER);
  const [batch] = column?.data ?? [];
  if (!batch || !('dictionary' in batch) || !(batch.dictionary instanceof Column)) return null;
  const { values } = batch;
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) return null;
  return { names: [...batch.dictionary].map(String), indices: values };
}

/** The numbers of a column as they came. */
interface Numbers {
  type: DataType;
  values: TypedArray;
  /** A bit per row that has a value; empty if all have. */
  validity: Uint8Array;
}

function numbersOf(table: Table, name: string): Numbers | null {
  const column: Column<unknown> | undefined = table.getChild(name);
  const [batch] = column?.data ?? [];
  if (!batch || !(batch.values instanceof Float64Array || batch.values instanceof Int32Array)) {
    return null;
  }
  const { type, values, validity, nullCount } = batch;
  return { type, values, validity: nullCount > 0 ? validity : new Uint8Array(0) };
}

/** Other numbers in the place of each; those of empty places do not matter. */
function mapped(
  { values, validity }: Numbers,
  how: (value: number) => number,
  isInteger = values instanceof Int32Array,
): Numbers {
  const { length } = values;
  const made = isInteger ? new Int32Array(length) : new Float64Array(length);
  for (let y = 0; y < length; y++) made[y] = how(Number(values[y]));
  return { type: isInteger ? int32() : float64(), values: made, validity };
}

const widened = (numbers: Numbers): Numbers => mapped(numbers, (value) => value, false);

function whole({ type, values, validity }: Numbers): Column<unknown> {
  let nulls = 0;
  for (let y = 0; validity.length > 0 && y < values.length; y++) {
    if (((validity[y >> 3] ?? 0) & (1 << (y & 7))) === 0) nulls++;
  }
  return columnFrom(type, values, validity, values.length, nulls);
}

function columnOf(
  origin: Origin,
  source: Numbers,
  rows: RowsByIter | null,
  excluded: ReadonlySet<string>,
): Column<unknown> {
  const length = source.values.length;
  if (RATIOS[origin]) {
    const bits = new Uint8Array(Math.ceil(length / 8));
    return columnFrom(bool(), bits, bits, length, length);
  }
  const counts = (iter: string) => countsFor(origin, iter, excluded);
  if (!rows || origin !== 'difference') return masked(source, rows, counts);
  const signs = rows.names.map((iter) => signOf(iter, excluded));
  const values = new Float64Array(length);
  const { indices } = rows;
  for (let y = 0; y < length; y++) {
    values[y] = Number(source.values[y]) * (signs[indices[y] ?? 0] ?? 0);
  }
  return masked({ ...source, type: float64(), values }, rows, counts);
}

/** The numbers of some iterations' rows; those of the other rows are empty. */
function masked(
  { type, values, validity }: Numbers,
  rows: RowsByIter | null,
  counts: (iter: string) => boolean,
): Column<unknown> {
  const length = values.length;
  const bits = new Uint8Array(Math.ceil(length / 8));
  const kept = rows?.names.map(counts) ?? [];
  const indices = rows?.indices ?? [];
  let nulls = 0;
  for (let y = 0; y < length; y++) {
    const bit = 1 << (y & 7);
    const isThere = validity.length === 0 || ((validity[y >> 3] ?? 0) & bit) !== 0;
    if (isThere && kept[indices[y] ?? 0]) bits[y >> 3] = (bits[y >> 3] ?? 0) | bit;
    else nulls++;
  }
  return columnFrom(type, values, bits, length, nulls);
}

function columnFrom(
  type: DataType,
  values: TypedArray,
  validity: Uint8Array,
  length: number,
  nullCount: number,
): Column<unknown> {
  const Batch = batchType(type);
  return new Column([new Batch({ length, nullCount, type, validity, values })], type);
}
