/** The form in which the service lists its endpoints. */
import * as v from 'valibot';
import type { EVENT_STREAM } from '../events';
import type { Role } from '../me';
import { ARROW } from '../primitives';

/** The text format of Prometheus. */
export const METRICS = 'text/plain';

/** One endpoint as the service promises it. */
export interface Endpoint {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path below `/api`; a parameter is its name in braces, such as `{id}`. */
  path: string;
  /**
   * The role that it needs if people are signed in (docs/contract/20-who-is-signed-in.md#roles); null
   * if it asks for no name.
   */
  role: Role | null;
  summary: string;
  /** Parameters of the query string by name. */
  query?: Record<string, { schema: v.GenericSchema; description: string; required?: boolean }>;
  request?: v.GenericSchema;
  /** Whether the body may be left out. */
  optionalBody?: true;
  /** Whether it writes rows, and so takes an `Idempotency-Key`. */
  writesRows?: true;
  /** Whether it takes `Prefer: return=minimal`. */
  minimal?: true;
  /** The answer that succeeds: JSON of a schema, Arrow, the text of the metrics, events, or nothing. */
  answer: {
    status: 200 | 201 | 204;
    body?: v.GenericSchema | typeof ARROW | typeof METRICS | typeof EVENT_STREAM;
    headers?: string[];
    /** Whether it comes as Arrow, too, if `Accept` asks for that. */
    alsoArrow?: true;
    /** Whether it comes as CSV, too, if `Accept` asks for that. */
    alsoCsv?: true;
  };
  /**
   * The statuses of its refusals. Common to all, and not listed: 401 and 403 for a role, 403, 413, 415
   * and 422 for bodies, 421 for a host that is not served, 503 for "not now, try again" and 500 for anything
   * else.
   */
  refusals: readonly number[];
}

export const wholeNumber = (min: number, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));

export const json = (body: v.GenericSchema): Endpoint['answer'] => ({ status: 200, body });
export const created = (body: v.GenericSchema): Endpoint['answer'] => ({ status: 201, body });
export const nothing: Endpoint['answer'] = { status: 204 };
export const arrow: Endpoint['answer'] = {
  status: 200,
  body: ARROW,
  headers: ['ETag', 'X-Row-Count', 'Content-Length'],
  alsoCsv: true,
};
