/** Parses typed amounts, and formats numbers in the browser's language. */
import { isHeld } from '$lib/contract/decimals';
import { exampleOf, marksOf } from '$lib/numbers/languages';
import {
  COMMON_WORDS,
  exactText,
  halfWidth,
  movedPoint,
  type Notation,
  type NumberMarks,
  readNotation,
  signFirst,
} from '$lib/numbers/notation';
import { TOO_LARGE } from '$lib/plan/amounts/refusals';
import type { MeasureEdit } from '$lib/plan/amounts/scale-draft';

/**
 * Language of numbers as people write and type them, with the separators of the browser's language: 1,204.50
 * or 1.204,50. The words of the pages are always English.
 */
const LANGUAGE = readable(typeof navigator === 'undefined' ? 'en-US' : navigator.language);

/**
 * Returns the language if {@link parseNumber} can read its numbers back; otherwise English, for languages
 * with other digits or groups.
 */
export function readable(language: string): string {
  const sample = -1234567.5;
  const text = new Intl.NumberFormat(language).format(sample);
  return parseNumber(text, marksOf(language)) === sample ? language : 'en-US';
}

/** The separators of the browser's language. */
export const MARKS: NumberMarks = marksOf(LANGUAGE);

/** One and a half million as the browser's language writes it. */
export const EXAMPLE = exampleOf(LANGUAGE);

/** Formats a number with grouping and by default at most two decimals. */
export function formatNumber(value: number, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 2, ...options }).format(value);
}

/**
 * Formats a number with all its digits and without grouping, so that a spreadsheet in the same language can
 * read it.
 */
export const plainText = (value: number): string =>
  formatNumber(value, { useGrouping: false, maximumFractionDigits: 20 }).replace('\u2212', '-');

/**
 * Parses a number as people type it: with separators before groups of three digits, blanks, a sign (also the
 * typographic minus), a percent sign, a currency and a word for thousands or millions. Returns null if it is not a
 * number. In a language with a decimal point, a comma that is not followed by three digits is refused, because it
 * may be meant as a decimal comma; the same holds the other way round.
 */
export function parseNumber(text: string, marks = MARKS): number | null {
  const read = readTyped(bare(text).replace(/%$/, ''), marks);
  if (read === null) return null;
  const value = Number(exactText(read));
  return Number.isFinite(value) ? value : null;
}

/**
 * Returns a typed number as the service writes it: all its digits, with a point before the fraction. The empty text if
 * it is not a number.
 */
