/** The endpoints of the API as typed functions. */
import type { Accuracy } from '../contract/accuracy';
import type { ColumnEntry, ColumnSave } from '../contract/columns';
import type {
  ForecastAnswer,
  ForecastPreview,
  ForecastPreviewRequest,
  ForecastRequest,
} from '../contract/forecasts';
import type {
  BaselineRequest,
  ClearAnswer,
  LoadAnswer,
  LoadPreview,
  LoadPreviewRequest,
  LoadRequest,
} from '../contract/loads';
import type { Lock, LockRequest } from '../contract/locks';
import type {
  Explanation,
  LogAnswer,
  LogEntry,
  Segment,
  UndoMinimalAnswer,
  UndoneEntry,
} from '../contract/log';
import type { Me } from '../contract/me';
import type { Slice } from '../contract/slices';
import type { History } from '../contract/primitives';
import {
  ARROW,
  CSV,
  PREFER_HEADER,
  RETURN_MINIMAL,
  REVISION_HEADER,
  TIMELINE_HEADER,
} from '../contract/primitives';
import type { CreateProfileRequest, EditProfileRequest, NamedProfile } from '../contract/profiles';
import type { ReplayAnswer, ReplayedEntry, ReplayVersionRequest } from '../contract/replays';
import type {
  ColumnValues,
  EditSourceRequest,
  GrainEstimate,
  RegisterSourceRequest,
  Source,
  SourceListEntry,
  TableEntry,
  TablePreview,
  Template,
  TemplatesPreview,
} from '../contract/sources';
import type {
  CopyVersionRequest,
  CreateVersionRequest,
  EditVersionRequest,
  Version,
  VersionListEntry,
  VersionTotals,
} from '../contract/versions';
import type { CreateViewRequest, EditViewRequest, NamedView } from '../contract/views';
import {
  ASKS_FOR_ARROW,
  type CallOptions,
  complete,
  json,
  path,
  read,
  readArrow,
  send,
} from './http';
import { write } from './writes';

/** GET /me: the signed-in user and their roles. */
export const getMe = (o?: CallOptions) => json<Me>('/api/me', o);

// Tables and sources

/** GET /tables: every table that can be registered. */
export const listTables = (o?: CallOptions) => json<TableEntry[]>('/api/tables', o);

/** GET /tables/:schema/:tname: columns and the first rows (at most 500). */
export const previewTable = (schema: string, tname: string, limit = 50, o?: CallOptions) =>
  json<TablePreview>(path`/tables/${schema}/${tname}` + `?limit=${limit}`, o);

/** GET /sources: active sources; with `all`, archived ones too. */
export const listSources = (o?: CallOptions & { all?: boolean }) =>
  json<SourceListEntry[]>('/api/sources' + (o?.all ? '?status=all' : ''), o);

/** POST /sources: registers a table, with every column as `ignore`; 409 if it is registered already. */
export const registerSource = (body: RegisterSourceRequest, o?: CallOptions) =>
  json<Source>('/api/sources', { ...o, method: 'POST', body });

/** GET /sources/:id: 404 if there is none. */
export const getSource = (id: number, o?: CallOptions) => json<Source>(path`/sources/${id}`, o);

/** PATCH /sources/:id: omitted fields stay unchanged, null clears a field. */
export const editSource = (id: number, body: EditSourceRequest, o?: CallOptions) =>
  json<Source>(path`/sources/${id}`, { ...o, method: 'PATCH', body });

/** DELETE /sources/:id: deletes its columns and templates too; 409 while it has versions. */
export const deleteSource = async (id: number, o?: CallOptions) => {
  await send(path`/sources/${id}`, { ...o, method: 'DELETE' });
};

/** GET /sources/:id/columns: column metadata in the standard order. */
export const listColumns = (id: number, o?: CallOptions) =>
  json<ColumnEntry[]>(path`/sources/${id}/columns`, o);

/** PUT /sources/:id/columns: saves all entries or none; returns all saved entries. */
export const saveColumns = (id: number, body: ColumnSave[], o?: CallOptions) =>
  json<ColumnEntry[]>(path`/sources/${id}/columns`, { ...o, method: 'PUT', body });

/** GET /sources/:id/values: distinct values of a source column, most frequent first. */
export const listColumnValues = (
  id: number,
  cname: string,
  search = '',
  o?: CallOptions & { limit?: number },
) => {
  const query = new URLSearchParams({ cname });
  if (search) query.set('search', search);
  if (o?.limit) query.set('limit', String(o.limit));
  return json<ColumnValues>(path`/sources/${id}/values` + `?${query}`, o);
};

