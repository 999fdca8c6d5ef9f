/** Endpoints of the log: undo, redo, notes, explanations and accuracy. */
import * as v from 'valibot';
import { Accuracy, MOST_LAG } from '../accuracy';
import {
  EditNoteRequest,
  ExplainRequest,
  Explanation,
  LogAnswer,
  LogEntry,
  RedoAnswer,
  RedoRequest,
  RowsAnswer,
  RowsRequest,
  UndoAnswer,
  UndoneAnswer,
  UndoRequest,
} from '../log';
import { OperationAnswer, OPERATIONS, ReverseRequest } from '../operations';
import { OperationPreview } from '../previews';
import { text } from '../primitives';
import { VersionTotals } from '../versions';

import { type Endpoints, formulas, HISTORY_HEADERS, json, rows, wholeNumber } from './endpoint';

export const LOG_ENDPOINTS = {
  'GET /versions/{id}/log': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'The log entries with rows and totals, newest first',
    answer: { ...json(LogAnswer), headers: HISTORY_HEADERS },
  },
  'GET /versions/{id}/totals': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'Totals of a version, and by month',
    answer: json(VersionTotals),
  },
  'GET /versions/{id}/accuracy': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'How good the forecast of the closed months was',
    query: {
      by: {
        schema: v.array(text),
        description:
          'A dimension of the cells that are compared, or an attribute; repeat it for more than one',
      },
      lag: {
        schema: wholeNumber(0, MOST_LAG),
        description:
          'Only entries made at least this many months before a month began count as its forecast; by default all',
      },
      measure: {
        schema: text,
        description:
          'The measure whose differences decide which cells are in `worst`: `value`, `units` or the column of a further measure; by default the first one',
      },
    },
    answer: json(Accuracy),
    refusals: [409, 422],
  },
  'POST /versions/{id}/explain': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'Amounts that each log entry added to a slice, oldest first',
    request: ExplainRequest,
    answer: json(Explanation),
    refusals: [409],
  },
  'POST /versions/{id}/rows': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'The forecast rows of a slice, entry by entry, newest first',
    query: { formulas },
    request: RowsRequest,
    answer: { ...json(RowsAnswer), alsoCsv: true },
    refusals: [409, 422],
  },
  'GET /versions/{id}/undone': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'The entries that were undone or cleared, most recently undone first',
    answer: json(UndoneAnswer),
  },
  'POST /versions/{id}/redo/{logid}': {
    role: 'planner',
    territories: 'judged',
    summary: 'Redo: run an undone entry again, as a new entry',
    request: RedoRequest,
    writesRows: true,
    answer: rows(RedoAnswer),
    refusals: [403, 422],
  },
  'GET /log/{logid}/entry': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'A log entry with all of its request',
    answer: json(LogEntry),
  },
  'PATCH /log/{logid}': {
    role: 'planner',
    territories: 'judged',
    summary: "Change an entry's note, on a closed version too",
    request: EditNoteRequest,
    answer: json(LogEntry),
  },
  'DELETE /log/{logid}': {
    role: 'planner',
    territories: 'judged',
    summary: 'Undo: delete an entry and its rows',
    request: UndoRequest,
    optionalBody: true,
    writesRows: true,
    minimal: true,
    answer: json(UndoAnswer),
    refusals: [403, 409],
  },
  'POST /log/{logid}/reverse': {
    role: 'planner',
    territories: 'judged',
    summary: OPERATIONS.reverse.summary,
    request: ReverseRequest,
    writesRows: true,
    answer: rows(OperationAnswer),
    refusals: [403, 409, 422],
  },
  'POST /log/{logid}/reverse/preview': {
    role: 'reader',
    territories: 'judged',
    summary: 'Preview of a reverse',
    request: ReverseRequest,
    answer: rows(OperationPreview),
    refusals: [409, 422],
  },
} satisfies Endpoints;
