/**
 * How a search compares texts: whatever their case and their Unicode form, accents counted. The page and the
 * service follow it, whatever locale the database has.
 */

/** A letter in lower case, as one character: İ becomes i. */
const lowered = (letter: string): string => [...letter.toLowerCase()][0] ?? letter;

/** A text as a search compares it: composed (NFC), in lower case letter by letter. */
export const folded = (text: string): string => Array.from(text.normalize('NFC'), lowered).join('');

/** Whether a text contains what is searched for; every text contains the empty one. */
export const contains = (text: string, search: string): boolean =>
  folded(text).includes(folded(search));

/** Capital letters by their lower-case letter; read once, when first needed. */
let capitals: ReadonlyMap<string, readonly string[]> | null = null;

/** Past the last letter that has a case. */
const LETTERS_END = 0x1ea00;

function capitalsOf(letter: string): readonly string[] {
  if (!capitals) {
    const found = new Map<string, string[]>();
    for (let code = 0; code < LETTERS_END; code++) {
      const capital = String.fromCodePoint(code);
      const lower = lowered(capital);
      if (lower !== capital) found.set(lower, [...(found.get(lower) ?? []), capital]);
    }
    capitals = found;
  }
  return capitals.get(letter) ?? [];
}

/**
 * A regular expression of PostgreSQL that matches the composed texts which {@link contains} finds. Letters
 * that the search itself does not have are written as escapes of ASCII characters, so that a database in
 * another encoding can read it.
 */
export function searchPattern(search: string): string {
  const typed = new Set(search.normalize('NFC'));
  return Array.from(folded(search), (letter) => {
    const [first, ...others] = [letter, ...capitalsOf(letter)].map((each) =>
      typed.has(each) ? literalIn(each) : escapeOf(each),
    );
    return others.length > 0 ? `[${first}${others.join('')}]` : first;
  }).join('');
}

const literalIn = (character: string): string =>
  /^[!-/:-@[-`{-~]$/.test(character) ? `\\${character}` : character;

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return literalIn(character);
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}
