import { json } from '@sveltejs/kit';
import { EditSourceRequest } from '$lib/contract/sources';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { editSource, removeSource, source } from '$lib/server/services/setup/sources';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await source(locals.db, idParam(params.id, 'id')));

export const PATCH: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, EditSourceRequest);
  return json(await editSource(locals.db, id, body));
};

export const DELETE: RequestHandler = async ({ locals, params }) => {
  await removeSource(locals.db, idParam(params.id, 'id'));
  return new Response(null, { status: 204 });
};
