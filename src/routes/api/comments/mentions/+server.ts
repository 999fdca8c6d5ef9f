import { json } from '@sveltejs/kit';
import { textQuery } from '$lib/server/http/params';
import { mentions } from '$lib/server/services/people/comments';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, url }) =>
  json(await mentions(locals.db, locals.me.user ?? textQuery(url, 'user')));
