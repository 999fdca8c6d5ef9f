import type { SliceOperation, SliceRequests } from '$lib/contract/operations';
import { SLICE_REQUESTS } from '$lib/contract/operations';
import { idParam, operationResponse, readJson } from '$lib/server/http';
import { operate } from '$lib/server/services/operate';
import type { RequestEvent, RequestHandler } from './$types';

const answer = async <O extends SliceOperation>(
  { locals, params, request }: RequestEvent,
  operation: O,
): Promise<Response> => {
  const id = idParam(params.id, 'id');
  const body = await readJson<SliceRequests[O]>({ request, locals }, SLICE_REQUESTS[operation]);
  return operationResponse(await operate(locals.db, id, operation, body));
};

export const POST: RequestHandler = (event) => answer(event, event.params.operation);
