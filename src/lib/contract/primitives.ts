/** Schemas, headers and media types that the other files of the contract share. */
import * as v from 'valibot';

/** Milliseconds of a day. */
export const DAY_MS = 86_400_000;

/**
 * Text as a client may send it. PostgreSQL cannot store U+0000, and a lone surrogate would reach
 * it as another character than the one that was typed; both are refused here, by name.
 */
export const text = v.pipe(
  v.string(),
  v.check((s) => !s.includes('\u0000'), 'must not contain the character U+0000'),
  v.check((s) => s.isWellFormed(), 'must be well-formed Unicode'),
);

/** The media type of forecast rows: one Arrow IPC stream (docs/contract/04-data-loading.md). */
export const ARROW = 'application/vnd.apache.arrow.stream';

/** The media type of forecast rows as text (docs/contract/04-data-loading.md#as-csv). */
export const CSV = 'text/csv';

/**
 * The response header of rows and of the log that names the history which they are of. If it is another
 * one, ids of log entries may stand for others (docs/contract/21-past-one-machine.md#failover).
 */
export const TIMELINE_HEADER = 'X-Timeline';

/**
 * The response header of rows and of the log that names the revision of a version's rows. It is another one
 * after each change that is not made by the service (docs/contract/04-data-loading.md#changes-by-sql).
 */
export const REVISION_HEADER = 'X-Revision';

/**
 * The history that rows of a version belong to. Within one history, an entry always has the same rows. Null
 * for what the answer does not name.
 */
export interface History {
  timeline: string | null;
  revision: string | null;
}

/** The response header that tells, beside a compressed body, how many bytes it has when it is not. */
export const ARROW_LENGTH_HEADER = 'X-Arrow-Length';

/** Text that says something: not empty, and not blanks only. */
export const filledText = v.pipe(
  text,
  v.check((s) => s.trim() !== '', 'must not be empty'),
);

/** A name that people give: of a version, or of a view. */
export const shortName = v.pipe(filledText, v.maxLength(200, 'must be at most 200 characters'));

/** A number that JSON can carry; JSON has neither NaN nor infinity. */
export const number = v.pipe(v.number(), v.finite());

/**
 * The user a write is recorded under (docs/contract/10-authentication-and-limits.md). The name of a
 * person who is signed in takes its place before the body is checked.
 */
export const pfUser = v.pipe(
  filledText,
  v.maxLength(200, 'must be at most 200 characters'),
  v.description(
    'Acting user, recorded on the log entry. Optional and ignored if people are signed in',
  ),
);

/** A note on a log entry: at most 10,000 characters, and it may be empty. */
export const note = v.pipe(
  text,
  v.maxLength(10_000, 'must be at most 10,000 characters'),
  v.description('Note on the log entry; editable afterwards'),
);

/**
 * The request header that marks a repeated write
 * (docs/contract/05-operations.md#sending-a-write-again).
 */
export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';

/**
 * The request header with which a client asks an undo for less, its value for that, and the response header
 * that confirms it (RFC 7240, docs/contract/06-log.md#delete-loglogid).
 */
export const PREFER_HEADER = 'Prefer';
export const RETURN_MINIMAL = 'return=minimal';
export const PREFERENCE_APPLIED_HEADER = 'Preference-Applied';

/** An instant as ISO 8601 text, in UTC. */
export const timestamp = v.pipe(v.string(), v.description('ISO 8601 instant, UTC'));

/**
 * The response header that names the fields of the request's body that nothing has read
 * (docs/contract/09-errors-limits-guards.md#bodies).
 */
export const BODY_SKIPPED_HEADER = 'X-Body-Skipped';

/** A value of a cell in JSON: dates travel as ISO text. */
export const scalar = v.union([text, number, v.boolean()]);
export type Scalar = v.InferOutput<typeof scalar>;

/** A row of data whose columns are the source's own. */
export const row = v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.null()]));
export type Row = v.InferOutput<typeof row>;

const DEEPEST = 100;

/** Any JSON that PostgreSQL can store: nested at most 100 deep, every text in it a {@link text}. */
export const anyJson = v.pipe(
  v.any(),
  v.check(isStorable, `must be well-formed text nested at most ${DEEPEST} deep`),
);

function isStorable(value: unknown): boolean {
  // Not recursive: a body of a megabyte can be nested deeper than the stack allows.
  const open = [{ value, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    if (typeof next.value === 'string' && !v.is(text, next.value)) return false;
    if (typeof next.value !== 'object' || next.value === null) continue;
    const depth = next.depth + 1;
    if (depth > DEEPEST) return false;
    for (const [key, inner] of Object.entries(next.value)) {
      open.push({ value: key, depth }, { value: inner, depth });
    }
  }
  return true;
}

/** The metadata key under which {@link byColumn} keeps the schema of its values, for OpenAPI. */
export const COLUMN_VALUE = 'columnValue';

/**
 * A JSON object whose keys are column names. `v.record` would take a list for an empty object and
 * drop the keys `constructor`, `prototype` and `__proto__`; a slice would then select too many rows.
 *
 * @param documented schema of the values for OpenAPI, if it is another one
 */
export const byColumn = <const Value extends v.GenericSchema>(
  value: Value,
  documented: v.GenericSchema = value,
) =>
  v.pipe(
    v.unknown(),
    v.guard(isObject, 'must be an object'),
    v.metadata({ [COLUMN_VALUE]: documented }),
    v.transform((object) => new Map(Object.entries(object))),
    v.map(text, value),
    v.transform((entries) => Object.fromEntries<v.InferOutput<Value>>(entries)),
  );

/** Whether a value of JSON has fields: a list has none. */
export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Every error body of the service (docs/contract/09-errors-limits-guards.md). `field` and `column`
 * are there if one of them is to blame.
 */
export const ErrorAnswer = v.object({
  error: v.pipe(v.string(), v.description('A sentence for a person')),
  field: v.optional(
    v.pipe(
      v.string(),
      v.description(
        'The field to blame: its dotted path in the body, such as slice.Region or 2.role, or the name of a parameter',
      ),
    ),
  ),
  column: v.optional(
    v.pipe(v.string(), v.description("The column to blame, by the source's name for it")),
  ),
});
export type ErrorAnswer = v.InferOutput<typeof ErrorAnswer>;
