/** Checks the parsed tree of a condition from outside. */
import type { A_Const, A_Expr, FuncCall, Node, TypeCast, TypeName } from 'libpg-query';
import type { ArgumentRule } from './allowed';
import { checkNumericCast, checkOperand, checkRangeCast, NUMBER_FUNCTIONS } from './number-checks';
import { Refused } from './refused';
import {
  ARITHMETIC,
  ARRAY_FUNCTIONS,
  BOOLEAN_OPERATORS,
  FUNCTIONS,
  MAX_ARGUMENTS,
  MAX_TYPE_LENGTH,
  PREFIX_OPERATORS,
  ROW_OPERATORS,
  TYPES,
  VALUE_FUNCTIONS,
  VALUE_OPERATORS,
} from './allowed';

/**
 * What a node may be. Rows and arrays are allowed only in comparisons, so that they never become text: such
 * text doubles its quotes with each level of nesting and grows without bound.
 */
type Allowed = 'value' | 'row' | 'array' | 'row or array';

const allowsRow = (allowed: Allowed) => allowed === 'row' || allowed === 'row or array';
const allowsArray = (allowed: Allowed) => allowed === 'array' || allowed === 'row or array';

/** Words for the refused nodes that people are likely to write. Other nodes keep the parser's name. */
const REFUSED_NODES: Readonly<Record<string, string>> = {
  SubLink: 'a sub-select',
  CollateClause: 'COLLATE',
  A_Indirection: 'a subscript or a field of a value',
  NamedArgExpr: 'a named argument',
  SetToDefault: 'DEFAULT',
  CurrentOfExpr: 'CURRENT OF',
  GroupingFunc: 'GROUPING',
  XmlExpr: 'XML',
  XmlSerialize: 'XML',
  JsonIsPredicate: 'IS JSON',
};

/**
 * Refuses a parsed expression if any part of it is not allowed.
 *
 * @returns the number of nodes that PostgreSQL makes of it. IN and BETWEEN copy their first operand, so a
 * short text can become a very long expression
 * @throws Refused with the reason
 */
