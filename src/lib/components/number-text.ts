/** How a typed amount is understood, and how numbers are written in the browser's language. */
import { digitsOf, exactBelow } from '$lib/contract/decimals';
import { TOO_LARGE, type MeasureEdit } from '$lib/plan/scale-draft';

/**
 * Numbers as people write and type them, with the marks of the browser's language: 1,204.50 or
 * 1.204,50. The words of the pages are English all the same.
 */
const LANGUAGE = readable(typeof navigator === 'undefined' ? 'en-US' : navigator.language);

/** The language, if what it writes can be read again here; else English: for other digits or groups. */
export function readable(language: string): string {
  const sample = -1234567.5;
  const text = new Intl.NumberFormat(language).format(sample);
  return parseNumber(text, marksOf(language)) === sample ? language : 'en-US';
}

/** What stands between groups of digits, and before the fraction. */
interface NumberMarks {
  group: string;
  decimal: string;
}

/** The marks of a language. */
export function marksOf(language: string): NumberMarks {
  const parts = new Intl.NumberFormat(language).formatToParts(-1234567.5);
  const mark = (type: 'group' | 'decimal') => parts.find((part) => part.type === type)?.value;
  return { group: mark('group') ?? ',', decimal: mark('decimal') ?? '.' };
}

const MARKS = marksOf(LANGUAGE);

/** A number with grouping, and by default at most two digits after the point. */
export function formatNumber(value: number, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 2, ...options }).format(value);
}

/** A number with all its digits and no grouping, as a spreadsheet in the same language reads it. */
export const plainText = (value: number): string =>
  formatNumber(value, { useGrouping: false, maximumFractionDigits: 20 }).replace('\u2212', '-');

/**
 * A number as people type it: marks before groups of three, blanks, a sign (also the typographic
 * minus) and a percent sign are understood. Null if it is none: with a decimal point, a comma that is
 * not followed by three digits may be meant as a decimal comma, and the other way round.
 */
export function parseNumber(text: string, marks = MARKS): number | null {
  const plain = inPlainDigits(bare(text).replace(/%$/, ''), marks);
  if (plain === null) return null;
  const value = Number(plain);
  return Number.isFinite(value) ? value : null;
}

/** How many times a thousand. */
const THOUSANDS: Readonly<Record<string, number>> = { k: 1, m: 2, b: 3 };

/**
 * What is typed into a cell or a field of an amount; null for no text. `12500`, `10k` and `1.5m` are
 * totals, and so is what follows a `=`: `=9575*1.05`. `+500` and `-500` are changes, `5%`, `*1.05`
 * and `/2` are percentages of what is there.
 *
 * @param by what a number without any of these means. In a field of changes or of percentages, a sign
 * is the number's own.
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
  const typed = bare(text);
  if (typed === '') return null;
  const first = typed.charAt(0);
  const rest = typed.slice(1);
  if (first === '=') return { by: 'total', amount: calculated(rest, marks) };
  if (first === '*') return { by: 'percent', amount: percentOf(numberOf(rest, marks)) };
  if (first === '/') return { by: 'percent', amount: percentOf(1 / numberOf(rest, marks)) };
  if (typed.endsWith('%')) {
    return { by: 'percent', amount: numberOf(typed.slice(0, -1), marks) };
  }
  const isChange = by === 'total' && (first === '+' || first === '-');
  return { by: isChange ? 'change' : by, amount: numberOf(typed, marks) };
}

/**
 * A number as a spreadsheet copies it; null for a blank. It is a total, and a sign is its own; so are brackets
 * around it. Signs of currencies count for nothing. A percentage is one of what is there, as when it is
 * typed.
 */
export function readPasted(text: string, marks = MARKS): MeasureEdit | null {
  const typed = bare(text).replace(/\p{Sc}/gu, '');
  const inBrackets = /^\(([^-+()]+)\)$/.exec(typed)?.[1];
  const signed = inBrackets === undefined ? typed : `-${inBrackets}`;
  if (!/^[-+]/.test(signed) || signed.endsWith('%')) return readAmount(signed, 'total', marks);
  return { by: 'total', amount: numberOf(signed, marks) };
}

/** How much more in percent a factor makes: 5 for 1.05. NaN for a factor that is no number. */
const percentOf = (factor: number): number =>
  Number.isFinite(factor) ? tidied((factor - 1) * 100) : NaN;

function bare(text: string): string {
  return halfWidth(text.replace(/[\s\u00a0\u202f'’]/g, '').replace(/\u2212/g, '-'));
}

/** Digits and signs as wide as a Chinese character, as Japanese keyboards write them, in their usual form. */
function halfWidth(text: string): string {
  return text.replace(/[％（-９＝]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
}

/** Whether what a key types may be the beginning of an amount. */
export const beginsAmount = (key: string): boolean => /^[\d.,+\-*/=]$/.test(halfWidth(key));

/** A number of at most 15 digits: a calculation in binary fractions has no more to tell. */
const tidied = (value: number): number => Number(value.toPrecision(14));

/** A number, maybe in thousands, millions or billions; NaN if the text is none. */
function numberOf(text: string, marks: NumberMarks): number {
  const places = 3 * (THOUSANDS[text.slice(-1).toLowerCase()] ?? 0);
  const plain = inPlainDigits(places > 0 ? text.slice(0, -1) : text, marks);
  if (plain === null || (places > 0 && /e/i.test(plain))) return NaN;
  const exact = places > 0 ? `${plain}e${places}` : plain;
  const value = Number(exact);
  return Number.isFinite(value) && isHeld(exact, value) ? value : NaN;
}

/** From this size on, a double does not hold every number of six decimals. */
const EXACT_BELOW = exactBelow(6);

/** Whether a double holds a decimal number, to six decimals at least. */
function isHeld(text: string, value: number): boolean {
  if (Math.abs(value) < EXACT_BELOW) return true;
  const [typed, held] = [digitsOf(text), digitsOf(String(value))];
  const places = Math.max(typed.places, held.places, 6);
  const scaled = ({ digits, places: own }: typeof typed) => digits * 10n ** BigInt(places - own);
  const lost = scaled(typed) - scaled(held);
  return (lost < 0n ? -lost : lost) * 2n < 10n ** BigInt(places - 6);
}

/** Whether a text is no amount only because a number in it has more digits than a double. */
const hasLostDigits = (text: string, marks: NumberMarks): boolean =>
  (bare(text).match(/[\d.,]{16,}/g) ?? []).some((digits) => {
    const plain = inPlainDigits(digits, marks);
    return plain !== null && !isHeld(plain, Number(plain));
  });

/** The text with a point before its fraction and no other marks; null if it is no number. */
function inPlainDigits(text: string, { group, decimal }: NumberMarks): string | null {
  const mark = /[\s\u00a0\u202f'’]/.test(group) ? '' : group;
  const plain = text.replace(/[.,]/g, (each) =>
    each === decimal ? '.' : each === mark ? ',' : '?',
  );
  if (!/^[+-]?((\d+|[1-9]\d*(,\d{3})+)\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return null;
  return plain.replaceAll(',', '');
}

/** A sum, a product or both of typed numbers, with brackets; NaN if the text is none. */
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
