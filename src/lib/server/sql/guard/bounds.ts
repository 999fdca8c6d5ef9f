/** Bounds of a condition from outside that hold before it is parsed. */
import type { ScanToken } from 'libpg-query';
import { refuseNumber } from './number-checks';

/** The most characters of a condition; an IN list of a thousand order numbers fits. */
const MAX_LENGTH = 20_000;
/** The most words and signs of a condition. */
const MAX_WORDS = 5_000;
/** How deep brackets, CASE and chains of operators may be nested. */
const MAX_NESTING = 200;

/**
 * Says why a text is refused before it is parsed; undefined if it is accepted. The limits are far below those
 * of the parser, its WebAssembly stack and PostgreSQL's `max_stack_depth`: after a stack overflow, a parser
 * fails on later calls too.
 */
export function refuseText(text: string): string | undefined {
  if (text.trim() === '') return 'the condition is empty; leave the field out for all rows';
  if (text.length > MAX_LENGTH)
    return `the condition is longer than ${MAX_LENGTH.toLocaleString('en')} characters`;
  const control = /[^\P{Cc}\t\n\r]/u.exec(text);
  if (control) {
    const code = control[0].charCodeAt(0).toString(16).padStart(4, '0').toUpperCase();
    return `the control character U+${code} is not allowed`;
  }
  if (!text.isWellFormed()) return 'the text is not well-formed Unicode';
  if (countWords(text) > MAX_WORDS)
    return `the condition has more than ${MAX_WORDS.toLocaleString('en')} words and signs`;
  return undefined;
}

/**
 * The number of words and signs, never less than the number of tokens. A quoted text counts as one, unless
 * the condition has backslashes, dollar signs or comments, which can change where a quoted text begins and
 * ends.
 */
function countWords(text: string): number {
  const plain = /[\\$]|--|\/\*/.test(text) ? text : text.replace(/'[^']*'|"[^"]*"/g, "'");
  return plain.match(/\w+|[^\w \t\n\r]/g)?.length ?? 0;
}

/** Says why the tokens are refused before they are parsed to a tree; undefined if they are accepted. */
export function refuseTokens(tokens: readonly ScanToken[]): string | undefined {
  for (const { text, tokenName } of tokens) {
    if (tokenName === 'SQL_COMMENT' || tokenName === 'C_COMMENT')
      return 'comments (-- and /* */) are not allowed';
    if (text === ';') return 'a semicolon is not allowed; send one condition';
    if (tokenName === 'PARAM')
      return `the parameter ${text} is not allowed; write the value itself`;
    if (tokenName === 'SCONST' && text.startsWith('$'))
      return 'dollar quotes are not allowed; write text in single quotes';
    if (/^u&["']/i.test(text)) return 'Unicode escapes (U&) are not allowed; write the character';
    // 0x1F and 1_000 are numbers from PostgreSQL 16 on, and an error in 15.
    if (/^\.?\d/.test(text) && !/^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text))
      return `the number ${text} is not allowed; write it in decimal digits`;
    const tooLong = /^[.\d]/.test(text) ? refuseNumber(text) : undefined;
    if (tooLong) return tooLong;
  }
  return refuseNesting(tokens);
}

interface Level {
  closing: string;
  /** Number of tokens since the last separator that can each add a node above the others. */
  chain: number;
  /** Depth of the deepest bracket since the last separator. */
  inner: number;
  /** Depth of the deepest section between two separators so far. */
  deepest: number;
  /** Number of BETWEENs that still need their AND. Such an AND is not a separator. */
  betweens: number;
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', case: 'end' };
const SEPARATORS = new Set([',', 'and', 'or', 'when', 'then', 'else']);
const FLAT = new Set(['IDENT', 'SCONST', 'ICONST', 'FCONST']);

/**
 * Says why the tree would be nested too deep, before it is built; undefined if it would not. Within one pair
 * of brackets, each token between two separators can add one level, and all separators together add one more.
 */
function refuseNesting(tokens: readonly ScanToken[]): string | undefined {
  const level = (closing: string): Level => ({
    closing,
    chain: 0,
    inner: 0,
    deepest: 0,
    betweens: 0,
  });
  const depthOf = (l: Level) => Math.max(l.deepest, l.chain + l.inner) + 1;
  let current = level('');
  const outer: Level[] = [];

  for (const token of tokens) {
    const word =
      token.keywordName === 'NO_KEYWORD' && !'()[],'.includes(token.text)
        ? ''
        : token.text.toLowerCase();
    const closing = CLOSING[word];
    if (closing !== undefined) {
      outer.push(current);
      current = level(closing);
    } else if (word === ')' || word === ']' || (word === 'end' && current.closing === 'end')) {
      const parent = word === current.closing ? outer.pop() : undefined;
      if (!parent)
        return `the "${token.text}" closes nothing; the condition must be complete in itself`;
      parent.inner = Math.max(parent.inner, depthOf(current));
      current = parent;
    } else if (word === 'and' && current.betweens > 0) {
      current.betweens -= 1;
      current.chain += 1;
    } else if (SEPARATORS.has(word)) {
      current.deepest = Math.max(current.deepest, current.chain + current.inner);
      current.chain = current.inner = 0;
    } else if (!FLAT.has(token.tokenName)) {
      current.chain += 1;
      if (word === 'between') current.betweens += 1;
    }
    if (outer.length + depthOf(current) > MAX_NESTING)
      return `the condition is nested more than ${MAX_NESTING} levels deep`;
  }
  if (outer.length > 0)
    return `the "${current.closing === 'end' ? 'CASE' : current.closing === ']' ? '[' : '('}" is never closed`;
  return undefined;
}
