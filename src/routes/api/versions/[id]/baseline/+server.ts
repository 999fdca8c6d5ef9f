import { json } from '@sveltejs/kit';
import { BaselineRequest } from '$lib/contract/loads';
import { idParam, readJson } from '$lib/server/http';
import { clearBaseline, loadBaseline } from '$lib/server/services/loads';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, BaselineRequest);
  return json(await loadBaseline(locals.db, id, body));
};

export const DELETE: RequestHandler = async ({ locals, params }) =>
  json(await clearBaseline(locals.db, idParam(params.id, 'id')));