/** POST /sources/:id/grain-estimate: number of rows that the given columns would leave. */
export const estimateGrain = (id: number, columns: string[], o?: CallOptions) =>
  json<GrainEstimate>(path`/sources/${id}/grain-estimate`, {
    ...o,
    method: 'POST',
    body: { columns },
  });

/** GET /sources/:id/sql: the stored templates; empty before the first generation. */
export const listSql = (id: number, o?: CallOptions) =>
  json<Template[]>(path`/sources/${id}/sql`, o);

/** POST /sources/:id/sql: generates and stores the templates. */
export const generateSql = (id: number, o?: CallOptions) =>
  json<Template[]>(path`/sources/${id}/sql`, { ...o, method: 'POST' });

/** GET /sources/:id/sql/preview: the templates that a generation would produce now; they are not stored. */
export const previewSql = (id: number, o?: CallOptions) =>
  json<TemplatesPreview>(path`/sources/${id}/sql/preview`, o);

// Named views

/** GET /sources/:id/views: sorted by name. */
export const listViews = (sourceId: number, o?: CallOptions) =>
  json<NamedView[]>(path`/sources/${sourceId}/views`, o);

/** POST /sources/:id/views: 409 if the name is taken. */
export const createView = (sourceId: number, body: CreateViewRequest, o?: CallOptions) =>
  json<NamedView>(path`/sources/${sourceId}/views`, { ...o, method: 'POST', body });

/** PATCH /views/:id: omitted fields stay unchanged; 409 if the name is taken. */
export const editView = (id: number, body: EditViewRequest, o?: CallOptions) =>
  json<NamedView>(path`/views/${id}`, { ...o, method: 'PATCH', body });

/** DELETE /views/:id: 404 if it is gone already. */
export const deleteView = async (id: number, o?: CallOptions) => {
  await send(path`/views/${id}`, { ...o, method: 'DELETE' });
};

// Named profiles

/** GET /sources/:id/profiles: sorted by name. */
export const listProfiles = (sourceId: number, o?: CallOptions) =>
  json<NamedProfile[]>(path`/sources/${sourceId}/profiles`, o);

/** POST /sources/:id/profiles: 12 weights, January first; 409 if the name is taken. */
export const createProfile = (sourceId: number, body: CreateProfileRequest, o?: CallOptions) =>
  json<NamedProfile>(path`/sources/${sourceId}/profiles`, { ...o, method: 'POST', body });

/** PATCH /profiles/:id: omitted fields stay unchanged; 409 if the name is taken. */
export const editProfile = (id: number, body: EditProfileRequest, o?: CallOptions) =>
  json<NamedProfile>(path`/profiles/${id}`, { ...o, method: 'PATCH', body });

/** DELETE /profiles/:id: 404 if it is gone already. */
export const deleteProfile = async (id: number, o?: CallOptions) => {
  await send(path`/profiles/${id}`, { ...o, method: 'DELETE' });
};

// Formulas

export * from './formulas';

// Versions

/** GET /sources/:id/versions: oldest first, each with its rows and its last change. */
export const listVersions = (sourceId: number, o?: CallOptions) =>
  json<VersionListEntry[]>(path`/sources/${sourceId}/versions`, o);

/** POST /sources/:id/versions: 409 if the name is taken, the source is archived or has no SQL. */
export const createVersion = (sourceId: number, body: CreateVersionRequest, o?: CallOptions) =>
  json<Version>(path`/sources/${sourceId}/versions`, { ...o, method: 'POST', body });

/** GET /versions/:id: 404 if there is none. */
export const getVersion = (id: number, o?: CallOptions) => json<Version>(path`/versions/${id}`, o);

/** PATCH /versions/:id: omitted fields stay unchanged, null clears the description; 403 if it is closed. */
export const editVersion = (id: number, body: EditVersionRequest, o?: CallOptions) =>
  json<Version>(path`/versions/${id}`, { ...o, method: 'PATCH', body });

/** DELETE /versions/:id: deletes its rows and its log too; 403 if it is closed. */
export const deleteVersion = async (id: number, o?: CallOptions) => {
  await send(path`/versions/${id}`, { ...o, method: 'DELETE' });
};

/**
 * POST /versions/:id/copy: creates a version with the same rows, entries and locks; 409 if the name is taken.
 */
export const copyVersion = (id: number, body: CopyVersionRequest, o?: CallOptions) =>
  write<Version>(path`/versions/${id}/copy`, { ...o, method: 'POST', body });

