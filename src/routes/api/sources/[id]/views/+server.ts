import { json } from '@sveltejs/kit';
import { CreateViewRequest } from '$lib/contract/views';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { views } from '$lib/server/services/setup/named';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await views.list(locals.db, idParam(params.id, 'id')));

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, CreateViewRequest);
  return json(await views.create(locals.db, id, body), { status: 201 });
};
