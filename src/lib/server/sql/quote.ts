/** Quoting: names and values become SQL text here, and only here. */
import type { Scalar } from '../../contract/primitives';
import type { Identifier, SqlText } from './trusted';
import { trusted } from './trusted';

export type { Identifier, ReadableRows, SqlText } from './trusted';

/**
 * SQL as it is written in the code, with other SQL inserted unchanged. A plain string is a type error: quote
 * it first, as a name with {@link ident} or as a value with {@link literal}. A number is inserted as
 * JavaScript prints it.
 */
export const sql = (
  written: TemplateStringsArray,
  ...parts: readonly (SqlText | number)[]
): SqlText => trusted(String.raw({ raw: written }, ...parts));

/** Joins pieces of SQL with a separator. An empty list makes empty text. */
export const join = (pieces: readonly SqlText[], separator: SqlText): SqlText =>
  trusted(pieces.join(separator));

/** Joins conditions with OR, each in parentheses. An empty list makes empty text. */
export const either = (conditions: readonly SqlText[]): SqlText =>
  join(
    conditions.map((condition) => sql`(${condition})`),
    sql` OR `,
  );

/** Joins pieces of SQL with commas. */
export const commas = (pieces: readonly SqlText[]): SqlText => join(pieces, sql`, `);

/**
 * Quotes one identifier with any characters: capitals, spaces, quotes, keywords. Braces are written as
 * Unicode escapes, because two of them in a template would be a token.
 */
export function ident(name: string): Identifier {
  const quoted = name.replaceAll('"', '""');
  if (!name.includes('{{')) return trusted(`"${quoted}"`);
  return trusted(`U&"${quoted.replaceAll('\\', '\\\\').replaceAll('{', '\\007B')}"`);
}

/** Quotes a table's name with its schema. */
export const qualified = (schema: string, table: string): Identifier =>
  trusted(`${ident(schema)}.${ident(table)}`);

/** Quotes text as a literal; needs standard_conforming_strings, which every connection sets. */
export const literal = (text: string): SqlText => trusted(`'${text.replaceAll("'", "''")}'`);

/** Quotes a name as a literal for a template; braces are written as Unicode escapes, as in {@link ident}. */
export function nameLiteral(name: string): SqlText {
  const quoted = literal(name);
  if (!name.includes('{{')) return quoted;
  return trusted(`U&${quoted.replaceAll('\\', '\\\\').replaceAll('{', '\\007B')}`);
}

/** A literal of a stated type; null becomes a typed NULL. */
export const typedLiteral = (value: Scalar | null, type: SqlText): SqlText =>
  sql`${value === null ? sql`NULL` : literal(String(value))}::${type}`;
