import { askedRows, idParam, readResponse } from '$lib/server/http';
import { readForecast } from '$lib/server/services/read';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async (event) => {
  const id = idParam(event.params.id, 'id');
  return readResponse(await readForecast(event.locals, id, 'get_data', askedRows(event)));
};
