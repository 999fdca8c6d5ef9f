import { CloneRequest } from '$lib/contract/operations';
import { idParam, operationResponse, readJson } from '$lib/server/http';
import { clone } from '$lib/server/services/operate';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, CloneRequest);
  return operationResponse(await clone(locals.db, id, body));
};
