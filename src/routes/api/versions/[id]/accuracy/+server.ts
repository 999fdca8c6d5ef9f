import { json } from '@sveltejs/kit';
import { MOST_LAG } from '$lib/contract/accuracy';
import { idParam, integerQuery, textQuery, textsQuery } from '$lib/server/http/params';
import { accuracy } from '$lib/server/services/reading/accuracy';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params, url }) => {
  const id = idParam(params.id, 'id');
  const lag = integerQuery(url, 'lag', { min: 0, max: MOST_LAG, fallback: undefined });
  const measure = url.searchParams.has('measure') ? textQuery(url, 'measure') : undefined;
  return json(await accuracy(locals.db, id, { by: textsQuery(url, 'by'), lag, measure }));
};
