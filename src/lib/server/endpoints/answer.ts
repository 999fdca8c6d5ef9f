/** Answers a request of the API by the handler of its endpoint. */
import { json, type RequestEvent } from '@sveltejs/kit';
import type { Endpoint, Name } from '../../contract/endpoints';
import { AppError } from '../errors';
import { readPath, readQuery } from '../http/params';
import { readBody } from '../http/request-body';
import type { AllHandlers, Asked, Received } from './asked';
import { alertHandlers } from './alerts';
import { auditHandlers } from './audit';
import { calendarHandlers } from './calendar';
import { commentHandlers } from './comments';
import { currentHandlers } from './current';
import { fileHandlers } from './files';
import { logHandlers } from './log';
import { lookupHandlers } from './lookups';
import { publishedHandlers } from './published';
import { reviewHandlers } from './reviews';
import { rowHandlers } from './rows';
import { serviceHandlers } from './service';
import { sourceHandlers } from './sources';
import { territoryHandlers } from './territories';
import { tokenHandlers } from './tokens';
import { versionHandlers } from './versions';

/** The handler of each endpoint. */
export const HANDLERS: AllHandlers = {
  ...serviceHandlers,
  ...fileHandlers,
  ...calendarHandlers,
  ...sourceHandlers,
  ...lookupHandlers,
  ...territoryHandlers,
  ...tokenHandlers,
  ...auditHandlers,
  ...versionHandlers,
  ...currentHandlers,
  ...publishedHandlers,
  ...rowHandlers,
  ...logHandlers,
  ...commentHandlers,
  ...reviewHandlers,
  ...alertHandlers,
};

/**
 * Answers a request of the API: reads it as its endpoint describes it, and calls the handler.
 * @throws AppError 404 for an unknown path, 400 and 413 for what does not fit the description, and those of the handler
 */
export async function answer(event: RequestEvent): Promise<Response> {
  const { locals, request } = event;
  if (!locals.route) throw new AppError(404, 'There is no such path in this API');
  const { endpoint, params, allow } = locals.route;
  if (!endpoint) {
    const error = `${request.method} is not possible here`;
    return json({ error }, { status: 405, headers: { allow } });
  }
  const asked = {
    ...{ event, locals, db: locals.db, request },
    ...readPath(params),
    query: readQuery(endpoint.query, event.url),
    ...(await readBody(event, endpoint)),
  };
  const answered = await call(endpoint, endpoint.name, asked);
  if (answered instanceof Response) return answered;
  const { status } = endpoint.answer;
  return status === 204 ? new Response(null, { status }) : json(answered, { status });
}

function call<N extends Name>(endpoint: Endpoint, name: N, asked: Received): unknown {
  if (!isOf(endpoint, name, asked)) throw new Error(`${name} was read as another endpoint`);
  return HANDLERS[name](asked);
}

/** Whether a request was read by the description of an endpoint. Its schemas have the types of its handler. */
const isOf = <N extends Name>(
  endpoint: Endpoint,
  name: N,
  asked: Received,
): asked is Received & Asked<N> => endpoint.name === name && 'query' in asked;