/**
 * POST /versions/:id/replay: creates a version by running the loads and operations of another one again on
 * the current source. It takes as long as they do. 422 names the first that fails, unless failures are
 * skipped.
 */
export const replayVersion = (id: number, body: ReplayVersionRequest, o?: CallOptions) =>
  write<ReplayAnswer>(path`/versions/${id}/replay`, { ...o, method: 'POST', body });

/** GET /versions/:id/replayed: the outcome of each entry; empty if the version is not a replay. */
export const listReplayed = (id: number, o?: CallOptions) =>
  json<ReplayedEntry[]>(path`/versions/${id}/replayed`, o);

/**
 * GET /versions/:id/accuracy: the errors of the forecast of the closed months.
 *
 * @param query the dimensions of the cells, and the lag in months, as a query string
 */
export const getAccuracy = (id: number, query: URLSearchParams, o?: CallOptions) =>
  json<Accuracy>(path`/versions/${id}/accuracy` + `?${query}`, o);

/** POST /versions/:id/close: its rows cannot be changed until it is opened; 409 if it is closed already. */
export const closeVersion = (id: number, pf_user: string, o?: CallOptions) =>
  json<Version>(path`/versions/${id}/close`, { ...o, method: 'POST', body: { pf_user } });

/** POST /versions/:id/open: 409 if it is open already. */
export const openVersion = (id: number, pf_user: string, o?: CallOptions) =>
  json<Version>(path`/versions/${id}/open`, { ...o, method: 'POST', body: { pf_user } });

// Data

/**
 * GET /versions/:id/data or /agg as CSV, for a file. Throws ApiError like every other call (404 if `get_agg`
 * is not generated).
 */
export const loadCsv = (id: number, endpoint: 'data' | 'agg', o?: CallOptions): Promise<Blob> => {
  const url = endpoint === 'data' ? path`/versions/${id}/data` : path`/versions/${id}/agg`;
  return send(`${url}?formulas=protected`, { ...o, headers: { accept: CSV } }).then((response) =>
    complete(() => response.blob(), o),
  );
};

/**
 * GET /versions/:id/data or /agg, as a response whose body is the Arrow stream: the caller reads it piece by
 * piece to show progress. With `logids`, only the rows of those entries (at most 100). Throws ApiError like
 * every other call (404 if `get_agg` is not generated).
 */
export const loadRows = (
  id: number,
  endpoint: 'data' | 'agg',
  o?: CallOptions & { logids?: readonly number[] },
) => {
  const { logids = [], ...call } = o ?? {};
  const query = new URLSearchParams(logids.map((logid) => ['logid', String(logid)]));
  return send(path`/versions/${id}/${endpoint}` + (logids.length > 0 ? `?${query}` : ''), call);
};

// Baseline and reference

/** GET /versions/:id/segments: the loaded baseline and reference segments with their date spans. */
export const listSegments = (id: number, o?: CallOptions) =>
  json<Segment[]>(path`/versions/${id}/segments`, o);

/** POST /versions/:id/baseline/preview: the rows that a load would add, before it is made. */
export const previewLoad = (id: number, body: LoadPreviewRequest, o?: CallOptions) =>
  json<LoadPreview>(path`/versions/${id}/baseline/preview`, { ...o, method: 'POST', body });

/** POST /versions/:id/forecast: loads a forecast of the source as a segment. */
export const loadForecast = (id: number, body: ForecastRequest, o?: CallOptions) =>
  write<ForecastAnswer>(path`/versions/${id}/forecast`, { ...o, method: 'POST', body });

/** POST /versions/:id/forecast/preview: forecasts the source's rows by group, and writes nothing. */
export const previewForecast = (id: number, body: ForecastPreviewRequest, o?: CallOptions) =>
  json<ForecastPreview>(path`/versions/${id}/forecast/preview`, { ...o, method: 'POST', body });

/** POST /versions/:id/baseline: adds a segment to plan on; 422 if no row matches. */
export const loadBaseline = (id: number, body: BaselineRequest, o?: CallOptions) =>
  write<LoadAnswer>(path`/versions/${id}/baseline`, { ...o, method: 'POST', body });

/** POST /versions/:id/reference: adds a segment to compare with; 422 if no row matches. */
export const loadReference = (id: number, body: LoadRequest, o?: CallOptions) =>
  write<LoadAnswer>(path`/versions/${id}/reference`, { ...o, method: 'POST', body });

