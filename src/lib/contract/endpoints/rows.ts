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
import { EVENT_STREAM } from '../events';
import { ForecastPreview, ForecastPreviewRequest } from '../forecasts';
import { Lock, LockRequest, LocksAnswer } from '../locks';
import { MOST_ENTRIES, SegmentsAnswer, UndoRequest } from '../log';
import {
  OperationAnswer,
  OPERATIONS,
  SLICE_OPERATIONS,
  SLICE_REQUESTS,
  SLICE_SKIPPED_HEADER,
} from '../operations';
import {
  OperationPreview,
  SeveralPreview,
  SeveralPreviewRequest,
  SlicePreview,
  SlicePreviewRequest,
} from '../previews';

import { arrow, created, type Endpoint, json, nothing, wholeNumber } from './endpoint';

/** Limits a read of rows to some entries. */
const ofEntries: Endpoint['query'] = {
  logid: {
    schema: v.pipe(v.array(wholeNumber(1, Number.MAX_SAFE_INTEGER)), v.maxLength(MOST_ENTRIES)),
    description: 'Entries whose rows are wanted, such as logid=7&logid=9; all by default',
  },
};

export const ROW_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'get',
    path: '/versions/{id}/data',
    role: 'reader',
    summary: 'All forecast rows, as one Arrow record batch; no bytes if there are none',
    query: ofEntries,
    answer: arrow,
    refusals: [400, 404, 409, 422],
  },
  {
    method: 'get',
    path: '/versions/{id}/agg',
    role: 'reader',
    summary: 'Forecast rows at the display grain, as one Arrow record batch',
    query: ofEntries,
    answer: arrow,
    refusals: [400, 404, 409, 422],
  },
  {
    method: 'get',
    path: '/versions/{id}/events',
    role: 'reader',
    summary: 'Every commit to a version from now on, as server-sent events',
    answer: { status: 200, body: EVENT_STREAM },
    refusals: [400, 404],
  },
  {
    method: 'post',
    path: '/versions/{id}/baseline',
    role: 'planner',
    summary: OPERATIONS.baseline.summary,
    request: BaselineRequest,
    writesRows: true,
    answer: json(LoadAnswer),
    refusals: [400, 403, 404, 409, 422, 501],
  },
  {
    method: 'put',
    path: '/versions/{id}/baseline/{logid}',
    role: 'planner',
    summary: 'Edit one baseline or reference segment: load it again with another request',
    request: BaselineRequest,
    writesRows: true,
    answer: json(LoadAnswer),
    refusals: [400, 403, 404, 409, 422, 501],
  },
  {
    method: 'delete',
    path: '/versions/{id}/baseline',
    role: 'planner',
    summary: 'Delete all baseline rows and their log entries',
    request: UndoRequest,
    optionalBody: true,
    writesRows: true,
    answer: json(ClearAnswer),
    refusals: [400, 403, 404, 409],
  },
  {
    method: 'post',
    path: '/versions/{id}/baseline/preview',
    role: 'reader',
    summary: 'Preview of a load',
    request: LoadPreviewRequest,
    answer: json(LoadPreview),
    refusals: [400, 404, 409, 422],
  },
  {
    method: 'post',
    path: '/versions/{id}/forecast/preview',
    role: 'reader',
    summary: "Forecast the source's rows by group, with bands and a backtest",
    request: ForecastPreviewRequest,
    answer: json(ForecastPreview),
    refusals: [400, 404, 409, 422],
  },
  {
    method: 'get',
    path: '/versions/{id}/segments',
    role: 'reader',
    summary: 'The loaded segments with their date spans, oldest first',
    answer: json(SegmentsAnswer),
    refusals: [400, 404],
  },
  {
    method: 'post',
    path: '/versions/{id}/reference',
    role: 'planner',
    summary: OPERATIONS.reference.summary,
    request: LoadRequest,
    writesRows: true,
    answer: json(LoadAnswer),
    refusals: [400, 403, 404, 409, 422],
  },
  {
    method: 'post',
    path: '/versions/{id}/slice',
    role: 'reader',
    summary: 'Rows and totals of a slice',
    request: SlicePreviewRequest,
    answer: json(SlicePreview),
    refusals: [400, 404, 409, 422],
  },
  {
    method: 'get',
    path: '/versions/{id}/locks',
    role: 'reader',
    summary: 'The locks of a version',
    answer: json(LocksAnswer),
    refusals: [400, 404],
  },
  {
    method: 'post',
    path: '/versions/{id}/locks',
    role: 'admin',
    summary: 'Lock a slice, so that nobody can change its rows',
    request: LockRequest,
    answer: created(Lock),
    refusals: [400, 403, 404, 409],
  },
  {
    method: 'delete',
    path: '/locks/{id}',
    role: 'admin',
    summary: 'Delete a lock',
    answer: nothing,
    refusals: [400, 403, 404],
  },
  ...SLICE_OPERATIONS.map((operation): Endpoint => ({
    method: 'post',
    path: `/versions/{id}/${operation}`,
    role: 'planner',
    summary: OPERATIONS[operation].summary,
    request: SLICE_REQUESTS[operation],
    writesRows: true,
    answer: { ...json(OperationAnswer), headers: [SLICE_SKIPPED_HEADER], alsoArrow: true },
    refusals: [400, 403, 404, 409, 422],
  })),
  ...SLICE_OPERATIONS.map((operation): Endpoint => ({
    method: 'post',
    path: `/versions/{id}/${operation}/preview`,
    role: 'reader',
    summary: `Preview of a ${operation}`,
    request: SLICE_REQUESTS[operation],
    answer: { ...json(OperationPreview), headers: [SLICE_SKIPPED_HEADER], alsoArrow: true },
    refusals: [400, 404, 409, 422, 423],
  })),
  {
    method: 'post',
    path: '/versions/{id}/preview',
    role: 'reader',
    summary: 'Preview of several operations, each on the result of the previous ones',
    request: SeveralPreviewRequest,
    answer: { ...json(SeveralPreview), headers: [SLICE_SKIPPED_HEADER], alsoArrow: true },
    refusals: [400, 404, 409, 422, 423],
  },
];
