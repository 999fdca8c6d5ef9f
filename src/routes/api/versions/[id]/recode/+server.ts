import { RecodeRequest } from '$lib/contract/operations';
import { idParam, operationResponse, readJson } from '$lib/server/http';
import { recode } from '$lib/server/services/operate';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, RecodeRequest);
  return operationResponse(await recode(locals.db, id, body));
};
