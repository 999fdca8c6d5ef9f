/** Every endpoint of the API: method, path, role, body and answers. OpenAPI and the tests read this list. */
import * as v from 'valibot';
import { ColumnsAnswer, ColumnsSaveRequest } from './columns';
import {
  BaselineRequest,
  ClearAnswer,
  LoadAnswer,
  LoadPreview,
  LoadPreviewRequest,
  LoadRequest,
} from './loads';
import { EVENT_STREAM } from './events';
import { Lock, LockRequest, LocksAnswer } from './locks';
import {
  EditNoteRequest,
  ExplainRequest,
  Explanation,
  LogAnswer,
  LogEntry,
  MOST_ENTRIES,
  RedoAnswer,
  RedoRequest,
  SegmentsAnswer,
  UndoAnswer,
  UndoneAnswer,
  UndoRequest,
} from './log';
import type { Role } from './me';
import { Me } from './me';
import {
  OperationAnswer,
  OperationPreview,
  OPERATIONS,
  SLICE_OPERATIONS,
  SLICE_REQUESTS,
  SLICE_SKIPPED_HEADER,
  SlicePreview,
  SlicePreviewRequest,
} from './operations';
import { ARROW } from './primitives';
import {
  ColumnValues,
  EditSourceRequest,
  GrainEstimate,
  GrainEstimateRequest,
  RegisterSourceRequest,
  Source,
  SourcesAnswer,
  TablePreview,
  TablesAnswer,
  TemplatesAnswer,
  TemplatesPreview,
} from './sources';
import { ReplayAnswer, ReplayedAnswer, ReplayVersionRequest } from './replays';
import {
  CloseVersionRequest,
  CopyVersionRequest,
  CreateVersionRequest,
  EditVersionRequest,
  Version,
  VersionsAnswer,
  VersionTotals,
} from './versions';
import { CreateViewRequest, EditViewRequest, NamedView, NamedViewsAnswer } from './views';

/** The text format of Prometheus. */
export const METRICS = 'text/plain';

/** One endpoint as the service promises it. */
export interface Endpoint {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path below `/api`; a parameter is its name in braces, such as `{id}`. */
  path: string;
  /**
   * The role that it needs if people are signed in (docs/contract/20-who-is-signed-in.md#roles); null
   * if it asks for no name.
   */
  role: Role | null;
  summary: string;
  /** Parameters of the query string by name. */
  query?: Record<string, { schema: v.GenericSchema; description: string; required?: boolean }>;
  request?: v.GenericSchema;
  /** Whether the body may be left out. */
  optionalBody?: true;
  /** Whether it writes rows, and so takes an `Idempotency-Key`. */
  writesRows?: true;
  /** The answer that succeeds: JSON of a schema, Arrow, the text of the metrics, events, or nothing. */
  answer: {
    status: 200 | 201 | 204;
    body?: v.GenericSchema | typeof ARROW | typeof METRICS | typeof EVENT_STREAM;
    headers?: string[];
    /** Whether it comes as Arrow, too, if `Accept` asks for that. */
    alsoArrow?: true;
    /** Whether it comes as CSV, too, if `Accept` asks for that. */
    alsoCsv?: true;
  };
  /**
   * The statuses of its refusals. Common to all, and not listed: 401 and 403 for a role, 403, 413, 415
   * and 422 for bodies, 421 for a host that is not served, 503 for "not now, try again" and 500 for anything
   * else.
   */
  refusals: readonly number[];
}

const wholeNumber = (min: number, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));

const json = (body: v.GenericSchema): Endpoint['answer'] => ({ status: 200, body });
const created = (body: v.GenericSchema): Endpoint['answer'] => ({ status: 201, body });
const nothing: Endpoint['answer'] = { status: 204 };
const arrow: Endpoint['answer'] = {
  status: 200,
  body: ARROW,
  headers: ['ETag', 'X-Row-Count', 'Content-Length'],
  alsoCsv: true,
};

/** The entries that a read of rows is limited to. */
const ofEntries: Endpoint['query'] = {
  logid: {
    schema: v.pipe(v.array(wholeNumber(1, Number.MAX_SAFE_INTEGER)), v.maxLength(MOST_ENTRIES)),
    description: 'Entries whose rows are wanted, such as logid=7&logid=9; all if it is left out',
  },
};

/**
 * Every endpoint of the service, in the order of a plan's life (docs/contract/11-endpoints.md). The
 * OpenAPI document is made from it.
 */
