/** The notation of numbers as people type, paste and store them, with signs, currencies and words for thousands. */
import { CURRENCY_CODES } from './currencies';

export type DecimalSign = '.' | ',';

/** Words for powers of ten, in lower case and without a point at the end: `mio` is 6. */
export type ScaleWords = Readonly<Record<string, number>>;

/** The separators between groups of digits and before the fraction, and the words for thousands and millions. */
export interface NumberMarks {
  group: string;
  decimal: string;
  /** By default {@link COMMON_WORDS}. */
  words?: ScaleWords;
}

/** A number as it is written. */
export interface Notation {
  /** The sign; a minus for a number in brackets. */
  sign: '' | '+' | '-';
  /** The digits with a point before the fraction, without separators; they may begin or end with the point. */
  digits: string;
  /** The exponent after an e; null without one. */
  exponent: number | null;
  /** Whether blanks separate groups of digits, as in a telephone number. */
  isGroupedByBlanks: boolean;
  /** The power of ten of the word for thousands or millions; 0 without one. */
  scale: number;
  isPercent: boolean;
  /** The currency or the noun of pieces, as it is written; empty without one. */
  unit: string;
  /** Whether a blank separates the unit from the digits. */
  isUnitApart: boolean;
}

/** How a number may be written. */
export interface NotationOptions {
  decimal: string;
  /**
   * The only separator of groups, of which the first may have any number of digits. Without it, groups may be
   * separated by blanks, apostrophes, and points or commas, and those of lakhs have two digits.
   */
  group?: string;
  /** By default none: `5k` is then no number. */
  words?: ScaleWords;
}

/** Words that all languages understand. */
export const COMMON_WORDS: ScaleWords = {
  ...{ k: 3, tsd: 3, m: 6, mn: 6, mio: 6, mln: 6, b: 9, bn: 9, mrd: 9, mld: 9 },
};

/** Maximum length of the text of a number. */
const LONGEST = 100;