/** PUT /versions/:id/baseline/:logid: replaces one segment; 409 while an operation exists. */
export const editSegment = (id: number, logid: number, body: LoadRequest, o?: CallOptions) =>
  write<LoadAnswer>(path`/versions/${id}/baseline/${logid}`, { ...o, method: 'PUT', body });

/** DELETE /versions/:id/baseline: every baseline segment at once; references and operations stay. */
export const clearBaseline = (id: number, o?: CallOptions) =>
  write<ClearAnswer>(path`/versions/${id}/baseline`, { ...o, method: 'DELETE' });

// Operations

export * from './operations';

// Locks

/** GET /versions/:id/locks: oldest first. */
export const listLocks = (id: number, o?: CallOptions) =>
  json<Lock[]>(path`/versions/${id}/locks`, o);

/** POST /versions/:id/locks: nobody can change the rows of the slice until the lock is removed. */
export const addLock = (id: number, body: LockRequest, o?: CallOptions) =>
  json<Lock>(path`/versions/${id}/locks`, { ...o, method: 'POST', body });

/** DELETE /locks/:id: 404 if it is gone already. */
export const removeLock = async (id: number, o?: CallOptions) => {
  await send(path`/locks/${id}`, { ...o, method: 'DELETE' });
};

// Log

/** GET /versions/:id/totals: the totals of a version, overall and by month. */
export const getVersionTotals = (id: number, o?: CallOptions) =>
  json<VersionTotals>(path`/versions/${id}/totals`, o);

/**
 * GET /versions/:id/log: newest first, each entry with `value_total` and `units_total`; `value_col` and
 * `units_col` are the source's names of the two, null if it has none.
 */
export const listLog = async (
  id: number,
  o?: CallOptions,
): Promise<LogAnswer & { history: History }> => {
  const response = await send(path`/versions/${id}/log`, o);
  return { ...(await read<LogAnswer>(response, o)), history: historyOf(response) };
};

/** Returns the history of the database that a response belongs to. */
export const historyOf = ({ headers }: Response): History => ({
  timeline: headers.get(TIMELINE_HEADER),
  revision: headers.get(REVISION_HEADER),
});

/**
 * Returns the difference between the histories of two responses, as far as both name it (a server of an older
 * build may not): the `timeline` if the database was replaced, so that ids may belong to other entries; the
 * `revision` if rows of an entry were changed.
 */
export function differenceOf(one: History, other: History): keyof History | null {
  const differs = (name: keyof History) =>
    one[name] !== null && other[name] !== null && one[name] !== other[name];
  return differs('timeline') ? 'timeline' : differs('revision') ? 'revision' : null;
}

/** POST /versions/:id/explain: the contribution of each entry to a slice, oldest first, with totals. */
export const explain = (id: number, slice: Slice, o?: CallOptions) =>
  json<Explanation>(path`/versions/${id}/explain`, { ...o, method: 'POST', body: { slice } });

/** PATCH /log/:logid: null clears the note; also possible in a closed version. */
export const editNote = (logid: number, note: string | null, o?: CallOptions) =>
  json<LogEntry>(path`/log/${logid}`, { ...o, method: 'PATCH', body: { note } });

/**
 * DELETE /log/:logid: undoes an entry; returns the number of deleted rows, without their keys.
 *
 * @param pf_user the name for the list of undone entries
 */
export const undo = (logid: number, o?: CallOptions & { pf_user?: string }) => {
  const { pf_user, ...call } = o ?? {};
  return write<UndoMinimalAnswer>(path`/log/${logid}`, {
    ...call,
    method: 'DELETE',
    headers: { [PREFER_HEADER]: RETURN_MINIMAL },
    ...(pf_user === undefined ? {} : { body: { pf_user } }),
  });
};

/** GET /versions/:id/undone: entries that were undone or cleared, the latest first. */
export const listUndone = (id: number, o?: CallOptions) =>
  json<UndoneEntry[]>(path`/versions/${id}/undone`, o);

/**
 * POST /versions/:id/redo/:logid: redoes an undone entry on the current version; returns the same as its
 * operation or load. 422 says why that is no longer possible.
 */
export const redo = (id: number, logid: number, pf_user: string, o?: CallOptions) =>
  write<ArrayBuffer | LoadAnswer>(
    path`/versions/${id}/redo/${logid}`,
    { ...o, method: 'POST', body: { pf_user }, headers: ASKS_FOR_ARROW },
    (response, call) =>
      response.headers.get('content-type') === ARROW
        ? readArrow(response, call)
        : read<LoadAnswer>(response, call),
  );
