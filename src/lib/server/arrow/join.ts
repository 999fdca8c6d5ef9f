import { Data, DataType, Float64, Int32, Utf8, makeData } from 'apache-arrow';
import { Turns } from '../turns';
import type { Column } from './column-plan';
import { isText, rowCountOf } from './column-values';
import { ByteDictionary, dictionaryData } from './dictionary';
import { Memory, requireFits, Validity } from './growing';

/** Adjacent rows of finished columns, from `start` up to, not including, `end`. */
export interface RowRun {
  columns: readonly Column[];
  start: number;
  end: number;
}

/** So many rows of a column are copied before other requests may run. */
const ROWS_AT_ONCE = 65_536;

/**
 * The rows of some runs, one after the other. The columns are the ones that a decoder makes of the same
 * rows: a dictionary has only texts that occur, in the order of first appearance, and an integer
 * column is Int32 if every value fits.
 *
 * @param runs of columns with the same names in the same order; at least one
 * @param integers names of the columns that hold integers
 * @throws Error if a column has types that do not go together, or more text than Arrow can hold
 */
export async function joinRows(
  runs: readonly RowRun[],
  integers: ReadonlySet<string>,
): Promise<Column[]> {
  const [first] = runs;
  if (!first) throw new Error('No rows to join');
  const isWhole = runs.length === 1 && first.start === 0 && first.end === rowCountOf(first.columns);
  if (isWhole) return [...first.columns];

  const turns = new Turns();
  const joined: Column[] = [];
  for (const [i, { name }] of first.columns.entries()) {
    const parts = runs.map(({ columns, start, end }) => {
      const column = columns[i];
      if (column?.name !== name)
        throw new Error(`Columns of other names: ${column?.name}, ${name}`);
      return { data: column.data, start, end };
    });
    const joiner = joinerOf(parts, integers.has(name));
    let sinceTurn = 0;
    for (const { data, start, end } of parts) {
      for (let from = start; from < end; from += ROWS_AT_ONCE) {
        const to = Math.min(end, from + ROWS_AT_ONCE);
        joiner.append(data, from, to);
        sinceTurn += to - from;
        if (sinceTurn < ROWS_AT_ONCE) continue;
        await turns.give();
        sinceTurn = 0;
      }
    }
    await turns.give();
    joined.push({ name, data: joiner.finish() });
  }
  return joined;
}

/** Rows of one column. */
interface Part {
  data: Data;
  start: number;
  end: number;
}

/** A column that parts of others are appended to. */
interface Joiner {
  append(data: Data, from: number, to: number): void;
  finish(): Data;
}

function joinerOf(parts: readonly Part[], isInteger: boolean): Joiner {
  const type = parts[0]?.data.type;
  if (!type) throw new Error('A column without a type');
  const rows = parts.reduce((sum, { start, end }) => sum + end - start, 0);
  if (isInteger && parts.some(({ data }) => DataType.isFloat(data.type))) {
    return new IntegerJoiner(rows);
  }
  const other = parts.find(({ data }) => data.type.typeId !== type.typeId);
  if (other) throw mismatch(other.data, type);
  if (DataType.isDictionary(type)) return new CodeJoiner(parts, rows);
  if (DataType.isUtf8(type)) return new TextJoiner(parts, rows);
  if (DataType.isBool(type)) return new BitJoiner(rows, type);
  const values: unknown = parts[0]?.data.values;
  if (values instanceof Int32Array) return new NumberJoiner(new Int32Array(rows), type);
  if (values instanceof Float64Array) return new NumberJoiner(new Float64Array(rows), type);
  if (values instanceof BigInt64Array) return new NumberJoiner(new BigInt64Array(rows), type);
  throw new Error(`Columns of type ${String(type)} cannot be joined`);
}

/** The nulls of a column that is joined. */
class Nulls extends Validity {
  copy(data: Data, from: number, to: number, at: number): void {
    if (data.nullCount === 0) return;
    for (let row = from; row < to;) {
      let end = row;
      while (end < to && !data.getValid(end)) end += 1;
      if (end > row) this.setNulls(at + row - from, at + end - from);
      row = end + 1;
    }
  }
}

