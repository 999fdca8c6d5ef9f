/** Joins the parts of a column of texts, with or without a dictionary. */
import { DataType, Type, Utf8, makeData, makeVector, type Data, type Vector } from 'apache-arrow';
import { rowsOf } from './blocks';
import { isText } from './column-values';
import { ByteDictionary, dictionaryData } from './dictionary';
import { Memory, moveOffsets, requireFits } from './growing';
import { isWhole, mismatch, Written, type BlockWriter, type Joiner, type Part } from './joiner';

/** Joins texts without a dictionary. */
export class TextJoiner implements Joiner {
  readonly typeId = Type.Utf8;

  block(parts: readonly Part[], inPlace: boolean): BlockWriter {
    const [only] = parts;
    return only && inPlace ? textsInPlace(only) : new TextWriter(parts);
  }
}

/** Texts that stay in their memory. The first offset need not be 0. */
function textsInPlace({ data, start, end }: Part): BlockWriter {
  const { type, values, valueOffsets } = textData(data);
  const written = new Written();
  return {
    append: (part, from, to) => written.append(part, from, to),
    finish: () =>
      makeData({
        ...written.finish(),
        type,
        valueOffsets: valueOffsets.subarray(start, end + 1),
        data: values,
      }),
  };
}

function textData(data: Data | undefined): Data<Utf8> {
  if (!isText(data)) throw new Error(`Texts are of type ${String(data?.type)}`);
  return data;
}

/** Texts that are copied. */
class TextWriter implements BlockWriter {
  private readonly written = new Written();
  private readonly bytes: Uint8Array;
  private readonly offsets: Int32Array;

  /** @throws Error if the texts exceed the bytes that an Arrow column can hold */
  constructor(parts: readonly Part[]) {
    const length = parts.reduce(
      (sum, { data, start, end }) =>
        sum + (data.valueOffsets[end] ?? 0) - (data.valueOffsets[start] ?? 0),
      0,
    );
    requireFits(length);
    this.bytes = new Uint8Array(length);
    this.offsets = new Int32Array(rowsOf(parts) + 1);
  }

  append(part: Part, from: number, to: number): void {
    const { values, valueOffsets } = textData(part.data);
    const { rows } = this.written;
    const at = this.offsets[rows] ?? 0;
    this.bytes.set(values.subarray(valueOffsets[from], valueOffsets[to]), at);
    moveOffsets(valueOffsets.subarray(from, to + 1), at, this.offsets.subarray(rows));
    this.written.append(part, from, to);
  }

  finish(): Data {
    return makeData({
      ...this.written.finish(),
      type: new Utf8(),
      valueOffsets: this.offsets,
      data: this.bytes,
    });
  }
}

const UNSEEN = -1;

/** Translates the codes of one dictionary to those of another. */
interface Recoding {
  memory: Memory;
  offsets: Int32Array;
  /** New code by old code; {@link UNSEEN} until a row uses the old code. */
  codes: Int32Array;
}

/** Joins texts with dictionaries. All blocks share one dictionary, which grows from block to block. */
export class CodeJoiner implements Joiner {
  readonly typeId = Type.Dictionary;
  /** The dictionary of the leading parts. Only its first `#known` texts occur in rows. */
  private leading: Data<Utf8> | undefined;
  private known = 0;
  /** All texts so far. It is made when a text occurs that the leading dictionary lacks. */
  private dictionary: ByteDictionary | undefined;
  private readonly recodings = new Map<Data, Recoding>();

  block(parts: readonly Part[], inPlace: boolean): BlockWriter {
    for (const part of parts) if (part.isLead) this.lead(part);
    const [only] = parts;
    return new CodeWriter(this, rowsOf(parts), inPlace ? only : undefined);
  }

  private lead(part: Part): void {
    this.leading = dictionaryTexts(part.data);
    this.known = isWhole(part)
      ? this.leading.length
      : Math.max(this.known, codesBefore(part.data, part.end));
  }

  /** The translation of another dictionary to this one, as far as its texts have occurred. */
  recoding(data: Data): Recoding {
    const known = this.recodings.get(data);
    if (known) return known;
    const { values, valueOffsets, length } = dictionaryTexts(data);
    const recoding = {
      memory: new Memory(values),
      offsets: valueOffsets,
      codes: new Int32Array(length).fill(UNSEEN),
    };
    this.recodings.set(data, recoding);
    return recoding;
  }

