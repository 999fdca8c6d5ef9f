/** The types of SQL text and identifiers, and the one function that marks a string as such. */

declare const isSql: unique symbol;
declare const isIdentifier: unique symbol;
declare const isReadable: unique symbol;

/** SQL text that may run: written in the code, quoted, checked, or stored by the service in the database. */
export type SqlText = string & { readonly [isSql]: true };

/** The quoted name of a column or table, with its schema if necessary. An identifier is SQL text too. */
export type Identifier = SqlText & { readonly [isIdentifier]: true };

/**
 * The forecast rows that the sender of a request may read, as an item of a FROM list. Only
 * `readable-rows.ts` makes them, so that no query reads a forecast table without regard to territories.
 */
export type ReadableRows = SqlText & { readonly [isReadable]: true };

/**
 * Marks text as SQL. Lint limits its callers to those that can guarantee it: the quoting functions
 * (`quote.ts`), the rows that a sender may read (`readable-rows.ts`), the check of conditions (`guard.ts`), the tokens of templates (`tokens.ts`), and the reader
 * of SQL that the database stores (`db/connection/row-schemas.ts`).
 */
export const trusted = <Text extends SqlText = SqlText>(text: string): Text =>
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the one place where text becomes SQL
  text as Text;
