import { json } from '@sveltejs/kit';
import { CloseVersionRequest } from '$lib/contract/versions';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { switchVersion } from '$lib/server/services/setup/versions';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const { pf_user } = await readJson({ request, locals }, CloseVersionRequest);
  return json(await switchVersion(locals.db, id, 'open', pf_user));
};
