import { idParam, knownTo, readResponse } from '$lib/server/http';
import { readForecast } from '$lib/server/services/read';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  return readResponse(await readForecast(locals, id, 'get_data', knownTo(request), request.signal));
};
