/** Errors that a person can act on, with their status. */
import type { ErrorAnswer } from '../contract/primitives';

/** The field or column that caused an error, if there is exactly one. */
export interface Blame {
  /** Dotted path in the body, such as `slice.Region` or `2.role`, or the name of a parameter. */
  field?: string | undefined;
  /** The source's name of a column. */
  column?: string | undefined;
  /** Seconds after which the same request may succeed. */
  retryAfter?: number | undefined;
}

/**
 * An error that a client caused or can act on. It carries the HTTP status of its answer, a sentence for a
 * person, and the field or column that caused it. Every other error becomes a 500 that does not reveal its
 * cause (docs/contract/09-errors-limits-guards.md).
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly blame: Blame;

  constructor(
    readonly status: number,
    message: string,
    { cause, ...blame }: Blame & ErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.blame = blame;
  }
}

/**
 * A refusal of a request with a character that the encoding of the database does not have. The hook adds the
 * field that holds it.
 */
export class UnstorableCharacter extends AppError {
  constructor(
    readonly character: string,
    options: Blame & ErrorOptions = {},
  ) {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const place = options.field === undefined ? '' : `${options.field}: `;
    super(
      422,
      `${place}The database cannot store the character “${character}” (U+${code}), which its encoding does not have`,
      options,
    );
  }
}

/**
 * Place of a fault in a request: for a person, words that begin the sentence; for a program, field and
 * column.
 */
export interface Place extends Blame {
  words: string;
  field: string;
}

/** An error that begins with the place of the fault: `slice: Region: "x" is not a date`. */
export const faultAt = ({ words, ...blame }: Place, status: number, problem: string): AppError =>
  new AppError(status, `${words}: ${problem}`, blame);

/** A top-level field of the body. Its own name begins the sentence. */
export const fieldPlace = (field: string): Place => ({ words: field, field });

/** The value of one column in a `slice` or `set`, or in a slice of a list (`hold.0`). */
export const columnPlace = (field: string, column: string): Place => ({
  words: `${field}: ${column}`,
  field: `${field}.${column}`,
  column,
});

/**
 * Runs the work that one entry of a list in the body asks for. An error then begins with the place of the
 * entry: `edits.3: The slice matches no row`, field `edits.3` or `edits.3.slice.Region`.
 *
 * @param at the place; undefined if the body is not a list of entries
 */
export async function inEntry<T>(at: string | undefined, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (at === undefined || !(error instanceof AppError) || error.status >= 500) throw error;
    const { status, message, cause, blame } = error;
    const field = blame.field === undefined ? at : `${at}.${blame.field}`;
    throw new AppError(status, `${at}: ${message}`, { ...blame, field, cause });
  }
}

/** The status, headers and body that answer an error of any kind. */
export function answerError(error: unknown): {
  status: number;
  headers: Record<string, string>;
  body: ErrorAnswer;
} {
  if (!(error instanceof AppError)) {
    const sentence = 'The service failed to answer this request; its log says why';
    return { status: 500, headers: {}, body: { error: sentence } };
  }
  const { field, column, retryAfter } = error.blame;
  return {
    status: error.status,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    body: {
      error: error.message,
      ...(field === undefined ? {} : { field }),
      ...(column === undefined ? {} : { column }),
    },
  };
}

/**
 * The messages of an error and its causes, for a log or a terminal. An AggregateError gives the messages of
 * its errors.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const gathered = error instanceof AggregateError ? error.errors : [];
  const said = error.message || gathered.map(reasonOf).join('; ') || error.name;
  return error.cause === undefined ? said : `${said} (${reasonOf(error.cause)})`;
}

/** Returns the names as alternatives in a sentence: "ann, bea or an admin". */
export const either = (names: readonly string[]): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names);
