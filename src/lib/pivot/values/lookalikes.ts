/**
 * Texts that look like another loaded text, because Unicode writes the same letters in several ways: é is one
 * character, or e with an accent. PostgreSQL and the engine treat them as different.
 */

/** The first text of each composed form (NFC), of all texts beyond ASCII that were loaded. */
const firstOfForm = new Map<string, string>();
/** The texts with another loaded text of the same form, except those that are composed themselves. */
const lookalikes = new Set<string>();

const BEYOND_ASCII = /[^\0-\x7f]/;
/** Accents, and parts of Korean syllables. */
const PARTS = /[\p{M}\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]/u;

/** Registers texts of loaded rows for {@link isLookalike}. */
export function noteTexts(texts: Iterable<string>): void {
  for (const text of texts) {
    if (!BEYOND_ASCII.test(text)) continue;
    const form = text.normalize('NFC');
    const first = firstOfForm.get(form);
    if (first === undefined) firstOfForm.set(form, text);
    else if (first !== text) {
      for (const each of [first, text]) if (each !== form) lookalikes.add(each);
    }
  }
}

/** Returns whether a text looks like another loaded text and is not the composed one of them. */
export const isLookalike = (text: string): boolean => lookalikes.has(text);

/** Returns a text in which each character that composes with others, or that another one replaces, is escaped. */
export const withParts = (text: string, escaped: (character: string) => string): string =>
  Array.from(text, (character) =>
    PARTS.test(character) || character !== character.normalize('NFC')
      ? escaped(character)
      : character,
  ).join('');
