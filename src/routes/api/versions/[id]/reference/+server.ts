import { json } from '@sveltejs/kit';
import { LoadRequest } from '$lib/contract/loads';
import { idParam, readJson } from '$lib/server/http';
import { load } from '$lib/server/services/loads';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, LoadRequest);
  return json(await load(locals.db, id, 'reference', body));
};
