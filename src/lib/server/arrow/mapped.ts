/** Columns of texts that depend on the entry of a row: note and operation. */
import type { Data } from 'apache-arrow';
import { ByteDictionary, dictionaryData, type TextDictionary } from './dictionary';
import type { EntryRun } from './entry-rows';
import { Memory, Validity } from './growing';

/**
 * Makes a column of texts that depend on the entry of each row, such as its note. A row is null if it names
 * no entry, or if the map has no text for its entry.
 *
 * @param rows number of rows
 * @param runs adjacent rows of one entry each, in order; together they are all rows
 */
export function mappedDictionary(
  rows: number,
  runs: Iterable<EntryRun>,
  texts: ReadonlyMap<number, string | null>,
): Data<TextDictionary> {
  const dictionary = new ByteDictionary();
  const codeOf = new Map<number | null, number>();
  for (const [id, text] of texts) {
    if (text === null) continue;
    const memory = new Memory(new TextEncoder().encode(text));
    codeOf.set(id, dictionary.code(memory, 0, memory.bytes.length));
  }

  const codes = new Int32Array(rows);
  const validity = new Validity();
  for (const { id, start, end } of runs) {
    const code = codeOf.get(id);
    if (code !== undefined) codes.fill(code, start, end);
    else if (end > start) validity.setNulls(start, end);
  }
  return dictionaryData(codes, validity.finish(rows), dictionary.finish());
}
