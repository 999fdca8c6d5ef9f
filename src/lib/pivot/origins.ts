import type { DataType, TypedArray } from '@uwdata/flechette';
import {
  batchType,
  bool,
  Column,
  field,
  float64,
  Table,
  tableFromIPC,
  tableToIPC,
} from '@uwdata/flechette';
import { isLoad, LOG_OPERATIONS, OPERATIONS, type Iter } from '../contract/operations';
import type { CellValue } from './engine-types';

/** The column that tells what wrote a row. */
const ITER = 'pf_iter';

/**
 * The parts of a measure that a pivot can show beside the plan (docs/decisions/0019-measures-by-origin.md).
 * `difference` is plan less reference; `percent` that difference as a share of the reference.
 */
const ORIGINS = ['baseline', 'changes', 'reference', 'difference', 'percent'] as const;
export type Origin = (typeof ORIGINS)[number];

const SUFFIXES: Readonly<Record<Origin, string>> = {
  baseline: 'baseline',
  changes: 'changes',
  reference: 'reference',
  difference: 'Δ',
  percent: 'Δ %',
};
/** These need reference rows to compare with. */
const COMPARING: readonly Origin[] = ['reference', 'difference', 'percent'];

const CHANGES: readonly string[] = LOG_OPERATIONS.filter((operation) => !isLoad(operation)).map(
  (operation) => OPERATIONS[operation].iter,
);

/** The name of a measure's column for one origin. */
const nameOf = (measure: string, origin: Origin) => `${measure}: ${SUFFIXES[origin]}`;

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
  ) {}

  /**
   * Adds the columns to rows that are to be loaded, and takes what operations leave alone out of the
   * measures.
   *
   * @param bytes a complete Arrow stream of one record batch with `pf_iter`
   * @param measures the names of the measures; those that are not loaded as numbers are left as they are
   * @param excluded the version's excluded iterations
   */
  static prepare(
    bytes: ArrayBuffer,
    measures: readonly string[],
    excluded: readonly Iter[],
  ): Prepared {
    const table = tableFromIPC(bytes);
    const rows = rowsByIter(table);
    const numbers = measures.flatMap((measure) => numbersOf(table, measure) ?? []);
    const compares = rows?.names.includes(OPERATIONS.reference.iter) ?? false;
    const origins = ORIGINS.filter((origin) => compares || !COMPARING.includes(origin));
    const taken = new Set(table.schema.fields.map(({ name }) => name));
    const possible = measures.flatMap((measure) =>
      ORIGINS.map((origin) => nameOf(measure, origin)).filter((name) => !taken.has(name)),
    );
    const made = new Map<string, OriginColumn>();
    const replaced = new Map<string, Column<unknown>>();
    const added: [name: string, column: Column<unknown>][] = [];
    const left = new Set<string>(excluded);
    for (const { measure, ...source } of rows ? numbers : []) {
      for (const origin of origins) {
        const name = nameOf(measure, origin);
        const needed = origin === 'percent' ? (['reference', 'difference'] as const) : [];
        if (taken.has(name) || needed.some((part) => !made.has(nameOf(measure, part)))) continue;
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
    );
    if (added.length === 0 && replaced.size === 0) return { bytes, origins: result };
    const { fields } = table.schema;
    const children = fields.map(({ name }, i) => replaced.get(name) ?? table.children[i]);
    const whole = new Table(
      {
        ...table.schema,
        fields: [...fields, ...added.map(([name, { type }]) => field(name, type))],
      },
      [...children, ...added.map(([, column]) => column)].filter((column) => column !== undefined),
    );
    const encoded = tableToIPC(whole, { format: 'stream' });
    // The engine takes the buffer over, which has to be all of it.
    return encoded
      ? { bytes: encoded.slice().buffer, origins: result }
      : { bytes, origins: result };
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

  /** The columns that are painted, by their names. */
  get ratios(): ReadonlyMap<string, Ratio> {
    const entries = [...this.columns].flatMap(([name, { measure, origin }]) =>
      origin === 'percent'
        ? [
            [
              name,
              {
                plan: measure,
                reference: nameOf(measure, 'reference'),
                difference: nameOf(measure, 'difference'),
              },
            ] as const,
          ]
        : [],
    );
    return new Map(entries);
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
  // A base that is the difference of two sums is seldom exactly 0.
  const isNothing = Math.abs(base) <= 1e-12 * Math.abs(change);
  return isNothing ? null : change / Math.abs(base);
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
    case 'percent':
      return false;
  }
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

function numbersOf(table: Table, measure: string): (Numbers & { measure: string }) | null {
  const column: Column<unknown> | undefined = table.getChild(measure);
  const [batch] = column?.data ?? [];
  if (!batch || !(batch.values instanceof Float64Array || batch.values instanceof Int32Array)) {
    return null;
  }
  const { type, values, validity, nullCount } = batch;
  return { measure, type, values, validity: nullCount > 0 ? validity : new Uint8Array(0) };
}

function columnOf(
  origin: Origin,
  source: Numbers,
  rows: RowsByIter | null,
  excluded: ReadonlySet<string>,
): Column<unknown> {
  const length = source.values.length;
  if (origin === 'percent') {
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
