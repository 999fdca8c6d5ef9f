/** Handlers of the log: undo, redo, notes, explanations and accuracy. */
import { json } from '@sveltejs/kit';
import type { LOG_ENDPOINTS } from '../../contract/endpoints/log';
import {
  csvResponse,
  historyHeaders,
  listedRowsResponse,
  operationResponse,
  previewResponse,
  undoResponse,
} from '../http/answers';
import { asksForArrow, asksForCsv, prefersMinimal } from '../http/asked';
import {
  editNote,
  explain,
  logEntries,
  logEntry,
  undo,
  undoneEntries,
} from '../services/entries/log';
import { previewReverse } from '../services/operations/preview';
import { reverse } from '../services/operations/reverse';
import { accuracy } from '../services/reading/accuracy';
import { listRows, listRowsCsv } from '../services/reading/rows';
import { versionTotals } from '../services/reading/version-totals';
import { redo } from '../services/replay/redo';
import type { Handlers } from './asked';

export const logHandlers: Handlers<typeof LOG_ENDPOINTS> = {
  'GET /versions/{id}/log': async ({ locals, id }) => {
    const { log, history } = await logEntries(locals, id);
    return json(log, { headers: historyHeaders(history) });
  },
  'GET /versions/{id}/totals': ({ locals, id }) => versionTotals(locals, id),
  'GET /versions/{id}/accuracy': ({ db, id, query: { by = [], lag, measure } }) =>
    accuracy(db, id, { by, lag, measure }),
  'POST /versions/{id}/explain': ({ db, id, body }) => explain(db, id, body.slice),
  'POST /versions/{id}/rows': async ({ locals, request, id, query, body }) => {
    if (!asksForCsv(request)) return listedRowsResponse(await listRows(locals, id, body));
    const { csv, skipped } = await listRowsCsv(locals.db, id, body, request.signal);
    return csvResponse(csv, { ...query, skipped });
  },
  'GET /versions/{id}/undone': ({ db, id }) => undoneEntries(db, id),
  'POST /versions/{id}/redo/{logid}': async ({ locals, request, id, logid, body, key }) => {
    const { memory, ...answer } = await redo(locals, id, logid, body.pf_user, key);
    if ('skipped' in answer) {
      return operationResponse({ ...answer, memory }, asksForArrow(request));
    }
    memory.release();
    return answer;
  },
  'GET /log/{logid}/entry': ({ db, logid }) => logEntry(db, logid),
  'PATCH /log/{logid}': ({ db, logid, body }) => editNote(db, logid, body.note),
  'DELETE /log/{logid}': async ({ locals, request, logid, body, key }) => {
    const withKeys = !prefersMinimal(request);
    return undoResponse(await undo(locals, logid, body.pf_user ?? null, withKeys, key));
  },
  'POST /log/{logid}/reverse': async ({ locals, request, logid, body, key }) =>
    operationResponse(await reverse(locals, logid, body, key), asksForArrow(request)),
  'POST /log/{logid}/reverse/preview': async ({ locals, request, logid, body }) =>
    previewResponse(await previewReverse(locals, logid, body), asksForArrow(request)),
};