/** Characters that mark the direction of text, or are invisible. */
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
const MINUS = /[\u2010-\u2015\u2212\ufe63]/g;
const APOSTROPHE = /[\u2018\u2019\u00b4`]/g;

/** Converts full-width digits and signs, as Japanese keyboards type them, to half width. */
export function halfWidth(text: string): string {
  return text.replace(/[％（-９＝]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
}

/** Returns a text with one kind of blank, minus and apostrophe, and without invisible characters. */
export function plainNotation(text: string): string {
  const ascii = ASCII.test(text)
    ? text
    : halfWidth(text).replace(INVISIBLE, '').replace(MINUS, '-').replace(APOSTROPHE, "'");
  return ascii.replace(/\s+/g, ' ').trim();
}
const ASCII = /^[ !-_a-~]*$/;

/** Signs of currencies, with the letters before them: `US$`, but not `T€`, which is thousands of euros. */
const CURRENCY_SIGN = String.raw`(?![TKMB]\p{Sc})[A-Z]{0,2}\p{Sc}|\p{Sc}[A-Z]{2}`;
const CURRENCY = [
  ...CURRENCY_CODES,
  ...['eur', 'usd', 'gbp', 'chf', 'jpy'],
  ...[String.raw`S?Fr\.?`, String.raw`[Kk]r\.?`, 'zł', 'Kč', 'Ft', 'lei', String.raw`лв\.?`],
  ...[String.raw`руб\.?`, String.raw`Rs\.?`, 'R', CURRENCY_SIGN],
].join('|');
/** Nouns of pieces, of which no other noun counts thousands. */
const PIECES = String.raw`pieces|pcs?\.?|units?|Stück|Stk\.?|St\.`;
const UNIT = `${CURRENCY}|${PIECES}`;

/** Whether a text is the dash that accounting formats write for 0, also with a currency: `- €`. */
export const isDash = (text: string): boolean =>
  text.length <= LONGEST && DASH.test(plainNotation(text));
const DASH = new RegExp(`^(?:(?:${CURRENCY}) ?)?-(?: ?(?:${CURRENCY}))?$`, 'u');

/** A unit at the beginning of a text, before a sign. */
const UNIT_BEFORE_SIGN = new RegExp(`^(${CURRENCY})([-+])`, 'u');

/** Moves the sign of a text without blanks before its currency: `€-5` becomes `-€5`. */
export const signFirst = (text: string): string => text.replace(UNIT_BEFORE_SIGN, '$2$1');

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const anyCase = (text: string): string =>
  Array.from(text, (each) => {
    const [lower, upper] = [each.toLowerCase(), each.toUpperCase()];
    return lower === upper || upper.length > 1 ? escaped(each) : `[${lower}${upper}]`;
  }).join('');

const NO_WORDS: ScaleWords = {};
const shapes = new Map<ScaleWords, RegExp>();

/** Returns the regular expression of a number around its digits. */
function shapeOf(words: ScaleWords): RegExp {
  const known = shapes.get(words);
  if (known) return known;
  const longestFirst = Object.keys(words).sort((one, other) => other.length - one.length);
  const isWordless = longestFirst.length === 0;
  // `T€` and `TEUR` are thousands; `500 T` may be tonnes.
  const word = isWordless
    ? '(?!)'
    : String.raw`(?:${longestFirst.map(anyCase).join('|').replaceAll(' ', ' ?')})\.?|T(?=\p{Sc}|[A-Z]{3})`;
  const shape = new RegExp(
    String.raw`^(?<first>[-+]?) ?(?:(?:(?<wordBefore>${word}) ?)?(?<before>${UNIT})|(?<percentBefore>%))?` +
      String.raw`(?<gapBefore> ?)(?<second>[-+]?) ?(?<digits>[\d.,' ]*\d[.,]?)(?:[eE](?<exponent>[-+]?\d+))?` +
      String.raw`(?<gapAfter> ?)(?:(?<word>${word})(?<gapWord> ?))?` +
      String.raw`(?:(?<after>${UNIT})|(?<percentAfter>%))? ?(?<last>[-+]?)$`,
    'u',
  );
  shapes.set(words, shape);
  return shape;
}

/** Brackets around a number, inside or outside of its currency. */
const BRACKETS = /^([^()]*)\(([^()]*)\)([^()]*)$/;

/** The dash at the end of Swiss prices: 1'204.– */
const PRICE_DASH = /(?<=\d)[.,]-{1,2}(?=\s?\D*$)/;

/** Reads a number; null if the text is none. */
export function readNotation(
  text: string,
  { decimal, group, words = NO_WORDS }: NotationOptions,
): Notation | null {
  if (text.length > LONGEST) return null;
  if (BARE.test(text))
    return bareNotation(text, plainDigits(text.replace('-', ''), decimal, group));
  const plain = plainNotation(text).replace(PRICE_DASH, '');
  if (!/\d/.test(plain)) return null;
  const bracketed = BRACKETS.exec(plain);
  const found = shapeOf(words).exec(bracketed ? bracketed.slice(1).join('').trim() : plain)?.groups;
  if (!found) return null;
  const part = (name: string): string => found[name] ?? '';
  const signs = part('first') + part('second') + part('last') + (bracketed ? '-' : '');
  const units = [part('before'), part('after')].filter((each) => each !== '');
  const scales = [part('wordBefore'), part('word')].filter((each) => each !== '');
  const percents = part('percentBefore') + part('percentAfter');
  const exponent = found.exponent === undefined ? null : Number(found.exponent);
  if (signs.length > 1 || units.length > 1 || scales.length > 1 || percents.length > 1) return null;
  if (percents !== '' && units.length + scales.length > 0) return null;
  if (exponent !== null && percents.length + scales.length > 0) return null;
  const [word] = scales;
  const scale = word === undefined ? 0 : powerOf(word, words);
  const written = part('digits').trimEnd();
  const read = (sign: string) => plainDigits(written, sign, group);
  // Before a word for thousands, one or two decimals are no group in any language.
  const digits =
    read(decimal) ??
    (scale > 0 && /^\d+[.,]\d\d?$/.test(written) ? read(otherThan(decimal)) : null);
  if (digits === null) return null;
  return {
    sign: signs === '-' || signs === '+' ? signs : '',
    digits,
    exponent,
    isGroupedByBlanks: /\d \d/.test(written),
    scale,
    isPercent: percents !== '',
    unit: units[0] ?? '',
    isUnitApart:
      part('before') === '' ? part('gapAfter') + part('gapWord') !== '' : part('gapBefore') !== '',
  };
}

/** Digits and separators with at most a minus, which is how most files have their numbers. */
const BARE = /^-?[\d.,]*\d$/;

const bareNotation = (text: string, digits: string | null): Notation | null =>
  digits === null
    ? null
    : {
        sign: text.startsWith('-') ? '-' : '',
        digits,
        exponent: null,
        isGroupedByBlanks: false,
        scale: 0,
        isPercent: false,
        unit: '',
        isUnitApart: false,
      };

const otherThan = (decimal: string): DecimalSign => (decimal === ',' ? '.' : ',');

function powerOf(word: string, words: ScaleWords): number {
  const known = word.toLowerCase().replace(/\.$/, '');
  const name = Object.keys(words).find(
    (each) => each.replaceAll(' ', '') === known.replaceAll(' ', ''),
  );
  // The only other word is the T of T€.
  return name === undefined ? 3 : (words[name] ?? 3);
}

/**
 * Returns the number as JavaScript and PostgreSQL read it, with all its digits: `-1204.50`, `12.5e6`. A percentage
 * has the exponent -2.
 */
export function exactText({ sign, digits, exponent, scale, isPercent }: Notation): string {
  const power = (exponent ?? 0) + scale - (isPercent ? 2 : 0);
  return `${sign === '-' ? '-' : ''}${digits}${power === 0 ? '' : `e${power}`}`;
}

/** Returns the digits before and after the point of a number whose point is moved to the right, without rounding. */
export function movedPoint(digits: string, by: number): [whole: string, fraction: string] {
  const [whole = '', fraction = ''] = digits.split('.');
  if (by === 0) return [whole || '0', fraction];
  const point = whole.length + by;
  const padded = '0'.repeat(Math.max(0, 1 - point)) + whole + fraction;
  const at = Math.max(1, point);
  const filled = padded.padEnd(at, '0');
  return [filled.slice(0, at).replace(/^0+(?=\d)/, ''), filled.slice(at)];
}

/** The digits of a number with any separator of groups, by its decimal sign. */
const DIGITS: Readonly<Record<DecimalSign, readonly RegExp[]>> = {
  '.': [
    /^(?:\d+\.?\d*|\.\d+)$/,
    /^[1-9]\d{0,2}([, '])\d{3}(?:\1\d{3})*(?:\.\d*)?$/,
    // Lakhs and crores: 1,00,000.
    /^[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d*)?$/,
  ],
  ',': [/^(?:\d+,?\d*|,\d+)$/, /^[1-9]\d{0,2}([. '])\d{3}(?:\1\d{3})*(?:,\d*)?$/],
};

/** Returns digits with a point before the fraction and without separators; null if they are no number. */
function plainDigits(text: string, decimal: string, group: string | undefined): string | null {
  if (group === undefined) {
    const sign = decimal === ',' ? ',' : '.';
    if (!DIGITS[sign].some((digits) => digits.test(text))) return null;
    return text.replace(sign === '.' ? /[, ']/g : /[. ']/g, '').replace(',', '.');
  }
  const marked = text.replace(/[.,]/g, (each) =>
    each === decimal ? '.' : each === group ? ',' : '?',
  );
  if (!/^(?:(?:\d+|[1-9]\d*(?:,\d{3})+)\.?\d*|\.\d+)$/.test(marked)) return null;
  return marked.replaceAll(',', '');
}