export function checkExpression(root: Node, columns: readonly string[]): number {
  const names = new Set(columns);

  function check(node: Node | undefined, allowed: Allowed = 'value'): number {
    if (node === undefined) throw new Refused('the condition is not complete');
    if ('ColumnRef' in node) return checkColumn(node.ColumnRef.fields ?? []);
    if ('A_Const' in node) return checkConstant(node.A_Const);
    if ('A_Expr' in node) return 1 + checkOperation(node.A_Expr);
    if ('BoolExpr' in node) return 1 + checkAll(node.BoolExpr.args);
    if ('NullTest' in node) return 1 + check(node.NullTest.arg, 'row or array');
    if ('BooleanTest' in node) return 1 + check(node.BooleanTest.arg);
    if ('FuncCall' in node) return 1 + checkCall(node.FuncCall, allowed);
    if ('TypeCast' in node) return 1 + checkCast(node.TypeCast, allowed);
    if ('CoalesceExpr' in node) return 1 + checkAll(node.CoalesceExpr.args);
    if ('MinMaxExpr' in node) return 1 + checkAll(node.MinMaxExpr.args);
    if ('CaseExpr' in node) {
      const { arg, args = [], defresult } = node.CaseExpr;
      const branches = args.map((when) => {
        if (!('CaseWhen' in when)) throw new Refused(inWords(when));
        return check(when.CaseWhen.expr) + check(when.CaseWhen.result);
      });
      return 1 + checkAll([arg, defresult].filter((part) => part !== undefined)) + sum(branches);
    }
    if ('SQLValueFunction' in node) {
      const { op = '' } = node.SQLValueFunction;
      if (VALUE_FUNCTIONS.has(op)) return 1;
      const name = op.replace(/^SVFOP_/, '').replace(/_N$/, '');
      throw new Refused(`${name.toLowerCase()} is not allowed`);
    }
    if ('RowExpr' in node) {
      if (!allowsRow(allowed))
        throw new Refused('a list of values in brackets is allowed only in a comparison');
      return 1 + checkAll(node.RowExpr.args);
    }
    if ('A_ArrayExpr' in node) {
      if (!allowsArray(allowed)) throw new Refused('ARRAY is allowed only in a comparison');
      return 1 + checkAll(node.A_ArrayExpr.elements);
    }
    throw new Refused(inWords(node));
  }

  function checkAll(nodes: readonly Node[] = []): number {
    return sum(nodes.map((node) => check(node)));
  }

  function checkColumn(fields: readonly Node[]): number {
    if (fields.some((field) => 'A_Star' in field)) throw new Refused('* is not allowed');
    const path = fields.map(nameOf);
    const name = path.at(-1) ?? '';
    if (path.length !== 1)
      throw new Refused(`write the column "${name}" without the table before it`);
    if (!names.has(name)) throw new Refused(unknownColumn(name, columns));
    return 1;
  }

  function checkOperation(expression: A_Expr): number {
    const { kind, lexpr, rexpr } = expression;
    const operator = operatorOf(expression.name ?? []);
    const compared: Allowed = ROW_OPERATORS.has(operator) ? 'row or array' : 'array';
    switch (kind) {
      case 'AEXPR_OP': {
        if (lexpr === undefined) {
          refuseUnless(PREFIX_OPERATORS.has(operator), operator);
          checkOperand(rexpr);
          return check(rexpr);
        }
        if (BOOLEAN_OPERATORS.has(operator)) {
          refuseUnequalRows(lexpr, [rexpr]);
          return check(lexpr, compared) + check(rexpr, compared);
        }
        refuseUnless(VALUE_OPERATORS.has(operator), operator);
        if (ARITHMETIC.has(operator)) [lexpr, rexpr].forEach(checkOperand);
        return check(lexpr) + check(rexpr);
      }
      case 'AEXPR_OP_ANY':
      case 'AEXPR_OP_ALL':
        refuseUnless(BOOLEAN_OPERATORS.has(operator), operator);
        return check(lexpr) + check(rexpr, 'array');
      case 'AEXPR_DISTINCT':
      case 'AEXPR_NOT_DISTINCT':
        refuseUnequalRows(lexpr, [rexpr]);
        return check(lexpr, 'row or array') + check(rexpr, 'row or array');
      case 'AEXPR_NULLIF':
        return check(lexpr) + check(rexpr);
      case 'AEXPR_LIKE':
      case 'AEXPR_ILIKE':
      case 'AEXPR_SIMILAR':
        return check(lexpr) + checkPattern(rexpr);
      case 'AEXPR_IN': {
        const items = listOf(rexpr);
        refuseUnequalRows(lexpr, items);
        return items.length * check(lexpr, 'row') + sum(items.map((item) => check(item, 'row')));
      }
      case 'AEXPR_BETWEEN':
      case 'AEXPR_NOT_BETWEEN':
        return 2 * check(lexpr) + checkAll(listOf(rexpr));
      case 'AEXPR_BETWEEN_SYM':
      case 'AEXPR_NOT_BETWEEN_SYM':
        return 4 * check(lexpr) + 2 * checkAll(listOf(rexpr));
      default:
        throw new Refused(`the operator ${operator} is not allowed here`);
    }
  }

  /** The parser turns `LIKE … ESCAPE …` and SIMILAR TO into calls of functions that are not on the list. */
  function checkPattern(pattern: Node | undefined): number {
    if (pattern && 'FuncCall' in pattern) {
      const [schema, name] = (pattern.FuncCall.funcname ?? []).map(nameOf);
      if (schema === 'pg_catalog' && (name === 'like_escape' || name === 'similar_to_escape'))
        return 1 + checkAll(pattern.FuncCall.args);
    }
    return check(pattern);
  }

  function checkCall(call: FuncCall, allowed: Allowed): number {
    const path = (call.funcname ?? []).map(nameOf);
    const name = path.at(-1) ?? '';
    const rule = FUNCTIONS.get(name);
    const builtIn = path.length === 1 || (path.length === 2 && path[0] === 'pg_catalog');
    if (!builtIn || !rule) throw new Refused(`the function "${path.join('.')}" is not allowed`);

    const { args = [], agg_order, agg_filter, over } = call;
    if (agg_order || agg_filter || over || call.agg_within_group || call.agg_distinct)
      throw new Refused(`"${name}" takes no DISTINCT, ORDER BY, FILTER, WITHIN GROUP or OVER here`);
    if (call.agg_star || call.func_variadic)
      throw new Refused(`"${name}" takes neither * nor VARIADIC here`);
    if (rule.count !== undefined && args.length !== rule.count)
      throw new Refused(`"${name}" takes ${rule.count} arguments here`);
    if (args.length > MAX_ARGUMENTS)
      throw new Refused(`"${name}" takes at most ${MAX_ARGUMENTS} arguments`);
    if (NUMBER_FUNCTIONS.has(name)) args.forEach(checkOperand);
    if (ARRAY_FUNCTIONS.has(name) && !allowsArray(allowed))
      throw new Refused(`"${name}" is allowed only in a comparison with an array`);

    return sum(
      args.map((arg, i) => {
        const argument = rule.arguments?.[i];
        if (argument !== undefined && argument !== 'array')
          checkLiteral(argument, arg, args[i - 1], `"${name}": argument ${i + 1}`);
        return check(arg, argument === 'array' ? 'array' : 'value');
      }),
    );
  }

  function checkCast({ arg, typeName }: TypeCast, allowed: Allowed): number {
    const isArray = checkType(typeName ?? {});
    if (isArray && !allowsArray(allowed))
      throw new Refused('a cast to an array is allowed only in a comparison with it');
    const name = (typeName?.names ?? []).map(nameOf).at(-1);
    if (arg && name === 'numrange') checkRangeCast(arg);
    if (arg && name === 'numeric' && !isArray && !typeName?.typmods) checkNumericCast(arg);
    return check(arg, isArray ? 'array' : 'value');
  }

  return check(root);
}

