import { arrowResponse, idParam } from '$lib/server/http';
import { readForecast } from '$lib/server/services/read';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const { db, bodies } = locals;
  return arrowResponse(await readForecast(db, bodies, id, 'get_data', request.signal));
};
