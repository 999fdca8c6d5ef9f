import { json } from '@sveltejs/kit';
import { textQuery } from '$lib/server/http/params';
import { waitingReviews } from '$lib/server/services/people/reviews';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, url }) =>
  json(await waitingReviews(locals.db, locals.me.user ?? textQuery(url, 'user')));
