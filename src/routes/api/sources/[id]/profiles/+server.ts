import { json } from '@sveltejs/kit';
import { CreateProfileRequest } from '$lib/contract/profiles';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { profiles } from '$lib/server/services/setup/named';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await profiles.list(locals.db, idParam(params.id, 'id')));

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, CreateProfileRequest);
  return json(await profiles.create(locals.db, id, body), { status: 201 });
};
