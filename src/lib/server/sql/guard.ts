/** Checks a condition from outside (docs/decisions/0005-sql-from-outside.md). */
import type { Node, ScanToken } from 'libpg-query';
import { hasSqlDetails, parse, scan } from 'libpg-query';
import { faultAt, fieldPlace } from '../errors';
import { refuseText, refuseTokens } from './guard/bounds';
import { quotingHint, checkExpression } from './guard/expression';
import { Refused } from './guard/refused';
import type { SqlText } from './quote';
import { trusted } from './trusted';

/** The largest number of nodes that PostgreSQL may make of one condition. */
const MAX_WEIGHT = 20_000;

const BEFORE = 'SELECT FROM source WHERE (\n';
const AFTER = '\n)';
const SELECT_PARTS = ['fromClause', 'whereClause', 'limitOption', 'op'];

/**
 * Checks that SQL from a client is one boolean expression over `columns` that reads nothing else and changes
 * nothing (docs/contract/10-authentication-and-limits.md#sql-that-a-client-may-send). A text that passes is
 * complete in itself: in brackets after WHERE, PostgreSQL 15 and later read exactly this expression.
 *
 * @param field the field of the text, `where_clause` or `raw_where`: messages start with it
 * @returns the unchanged text, which may now be part of a statement
 * @throws AppError 400 naming the refused part
 */
export async function checkCondition(
  text: string,
  columns: readonly string[],
  field: string,
): Promise<SqlText> {
  const reason = await refusal(text, columns);
  if (reason !== undefined) throw faultAt(fieldPlace(field), 400, reason);
  return trusted(text);
}

async function refusal(text: string, columns: readonly string[]): Promise<string | undefined> {
  const unusable = refuseText(text);
  if (unusable) return unusable;
  const tokens = await tokensOf(text);
  if (tokens === undefined) return unreadable(text, columns);
  const badToken = refuseTokens(tokens);
  if (badToken) return badToken;
  try {
    const expression = await expressionOf(text);
    if (checkExpression(expression, columns) > MAX_WEIGHT)
      return 'the condition is too large: IN and BETWEEN repeat the expression before them';
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    return syntaxError(error, text, columns);
  }
}

/** The tokens of a text; undefined if it cannot be tokenized. */
async function tokensOf(text: string): Promise<ScanToken[] | undefined> {
  try {
    return (await scan(text)).tokens;
  } catch {
    return undefined;
  }
}

async function expressionOf(text: string): Promise<Node> {
  const { stmts = [] } = await parse(BEFORE + text + AFTER);
  const statement = stmts[0]?.stmt;
  const select = statement && 'SelectStmt' in statement ? statement.SelectStmt : undefined;
  const onlyWhere = select && Object.keys(select).every((part) => SELECT_PARTS.includes(part));
  if (stmts.length !== 1 || !onlyWhere || !select.whereClause)
    throw new Refused('only one condition is allowed, and nothing after it');
  return select.whereClause;
}

/** Says why a text cannot be tokenized. The cause is something left open at its end, such as a quote. */
async function unreadable(text: string, columns: readonly string[]): Promise<string> {
  try {
    await parse(BEFORE + text);
    return 'the text is not valid SQL';
  } catch (error) {
    return syntaxError(error, text, columns);
  }
}

function syntaxError(error: unknown, text: string, columns: readonly string[]): string {
  if (!hasSqlDetails(error)) throw error;
  if (/^\s*where\b/i.test(text))
    return 'leave out the word WHERE; the condition is what follows it';
  const position = error.sqlDetails?.cursorPosition ?? 0;
  if (position >= BEFORE.length + [...text].length) return 'the condition ends too early';
  const message = error.message.slice(0, 200);
  const near = /at or near "(.+)"$/s.exec(message)?.[1];
  const hint = near && quotingHint(near, columns);
  return hint ? `${message}; ${hint}` : message;
}
