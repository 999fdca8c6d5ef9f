/** Notes the texts of rows, so that labels tell texts apart that look alike. */
import { Type } from '@uwdata/flechette';
import { noteTexts } from '../values/lookalikes';
import { dictionaryOf, type ArrowColumns } from './arrow-columns';

/** Notes the texts of all columns with a dictionary. Dictionaries of ASCII texts cost a look at their bytes. */
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