function checkConstant(constant: A_Const): number {
  if (constant.bsval) throw new Refused("bit strings (B'…', X'…') are not allowed");
  return 1;
}

function checkLiteral(
  rule: Exclude<ArgumentRule, 'array'>,
  arg: Node,
  before: Node | undefined,
  place: string,
): void {
  const text = textOf(arg);
  switch (rule) {
    case 'text literal':
      if (text === undefined) throw new Refused(`${place} must be a text written out`);
      return;
    case 'empty literal':
      if (text !== '') throw new Refused(`${place} must be '', the empty text`);
      return;
    case 'no longer':
      if (text === undefined || text.length > ((before && textOf(before)) ?? '').length)
        throw new Refused(
          `${place} must be a text written out, no longer than the one it replaces`,
        );
      return;
    case 'length literal': {
      const length = 'A_Const' in arg && arg.A_Const.ival ? (arg.A_Const.ival.ival ?? 0) : -1;
      if (length < 0 || length > MAX_TYPE_LENGTH)
        throw new Refused(
          `${place} must be a whole number written out, at most ${MAX_TYPE_LENGTH}`,
        );
    }
  }
}

/** Checks the type of a cast. @returns whether it is an array type */
function checkType(type: TypeName): boolean {
  const path = (type.names ?? []).map(nameOf);
  const name = path.at(-1) ?? '';
  const builtIn = path.length === 1 || (path.length === 2 && path[0] === 'pg_catalog');
  if (!builtIn || !TYPES.has(name) || type.setof || type.pct_type)
    throw new Refused(`the type "${path.join('.')}" is not allowed`);
  for (const modifier of type.typmods ?? []) {
    const length = 'A_Const' in modifier ? modifier.A_Const.ival?.ival : undefined;
    // The modifier of an interval is a bit set of its fields, not a length.
    if (length === undefined || (name !== 'interval' && length > MAX_TYPE_LENGTH))
      throw new Refused(
        `the type "${name}" takes a length of at most ${MAX_TYPE_LENGTH}, written out`,
      );
  }
  return (type.arrayBounds ?? []).length > 0;
}

function operatorOf(path: readonly Node[]): string {
  const [name, ...others] = path.map(nameOf);
  if (name === undefined || others.length > 0) throw new Refused('OPERATOR(…) is not allowed');
  return name;
}

/**
 * Refuses a comparison of rows with different lengths. PostgreSQL reports it as a syntax error; the parser
 * does not.
 */
function refuseUnequalRows(left: Node | undefined, rights: readonly (Node | undefined)[]): void {
  const length = rowLength(left);
  const unequal = (right: Node | undefined) => (rowLength(right) ?? length) !== length;
  if (length !== undefined && rights.some(unequal))
    throw new Refused('the lists of values in brackets are not of one length');
}

const rowLength = (node: Node | undefined): number | undefined =>
  node && 'RowExpr' in node ? (node.RowExpr.args ?? []).length : undefined;

function refuseUnless(allowed: boolean, operator: string): void {
  if (!allowed) throw new Refused(`the operator ${operator} is not allowed`);
}

function unknownColumn(name: string, columns: readonly string[]): string {
  const says = `the source has no column "${name}" that a filter may use`;
  const hint = quotingHint(name, columns);
  if (hint) return `${says}; ${hint}`;
  // PostgreSQL folds an unquoted name to lower case and allows no special characters in it. This name was
  // therefore in double quotes.
  const quoted = /[A-Z]|[^\p{L}\p{N}_$]/u.test(name);
  return quoted ? `${says}; write text values in single quotes` : says;
}

/**
 * A hint at the column that was probably meant: one that differs only in quotes, case or additional words.
 */
export function quotingHint(written: string, columns: readonly string[]): string | undefined {
  const lower = written.toLowerCase();
  const meant =
    columns.find((c) => c.toLowerCase() === lower) ??
    columns.find((c) =>
      c
        .toLowerCase()
        .split(/[^\p{L}\p{N}_$]+/u)
        .includes(lower),
    );
  return meant && `write "${meant.replaceAll('"', '""')}" with the quotes`;
}

function inWords(node: Node): string {
  const [tag = ''] = Object.keys(node);
  return `${REFUSED_NODES[tag] ?? tag} is not allowed`;
}

function listOf(node: Node | undefined): Node[] {
  if (!node || !('List' in node)) throw new Refused('a list of values is missing');
  return node.List.items ?? [];
}

function textOf(node: Node): string | undefined {
  return 'A_Const' in node && node.A_Const.sval ? (node.A_Const.sval.sval ?? '') : undefined;
}

function nameOf(node: Node): string {
  if (!('String' in node)) throw new Refused(inWords(node));
  return node.String.sval ?? '';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
