/**
 * Comparison of texts in a search: case and Unicode form are ignored, accents are not. Page and service use
 * the same rules, whatever the locale of the database.
 */

/** Returns a letter in lower case as one character: İ becomes i. */
const lowered = (letter: string): string => [...letter.toLowerCase()][0] ?? letter;

/** Returns a text for comparison: composed (NFC), and each letter in lower case. */
export const folded = (text: string): string => Array.from(text.normalize('NFC'), lowered).join('');

/** Returns whether a text contains a search text; every text contains the empty one. */
export const contains = (text: string, search: string): boolean =>
  folded(text).includes(folded(search));

/** Capital letters by their lower-case letter, computed on first use. */
let capitals: ReadonlyMap<string, readonly string[]> | null = null;

/** The code point after the last letter that has a case. */
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
 * Returns a PostgreSQL regular expression for the composed texts that {@link contains} finds. Letters that
 * the search does not contain are written as ASCII escapes, so that a database in another encoding can read
 * it.
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
