/** The distinct texts of a column as UTF-8 bytes, with a code for each. */
import {
  Dictionary,
  Int32,
  Utf8,
  makeData,
  makeVector,
  type Data,
  type Vector,
} from 'apache-arrow';
import { GrowingTexts, Validity, type Memory } from './growing';

const FIRST_SLOTS = 1024;
const EMPTY = -1;

/** The Arrow type of a text column with a dictionary. */
export type TextDictionary = Dictionary<Utf8, Int32>;

/**
 * The distinct texts of a column, compared by their UTF-8 bytes without decoding. The code of a text is its
 * index, from 0, in the order of first appearance.
 */
export class ByteDictionary {
  private readonly texts = new GrowingTexts();
  private hashes = new Int32Array(FIRST_SLOTS);
  /** Codes by hash: open addressing with linear probing, at most half full. */
  private slots = new Int32Array(2 * FIRST_SLOTS).fill(EMPTY);

  /** Bytes of memory for the texts and the hash table. */
  get bytes(): number {
    return this.texts.bytes + this.hashes.byteLength + this.slots.byteLength;
  }

  /** Returns the code of a text in `memory`. A new text gets the next code. */
  code(memory: Memory, start: number, length: number): number {
    const hash = hashOf(memory.view, start, length);
    const slots = this.slots;
    const hashes = this.hashes;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const code = slots[slot] ?? EMPTY;
      if (code === EMPTY) return this.add(slot, hash, memory, start, length);
      if (hashes[code] === hash && this.texts.equals(code, memory.view, start, length)) {
        return code;
      }
      slot = (slot + 1) & mask;
    }
  }

  private add(slot: number, hash: number, memory: Memory, start: number, length: number): number {
    const code = this.texts.length;
    this.slots[slot] = code;
    this.texts.push(memory, start, length);
    if (code === this.hashes.length) {
      const hashes = new Int32Array(2 * code);
      hashes.set(this.hashes);
      this.hashes = hashes;
    }
    this.hashes[code] = hash;
    if (2 * (code + 1) > this.slots.length) this.rehash();
    return code;
  }

  private rehash(): void {
    const slots = new Int32Array(4 * this.slots.length).fill(EMPTY);
    const mask = slots.length - 1;
    for (let code = 0; code < this.texts.length; code++) {
      let slot = (this.hashes[code] ?? 0) & mask;
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask;
      slots[slot] = code;
    }
    this.slots = slots;
  }

  /** The texts, by code. */
  finish(): Vector<Utf8> {
    return makeVector(this.texts.finish(new Validity()));
  }
}

const GOLDEN = 0x9e3779b1;

/** Hashes 4 bytes at a time. The last 4 may overlap the ones before, so that no byte is left over. */
function hashOf(view: DataView, start: number, length: number): number {
  let hash = length;
  if (length >= 4) {
    const last = start + length - 4;
    for (let i = start; i < last; i += 4) {
      hash = Math.imul(hash ^ view.getInt32(i), GOLDEN);
      hash ^= hash >>> 15;
    }
    hash = Math.imul(hash ^ view.getInt32(last), GOLDEN);
  } else {
    for (let i = start; i < start + length; i++) {
      hash = Math.imul(hash ^ view.getUint8(i), GOLDEN);
    }
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

/** Arrow data with one code per row and the dictionary that the codes refer to. */
export const dictionaryData = (
  codes: Int32Array,
  nulls: ReturnType<Validity['finish']>,
  dictionary: Vector<Utf8>,
): Data<TextDictionary> =>
  makeData({
    ...nulls,
    type: new Dictionary(new Utf8(), new Int32()),
    data: codes,
    dictionary,
  });
