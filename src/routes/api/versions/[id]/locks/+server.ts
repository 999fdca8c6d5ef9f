import { json } from '@sveltejs/kit';
import { LockRequest } from '$lib/contract/locks';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { addLock, locks } from '$lib/server/services/version/locks';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await locks(locals.db, idParam(params.id, 'id')));

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, LockRequest);
  return json(await addLock(locals.db, id, body), { status: 201 });
};
