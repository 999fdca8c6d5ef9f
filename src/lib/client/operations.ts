/** The endpoints of operations on slices, of their previews and of other comparisons, as typed functions. */
import type { ActualsPreview, ActualsPreviewRequest, ActualsRequest } from '../contract/actuals';
import type { ForecastLevels, ForecastPreviewRequest } from '../contract/forecasts';
import type { ImportPreview, ImportPreviewRequest, ImportRequest } from '../contract/imports';
import type { ReverseRequest, SliceOperation, SliceRequests } from '../contract/operations';
import type {
  OperationPreview,
  SeveralPreviewRequest,
  SlicePreview,
  SlicesPreview,
} from '../contract/previews';
import type { Grouped } from '../contract/shapes';
import type { Slice } from '../contract/slices';
import { ASKS_FOR_ARROW, type CallOptions, json, path, readArrow, send } from './http';
import { write, type WriteOptions } from './writes';

/** Writes with POST; returns the written rows as an Arrow stream. */
const writeRows = (url: string, body: object, o?: WriteOptions) =>
  write(url, { ...o, method: 'POST', body, headers: ASKS_FOR_ARROW }, readArrow);

/** Previews a write with POST; returns the rows that it would write as an Arrow stream. */
async function previewRows(url: string, body: object, o?: CallOptions): Promise<ArrayBuffer> {
  const call = { ...o, method: 'POST', body, headers: ASKS_FOR_ARROW } as const;
  return readArrow(await send(url, call), call);
}

/**
 * POST /versions/:id/slice: the rows that an operation on the slice would affect, and the excluded ones.
 *
 * @param hold slices whose rows count as held, beside the locked ones
 * @param grouped the columns by which totals are answered too
 * @param pf_user whose change it would be: reviews hold rows for some people only
 */
export const previewSlice = (
  id: number,
  slice: Slice,
  o?: CallOptions,
  hold?: Slice[],
  grouped?: Readonly<Grouped>,
  pf_user?: string,
) =>
  json<SlicePreview>(path`/versions/${id}/slice`, {
    ...o,
    method: 'POST',
    body: { slice, hold, ...grouped, ...(pf_user && { pf_user }) },
  });

/**
 * POST /versions/:id/slices: the same of each of at most `MOST_CONDITIONS` slices, in their order.
 *
 * @param grouped the columns by which totals are answered too
 * @param pf_user whose change it would be
 */
export const previewSlices = async (
  id: number,
  slices: readonly Slice[],
  pf_user: string,
  grouped?: Readonly<Grouped>,
  o?: CallOptions,
): Promise<SlicePreview[]> => {
  const body = { slices, ...grouped, ...(pf_user && { pf_user }) };
  const answer = json<SlicesPreview>(path`/versions/${id}/slices`, { ...o, method: 'POST', body });
  return (await answer).slices;
};

/**
 * POST /versions/:id/scale, recode or clone: returns the rows that it wrote, as an Arrow stream; 422 if there
 * is nothing to write.
 */
export const operate = <O extends SliceOperation>(
  id: number,
  operation: O,
  body: SliceRequests[O],
  o?: WriteOptions,
) => writeRows(path`/versions/${id}/${operation}`, body, o);

/**
 * POST /versions/:id/scale, recode or clone/preview: returns the rows that the operation would write, as an
 * Arrow stream with further facts in its metadata; nothing is written.
 */
export const previewOperation = <O extends SliceOperation>(
  id: number,
  operation: O,
  body: SliceRequests[O],
  o?: CallOptions,
) => previewRows(path`/versions/${id}/${operation}/preview`, body, o);

/**
 * POST /versions/:id/preview: returns the rows that several operations in order would write, as an Arrow stream
 * with `SeveralPreviewFacts` in its metadata; nothing is written. An error names the operation in `field`:
 * `operations.2.slice.Region`.
 */
export const previewSeveral = (id: number, body: SeveralPreviewRequest, o?: CallOptions) =>
  previewRows(path`/versions/${id}/preview`, body, o);

/** POST /log/:logid/reverse: takes back what an entry added to a slice; returns the rows that it wrote. */
export const reverse = (logid: number, body: ReverseRequest, o?: WriteOptions) =>
  writeRows(path`/log/${logid}/reverse`, body, o);

/** POST /log/:logid/reverse/preview: the rows and totals that a reverse would write. */
export const previewReverse = (logid: number, body: ReverseRequest, o?: CallOptions) =>
  json<OperationPreview>(path`/log/${logid}/reverse/preview`, { ...o, method: 'POST', body });

/**
 * POST /versions/:id/actuals: closes months; returns the rows that it wrote as an Arrow stream, with `ActualsAnswer`
 * in its metadata.
 */
export const closeMonths = (id: number, body: ActualsRequest, o?: WriteOptions) =>
  writeRows(path`/versions/${id}/actuals`, body, o);

/** POST /versions/:id/actuals/preview: what a close of months would change, month by month; nothing is written. */
export const previewActuals = (id: number, body: ActualsPreviewRequest, o?: CallOptions) =>
  json<ActualsPreview>(path`/versions/${id}/actuals/preview`, { ...o, method: 'POST', body });

/** POST /versions/:id/forecast/levels: compares the levels that a forecast can be fitted at; nothing is written. */
export const compareLevels = (id: number, body: ForecastPreviewRequest, o?: CallOptions) =>
  json<ForecastLevels>(path`/versions/${id}/forecast/levels`, { ...o, method: 'POST', body });

/** POST /versions/:id/import: writes the cells of a file; returns the rows that it wrote, as an Arrow stream. */
export const importCells = (id: number, body: ImportRequest, o?: WriteOptions) =>
  writeRows(path`/versions/${id}/import`, body, o);

/** POST /versions/:id/import/preview: the cells as they are, and what later entries added to them. */
export const previewImport = (id: number, body: ImportPreviewRequest, o?: CallOptions) =>
  json<ImportPreview>(path`/versions/${id}/import/preview`, { ...o, method: 'POST', body });
