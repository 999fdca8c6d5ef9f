/** The type of an endpoint's description. */
import * as v from 'valibot';
import type { EVENT_STREAM } from '../events';
import type { Role } from '../me';
import { ARROW, REVISION_HEADER, TIMELINE_HEADER } from '../primitives';

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

/** The contract of one endpoint. An endpoint that is refused to a part of a source gives the reason. */
export type Endpoint = Described & (ForPart | ForWhole | ForAdmins);

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

interface Described {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path below `/api`; a parameter is its name in braces, such as `{id}`. */
  path: string;
  /**
   * The role required if people are signed in (docs/contract/20-who-is-signed-in.md#roles); null if no name
   * is needed.
   */
  role: Role | null;
  summary: string;
  /** Parameters of the query string by name. */
  query?: Record<string, { schema: v.GenericSchema; description: string; required?: boolean }>;
  request?: v.GenericSchema;
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
    headers?: string[];
    /** Whether the answer is also available as Arrow, by `Accept`. */
    alsoArrow?: true;
    /** Whether the answer is also available as CSV, by `Accept`. */
    alsoCsv?: true;
  };
  /**
   * The statuses of refusals. Common to all endpoints and not listed: 401 and 403 for a role, 403, 413, 415
   * and 422 for bodies, 409 for writes that conflict and for the key of a write, 421 for a host that is not
   * accepted, 429 for too many requests of one person, 503 for temporary failures and 500 for anything else.
   */
  refusals: readonly number[];
}

/** The headers that name the state of the database from which rows or the log were read. */
export const HISTORY_HEADERS = [TIMELINE_HEADER, REVISION_HEADER];

export const wholeNumber = (min: number, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));

export const json = (body: v.GenericSchema): Endpoint['answer'] => ({ status: 200, body });
export const created = (body: v.GenericSchema): Endpoint['answer'] => ({ status: 201, body });
export const nothing: Endpoint['answer'] = { status: 204 };
export const arrow: Endpoint['answer'] = {
  status: 200,
  body: ARROW,
  headers: ['ETag', 'X-Row-Count', 'Content-Length', ...HISTORY_HEADERS],
  alsoCsv: true,
};
