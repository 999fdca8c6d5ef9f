import { randomUUID } from 'node:crypto';
import { json } from '@sveltejs/kit';
import type { Handle, HandleServerError, ServerInit } from '@sveltejs/kit';
import type { Config } from '$lib/server/config';
import { loadConfig } from '$lib/server/config';
import { Database } from '$lib/server/db/database';
import { answerError, AppError, reasonOf } from '$lib/server/errors';
import { discardBody, requireJsonBody } from '$lib/server/http';
import { createLogger } from '$lib/server/logger';
import { requireCurrentSchema } from '$lib/server/services/health';
import type { Logger } from 'pino';

let config: Config;
let db: Database;
let logger: Logger;

/** Runs before the server listens: no configuration or no current schema, no server. */
export const init: ServerInit = async () => {
  try {
    config = loadConfig();
    logger = createLogger(config.logLevel);
    db = new Database({ ...config.db, statementTimeout: config.statementTimeout }, (error) =>
      logger.warn({ reason: error.message }, 'an idle database connection was lost'),
    );
    if (!config.skipMigrationCheck) await requireCurrentSchema(db);
  } catch (error) {
    console.error(reasonOf(error));
    process.exit(1);
  }
  process.once('sveltekit:shutdown', () => void db.close());
};

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

export const handle: Handle = async ({ event, resolve }) => {
  const started = performance.now();
  const { request, url, locals } = event;
  const isApi = url.pathname === '/api' || url.pathname.startsWith('/api/');
  Object.assign(locals, { db, config, requestId: randomUUID() });

  let response: Response;
  const refusal = isApi ? writeRefusal(request) : undefined;
  if (refusal) {
    response = failureAnswer(refusal);
  } else {
    response = await resolve(event);
    if (isApi) response = asApiAnswer(response, locals.failure, event.request.method);
  }
  if (isApi) await discardBody(request);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.headers.set(name, value);
  response.headers.set('x-request-id', locals.requestId);

  if (isApi) {
    logger.info(
      {
        id: locals.requestId,
        method: request.method,
        path: url.pathname,
        status: response.status,
        ms: Math.round(performance.now() - started),
        rows: numberOf(response.headers.get('x-row-count')),
      },
      'request',
    );
  }
  return response;
};

/** Keeps what a handler threw for `handle`, and logs what no client can be blamed for. */
export const handleError: HandleServerError = ({ error, event, status, message }) => {
  event.locals.failure = error;
  const answer = answerError(error);
  if (status === 500 && answer.status === 500 && event.locals.requestId) {
    const { name, message, cause, stack } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    logger.error({ id: event.locals.requestId, name, reason, stack }, 'request failed');
  }
  return { message };
};

/** The one place where an error becomes an answer (docs/contract/09-errors-limits-guards.md). */
function failureAnswer(failure: unknown): Response {
  const { status, headers, body } = answerError(ofFramework(failure) ?? failure);
  return json(body, { status, headers });
}

/** SvelteKit's own refusals carry a status: a path that it does not know, or cannot decode. */
function ofFramework(failure: unknown): AppError | undefined {
  if (failure instanceof AppError) return undefined;
  const { status } = failure as { status?: unknown };
  if (status === 404) return new AppError(404, 'There is no such path in this API');
  if (status === 400) return new AppError(400, 'The path cannot be decoded');
  return undefined;
}

function asApiAnswer(response: Response, failure: unknown, method: string): Response {
  if (failure !== undefined) return failureAnswer(failure);
  if (response.status === 405) {
    const allow = response.headers.get('allow') ?? '';
    return json(
      { error: `${method} is not possible here` },
      { status: 405, headers: allow ? { allow } : {} },
    );
  }
  return response;
}

/** What no handler needs to see of a write: a body that is no JSON, and another site's page. */
function writeRefusal(request: Request): unknown {
  if (['GET', 'HEAD', 'OPTIONS'].includes(request.method)) return undefined;
  // A form or script of another site can send a write without a body unasked; browsers mark it.
  if (request.headers.get('sec-fetch-site') === 'cross-site') {
    return new AppError(403, 'Writes from pages of another site are refused');
  }
  try {
    requireJsonBody(request);
    return undefined;
  } catch (refusal) {
    return refusal;
  }
}

const numberOf = (text: string | null): number | undefined =>
  text === null ? undefined : Number(text);