/** Rows of one fixed size as Arrow data. */
const dataOf = (
  type: DataType,
  { length, nullCount, nullBitmap }: ReturnType<Validity['finish']>,
  values: ArrayBufferView,
): Data => new Data(type, 0, length, nullCount, { 1: values, 2: nullBitmap ?? undefined });

const mismatch = (data: Data, type: DataType) =>
  new Error(`A column of type ${String(data.type)} does not go with ${String(type)}`);

/** Numbers of 32 or 64 bits. */
class NumberJoiner<Numbers extends Int32Array | Float64Array | BigInt64Array> implements Joiner {
  protected rows = 0;
  protected readonly nulls = new Nulls();

  constructor(
    protected readonly own: Numbers,
    private readonly type: DataType,
  ) {}

  append(data: Data, from: number, to: number): void {
    const { own, rows } = this;
    const values: unknown = data.values;
    if (own instanceof BigInt64Array && values instanceof BigInt64Array) {
      own.set(values.subarray(from, to), rows);
    } else if (own instanceof Int32Array && values instanceof Int32Array) {
      own.set(values.subarray(from, to), rows);
    } else if (
      own instanceof Float64Array &&
      (values instanceof Float64Array || values instanceof Int32Array)
    ) {
      own.set(values.subarray(from, to), rows);
    } else {
      throw mismatch(data, this.type);
    }
    this.nulls.copy(data, from, to, rows);
    this.rows += to - from;
  }

  finish(): Data {
    return dataOf(this.type, this.nulls.finish(this.rows), this.own);
  }
}

/** Integers of which some are too large for Int32, or were in rows that are gone. */
class IntegerJoiner extends NumberJoiner<Float64Array> {
  constructor(rows: number) {
    super(new Float64Array(rows), new Float64());
  }

  override finish(): Data {
    const narrow = Int32Array.from(this.own);
    if (narrow.some((value, row) => value !== this.own[row])) return super.finish();
    return dataOf(new Int32(), this.nulls.finish(this.rows), narrow);
  }
}

/** Booleans, one bit per row. */
class BitJoiner implements Joiner {
  #rows = 0;
  readonly #bits: Uint8Array;
  readonly #nulls = new Nulls();

  constructor(
    rows: number,
    private readonly type: DataType,
  ) {
    this.#bits = new Uint8Array((rows + 7) >> 3);
  }

  append(data: Data, from: number, to: number): void {
    const bits: unknown = data.values;
    if (!(bits instanceof Uint8Array)) throw mismatch(data, this.type);
    const own = this.#bits;
    for (let row = from, at = this.#rows; row < to; row++, at++) {
      if ((bits[row >> 3] ?? 0) & (1 << (row & 7)))
        own[at >> 3] = (own[at >> 3] ?? 0) | (1 << (at & 7));
    }
    this.#nulls.copy(data, from, to, this.#rows);
    this.#rows += to - from;
  }

  finish(): Data {
    return dataOf(this.type, this.#nulls.finish(this.#rows), this.#bits);
  }
}

/** Texts that hardly repeat. */
class TextJoiner implements Joiner {
  #rows = 0;
  readonly #bytes: Uint8Array;
  readonly #offsets: Int32Array;
  readonly #nulls = new Nulls();

  constructor(parts: readonly Part[], rows: number) {
    const length = parts.reduce(
      (sum, { data, start, end }) =>
        sum + (data.valueOffsets[end] ?? 0) - (data.valueOffsets[start] ?? 0),
      0,
    );
    requireFits(length);
    this.#bytes = new Uint8Array(length);
    this.#offsets = new Int32Array(rows + 1);
  }

