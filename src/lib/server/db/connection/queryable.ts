/** What runs statements: each query names the schema of its rows. */
import pg from 'pg';
import * as v from 'valibot';
import { AppError } from '../../errors';
import type { Sender } from '../../sender';
import type { SqlText } from '../../sql/quote';
import { Turns } from '../../turns';

const types = new pg.TypeOverrides();
const asInstant = (text: string) =>
  /infinity/.test(text)
    ? text
    : new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString();
// A date never passes through a JavaScript Date, which would shift it by the local time zone.
types.setTypeParser(pg.types.builtins.DATE, (text) => text);
types.setTypeParser(pg.types.builtins.TIMESTAMP, (text) => text);
types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, asInstant);
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.NUMERIC, Number);

/**
 * Something that runs statements: the pool, a transaction, or a separate connection. Each row is checked
 * against a schema, so its type is the type of the answer.
 */
export abstract class Queryable {
  /** Whose request the statements serve. Queries of sources and versions leave out what they may not see. */
  abstract readonly sender: Sender;

  /** Runs one statement with its values. */
  protected abstract send(statement: SqlText, values: unknown[]): Promise<pg.QueryResult>;

  /** Returns the only row. @throws Error if there is not exactly one */
  async one<Row>(
    schema: v.GenericSchema<unknown, Row>,
    statement: SqlText,
    values: unknown[] = [],
  ): Promise<Row> {
    const [row, ...others] = await this.many(schema, statement, values);
    if (row === undefined) throw new Error('Expected one row, got none');
    if (others.length > 0) throw new Error(`Expected one row, got ${1 + others.length}`);
    return row;
  }

  /** Returns the only row, or undefined if there is none. @throws Error if there are several */
  async maybeOne<Row>(
    schema: v.GenericSchema<unknown, Row>,
    statement: SqlText,
    values: unknown[] = [],
  ): Promise<Row | undefined> {
    const rows = await this.many(schema, statement, values);
    if (rows.length > 1) throw new Error(`Expected at most one row, got ${rows.length}`);
    return rows[0];
  }

  /** Returns all rows. Other requests run while many rows are checked. @throws ValiError if one does not fit the schema */
  async many<Row>(
    schema: v.GenericSchema<unknown, Row>,
    statement: SqlText,
    values: unknown[] = [],
  ): Promise<Row[]> {
    const { rows } = await this.send(statement, values);
    return new Turns().each(rows, (row) => v.parse(schema, row));
  }

  /** Whether the statement returns any row. */
  async any(statement: SqlText, values: unknown[] = []): Promise<boolean> {
    return (await this.send(statement, values)).rows.length > 0;
  }

  /** Runs a statement for its effect. @returns the number of affected rows */
  async run(statement: SqlText, values: unknown[] = []): Promise<number> {
    return (await this.send(statement, values)).rowCount ?? 0;
  }
}

/** Names of the prepared statements. */
const PREPARED = new Map<SqlText, string>();

/**
 * Marks a statement as prepared: each connection parses and plans it once. Use it for statements that run
 * before every read and write and whose text never changes.
 */
export function prepared(statement: SqlText): SqlText {
  // PostgreSQL refuses two statements with the same name.
  if (!PREPARED.has(statement)) PREPARED.set(statement, `forecast_pivot_${PREPARED.size}`);
  return statement;
}

/** The extended protocol accepts only one statement, whatever the text contains. */
export function sendOne(
  target: pg.Pool | pg.ClientBase,
  text: SqlText,
  values: unknown[],
): Promise<pg.QueryResult> {
  // The query mode is in pg's documentation, not in its published types.
  const query: pg.QueryConfig & { queryMode: 'extended' } = {
    name: PREPARED.get(text),
    text,
    values,
    types,
    queryMode: 'extended',
  };
  return target.query(query);
}

/** @throws AppError 404 naming the missing object */
export function found<T>(row: T | undefined, what: string): T {
  if (row === undefined) throw new AppError(404, `There is no ${what}`);
  return row;
}
