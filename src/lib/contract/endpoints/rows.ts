/** Endpoints of rows: reads, loads, operations and locks. */
import * as v from 'valibot';
import {
  BaselineRequest,
  ClearAnswer,
  LoadAnswer,
  LoadPreview,
  LoadPreviewRequest,
  LoadRequest,
} from '../loads';
import { FORMULAS } from '../formula-text';
import { EVENT_STREAM } from '../events';
import {
  ForecastAnswer,
  ForecastLevels,
  ForecastPreview,
  ForecastPreviewRequest,
  ForecastRequest,
} from '../forecasts';
import { ImportPreview, ImportPreviewRequest, ImportRequest } from '../imports';
import { ActualsAnswer, ActualsPreview, ActualsPreviewRequest, ActualsRequest } from '../actuals';
import { Lock, LockRequest, LocksAnswer } from '../locks';
import { RefreshAnswer, RefreshPreview, RefreshPreviewRequest, RefreshRequest } from '../refreshes';
import { MOST_ENTRIES, SegmentsAnswer, UndoRequest } from '../log';
import { OperationAnswer, OPERATIONS, SLICE_OPERATIONS, SLICE_REQUESTS } from '../operations';
import {
  OperationPreview,
  SeveralPreview,
  SeveralPreviewRequest,
  SlicePreview,
  SlicePreviewRequest,
  SlicesPreview,
  SlicesPreviewRequest,
} from '../previews';

import {
  arrow,
  created,
  type Endpoints,
  json,
  nothing,
  oneOf,
  PATH_PARAMETERS,
  rows,
} from './endpoint';

/** Limits a read of rows to some entries, and protects texts of CSV. */
const ofRows = {
  logid: {
    schema: v.pipe(
      v.array(PATH_PARAMETERS.logid),
      v.maxLength(MOST_ENTRIES, `must not name more than ${MOST_ENTRIES} entries`),
    ),
    description: 'Entries whose rows are wanted, such as logid=7&logid=9; all by default',
  },
  formulas: {
    schema: oneOf(FORMULAS),
    description: 'In CSV, an apostrophe before each text that a spreadsheet would run as a formula',
  },
};

const SUMMARIES = Object.fromEntries(
  SLICE_OPERATIONS.map((operation) => [operation, OPERATIONS[operation].summary]),
);

