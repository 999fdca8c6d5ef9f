/** Writes the cells of a file that was changed elsewhere. */
import { changesOf } from '../../../contract/amounts';
import { measureKey } from '../../../contract/columns';
import { totalsBy } from '../../../contract/measures';
import type {
  ImportCell,
  ImportEdit,
  ImportParams,
  ImportPreview,
  ImportPreviewRequest,
  ImportRequest,
} from '../../../contract/imports';
import { usableSlice } from '../../../contract/slices';
import type { Cell } from '../../db/totals/cells';
import { cellsOf, laterParts } from '../../db/totals/cells';
import { newestWithRows } from '../../db/versions/forecast';
import { getEntry, newestEntry } from '../../db/log/log';
import { noTotals, totalsIn } from '../../db/totals/totals';
import type { Database } from '../../db/database';
import type { WriteKey } from '../../db/log/idempotency';
import type { Transaction } from '../../db/connection/transaction';
import { AppError, inEntry } from '../../errors';
import { editedLeaves } from '../../sql/edited-leaves';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { measureColumns, measureKeys } from '../../sql/forecast-columns';
import { sql } from '../../sql/quote';
import { excludeClause } from '../../sql/slice';
import { importTemplate } from '../../sql/templates/import';
import { groupColumns } from '../../sql/templates/parting';
import type { OperationWriter } from '../entries/open-entry';
import type { Held, Resources } from '../entries/writer';
import { writingRows } from '../entries/writer';
import type { ForecastVersion } from '../version/forecast-version';
import { readVersion, sliceOf } from '../version/forecast-version';
import type { HeldRows } from '../entries/held';
import { heldRows, heldSlices } from '../entries/held';
import { lockedRows } from '../version/locks';
import { describe, numeric, OperationResult, writeSteps } from './operation-steps';
import { askedChanges, checkAmount, incrementOf } from './scale-amounts';

/**
 * Writes the changed cells of a file as one entry (docs/contract/05-operations.md#post-versionsidimport).
 *
 * @throws AppError as {@link importIn}, 403 if the version is closed
 */
export const importCells = (
  resources: Resources,
  versionId: number,
  request: ImportRequest,
  key?: WriteKey,
): Promise<Held<OperationResult>> =>
  writingRows(resources, versionId, key, OperationResult, (writer) => importIn(writer, request));

/**
 * Writes the changed cells of a file within an open write. The difference between the stored and the new total
 * of each cell is spread in proportion over its leaves that no lock holds (docs/contract/14-what-the-operations-compute.md#import).
 *
 * @throws AppError 400 for a wrong slice, and for two cells that change a measure of the same row; 409 if an entry
 * after `seen` has rows in a cell, or a cell is not in the state that its edit has seen; 422 for a cell without a row that can change, and if every cell has its amount
 * already
 */
export async function importIn(
  writer: OperationWriter,
  request: ImportRequest,
): Promise<OperationResult> {
  const { tx, target } = writer;
  const { columns } = target;
  const { edits } = request;
  const { group, amounts } = groupColumns(columns);
  const held = heldRows(target, heldSlices(null, await writer.locked(request.pf_user)));
  const cells = await readCells(tx, target, edits, held);
  await requireSeen(tx, target, request);
  requireStates(cells, request.edits, columns);
  requireChangeable(cells, edits.length);
  const changes = cells.flatMap((cell) => {
    const edit = edits[cell.number];
    if (!edit) return [];
    const increments = new Map(
      askedChanges(edit, columns).map((change) => [
        measureKey(change.measure),
        incrementOf(change, cell),
      ]),
    );
    const isChange = [...increments.values()].some((increment) => Number(increment) !== 0);
    const values = [...amounts.keys()].map((key) => numeric(increments.get(key) ?? '0'));
    return isChange ? [{ number: cell.number, slice: edit.slice, values }] : [];
  });
  if (changes.length === 0) {
    throw new AppError(422, 'Every cell has its amount already; there is nothing to write');
  }
  const names = [group, ...amounts.values()];
  return writeSteps(writer, { ...describe('import', request, null), params: paramsOf(request) }, [
    {
      slice: {},
      held,
      tokens: { groups: editedLeaves(changes, target, names) },
      template: importTemplate(columns),
      otherwise: 'The changes round to zero on every leaf; there is nothing to write',
    },
  ]);
}

