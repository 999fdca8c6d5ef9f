/** The type of an endpoint's description, and the schemas of parameters. */
import * as v from 'valibot';
import type { EVENT_STREAM } from '../events';
import { FORMULAS } from '../formula-text';
import type { Role } from '../me';
import { SLICE_OPERATIONS, SLICE_SKIPPED_HEADER } from '../operations';
import { ARROW, REVISION_HEADER, text, TIMELINE_HEADER } from '../primitives';
import { REVIEW_STEP_NAMES } from '../reviews';

/** The text format of Prometheus. */
export const METRICS = 'text/plain';

/**
 * How an endpoint treats a sender whose territories do not cover a source
 * (docs/contract/20-who-is-signed-in.md#territories). To a sender without any, the source does not exist.
 * - `none`: the answer tells nothing of rows
 * - `narrowed`: the answer is computed from the rows inside
 * - `judged`: the answer is narrowed, and a write of rows outside is refused
 * - `refused`: 403. Without a source in the path, as soon as any source has territories
 */
export type TerritoryRule = 'none' | 'narrowed' | 'judged' | 'refused';

/** A request as pages write it, such as `PATCH /views/{id}`: the path is below `/api`. */
type EndpointName = `${Uppercase<(typeof METHODS)[number]>} /${string}`;
export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Endpoints by name. A path parameter is its name in braces, and one of {@link PATH_PARAMETERS}; one that accepts only
 * some words stands for an endpoint of each.
 */
export type Endpoints = Readonly<Record<EndpointName, Description>>;

/** The description of an endpoint. One that is refused to a part of a source gives the reason. */
export type Description = Described & (ForPart | ForWhole | ForAdmins);

interface ForPart {
  territories: Exclude<TerritoryRule, 'refused'>;
}

interface ForWhole {
  territories: 'refused';
  role: 'reader' | 'planner';
  /** Why it needs all of the source, as a sentence without a full stop that begins in lower case. */
  because: string;
}

/** Territories do not limit admins. */
interface ForAdmins {
  territories: 'refused';
  role: 'admin';
}

export interface Described {
  /**
   * The role required if people are signed in (docs/contract/20-who-is-signed-in.md#roles); null if no name
   * is needed.
   */
  role: Role | null;
  /** Whether tokens are refused, whatever their role (docs/contract/20-who-is-signed-in.md#tokens). */
  forPeople?: true;
  /** One sentence without a full stop, or one by the word in the path. */
  summary: string | ByWord<string>;
  /** Parameters of the query string by name. */
  query?: Record<string, { schema: Parameter; description: string; required?: true }>;
  /** The schema of a JSON body, or one by the word in the path. */
  request?: v.GenericSchema | ByWord<v.GenericSchema>;
  /** The types of a body that is a file; the body is JSON if missing. */
  file?: readonly string[];
  /** Whether the body may be as long as that of an import. */
  longBody?: true;
  /** Whether the body is optional. */
  optionalBody?: true;
  /** Whether the endpoint writes rows and therefore accepts an `Idempotency-Key`. */
  writesRows?: true;
  /** Whether the endpoint accepts an `Idempotency-Key` although it writes no rows. */
  takesKey?: true;
  /** Whether the endpoint accepts `Prefer: return=minimal`. */
  minimal?: true;
  /** The successful answer: JSON of a schema, Arrow, the text of the metrics, events, or nothing. */
  answer: {
    status: 200 | 201 | 204;
    body?: v.GenericSchema | typeof ARROW | typeof METRICS | typeof EVENT_STREAM;
    headers?: readonly string[];
    /** Whether the answer is also available as Arrow, by `Accept`. */
    alsoArrow?: true;
    /** Whether the answer is also available as CSV, by `Accept`. */
    alsoCsv?: true;
    /** Whether the answer is also available as lines of JSON with its progress, by `Accept`. */
    alsoLines?: true;
  };
  /**
   * The statuses of refusals. Common to all endpoints and not listed: 400 for a parameter or a body, 404 for a path
   * with a parameter, 401 and 403 for a role, 403, 413, 415 and 422 for bodies, 409 for writes that conflict and for
   * the key of a write, 421 for a host that is not accepted, 429 for too many requests of one person, 503 for temporary
   * failures and 500 for anything else.
   */
  refusals?: readonly number[];
}

/** Values by the word of a path parameter that accepts only some words. */
type ByWord<Value> = Readonly<Record<string, Value>>;

/** The schema of a parameter: from its text, or from all texts of one that is repeated. */
export type Parameter = v.GenericSchema<string, unknown> | v.GenericSchema<string[], unknown>;

/** The headers that name the state of the database from which rows or the log were read. */
export const HISTORY_HEADERS = [TIMELINE_HEADER, REVISION_HEADER];

/** A parameter that is a whole number. */
export function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,16}$/, message),
    v.transform(Number),
    v.number(),
    v.integer(),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
}

/** A parameter that is one of several words. */
export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  v.picklist(words, `must be one of: ${words.join(', ')}`);

/** A parameter of answers as CSV. */
export const formulas = {
  schema: oneOf(FORMULAS),
  description: 'In CSV, an apostrophe before each text that a spreadsheet would run as a formula',
};

/** The parameters of paths by name. */
export const PATH_PARAMETERS = {
  id: wholeNumber(1, 2147483647),
  logid: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  schema: text,
  tname: text,
  name: text,
  operation: v.picklist(SLICE_OPERATIONS),
  step: v.picklist(REVIEW_STEP_NAMES),
};

/** An answer of JSON. */
export const json = <Body extends v.GenericSchema>(body: Body) => ({ status: 200, body }) as const;
/** The answer of JSON about something new. */
export const created = <Body extends v.GenericSchema>(body: Body) =>
  ({ status: 201, body }) as const;
/** An answer without a body. */
export const nothing = { status: 204 } as const;
/** An answer with the rows of an operation: as JSON of a schema, or as Arrow. */
export const rows = <Body extends v.GenericSchema>(body: Body) =>
  ({ status: 200, body, headers: [SLICE_SKIPPED_HEADER], alsoArrow: true }) as const;
/** An answer with rows as Arrow or CSV. */
export const arrow = {
  status: 200,
  body: ARROW,
  headers: ['ETag', 'X-Row-Count', 'Content-Length', ...HISTORY_HEADERS],
  alsoCsv: true,
} as const;
