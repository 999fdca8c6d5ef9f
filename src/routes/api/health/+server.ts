import { json } from '@sveltejs/kit';
import { AppError } from '$lib/server/errors';
import { healthy } from '$lib/server/services/health';
import type { RequestHandler } from './$types';

const RETRY_SECONDS = 5;

export const GET: RequestHandler = async ({ locals }) => {
  if (await healthy(locals.db.aside)) return json({ status: 'ok' });
  throw new AppError(503, 'The database does not answer, or its schema is not current', {
    retryAfter: RETRY_SECONDS,
  });
};
