import { json } from '@sveltejs/kit';
import { EditVersionRequest } from '$lib/contract/versions';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { editVersion, removeVersion, version } from '$lib/server/services/setup/versions';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await version(locals.db, idParam(params.id, 'id')));

export const PATCH: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, EditVersionRequest);
  return json(await editVersion(locals.db, id, body));
};

export const DELETE: RequestHandler = async ({ locals, params }) => {
  await removeVersion(locals.db, idParam(params.id, 'id'));
  return new Response(null, { status: 204 });
};
