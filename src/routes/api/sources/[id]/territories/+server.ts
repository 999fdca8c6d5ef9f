import { json } from '@sveltejs/kit';
import { CreateTerritoryRequest } from '$lib/contract/territories';
import { idParam } from '$lib/server/http/params';
import { readJson } from '$lib/server/http/request-body';
import { createTerritory, territories } from '$lib/server/services/people/territories';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await territories(locals.db, idParam(params.id, 'id')));

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, CreateTerritoryRequest);
  return json(await createTerritory(locals, id, body), { status: 201 });
};
