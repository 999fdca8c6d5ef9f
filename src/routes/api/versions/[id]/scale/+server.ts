import { ScaleRequest } from '$lib/contract/operations';
import { idParam, operationResponse, readJson } from '$lib/server/http';
import { scale } from '$lib/server/services/operate';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, ScaleRequest);
  return operationResponse(await scale(locals.db, id, body));
};
