import { version } from '$app/environment';
import { json } from '@sveltejs/kit';
import { AppError } from '$lib/server/errors';
import { unhealthy } from '$lib/server/services/setup/health';
import type { RequestHandler } from './$types';

const RETRY_SECONDS = 5;

export const GET: RequestHandler = async ({ locals }) => {
  const problem = locals.isEnding
    ? 'The server is shutting down'
    : await unhealthy(locals.db, locals.config.distribute);
  if (problem === undefined) return json({ status: 'ok', version });
  throw new AppError(503, problem, { retryAfter: RETRY_SECONDS });
};
