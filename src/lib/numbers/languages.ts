/** Separators and words of numbers in a language. */
import {
  COMMON_WORDS,
  exactText,
  type NumberMarks,
  readNotation,
  type ScaleWords,
} from './notation';

/** Returns the separators of a language, and its words. */
export function marksOf(language: string): Required<NumberMarks> {
  const parts = new Intl.NumberFormat(language).formatToParts(-1234567.5);
  const mark = (type: 'group' | 'decimal') => parts.find((part) => part.type === type)?.value;
  return {
    group: mark('group') ?? ',',
    decimal: mark('decimal') ?? '.',
    words: wordsOf(language),
  };
}

/**
 * Returns the words for thousands and millions that a language writes, with those that all languages understand. The
 * language decides on the power of a word.
 */
function wordsOf(language: string): ScaleWords {
  const words: Record<string, number> = { ...COMMON_WORDS };
  for (const compactDisplay of ['short', 'long'] as const) {
    const format = new Intl.NumberFormat(language, { notation: 'compact', compactDisplay });
    for (let power = 3; power < 12; power++) {
      for (const first of COUNTED) {
        const parts = format.formatToParts(first * 10 ** power);
        const word = parts.find(({ type }) => type === 'compact')?.value;
        const digits = parts.map(({ type, value }) =>
          type === 'integer' ? value : type === 'decimal' ? '.' : type === 'fraction' ? value : '',
        );
        const places = Math.log10(Number(digits.join('')) / first);
        if (word && Number.isInteger(places)) words[nameOf(word)] = power - places;
      }
    }
  }
  return words;
}

/** Numbers for which languages have different plurals. */
const COUNTED = [1, 1.5, 2, 5];

const nameOf = (word: string): string =>
  word.trim().toLowerCase().replace(/\s+/g, ' ').replace(/\.$/, '');

/**
 * Returns one and a half million as a language writes it, as an example of what can be typed: `1.5m`, `1,5 Mio.`
 */
export function exampleOf(language: string): string {
  const text = new Intl.NumberFormat(language, { notation: 'compact' }).format(1_500_000);
  const { decimal, words } = marksOf(language);
  const read = readNotation(text, { decimal, words });
  if (read === null || Number(exactText(read)) !== 1_500_000) return `1${decimal}5m`;
  return text.replace(/\s/g, ' ').replace(/(?<!\p{L})[A-Z]$/u, (letter) => letter.toLowerCase());
}