export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'get',
    path: '/health',
    role: null,
    summary: 'Whether the database answers and its schema is current',
    answer: json(v.object({ status: v.literal('ok') })),
    refusals: [503],
  },
  {
    method: 'get',
    path: '/health/live',
    role: null,
    summary: 'Whether the process can answer, in any state of the database',
    answer: json(v.object({ status: v.literal('ok') })),
    refusals: [],
  },
  {
    method: 'get',
    path: '/metrics',
    role: null,
    summary: 'Requests, connections and waiting of this process, for Prometheus',
    answer: { status: 200, body: METRICS },
    refusals: [404],
  },
  {
    method: 'get',
    path: '/openapi.json',
    role: 'reader',
    summary: 'This document',
    answer: json(v.looseObject({ openapi: v.string() })),
    refusals: [],
  },
  {
    method: 'get',
    path: '/me',
    role: 'reader',
    summary: 'Who is signed in, and what they may do',
    answer: json(Me),
    refusals: [],
  },
  {
    method: 'get',
    path: '/tables',
    role: 'reader',
    summary: 'Tables and views that a source can be made of',
    answer: json(TablesAnswer),
    refusals: [],
  },
  {
    method: 'get',
    path: '/tables/{schema}/{tname}',
    role: 'reader',
    summary: 'Columns and first rows of a table',
    query: { limit: { schema: wholeNumber(1, 500), description: 'Rows; 50 if it is left out' } },
    answer: json(TablePreview),
    refusals: [400, 404, 422],
  },
  {
    method: 'get',
    path: '/sources',
    role: 'reader',
    summary: 'Registered sources',
    query: {
      status: {
        schema: v.picklist(['active', 'all']),
        description: 'all lists the archived too; active if it is left out',
      },
    },
    answer: json(SourcesAnswer),
    refusals: [400],
  },
  {
    method: 'post',
    path: '/sources',
    role: 'admin',
    summary: 'Register a table as a source',
    request: RegisterSourceRequest,
    answer: created(Source),
    refusals: [400, 404, 409],
  },
  {
    method: 'get',
    path: '/sources/{id}',
    role: 'reader',
    summary: 'One source',
    answer: json(Source),
    refusals: [400, 404],
  },
  {
    method: 'patch',
    path: '/sources/{id}',
    role: 'admin',
    summary: 'Change label, status or default layout',
    request: EditSourceRequest,
    answer: json(Source),
    refusals: [400, 404],
  },
  {
    method: 'delete',
    path: '/sources/{id}',
    role: 'admin',
    summary: 'Delete a source that has no versions',
    answer: nothing,
    refusals: [400, 404, 409],
  },
  {
    method: 'get',
    path: '/sources/{id}/columns',
    role: 'reader',
    summary: 'Column metadata with the database types',
    answer: json(ColumnsAnswer),
    refusals: [400, 404],
  },
  {
    method: 'put',
    path: '/sources/{id}/columns',
    role: 'admin',
    summary: 'Save column metadata, all of it or nothing',
    request: ColumnsSaveRequest,
    answer: json(ColumnsAnswer),
    refusals: [400, 404],
  },
  {
    method: 'get',
    path: '/sources/{id}/values',
    role: 'reader',
    summary: 'Distinct values of a column, most frequent first',
    query: {
      cname: { schema: v.string(), description: 'The column', required: true },
      search: { schema: v.string(), description: 'Text that the values contain, in any case' },
      limit: { schema: wholeNumber(1, 500), description: 'Values; 50 if it is left out' },
    },
    answer: json(ColumnValues),
    refusals: [400, 404, 422],
  },
  {
    method: 'post',
    path: '/sources/{id}/grain-estimate',
    role: 'reader',
    summary: 'How many rows a display grain of some columns would leave',
    request: GrainEstimateRequest,
    answer: json(GrainEstimate),
    refusals: [400, 404, 422],
  },
  {
    method: 'get',
    path: '/sources/{id}/sql',
    role: 'reader',
    summary: 'The stored SQL templates',
    answer: json(TemplatesAnswer),
    refusals: [400, 404],
  },
  {
    method: 'post',
    path: '/sources/{id}/sql',
    role: 'admin',
    summary: 'Generate and store the SQL templates',
    answer: json(TemplatesAnswer),
    refusals: [400, 404, 422],
  },
  {
    method: 'get',
    path: '/sources/{id}/sql/preview',
    role: 'reader',
    summary: 'What a generation would store now',
    answer: json(TemplatesPreview),
    refusals: [400, 404, 422],
  },
  {
    method: 'get',
    path: '/sources/{id}/versions',
    role: 'reader',
    summary: 'The versions of a source',
    answer: json(VersionsAnswer),
    refusals: [400, 404],
  },
  {
    method: 'post',
    path: '/sources/{id}/versions',
    role: 'planner',
    summary: 'Create a version with its forecast table',
    request: CreateVersionRequest,
    answer: created(Version),
    refusals: [400, 404, 409, 422],
  },
  {
    method: 'get',
    path: '/sources/{id}/views',
    role: 'reader',
    summary: 'The named views of a source',
    answer: json(NamedViewsAnswer),
    refusals: [400, 404],
  },
  {
    method: 'post',
    path: '/sources/{id}/views',
    role: 'planner',
    summary: 'Save an arrangement of the pivot under a name',
    request: CreateViewRequest,
    answer: created(NamedView),
    refusals: [400, 404, 409],
  },
  {
    method: 'patch',
    path: '/views/{id}',
    role: 'planner',
    summary: 'Change name or layout of a view',
    request: EditViewRequest,
    answer: json(NamedView),
    refusals: [400, 404, 409],
  },
  {
    method: 'delete',
    path: '/views/{id}',
    role: 'planner',
    summary: 'Delete a view',
    answer: nothing,
    refusals: [400, 404],
  },
  {
    method: 'get',
    path: '/versions/{id}',
    role: 'reader',
    summary: 'One version',
    answer: json(Version),
    refusals: [400, 404],
  },
  {
    method: 'patch',
    path: '/versions/{id}',
    role: 'planner',
    summary: 'Change name, description or the iterations that operations skip',
    request: EditVersionRequest,
    answer: json(Version),
    refusals: [400, 403, 404, 409],
  },
  {
    method: 'delete',
    path: '/versions/{id}',
    role: 'admin',
    summary: 'Delete a version with its rows and its log',
    answer: nothing,
    refusals: [400, 403, 404],
  },
  {
    method: 'post',
    path: '/versions/{id}/copy',
    role: 'planner',
    summary: 'Make a version with the same rows, entries and locks',
    request: CopyVersionRequest,
    writesRows: true,
    answer: created(Version),
    refusals: [400, 404, 409],
  },
  {
    method: 'post',
    path: '/versions/{id}/replay',
    role: 'planner',
    summary: 'Make a version by running all entries again on the source as it is now',
    request: ReplayVersionRequest,
    writesRows: true,
    answer: created(ReplayAnswer),
    refusals: [400, 404, 409, 422],
  },
  {
    method: 'get',
    path: '/versions/{id}/replayed',
    role: 'reader',
    summary: 'The result of each entry of a replayed version',
    answer: json(ReplayedAnswer),
    refusals: [400, 404],
  },
  {
    method: 'post',
    path: '/versions/{id}/close',
    role: 'planner',
    summary: 'Close a version to writes',
    request: CloseVersionRequest,
    answer: json(Version),
    refusals: [400, 404, 409],
  },
  {
    method: 'post',
    path: '/versions/{id}/open',
    role: 'planner',
    summary: 'Open a closed version again',
    request: CloseVersionRequest,
    answer: json(Version),
    refusals: [400, 404, 409],
  },
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
    summary: 'Load one baseline or reference segment again with other parameters',
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
    summary: 'What a load would bring, without making it',
    request: LoadPreviewRequest,
    answer: json(LoadPreview),
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
    summary: 'What an operation on a slice would touch',
    request: SlicePreviewRequest,
    answer: json(SlicePreview),
    refusals: [400, 404, 409],
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
    summary: 'Unlock: delete a lock',
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
    summary: `What a ${operation} would do, without doing it`,
    request: SLICE_REQUESTS[operation],
    answer: { ...json(OperationPreview), headers: [SLICE_SKIPPED_HEADER], alsoArrow: true },
    refusals: [400, 404, 409, 422],
  })),
  {
    method: 'get',
    path: '/versions/{id}/log',
    role: 'reader',
    summary: 'The log entries with rows and totals, newest first',
    answer: json(LogAnswer),
    refusals: [400, 404],
  },
  {
    method: 'get',
    path: '/versions/{id}/totals',
    role: 'reader',
    summary: 'What a version adds up to, altogether and by month',
    answer: json(VersionTotals),
    refusals: [400, 404],
  },
  {
    method: 'post',
    path: '/versions/{id}/explain',
    role: 'reader',
    summary: 'What each log entry has put into a slice, oldest first',
    request: ExplainRequest,
    answer: json(Explanation),
    refusals: [400, 404, 409],
  },
  {
    method: 'get',
    path: '/versions/{id}/undone',
    role: 'reader',
    summary: 'The entries that were undone or cleared, the last first',
    answer: json(UndoneAnswer),
    refusals: [400, 404],
  },
  {
    method: 'post',
    path: '/versions/{id}/redo/{logid}',
    role: 'planner',
    summary: 'Redo: run an undone entry again, as a new entry',
    request: RedoRequest,
    writesRows: true,
    answer: { ...json(RedoAnswer), headers: [SLICE_SKIPPED_HEADER], alsoArrow: true },
    refusals: [400, 403, 404, 422],
  },
  {
    method: 'patch',
    path: '/log/{logid}',
    role: 'planner',
    summary: "Change an entry's note, on a closed version too",
    request: EditNoteRequest,
    answer: json(LogEntry),
    refusals: [400, 404],
  },
  {
    method: 'delete',
    path: '/log/{logid}',
    role: 'planner',
    summary: 'Undo: delete an entry and its rows',
    request: UndoRequest,
    optionalBody: true,
    writesRows: true,
    answer: json(UndoAnswer),
    refusals: [400, 403, 404, 409],
  },
];
