import { FORMULAS } from '$lib/contract/formula-text';
import { csvResponse, readResponse } from '$lib/server/http/answers';
import { askedRows, asksForCsv } from '$lib/server/http/asked';
import { entriesQuery, idParam, optionalChoice } from '$lib/server/http/params';
import { protectedCsv } from '$lib/server/http/protected-csv';
import { readCsv } from '$lib/server/services/reading/csv';
import { readForecast } from '$lib/server/services/reading/read';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async (event) => {
  const id = idParam(event.params.id, 'id');
  const rows = { operation: 'get_data', entries: entriesQuery(event.url) } as const;
  const isProtected = optionalChoice(event.url, 'formulas', FORMULAS) === 'protected';
  if (asksForCsv(event.request)) {
    const csv = await readCsv(event.locals.db, id, rows, event.request.signal);
    return csvResponse(isProtected ? protectedCsv(csv) : csv);
  }
  return readResponse(await readForecast(event.locals, id, rows, askedRows(event)));
};
