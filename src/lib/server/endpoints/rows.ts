/** Handlers of rows: reads, loads, operations and locks. */
import type { FitProgress } from '../../contract/forecasts';
import type { ROW_ENDPOINTS } from '../../contract/endpoints/rows';
import {
  actualsResponse,
  csvResponse,
  eventResponse,
  forecastPieces,
  jsonInPieces,
  operationResponse,
  previewResponse,
  readResponse,
  severalPreviewResponse,
} from '../http/answers';
import { askedRows, asksForArrow, asksForCsv, asksForLines } from '../http/asked';
import { inLines, inOnePiece } from '../http/in-lines';
import { actuals, previewActuals } from '../services/loads/actuals';
import { whileConnected } from '../http/while-connected';
import { previewForecast } from '../services/loads/forecast';
import { forecastLevels } from '../services/loads/forecast-levels';
import { forecast } from '../services/loads/forecast-load';
import {
  clearBaseline,
  editSegment,
  load,
  loadBaseline,
  previewLoad,
  segments,
} from '../services/loads/loads';
import { previewRefresh, refresh } from '../services/loads/refresh';
import { importCells, previewImport } from '../services/operations/import';
import { operate } from '../services/operations/operate';
import { previewOperation, previewSeveral } from '../services/operations/preview';
import { previewSlice, previewSlices } from '../services/operations/slice';
import { watchVersion } from '../services/people/events';
import { readCsv } from '../services/reading/csv';
import { readForecast } from '../services/reading/read';
import { addLock, locks, removeLock } from '../services/version/locks';
import type { Asked, Handlers } from './asked';

/** Answers the rows of a version, or of some of its entries. */
const rowsBy =
  (operation: 'get_data' | 'get_agg') =>
  async ({ event, locals, request, id, query }: Asked<'GET /versions/{id}/data'>) => {
    const rows = { operation, entries: query.logid };
    if (!asksForCsv(request)) {
      return readResponse(await readForecast(locals, id, rows, askedRows(event)));
    }
    const csv = await readCsv(locals.db, id, rows, request.signal);
    return csvResponse(csv, query);
  };

/** The work of forecasts, as {@link whileConnected} names it. */
const FITTING = 'series were fitted';

export const rowHandlers: Handlers<typeof ROW_ENDPOINTS> = {
  'GET /versions/{id}/data': rowsBy('get_data'),
  'GET /versions/{id}/agg': rowsBy('get_agg'),
  'GET /versions/{id}/events': async ({ locals, request, id }) =>
    eventResponse(request, await watchVersion(locals, id, request.headers.get('last-event-id'))),
  'POST /versions/{id}/baseline': ({ locals, id, body, key }) =>
    loadBaseline(locals, id, body, key),
  'PUT /versions/{id}/baseline/{logid}': ({ locals, id, logid, body, key }) =>
    editSegment(locals, id, logid, body, key),
  'DELETE /versions/{id}/baseline': ({ locals, id, body, key }) =>
    clearBaseline(locals, id, body.pf_user ?? null, key),
  'POST /versions/{id}/baseline/preview': ({ db, id, body }) => previewLoad(db, id, body),
  'POST /versions/{id}/forecast': ({ event, locals, request, id, body, key }) => {
    const inLine = async (signal: AbortSignal, report: (progress: FitProgress) => void) =>
      inOnePiece(await forecast(locals, id, body, key, (work) => work(signal), report));
    return asksForLines(request)
      ? inLines(event, FITTING, inLine, locals.failed)
      : forecast(locals, id, body, key, (work) => whileConnected(event, FITTING, work));
  },
  'POST /versions/{id}/forecast/preview': ({ event, locals, db, request, id, body }) => {
    const pieces = async (signal: AbortSignal, report?: (progress: FitProgress) => void) =>
      forecastPieces(await previewForecast(db, id, body, signal, report));
    return asksForLines(request)
      ? inLines(event, FITTING, pieces, locals.failed)
      : whileConnected(event, FITTING, pieces).then(jsonInPieces);
  },
  'POST /versions/{id}/forecast/levels': ({ event, locals, db, request, id, body }) => {
    const inLine = async (signal: AbortSignal, report: (progress: FitProgress) => void) =>
      inOnePiece(await forecastLevels(db, id, body, signal, report));
    return asksForLines(request)
      ? inLines(event, FITTING, inLine, locals.failed)
      : whileConnected(event, FITTING, (signal) => forecastLevels(db, id, body, signal));
  },
  'GET /versions/{id}/segments': ({ db, id }) => segments(db, id),
  'POST /versions/{id}/reference': ({ locals, id, body, key }) =>
    load(locals, id, 'reference', body, key),
  'POST /versions/{id}/actuals': async ({ locals, request, id, body, key }) =>
    actualsResponse(await actuals(locals, id, body, asksForArrow(request), key)),
  'POST /versions/{id}/actuals/preview': ({ locals, id, body }) => previewActuals(locals, id, body),
  'POST /versions/{id}/refresh': ({ locals, id, body, key }) => refresh(locals, id, body, key),
  'POST /versions/{id}/refresh/preview': ({ locals, id, body }) => previewRefresh(locals, id, body),
  'POST /versions/{id}/import': async ({ locals, request, id, body, key }) =>
    operationResponse(await importCells(locals, id, body, key), asksForArrow(request)),
  'POST /versions/{id}/import/preview': ({ db, id, body }) => previewImport(db, id, body),
  'POST /versions/{id}/slice': ({ db, id, body }) => previewSlice(db, id, body),
  'POST /versions/{id}/slices': ({ db, id, body }) => previewSlices(db, id, body),
  'GET /versions/{id}/locks': ({ db, id }) => locks(db, id),
  'POST /versions/{id}/locks': ({ db, id, body }) => addLock(db, id, body),
  'DELETE /locks/{id}': ({ db, id }) => removeLock(db, id),
  'POST /versions/{id}/{operation}': async ({ locals, request, id, operation, body, key }) =>
    operationResponse(await operate(locals, id, operation, body, key), asksForArrow(request)),
  'POST /versions/{id}/{operation}/preview': async ({ locals, request, id, operation, body }) =>
    previewResponse(await previewOperation(locals, id, operation, body), asksForArrow(request)),
  'POST /versions/{id}/preview': async ({ locals, request, id, body }) =>
    severalPreviewResponse(await previewSeveral(locals, id, body), asksForArrow(request)),
};
