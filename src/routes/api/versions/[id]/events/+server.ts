import { eventResponse } from '$lib/server/http/answers';
import { idParam } from '$lib/server/http/params';
import { watchVersion } from '$lib/server/services/people/events';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const stream = await watchVersion(locals, id, request.headers.get('last-event-id'));
  return eventResponse(request, stream);
};
