/** Registers the texts of rows, so that texts that look alike get different labels. */
import { Type } from '@uwdata/flechette';
import { noteTexts } from '../values/lookalikes';
import { dictionaryOf, type ArrowColumns } from './arrow-columns';

/** Registers the texts of all columns with a dictionary. Dictionaries of ASCII texts are skipped. */
export function noteColumnTexts(columns: ArrowColumns): void {
  for (const column of columns.values()) {
    const dictionary = dictionaryOf(column);
    if (dictionary?.type.typeId !== Type.Utf8) continue;
    const isAscii = dictionary.data.every(
      ({ values }) => values instanceof Uint8Array && values.every((byte) => byte < 0x80),
    );
    if (!isAscii) noteTexts(Array.from(dictionary, String));
  }
}
