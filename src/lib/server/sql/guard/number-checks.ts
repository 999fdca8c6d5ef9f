/** Checks the numbers of a condition from outside. */
import type { FuncCall, Node } from 'libpg-query';
import { Refused } from './refused';

/**
 * PostgreSQL does not look for a cancel request while it computes a constant expression, and a numeric
 * may have 131,072 digits: a few hundred divisions of such numbers ran for a minute, whatever
 * `statement_timeout` was. So no number from outside may be that long
 * (docs/decisions/0005-sql-from-outside.md).
 */

/** The most digits of a literal number; hardly any column has more. */
const MAX_DIGITS = 100;
/** The largest exponent of a literal number, as in a double precision. */
const MAX_EXPONENT = 308;

const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(?:e([+-]?\d+))?\s*$/i;

/**
 * Says why a literal number is refused; undefined if it is accepted or not a number.
 *
 * @param written the number as the message shows it
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

/** Functions on numbers. PostgreSQL reads a text literal in their arguments as a number. */
export const NUMBER_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['abs', 'ceil', 'ceiling', 'floor', 'round', 'trunc', 'sign', 'mod', 'div', 'numrange'],
]);

/** Functions that return a part of their first argument; `replace` also inserts its third. */
const SHORTENING: ReadonlySet<string> = new Set([
  ...['left', 'right', 'substr', 'substring', 'split_part', 'btrim', 'ltrim', 'rtrim'],
  ...['lower', 'upper', 'replace', 'regexp_replace', 'regexp_substr'],
]);

/** Functions whose result may contain text that is not in the table. */
const COMPOSING: ReadonlySet<string> = new Set([
  ...['concat', 'concat_ws', 'translate', 'overlay', 'lpad', 'rpad', 'reverse', 'initcap'],
  ...['to_char', 'chr', 'md5'],
]);

const TEXT_TYPES: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar']);
const JSON_TYPES: ReadonlySet<string> = new Set(['json', 'jsonb']);

/**
 * Checks the number in an operand of an arithmetic expression. PostgreSQL reads a text literal there as a
 * number too. @throws Refused
 */
export function checkOperand(node: Node | undefined): void {
  if (node === undefined) return;
  const text = textOf(node);
  const reason = text === undefined ? undefined : refuseNumber(text, `'${text}'`);
  if (reason !== undefined) throw new Refused(reason);
  for (const result of choices(node) ?? []) checkOperand(result);
}

/** Checks the bounds in a text that is cast to a range of numbers. @throws Refused */
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
 * Checks the operand of a cast to a numeric without a length. Numbers, and texts of the table or parts of
 * them, are allowed. A text that the condition composes could have any exponent. @throws Refused
 */
export function checkNumericCast(node: Node): void {
  checkOperand(node);
  if (composes(node, true)) {
    throw new Refused(
      'a cast to numeric of a composed text needs a length, such as numeric(20, 4)',
    );
  }
}

/** Whether the result of an expression can contain text that is not in the table. */
function composes(node: Node, outermost: boolean): boolean {
  // The outermost literal was checked before. Inside a function, a literal could be half a number.
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

/** The expressions that a choice, such as CASE, can return; undefined if the node is not a choice. */
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
