import { json } from '@sveltejs/kit';
import { EditViewRequest } from '$lib/contract/views';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { views } from '$lib/server/services/setup/named';
import type { RequestHandler } from './$types';

export const PATCH: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, EditViewRequest);
  return json(await views.edit(locals.db, id, body));
};

export const DELETE: RequestHandler = async ({ locals, params }) => {
  await views.remove(locals.db, idParam(params.id, 'id'));
  return new Response(null, { status: 204 });
};