export function digitsOf(text: string, marks = MARKS): string {
  const read = readTyped(bare(text), marks);
  if (read === null) return '';
  if (read.scale === 0) return exactText(read);
  const [whole, fraction] = movedPoint(read.digits, read.scale);
  return `${read.sign === '-' ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

/** Writes the digits of a number from the service with the decimal sign of the browser's language. */
export const shownDigits = (digits: string, { decimal } = MARKS): string =>
  digits.replace('.', decimal);

/** Parses a factor, which may be a percentage: `0.3` and `30%` are the same. NaN if it is not a number. */
export function readFactor(text: string, marks = MARKS): number {
  const typed = bare(text);
  const read = readTyped(typed.replace(/%$/, ''), marks);
  if (read === null || read.exponent !== null || read.scale > 0 || read.unit !== '') return NaN;
  return Number(exactText({ ...read, isPercent: typed.endsWith('%') }));
}

/**
 * Parses the text typed into a cell or an amount field; null for an empty text. `12500`, `10k` and `1.5m` are
 * totals, and so is a calculation after `=`: `=9575*1.05`. `+500` and `-500` are changes; `5%`, `*1.05` and
 * `/2` are percentages of the current amount.
 *
 * @param by the meaning of a number without `=`, `*`, `/` or `%`. With `total`, a leading sign makes it a
 * change; with `change` or `percent`, the sign is that of the number.
 */
export function readAmount(
  text: string,
  by: MeasureEdit['by'] = 'total',
  marks = MARKS,
): MeasureEdit | null {
  const edit = readPlain(text, by, marks);
  return edit && Number.isNaN(edit.amount) && hasLostDigits(text, marks)
    ? { ...edit, problem: TOO_LARGE }
    : edit;
}

function readPlain(text: string, by: MeasureEdit['by'], marks: NumberMarks): MeasureEdit | null {
  const typed = signFirst(bare(text));
  if (typed === '') return null;
  const first = typed.charAt(0);
  const rest = typed.slice(1);
  if (first === '=') return { by: 'total', amount: calculated(rest, marks) };
  if (first === '*') return { by: 'percent', amount: percentOf(numberOf(rest, marks)) };
  if (first === '/') return { by: 'percent', amount: percentOf(1 / numberOf(rest, marks)) };
  if (typed.endsWith('%')) {
    const read = readTyped(typed.slice(0, -1), marks);
    const isBare = read !== null && read.unit === '' && read.scale === 0;
    return { by: 'percent', amount: isBare ? numberOf(typed.slice(0, -1), marks) : NaN };
  }
  const isChange = by === 'total' && (first === '+' || first === '-');
  return { by: isChange ? 'change' : by, amount: numberOf(typed, marks) };
}

/** Returns the percentage change of a factor: 5 for 1.05; NaN for a factor that is not finite. */
const percentOf = (factor: number): number =>
  Number.isFinite(factor) ? tidied((factor - 1) * 100) : NaN;

function bare(text: string): string {
  return halfWidth(text.replace(/[\s\u00a0\u202f'’]/g, '').replace(/\u2212/g, '-'));
}

/**
 * Returns the pressed key. While an input method is active, an event does not name its key, but `code` tells the
 * position on the keyboard. Only digits are read from it: they are at the same positions on all keyboards for which
 * input methods are used.
 */
export const withoutInputMethod = ({
  key,
  code,
  shiftKey,
}: Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>): string => {
  const digit = key === 'Process' && !shiftKey ? /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1] : null;
  return digit ?? key;
};

/** Returns whether a typed key can be the beginning of an amount. */
export const beginsAmount = (key: string): boolean => /^[\d.,+\-*/=\p{Sc}]$/u.test(halfWidth(key));

/** The beginning of a number or a sum, with the % of +5%, and the k or Mio of 12k or 5 Mio. */
const AMOUNT = /^\p{Sc}?[+\-*/=(]*\d[\d.,+\-*/()]*(?:%|(?<word>\p{L}*)\.?)$/u;

/** Returns whether a typed key belongs to an amount whose beginning was typed. */
export function continuesAmount(begun: string, key: string, marks: NumberMarks = MARKS): boolean {
  const found = key.length === 1 ? AMOUNT.exec(bare(begun + key)) : null;
  const word = found?.groups?.word?.toLowerCase() ?? '';
  const words = Object.keys(marks.words ?? COMMON_WORDS);
  return found !== null && words.some((each) => each.startsWith(word));
}

/** Rounds a number to 14 significant digits, which removes the noise of binary fractions. */
const tidied = (value: number): number => Number(value.toPrecision(14));

/** Parses a typed number; NaN if the text is none, or a double does not hold it. */
function numberOf(text: string, marks: NumberMarks): number {
  const read = readTyped(text, marks);
  if (read === null) return NaN;
  const exact = exactText(read);
  const value = Number(exact);
  return Number.isFinite(value) && isHeld(exact, value) ? value : NaN;
}

/** Reads a text without blanks. A number in brackets or with its sign at the end is none. */
function readTyped(
  text: string,
  { group, decimal, words = COMMON_WORDS }: NumberMarks,
): Notation | null {
  if (/[()%]|[-+]$/.test(text)) return null;
  return readNotation(text, { group, decimal, words });
}

/** Returns whether a text is rejected only because one of its numbers has more digits than a double. */
const hasLostDigits = (text: string, marks: NumberMarks): boolean =>
  (bare(text).match(/[\d.,]{16,}/g) ?? []).some((digits) => {
    const plain = readTyped(digits, marks)?.digits;
    return plain !== undefined && !isHeld(plain, Number(plain));
  });

/** Evaluates sums and products of typed numbers, with brackets; NaN if the text is not a calculation. */
function calculated(text: string, marks: NumberMarks): number {
  const tokens = text.match(/[-+*/()]|[^-+*/()]+/g) ?? [];
  let at = 0;
  const product = (): number => {
    let value = factor();
    for (;;) {
      if (tokens[at] === '*') value = (at++, value * factor());
      else if (tokens[at] === '/') value = (at++, value / factor());
      else return value;
    }
  };
  const sum = (): number => {
    let value = product();
    for (;;) {
      if (tokens[at] === '+') value = (at++, value + product());
      else if (tokens[at] === '-') value = (at++, value - product());
      else return value;
    }
  };
  const factor = (): number => {
    const token = tokens[at++] ?? '';
    if (token === '-') return -factor();
    if (token === '+') return factor();
    if (token !== '(') return numberOf(token, marks);
    const value = sum();
    return tokens[at++] === ')' ? value : NaN;
  };
  const value = sum();
  return at === tokens.length && Number.isFinite(value) ? tidied(value) : NaN;
}
