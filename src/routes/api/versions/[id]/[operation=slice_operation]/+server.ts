import type { SliceOperation, SliceRequests } from '$lib/contract/operations';
import { SLICE_REQUESTS } from '$lib/contract/operations';
import { operationResponse } from '$lib/server/http/answers';
import { asksForArrow } from '$lib/server/http/asked';
import { readWrite } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { operate } from '$lib/server/services/operations/operate';
import type { RequestEvent, RequestHandler } from './$types';

const answer = async <O extends SliceOperation>(
  event: RequestEvent,
  operation: O,
): Promise<Response> => {
  const { locals, params } = event;
  const id = idParam(params.id, 'id');
  const { body, key } = await readWrite<SliceRequests[O]>(event, SLICE_REQUESTS[operation]);
  const written = await operate(locals, id, operation, body, key);
  return operationResponse(written, asksForArrow(event.request));
};

export const POST: RequestHandler = (event) => answer(event, event.params.operation);
