/** Schemas, headers and media types shared by the contract. */
import * as v from 'valibot';
import { faultOfName } from './names';

/** Milliseconds of a day. */
export const DAY_MS = 86_400_000;

/**
 * Text from a client. U+0000, which PostgreSQL cannot store, and lone surrogates, which would be replaced by
 * another character, are refused with the name of the field.
 */
export const text = v.pipe(
  v.string(),
  v.check((s) => !s.includes('\u0000'), 'must not contain the character U+0000'),
  v.check((s) => s.isWellFormed(), 'must be well-formed Unicode'),
);

/**
 * Longest list of conditions, each of which PostgreSQL compares with every row: slices, held slices, filters and the
 * territories of a member (docs/contract/09-errors-limits-guards.md#lists).
 */
export const MOST_CONDITIONS = 200;

/** Longest list of values of a condition. PostgreSQL looks a value up in such a list by its hash. */
export const MOST_VALUES = 50_000;

/** Limits a list of a request to a length (docs/contract/09-errors-limits-guards.md#lists). */
export const atMost = <Input extends v.LengthInput>(most: number) =>
  v.maxLength<Input, number, string>(most, `must be at most ${most}`);

/** The media type of forecast rows: one Arrow IPC stream (docs/contract/04-data-loading.md). */
export const ARROW = 'application/vnd.apache.arrow.stream';

/** The media type of an answer in lines of JSON: progress, and the answer as the last line. */
export const LINES = 'application/x-ndjson';

/** The media type of forecast rows as text (docs/contract/04-data-loading.md#as-csv). */
export const CSV = 'text/csv';
/** The media type of an Excel workbook. */
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/**
 * The response header of rows and of the log with the database timeline. If it changes, ids of log entries
 * may name other entries (docs/contract/21-past-one-machine.md#failover).
 */
export const TIMELINE_HEADER = 'X-Timeline';

/**
 * The response header of rows and of the log with the revision of a version's rows. It changes after each
 * change that is not made by the service (docs/contract/04-data-loading.md#changes-by-sql).
 */
export const REVISION_HEADER = 'X-Revision';

/**
 * The timeline and revision of a version's rows. While both are unchanged, an entry always has the same rows.
 * Null if the answer does not name them.
 */
export interface History {
  timeline: string | null;
  revision: string | null;
}

/** The response header with the uncompressed size of a compressed body, in bytes. */
export const ARROW_LENGTH_HEADER = 'X-Arrow-Length';

/** Text that is neither empty nor blank. */
export const filledText = v.pipe(
  text,
  v.check((s) => s.trim() !== '', 'must not be empty'),
);

/** The characters of a name; see {@link faultOfName}. */
const nameCharacters = v.rawCheck<string>(({ dataset, addIssue }) => {
  const fault = dataset.typed && dataset.value !== '' ? faultOfName(dataset.value) : null;
  if (fault !== null && dataset.issues === undefined) addIssue({ message: fault });
});
const composed = v.transform((name: string) => name.normalize('NFC'));

/** The name of a version, view, profile or formula, or of a person; composed (NFC). */
export const shortName = v.pipe(
  filledText,
  v.maxLength(200, 'must be at most 200 characters'),
  nameCharacters,
  composed,
);

/** How pages name a source or a column instead of by its name in the database; composed (NFC), may be empty. */
export const label = v.pipe(text, nameCharacters, composed);

/** Returns the path of an issue that a raw check finds at a field of its input. */
export const pathTo = (input: Record<string, unknown>, key: string): [v.ObjectPathItem] => [
  { type: 'object', origin: 'value', input, key, value: input[key] },
];

/** Whether a text is a day of the calendar, `YYYY-MM-DD`. */
function isDay(day: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return false;
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** A day of the calendar, `YYYY-MM-DD`. */
export const day = v.pipe(text, v.check(isDay, 'must be a day such as 2027-01-31'));

/** A finite number: JSON has neither NaN nor infinity. */
export const number = v.pipe(v.number(), v.finite());

/**
 * The user under which a write is recorded (docs/contract/10-authentication-and-limits.md). The name of a
 * signed-in person replaces it before the body is checked.
 */
export const pfUser = v.pipe(
  shortName,
  v.description(
    'Acting user, recorded on the log entry. Optional and ignored if people are signed in',
  ),
);

/** The user whose write is previewed: a submitted review holds its rows for all but its reviewers. */
export const wouldWrite = v.pipe(
  shortName,
  v.description('Who would write it. Ignored if people are signed in'),
);

/** A note on a log entry: at most 10,000 characters, possibly empty. */
export const note = v.pipe(
  text,
  v.maxLength(10_000, 'must be at most 10,000 characters'),
  v.description('Note on the log entry; editable afterwards'),
);

/**
 * The request header that identifies a repeated write (docs/contract/05-operations.md#sending-a-write-again).
 */
export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';

/**
 * The request header by which a client asks an undo for a shorter answer, its value, and the response header
 * that confirms it (RFC 7240, docs/contract/06-log.md#delete-loglogid).
 */
export const PREFER_HEADER = 'Prefer';
export const RETURN_MINIMAL = 'return=minimal';
export const PREFERENCE_APPLIED_HEADER = 'Preference-Applied';

/** An instant as ISO 8601 text, in UTC. */
export const timestamp = v.pipe(v.string(), v.description('ISO 8601 instant, UTC'));

/**
 * The response header with the fields of the request body that the endpoint does not know
 * (docs/contract/09-errors-limits-guards.md#bodies).
 */
export const BODY_SKIPPED_HEADER = 'X-Body-Skipped';

/** A value of a cell in JSON; dates are ISO text. */
export const scalar = v.union([text, number, v.boolean()]);
export type Scalar = v.InferOutput<typeof scalar>;

/** A row of data with the columns of the source. */
export const row = v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.null()]));
export type Row = v.InferOutput<typeof row>;

const DEEPEST = 100;

/** Any JSON that PostgreSQL can store: nested at most 100 deep, and every text a {@link text}. */
export const anyJson = v.pipe(
  v.any(),
  v.check(isStorable, `must be well-formed text nested at most ${DEEPEST} deep`),
);

function isStorable(value: unknown): boolean {
  // Not recursive, because a body of a megabyte can be nested deeper than the stack allows.
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

/** The metadata key of the value schema of {@link byColumn}, for OpenAPI. */
export const COLUMN_VALUE = 'columnValue';

/**
 * Returns the schema of a JSON object whose keys are column names. `v.record` would accept a list as an empty
 * object and drop the keys `constructor`, `prototype` and `__proto__`; a slice would then select too many
 * rows.
 *
 * @param documented schema of the values for OpenAPI, if it differs
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

/** Returns whether a JSON value is an object, not a list. */
export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The totals of the further measures by column; absent if the source has none. */
export const measureTotals = v.optional(
  v.pipe(
    byColumn(number),
    v.description('Totals of the further measures by column; absent if the source has none'),
  ),
);

/** Number and totals of some rows; the total of a measure that the source does not have is null. */
export const Totals = v.object({
  row_count: v.number(),
  value_total: v.nullable(number),
  units_total: v.nullable(number),
  measures: measureTotals,
});
export type Totals = v.InferOutput<typeof Totals>;

/**
 * Every error body of the service (docs/contract/09-errors-limits-guards.md). `field` and `column` are
 * present if one of them is to blame.
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
