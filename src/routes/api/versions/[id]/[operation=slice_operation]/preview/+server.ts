import type { SliceOperation, SliceRequests } from '$lib/contract/operations';
import { SLICE_REQUESTS } from '$lib/contract/operations';
import { previewResponse } from '$lib/server/http/answers';
import { asksForArrow } from '$lib/server/http/asked';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { previewOperation } from '$lib/server/services/operations/preview';
import type { RequestEvent, RequestHandler } from './$types';

const answer = async <O extends SliceOperation>(
  { locals, params, request }: RequestEvent,
  operation: O,
): Promise<Response> => {
  const id = idParam(params.id, 'id');
  const body = await readJson<SliceRequests[O]>({ request, locals }, SLICE_REQUESTS[operation]);
  const tried = await previewOperation(locals, id, operation, body);
  return previewResponse(tried, asksForArrow(request));
};

export const POST: RequestHandler = (event) => answer(event, event.params.operation);