export const ROW_ENDPOINTS = {
  'GET /versions/{id}/data': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'All forecast rows, as one Arrow record batch; no bytes if there are none',
    query: ofRows,
    answer: arrow,
    refusals: [409, 422],
  },
  'GET /versions/{id}/agg': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'Forecast rows at the display grain, as one Arrow record batch',
    query: ofRows,
    answer: arrow,
    refusals: [409, 422],
  },
  'GET /versions/{id}/events': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'Every commit to a version from now on, as server-sent events',
    answer: { status: 200, body: EVENT_STREAM },
  },
  'POST /versions/{id}/baseline': {
    role: 'planner',
    territories: 'refused',
    because: 'a load takes rows of the whole source',
    summary: OPERATIONS.baseline.summary,
    request: BaselineRequest,
    writesRows: true,
    answer: json(LoadAnswer),
    refusals: [403, 409, 422, 501],
  },
  'PUT /versions/{id}/baseline/{logid}': {
    role: 'planner',
    territories: 'refused',
    because: 'a load takes rows of the whole source',
    summary: 'Edit one baseline or reference segment: load it again with another request',
    request: BaselineRequest,
    writesRows: true,
    answer: json(LoadAnswer),
    refusals: [403, 409, 422, 501],
  },
  'DELETE /versions/{id}/baseline': {
    role: 'planner',
    territories: 'refused',
    because: 'it deletes every row of the baseline',
    summary: 'Delete all baseline rows and their log entries',
    request: UndoRequest,
    optionalBody: true,
    writesRows: true,
    answer: json(ClearAnswer),
    refusals: [403, 409],
  },
  'POST /versions/{id}/baseline/preview': {
    role: 'reader',
    territories: 'refused',
    because: 'a load takes rows of the whole source',
    summary: 'Preview of a load',
    request: LoadPreviewRequest,
    answer: json(LoadPreview),
    refusals: [409, 422],
  },
  'POST /versions/{id}/forecast': {
    role: 'planner',
    territories: 'refused',
    because: 'a forecast learns from every row of the source',
    summary: OPERATIONS.forecast.summary,
    request: ForecastRequest,
    writesRows: true,
    answer: { ...json(ForecastAnswer), alsoLines: true },
    refusals: [403, 409, 422],
  },
  'POST /versions/{id}/forecast/preview': {
    role: 'reader',
    territories: 'refused',
    because: 'a forecast learns from every row of the source',
    summary: "Forecast the source's rows by group, with bands and a backtest",
    request: ForecastPreviewRequest,
    answer: { ...json(ForecastPreview), alsoLines: true },
    refusals: [409, 422],
  },
  'POST /versions/{id}/forecast/levels': {
    role: 'reader',
    territories: 'refused',
    because: 'a forecast learns from every row of the source',
    summary: 'Compare the levels that a forecast can be fitted at',
    request: ForecastPreviewRequest,
    answer: { ...json(ForecastLevels), alsoLines: true },
    refusals: [409, 422],
  },
  'GET /versions/{id}/segments': {
    role: 'reader',
    territories: 'refused',
    because: 'a segment has rows of the whole source',
    summary: 'The loaded segments with their date spans, oldest first',
    answer: json(SegmentsAnswer),
  },
  'POST /versions/{id}/reference': {
    role: 'planner',
    territories: 'refused',
    because: 'a load takes rows of the whole source',
    summary: OPERATIONS.reference.summary,
    request: LoadRequest,
    writesRows: true,
    answer: json(LoadAnswer),
    refusals: [403, 409, 422],
  },
  'POST /versions/{id}/actuals': {
    role: 'planner',
    territories: 'refused',
    because: 'closed months are locked for everybody',
    summary: OPERATIONS.actual.summary,
    request: ActualsRequest,
    writesRows: true,
    answer: { ...json(ActualsAnswer), alsoArrow: true },
    refusals: [403, 409, 422],
  },
  'POST /versions/{id}/actuals/preview': {
    role: 'reader',
    territories: 'refused',
    because: 'closed months are locked for everybody',
    summary: 'Preview of closing months, month by month',
    request: ActualsPreviewRequest,
    answer: json(ActualsPreview),
    refusals: [409, 422],
  },
  'POST /versions/{id}/refresh': {
    role: 'planner',
    territories: 'refused',
    because: 'a load takes rows of the whole source',
    summary: OPERATIONS.refresh.summary,
    request: RefreshRequest,
    writesRows: true,
    answer: json(RefreshAnswer),
    refusals: [403, 409, 422],
  },
  'POST /versions/{id}/refresh/preview': {
    role: 'reader',
    territories: 'refused',
    because: 'a load takes rows of the whole source',
    summary: 'Preview of a refresh, month by month',
    request: RefreshPreviewRequest,
    answer: json(RefreshPreview),
    refusals: [409, 422],
  },
  'POST /versions/{id}/import': {
    role: 'planner',
    territories: 'judged',
    summary: OPERATIONS.import.summary,
    request: ImportRequest,
    longBody: true,
    writesRows: true,
    answer: rows(OperationAnswer),
    refusals: [403, 409, 422],
  },
  'POST /versions/{id}/import/preview': {
    role: 'reader',
    territories: 'judged',
    summary: 'The cells of an import as they are, and what later entries added to them',
    request: ImportPreviewRequest,
    longBody: true,
    answer: json(ImportPreview),
    refusals: [409, 422],
  },
  'POST /versions/{id}/slice': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'Rows and totals of a slice',
    request: SlicePreviewRequest,
    answer: json(SlicePreview),
    refusals: [409, 422],
  },
  'POST /versions/{id}/slices': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'Rows and totals of many slices',
    request: SlicesPreviewRequest,
    answer: json(SlicesPreview),
    refusals: [409, 422],
  },
  'GET /versions/{id}/locks': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'The locks of a version',
    answer: json(LocksAnswer),
  },
  'POST /versions/{id}/locks': {
    role: 'admin',
    territories: 'refused',
    summary: 'Lock a slice, so that nobody can change its rows',
    request: LockRequest,
    answer: created(Lock),
    refusals: [403, 409],
  },
  'DELETE /locks/{id}': {
    role: 'admin',
    territories: 'refused',
    summary: 'Delete a lock',
    answer: nothing,
    refusals: [403, 409],
  },
  'POST /versions/{id}/{operation}': {
    role: 'planner',
    territories: 'judged',
    summary: SUMMARIES,
    request: SLICE_REQUESTS,
    writesRows: true,
    answer: rows(OperationAnswer),
    refusals: [403, 409, 422],
  },
  'POST /versions/{id}/{operation}/preview': {
    role: 'reader',
    territories: 'judged',
    summary: Object.fromEntries(
      SLICE_OPERATIONS.map((operation) => [operation, `Preview of a ${operation}`]),
    ),
    request: SLICE_REQUESTS,
    answer: rows(OperationPreview),
    refusals: [409, 422, 423],
  },
  'POST /versions/{id}/preview': {
    role: 'reader',
    territories: 'judged',
    summary: 'Preview of several operations, each on the result of the previous ones',
    request: SeveralPreviewRequest,
    longBody: true,
    answer: rows(SeveralPreview),
    refusals: [409, 422, 423],
  },
} satisfies Endpoints;