/**
 * Reads the cells of a file: their totals, which of them cannot be changed, and what later entries added to them.
 * Nothing is written, and a closed version can be read too.
 *
 * @throws AppError 400 as {@link importIn}; 404 if there is no such version
 */
export const previewImport = (
  db: Database,
  versionId: number,
  { edits, since, pf_user }: ImportPreviewRequest,
): Promise<ImportPreview> =>
  db.versionRead(versionId, async (tx) => {
    const target = await readVersion(tx, versionId);
    const held = heldRows(target, heldSlices(null, await lockedRows(tx, target, pf_user ?? null)));
    const found = new Map(
      (await readCells(tx, target, edits, held)).map((cell) => [cell.number, cell]),
    );
    const cells = edits.map((_, i) => cellOf(found.get(i), target.columns));
    const newest = await (target.limit
      ? newestWithRows(tx, target.rows)
      : newestEntry(tx, versionId));
    if (since == null) return { cells, newest };
    const later = cells.map((cell) => {
      const entries: NonNullable<ImportCell['entries']> = [];
      return { ...cell, entries };
    });
    for (const { number, logid, ...part } of await partsAfter(tx, target, edits, since)) {
      later[number]?.entries.push({ logid, ...totalsIn(part) });
    }
    return { cells: later, newest };
  });

/** What each entry after another one added to the cells, without the rows that operations skip. */
const partsAfter = (
  tx: Transaction,
  target: ForecastVersion,
  edits: readonly ImportEdit[],
  since: number,
) =>
  laterParts(
    tx,
    { ...target, seen: excludeClause(target.version.exclude_iters) },
    edits.map(({ slice }, number) => ({ number, slice })),
    since,
  );

/** @throws AppError 409 naming the newest entry with rows in a cell that the client has not seen */
async function requireSeen(
  tx: Transaction,
  target: ForecastVersion,
  { edits, seen }: ImportRequest,
): Promise<void> {
  if (seen == null) return;
  const parts = await partsAfter(tx, target, edits, seen);
  const newest = Math.max(...parts.map(({ logid }) => logid));
  const part = parts.find(({ logid }) => logid === newest);
  if (!part) return;
  const { pf_user } = await getEntry(tx, newest);
  throw new AppError(
    409,
    `Entry ${newest} of ${pf_user} changed edits.${part.number} after the cells were compared. Compare them again`,
    { field: 'seen' },
  );
}

/** @throws AppError 409 for a cell in another state than its edit has seen, such as after an undo */
function requireStates(
  cells: readonly Cell[],
  edits: readonly ImportEdit[],
  columns: readonly ForecastColumn[],
): void {
  const found = new Map(cells.map((cell) => [cell.number, cell]));
  const place = edits.findIndex(
    ({ seen }, i) => seen != null && seen !== stateOf(found.get(i), columns),
  );
  if (place < 0) return;
  throw new AppError(
    409,
    `edits.${place} has changed since the cells were compared. Compare them again`,
    { field: `edits.${place}.seen` },
  );
}

/** Returns the rows and totals of a cell as a text to compare. */
function stateOf(cell: Cell | undefined, columns: readonly ForecastColumn[]): string {
  const totals = measureColumns(columns).map((column) => cell?.totals[measureKey(column)] ?? '0');
  return [cell?.rows ?? 0, ...totals].join('/');
}

