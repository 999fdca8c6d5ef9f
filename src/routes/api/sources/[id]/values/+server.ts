import { json } from '@sveltejs/kit';
import { idParam, integerQuery, textQuery } from '$lib/server/http/params';
import { columnValues } from '$lib/server/services/setup/sources';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params, url }) => {
  const id = idParam(params.id, 'id');
  const limit = integerQuery(url, 'limit', { min: 1, max: 500, fallback: 50 });
  const search = textQuery(url, 'search', '');
  return json(await columnValues(locals.db, id, textQuery(url, 'cname'), search, limit));
};