  /** The code of a text from a part that does not lead. */
  newCode(code: number, recoding: Recoding): number {
    this.dictionary ??= this.leadingTexts();
    return (recoding.codes[code] = codeIn(this.dictionary, code, recoding));
  }

  private leadingTexts(): ByteDictionary {
    const dictionary = new ByteDictionary();
    if (!this.leading) return dictionary;
    const { values, valueOffsets } = this.leading;
    const texts = { memory: new Memory(values), offsets: valueOffsets };
    for (let code = 0; code < this.known; code++) codeIn(dictionary, code, texts);
    return dictionary;
  }

  /** All texts so far, by code. */
  get texts(): Vector<Utf8> {
    if (this.dictionary || !this.leading) {
      return (this.dictionary ?? new ByteDictionary()).finish();
    }
    const { type, values, valueOffsets } = this.leading;
    return makeVector(
      makeData({
        type,
        length: this.known,
        nullCount: 0,
        valueOffsets: valueOffsets.subarray(0, this.known + 1),
        data: values.subarray(0, valueOffsets[this.known]),
      }),
    );
  }
}

/** Adds a text to a dictionary and returns its code. */
const codeIn = (
  dictionary: ByteDictionary,
  code: number,
  { memory, offsets }: Pick<Recoding, 'memory' | 'offsets'>,
): number => {
  const start = offsets[code] ?? 0;
  return dictionary.code(memory, start, (offsets[code + 1] ?? 0) - start);
};

function dictionaryTexts(data: Data): Data<Utf8> {
  if (!DataType.isDictionary(data.type)) throw mismatch(data, new Utf8());
  return textData(data.dictionary?.data[0]);
}

function codesIn(data: Data): Int32Array {
  const codes: unknown = data.values;
  if (!(codes instanceof Int32Array)) throw mismatch(data, new Utf8());
  return codes;
}

/** Number of distinct texts before a row. Dictionaries list texts in the order of first appearance. */
function codesBefore(data: Data, end: number): number {
  const codes = codesIn(data);
  let first = 0;
  while (first < end && data.nullCount > 0 && !data.getValid(first)) first += 1;
  let known = 0;
  for (let row = first; row < end; row++) known = Math.max(known, (codes[row] ?? 0) + 1);
  return known;
}

/** The codes of one block. */
class CodeWriter implements BlockWriter {
  private readonly written = new Written();
  /** The new codes; undefined while the codes of the part in place are still valid. */
  private own: Int32Array | undefined;

  constructor(
    private readonly joiner: CodeJoiner,
    private readonly rows: number,
    /** The part that stays in its memory unless it must be recoded. */
    private readonly staying: Part | undefined,
  ) {
    if (!staying) this.own = new Int32Array(rows);
  }

  append(part: Part, from: number, to: number): void {
    const codes = codesIn(part.data);
    if (!part.isLead) this.recode(part.data, codes, from, to);
    else this.own?.set(codes.subarray(from, to), this.written.rows);
    this.written.append(part, from, to);
  }

  private recode(data: Data, codes: Int32Array, from: number, to: number): void {
    const recoding = this.joiner.recoding(data);
    const anyNull = data.nullCount > 0;
    for (let row = from, at = this.written.rows; row < to; row++, at++) {
      if (anyNull && !data.getValid(row)) continue;
      const code = codes[row] ?? 0;
      const known = recoding.codes[code] ?? UNSEEN;
      const own = known === UNSEEN ? this.joiner.newCode(code, recoding) : known;
      if (this.own) this.own[at] = own;
      else if (own !== code) this.copy(codes.subarray(row - at, row))[at] = own;
    }
  }

  /** @param same codes of the rows so far */
  private copy(same: Int32Array): Int32Array {
    const own = new Int32Array(this.rows);
    own.set(same);
    return (this.own = own);
  }

  finish(): Data {
    const { staying } = this;
    const own = this.own ?? (staying && codesIn(staying.data).subarray(staying.start, staying.end));
    return dictionaryData(own ?? new Int32Array(0), this.written.finish(), this.joiner.texts);
  }
}
