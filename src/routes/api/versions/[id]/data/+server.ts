import { csvResponse, readResponse } from '$lib/server/http/answers';
import { askedRows, asksForCsv } from '$lib/server/http/asked';
import { entriesQuery, idParam } from '$lib/server/http/params';
import { readCsv } from '$lib/server/services/reading/csv';
import { readForecast } from '$lib/server/services/reading/read';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async (event) => {
  const id = idParam(event.params.id, 'id');
  const rows = { operation: 'get_data', entries: entriesQuery(event.url) } as const;
  if (asksForCsv(event.request)) {
    return csvResponse(await readCsv(event.locals.db, id, rows, event.request.signal));
  }
  return readResponse(await readForecast(event.locals, id, rows, askedRows(event)));
};
