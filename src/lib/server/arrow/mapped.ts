import type { DataType } from 'apache-arrow';
import type { Column } from './column-plan';
import { numbersOf } from './column-values';
import { ByteDictionary, dictionaryData, type TextDictionary } from './dictionary';
import { Memory, Validity } from './growing';

/**
 * A text column that is looked up by an integer column, such as `pf_note` by `pf_logid`. A row is null
 * if its integer is null, or if the map holds null or nothing for it.
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
  const anyNull = data.nullCount > 0;
  // The rows of an entry are usually adjacent, so a run of equal ids is looked up and filled at
  // once.
  for (let first = 0, end = 0; first < codes.length; first = end) {
    const id = values[first] ?? NaN;
    do end += 1;
    while (end < codes.length && values[end] === id && !anyNull);
    const code = anyNull && !data.getValid(first) ? undefined : codeOf.get(id);
    if (code === undefined) validity.setNulls(first, end);
    else codes.fill(code, first, end);
  }
  return { name, data: dictionaryData(codes, validity, dictionary) };
}
