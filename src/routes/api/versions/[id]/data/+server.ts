import { askedRows, entriesQuery, idParam, readResponse } from '$lib/server/http';
import { readForecast } from '$lib/server/services/read';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async (event) => {
  const id = idParam(event.params.id, 'id');
  const rows = { operation: 'get_data', entries: entriesQuery(event.url) } as const;
  return readResponse(await readForecast(event.locals, id, rows, askedRows(event)));
};
