import type { FuncCall, Node } from 'libpg-query';
import { Refused } from './refused';

/**
 * PostgreSQL computes a constant expression before it looks for a cancel again, and a numeric may
 * have 131,072 digits: a few hundred divisions of such numbers ran for a minute, whatever
 * `statement_timeout` said. So no number from outside may be that long
 * (docs/decisions/0005-sql-from-outside.md).
 */

/** Digits of a number that is written out: more than any column of the source has. */
const MAX_DIGITS = 100;
/** Powers of ten of a number that is written out: as far as a double precision goes. */
const MAX_EXPONENT = 308;

const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(?:e([+-]?\d+))?\s*$/i;

/**
 * Why a number written out is refused; undefined for a usable one, and for a text that is none.
 * @param written what to call it in the message
 */
export function refuseNumber(text: string, written = text): string | undefined {
  const [, digits, exponent = '0'] = NUMBER.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const usable =
    digits.replace('.', '').length <= MAX_DIGITS && Math.abs(Number(exponent)) <= MAX_EXPONENT;
  if (usable) return undefined;
  const shown = written.length > 40 ? `${written.slice(0, 40)}…` : written;
  return `the number ${shown} is not allowed; it may have at most ${MAX_DIGITS} digits and an exponent from -${MAX_EXPONENT} to ${MAX_EXPONENT}`;
}

/** Functions of numbers, which read a text that is written out as one. */
export const NUMBER_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['abs', 'ceil', 'ceiling', 'floor', 'round', 'trunc', 'sign', 'mod', 'div', 'numrange'],
]);

/** Functions that answer a part of their first argument, beside what their other ones put in. */
const SHORTENING: ReadonlySet<string> = new Set([
  ...['left', 'right', 'substr', 'substring', 'split_part', 'btrim', 'ltrim', 'rtrim'],
  ...['lower', 'upper', 'replace', 'regexp_replace', 'regexp_substr'],
]);

/** Functions of texts that put together what is no part of a value of the table. */
const COMPOSING: ReadonlySet<string> = new Set([
  ...['concat', 'concat_ws', 'translate', 'overlay', 'lpad', 'rpad', 'reverse', 'initcap'],
  ...['to_char', 'chr', 'md5'],
]);

const TEXT_TYPES: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar']);
const JSON_TYPES: ReadonlySet<string> = new Set(['json', 'jsonb']);

/**
 * Holds a value that is computed with to usable numbers: PostgreSQL reads a plain text in such a
 * place as a number. @throws Refused
 */
export function checkOperand(node: Node | undefined): void {
  if (node === undefined) return;
  const text = textOf(node);
  const reason = text === undefined ? undefined : refuseNumber(text, `'${text}'`);
  if (reason !== undefined) throw new Refused(reason);
  for (const result of choices(node) ?? []) checkOperand(result);
}

/** Holds what is cast to a range of numbers to usable bounds. @throws Refused */
export function checkRangeCast(node: Node): void {
  if ('ColumnRef' in node) return;
  const text = textOf(node);
  if (text === undefined) throw new Refused('a cast to numrange takes a text written out');
  for (const bound of text.split(/[^\d.e+-]+/i)) {
    const reason = refuseNumber(bound, `'${text}'`);
    if (reason !== undefined) throw new Refused(reason);
  }
}

/**
 * Holds what is cast to a numeric without a length to numbers and to parts of the table's own texts.
 * A text that the condition puts together could have any exponent. @throws Refused
 */
export function checkNumericCast(node: Node): void {
  checkOperand(node);
  if (composes(node, true)) {
    throw new Refused(
      'a cast to numeric of a text that is put together needs a length, such as numeric(20, 4)',
    );
  }
}

/** Whether the text that an expression answers has anything in it that the table does not have. */
function composes(node: Node, outermost: boolean): boolean {
  // A text that is cast as it stands was looked at; within a function it could be half a number.
  const text = textOf(node);
  if (text !== undefined) return !outermost && /[\de]/i.test(text);
  const results = choices(node);
  if (results) return results.some((result) => composes(result, outermost));
  if ('TypeCast' in node) {
    const { arg, typeName } = node.TypeCast;
    const name = nameOf((typeName?.names ?? []).at(-1));
    return (TEXT_TYPES.has(name) || JSON_TYPES.has(name)) && !(arg && 'ColumnRef' in arg);
  }
  if ('A_Expr' in node) {
    const operator = nameOf((node.A_Expr.name ?? []).at(-1));
    if (operator === '||') return true;
    if (/^[-#]>/.test(operator)) return !node.A_Expr.lexpr || composes(node.A_Expr.lexpr, false);
    return false;
  }
  return 'FuncCall' in node && composesByFunction(node.FuncCall);
}

function composesByFunction({ funcname = [], args = [] }: FuncCall): boolean {
  const name = nameOf(funcname.at(-1));
  if (COMPOSING.has(name)) return true;
  if (!SHORTENING.has(name)) return false;
  const [first, , third] = args;
  const puts = name === 'replace' && third ? composes(third, false) : false;
  return puts || (first !== undefined && composes(first, false));
}

/** What an expression that chooses among others may answer; undefined for one that does not. */
function choices(node: Node): Node[] | undefined {
  if ('CoalesceExpr' in node) return node.CoalesceExpr.args ?? [];
  if ('MinMaxExpr' in node) return node.MinMaxExpr.args ?? [];
  if ('CaseExpr' in node) {
    const { args = [], defresult } = node.CaseExpr;
    const results = args.map((when) => ('CaseWhen' in when ? when.CaseWhen.result : undefined));
    return [...results, defresult].filter((result) => result !== undefined);
  }
  if ('A_Expr' in node && node.A_Expr.kind === 'AEXPR_NULLIF') {
    return [node.A_Expr.lexpr, node.A_Expr.rexpr].filter((part) => part !== undefined);
  }
  return undefined;
}

const textOf = (node: Node): string | undefined =>
  'A_Const' in node && node.A_Const.sval ? (node.A_Const.sval.sval ?? '') : undefined;

const nameOf = (node: Node | undefined): string =>
  node && 'String' in node ? (node.String.sval ?? '') : '';