  append(data: Data, from: number, to: number): void {
    if (!isText(data)) throw mismatch(data, new Utf8());
    const { values, valueOffsets } = data;
    const offsets = this.#offsets;
    const first = valueOffsets[from] ?? 0;
    const at = offsets[this.#rows] ?? 0;
    this.#bytes.set(values.subarray(first, valueOffsets[to]), at);
    for (let row = from + 1, own = this.#rows + 1; row <= to; row++, own++) {
      offsets[own] = (valueOffsets[row] ?? 0) - first + at;
    }
    this.#nulls.copy(data, from, to, this.#rows);
    this.#rows += to - from;
  }

  finish(): Data {
    return makeData({
      type: new Utf8(),
      ...this.#nulls.finish(this.#rows),
      valueOffsets: this.#offsets,
      data: this.#bytes,
    });
  }
}

/** How many texts occur before a row; they are in the order of first appearance. */
function codesBefore(data: Data, end: number): number {
  const codes: unknown = data.values;
  if (!(codes instanceof Int32Array)) throw mismatch(data, new Utf8());
  let first = 0;
  while (first < end && data.nullCount > 0 && !data.getValid(first)) first += 1;
  let known = 0;
  for (let row = first; row < end; row++) known = Math.max(known, (codes[row] ?? 0) + 1);
  return known;
}

const UNSEEN = -1;

/** Texts of one dictionary, to be given the codes of another. */
interface Recoding {
  memory: Memory;
  offsets: Int32Array;
  /** New code by old code; {@link UNSEEN} before its first row. */
  codes: Int32Array;
  /** The rows up to this one keep their codes. */
  sameRows: number;
}

/** Texts that repeat: all parts share one dictionary. */
class CodeJoiner implements Joiner {
  #rows = 0;
  readonly #codes: Int32Array;
  readonly #dictionary = new ByteDictionary();
  readonly #nulls = new Nulls();
  readonly #recodings = new Map<Data, Recoding>();

  constructor([first]: readonly Part[], rows: number) {
    this.#codes = new Int32Array(rows);
    // The texts from the first row on are in the order of first appearance already.
    if (first?.start === 0) this.#keepCodes(first);
  }

  #keepCodes({ data, end }: Part): void {
    const recoding = this.#recodingOf(data);
    const known = end === data.length ? recoding.codes.length : codesBefore(data, end);
    for (let code = 0; code < known; code++) this.#newCode(code, recoding);
    recoding.sameRows = end;
  }

  append(data: Data, from: number, to: number): void {
    const codes: unknown = data.values;
    if (!(codes instanceof Int32Array)) throw mismatch(data, new Utf8());
    const recoding = this.#recodingOf(data);
    if (to <= recoding.sameRows) this.#codes.set(codes.subarray(from, to), this.#rows);
    else this.#recode(data, codes, from, to, recoding);
    this.#nulls.copy(data, from, to, this.#rows);
    this.#rows += to - from;
  }

  #recode(data: Data, codes: Int32Array, from: number, to: number, recoding: Recoding): void {
    const own = this.#codes;
    const anyNull = data.nullCount > 0;
    for (let row = from, at = this.#rows; row < to; row++, at++) {
      if (anyNull && !data.getValid(row)) continue;
      const code = codes[row] ?? 0;
      const known = recoding.codes[code] ?? UNSEEN;
      own[at] = known === UNSEEN ? this.#newCode(code, recoding) : known;
    }
  }

  #newCode(code: number, { memory, offsets, codes }: Recoding): number {
    const start = offsets[code] ?? 0;
    const length = (offsets[code + 1] ?? 0) - start;
    return (codes[code] = this.#dictionary.code(memory, start, length));
  }

  #recodingOf(data: Data): Recoding {
    const known = this.#recodings.get(data);
    if (known) return known;
    const texts = DataType.isDictionary(data.type) ? data.dictionary?.data[0] : undefined;
    if (!isText(texts)) throw mismatch(data, new Utf8());
    const recoding = {
      memory: new Memory(texts.values),
      offsets: texts.valueOffsets,
      codes: new Int32Array(texts.length).fill(UNSEEN),
      sameRows: 0,
    };
    this.#recodings.set(data, recoding);
    return recoding;
  }

  finish(): Data {
    return dictionaryData(this.#codes, this.#nulls, this.#dictionary);
  }
}
