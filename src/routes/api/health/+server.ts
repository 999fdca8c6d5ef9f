import { json } from '@sveltejs/kit';
import { healthy } from '$lib/server/services/health';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals }) =>
  (await healthy(locals.db.aside))
    ? json({ status: 'ok' })
    : json(
        { error: 'The database does not answer, or its schema is not current' },
        { status: 503 },
      );