/** @throws AppError 400, 409, 422 for the slice or amount of a cell; 400 for two cells that change a measure of the same row */
async function readCells(
  tx: Transaction,
  target: ForecastVersion,
  edits: readonly ImportEdit[],
  held: HeldRows | undefined,
): Promise<Cell[]> {
  for (const [i, edit] of edits.entries()) {
    await inEntry(`edits.${i}`, () => {
      checkAmount(edit, target.columns);
      sliceOf(target, edit.slice);
    });
  }
  const rows = {
    ...target,
    seen: excludeClause(target.version.exclude_iters),
    free: held ? sql`(${held.where}) IS NOT TRUE` : sql`TRUE`,
    beyond: target.part && sql`(${target.part.changeable}) IS NOT TRUE`,
  };
  const cells = await cellsOf(
    tx,
    rows,
    edits.map((edit, number) => {
      const changed = askedChanges(edit, target.columns).map(({ measure }) => measureKey(measure));
      return { number, slice: edit.slice, keys: new Set(changed) };
    }),
  );
  const shared = cells.find((cell) => cell.shared !== cell.number);
  if (shared) {
    throw new AppError(
      400,
      `edits.${shared.number} and edits.${shared.shared} change a measure of the same rows; send cells that do not overlap`,
      { field: `edits.${shared.shared}.slice` },
    );
  }
  return cells;
}

/** Returns a cell as a preview answers it. @param cell undefined if it has no row */
function cellOf(cell: Cell | undefined, columns: readonly ForecastColumn[]): ImportCell {
  const state = stateOf(cell, columns);
  if (!cell) return { ...noTotals(columns), state, refusal: 'no_rows' };
  const total = (key: string) => Number(cell.totals[key] ?? 0);
  return {
    row_count: cell.rows,
    ...totalsBy(measureKeys(columns), total),
    state,
    refusal: refusalOf(cell) ?? (cell.isBeyond ? 'read_only' : null),
  };
}

/** Why a cell cannot be changed by anybody; null if it can. A write is judged by the rows that it changes. */
const refusalOf = ({ rows, isFree }: Cell): keyof typeof SENTENCES | null =>
  rows === 0 ? 'excluded' : isFree ? null : 'locked';

const SENTENCES = {
  no_rows: (edits) => `no row of the version is in ${edits}`,
  excluded: (edits) => `operations skip every row of ${edits}`,
  locked: (edits) => `every row of ${edits} is locked`,
} as const satisfies Partial<Record<NonNullable<ImportCell['refusal']>, (edits: string) => string>>;

/** Maximum number of edits that an error names. */
const MOST_NAMED = 5;

/** @throws AppError 422 naming cells that cannot be changed */
function requireChangeable(cells: readonly Cell[], count: number): void {
  const found = new Map(cells.map((cell) => [cell.number, cell]));
  const refused = Array.from({ length: count }, (_, number) => {
    const cell = found.get(number);
    return { number, refusal: cell ? refusalOf(cell) : ('no_rows' as const) };
  });
  const [first] = refused.filter(({ refusal }) => refusal !== null);
  if (!first?.refusal) return;
  const same = refused.filter(({ refusal }) => refusal === first.refusal);
  const named = same.slice(0, MOST_NAMED).map(({ number }) => `edits.${number}`);
  const more = same.length - named.length;
  throw new AppError(
    422,
    `Nothing was written, because ${SENTENCES[first.refusal](`${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`)}`,
    { field: `edits.${first.number}` },
  );
}

/** The request as the log stores it. */
const paramsOf = ({ file, edits }: ImportRequest): ImportParams => ({
  file,
  edits: edits.map((edit) => {
    const further = changesOf(edit).flatMap(({ of, kind, amount }) =>
      'name' in of ? [[of.name, { [kind]: amount }]] : [],
    );
    return {
      slice: usableSlice(edit.slice),
      ...(edit.value_total != null && { value_total: edit.value_total }),
      ...(edit.units_total != null && { units_total: edit.units_total }),
      ...(edit.value_incr != null && { value_incr: edit.value_incr }),
      ...(edit.units_incr != null && { units_incr: edit.units_incr }),
      ...(further.length > 0 && { measures: Object.fromEntries(further) }),
    };
  }),
});
