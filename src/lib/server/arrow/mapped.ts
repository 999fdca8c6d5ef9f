import type { DataType } from 'apache-arrow';
import type { Column } from './column-plan';
import { numbersOf } from './column-values';
import { ByteDictionary, dictionaryData, type TextDictionary } from './dictionary';
import { Memory, Validity } from './growing';

const NONE = -1;

/**
 * A text column that follows from an integer column, such as `pf_note` from `pf_logid`. Null if
 * the integer is null, and if the map gives null for it or has no such entry.
 * @throws Error if `ids` is no column of numbers
 */
export function mappedDictionary(
  name: string,
  ids: Column<DataType>,
  texts: ReadonlyMap<number, string | null>,
): Column<TextDictionary> {
  const { data } = ids;
  const values = numbersOf(ids);
  const dictionary = new ByteDictionary();
  const codeOf = new Map<number, number>();
  for (const [id, text] of texts) {
    if (text === null) continue;
    const memory = new Memory(new TextEncoder().encode(text));
    codeOf.set(id, dictionary.code(memory, 0, memory.bytes.length));
  }

  const codes = new Int32Array(data.length);
  const validity = new Validity();
  // The rows of an entry lie together, so the last answer is most often the next one too.
  let lastId = NaN;
  let lastCode = NONE;
  for (let row = 0; row < codes.length; row++) {
    const id = values[row] ?? NaN;
    if (id !== lastId) {
      lastId = id;
      lastCode = codeOf.get(id) ?? NONE;
    }
    if (lastCode === NONE || (data.nullCount > 0 && !data.getValid(row))) validity.setNull(row);
    else codes[row] = lastCode;
  }
  return { name, data: dictionaryData(codes, validity, dictionary) };
}
