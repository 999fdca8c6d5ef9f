import { json } from '@sveltejs/kit';
import { CreateVersionRequest } from '$lib/contract/versions';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { createVersion, versions } from '$lib/server/services/setup/versions';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await versions(locals.db, idParam(params.id, 'id')));

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, CreateVersionRequest);
  return json(await createVersion(locals, id, body), { status: 201 });
};
