/** Handlers of the service itself. */
import type { SERVICE_ENDPOINTS } from '../../contract/endpoints/service';
import { openApiDocument } from '../../contract/openapi';
import { AppError } from '../errors';
import { unhealthy } from '../services/setup/health';
import type { Handlers } from './asked';

const RETRY_SECONDS = 5;

/** Made at the first request: it takes some time. */
let document: ReturnType<typeof openApiDocument> | undefined;

export const serviceHandlers: Handlers<typeof SERVICE_ENDPOINTS> = {
  'GET /health': async ({ locals: { db, config, isEnding, version } }) => {
    const problem = isEnding
      ? 'The server is shutting down'
      : await unhealthy(db, config.distribute);
    if (problem === undefined) return { status: 'ok', version };
    throw new AppError(503, problem, { retryAfter: RETRY_SECONDS });
  },
  'GET /health/live': () => ({ status: 'ok' }),
  'GET /metrics': async ({ locals: { metrics } }) => {
    if (!metrics) throw new AppError(404, 'PF_METRICS=0 turns the metrics off');
    return new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } });
  },
  'GET /openapi.json': ({ locals: { version } }) => (document ??= openApiDocument(version)),
  'GET /me': ({ locals: { me } }) => ({ user: me.user, roles: me.roles }),
};
