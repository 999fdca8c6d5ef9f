import { json } from '@sveltejs/kit';
import { integerQuery, textParam } from '$lib/server/http/params';
import { previewTable } from '$lib/server/services/setup/tables';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params, url }) => {
  const limit = integerQuery(url, 'limit', { min: 1, max: 500, fallback: 50 });
  const schema = textParam(params.schema, 'schema');
  const tname = textParam(params.tname, 'tname');
  return json(await previewTable(locals.db, schema, tname, limit));
};
