import { json } from '@sveltejs/kit';
import { EditTerritoryRequest } from '$lib/contract/territories';
import { idParam } from '$lib/server/http/params';
import { readJson } from '$lib/server/http/request-body';
import { editTerritory, removeTerritory } from '$lib/server/services/people/territories';
import type { RequestHandler } from './$types';

export const PATCH: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, EditTerritoryRequest);
  return json(await editTerritory(locals.db, id, body));
};

export const DELETE: RequestHandler = async ({ locals, params }) => {
  await removeTerritory(locals.db, idParam(params.id, 'id'));
  return new Response(null, { status: 204 });
};
