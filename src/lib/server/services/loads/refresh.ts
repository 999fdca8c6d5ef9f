/** Refreshes the loads of a version: writes the changes of the source since the loads read it. */
import type {
  RefreshPreview,
  RefreshPreviewRequest,
  RefreshRequest,
} from '../../../contract/refreshes';
import { RefreshAnswer } from '../../../contract/refreshes';
import { changesByMonth, noteChecked } from '../../db/loads/refreshes';
import type { WriteKey } from '../../db/log/idempotency';
import type { Totals } from '../../db/totals/totals';
import { noTotals } from '../../db/totals/totals';
import { AppError } from '../../errors';
import { measureColumns } from '../../sql/forecast-columns';
import type { SqlText } from '../../sql/quote';
import { either, sql } from '../../sql/quote';
import { heldByLoad, refreshTemplate } from '../../sql/templates/refresh';
import type { OperationWriter } from '../entries/open-entry';
import { ofEntry } from '../entries/open-entry';
import { trying } from '../entries/trial';
import type { Resources } from '../entries/writer';
import { writing } from '../entries/writer';
import { requireUndisputed } from '../operations/operation-steps';
import { sliceOf } from '../version/forecast-version';
import type { LockedRows } from '../version/locks';
import { checkLoaded, UNMOVED } from './loads';
import type { ReadLoad } from './refreshed-loads';
import { askedLoads, differingRows, firstDate, ofLoad } from './refreshed-loads';

/**
 * Brings loads up to the source: one entry with what the source has now less what the loads and their earlier refreshes
 * hold, leaf by leaf (docs/contract/05-operations.md#post-versionsidrefresh).
 *
 * @throws AppError as {@link refreshIn}, 403 if the version is closed
 */
export const refresh = (
  resources: Resources,
  versionId: number,
  request: RefreshRequest,
  key?: WriteKey,
): Promise<RefreshAnswer> =>
  writing(resources, versionId, key, RefreshAnswer, (writer) => refreshIn(writer, request));

/**
 * Refreshes loads within an open write. If nothing differs, there is no entry.
 *
 * @throws AppError 404; 409 as for every slice; 422 for an entry that is no load, for a load that cannot be read again,
 * for a value that a forecast table cannot store, and for a source without a measure
 */
export async function refreshIn(
  writer: OperationWriter,
  request: RefreshRequest,
): Promise<RefreshAnswer> {
  const { logid, facts, left_alone } = await carryOut(writer, request);
  return { logid: facts.row_count > 0 ? logid : null, ...facts, left_alone };
}

/**
 * Previews a refresh in a transaction that is rolled back, month by month. A closed version can be tried on.
 *
 * @throws AppError as {@link refreshIn}
 */
export async function previewRefresh(
  resources: Resources,
  versionId: number,
  request: RefreshPreviewRequest,
): Promise<RefreshPreview> {
  const { memory, ...preview } = await trying(resources, versionId, async (writer) => {
    const asked = { ...request, pf_user: request.pf_user ?? '' };
    const { logid, facts, left_alone, loads, leftAlone } = await carryOut(writer, asked);
    return {
      ...facts,
      left_alone: { ...left_alone, held: heldMonths(leftAlone) },
      column: firstDate(writer.target)?.name ?? null,
      months: facts.row_count > 0 ? await monthsOf(writer, loads, logid) : [],
    };
  });
  memory.release();
  return preview;
}

/** Comes after each month. */
const LAST = '~';

const KINDS = ['closed', 'locked', 'reviewed'] as const;

/** A lock or a review, and leaves that differ from the source and that it holds, by month. */
interface LeftAlone {
  holding: LockedRows;
  month: string | null;
  rows: number;
}

/** Writes a refresh. If nothing differs, its entry is taken out of the log again. */
async function carryOut(writer: OperationWriter, { loads: named, pf_user, note }: RefreshRequest) {
  const { tx, target } = writer;
  const { source, columns } = target;
  requireUndisputed(target);
  // Roles must be those of the generated SQL, by which the loads have written their rows.
  sliceOf(target, {});
  if (measureColumns(columns).length === 0) {
    throw new AppError(422, 'The source has neither a value nor a units column to refresh');
  }
  const { loads, forecasts } = await askedLoads(writer, { loads: named });
  const holdings = (await writer.locked(pf_user)).toSorted(
    (a, b) => KINDS.indexOf(kindOf(a)) - KINDS.indexOf(kindOf(b)),
  );
  const held = holdings.map(({ where }) => where);
  const kept = loads.map(({ logid, iter, rowsNow: rows, at: written_at }) => ({
    ...{ logid, iter, rows, written_at },
  }));
  const open = await writer.open({
    ...{ operation: 'refresh', pf_user, slice: null, params: { loads: kept }, note: note ?? null },
  });
  const { logid } = open;
  // Nobody reads the totals of its slice, which is the whole version.
  const reach = { slice: noneOf(held), isCompensation: true };
  const leftAlone: LeftAlone[] = [];
  let row_count = 0;
  for (const load of loads) {
    await ofLoad(load.logid, async () => {
      const template = refreshTemplate(source, columns, { ...load, held: heldBy(load) });
      row_count += (await open.run(template, reach, load.tokens, load.blamed)).rowCount;
      const differing = held.length > 0 ? await differingRows(writer, load, held) : [];
      for (const { place, ...rows } of differing) {
        const holding = holdings[place];
        if (holding) leftAlone.push({ holding, ...rows });
      }
    });
  }
  const { outside_calendar } = row_count > 0 ? await checkLoaded(tx, target, logid, UNMOVED) : {};
  const read: RefreshAnswer['loads'] = [];
  for (const load of loads) read.push(await answerOf(writer, load, logid));
  if (row_count > 0) await open.close();
  else {
    await open.discard();
    if (loads.length > 0) await noteChecked(tx, target.version.id);
  }
  const leaves = (kind: Kind) =>
    leftAlone.reduce((sum, { holding, rows }) => sum + (kindOf(holding) === kind ? rows : 0), 0);
  return {
    logid,
    facts: { row_count, loads: read, ...(outside_calendar !== undefined && { outside_calendar }) },
    left_alone: {
      ...{ closed: leaves('closed'), locked: leaves('locked'), reviewed: leaves('reviewed') },
      forecasts,
    },
    ...{ loads, leftAlone },
  };
}

type Kind = (typeof KINDS)[number];

const kindOf = ({ logid, review }: LockedRows): Kind => {
  if (review !== undefined) return 'reviewed';
  return logid === undefined ? 'locked' : 'closed';
};

/** The rows that meet none of some conditions. */
const noneOf = (conditions: readonly SqlText[]): SqlText =>
  conditions.length === 0 ? sql`TRUE` : sql`(${either(conditions)}) IS NOT TRUE`;

/** The rows that a load and its earlier refreshes hold. @param logid a refresh whose rows for it count too */
const heldBy = ({ logid: load, written, at }: ReadLoad, logid?: number): SqlText =>
  heldByLoad(load, logid === undefined ? written : [...written, { logid, at }]);

async function answerOf(
  { tx, target: { entryRows, columns } }: OperationWriter,
  load: ReadLoad,
  logid: number,
): Promise<RefreshAnswer['loads'][number]> {
  const among = { where: heldBy(load, logid), own: ofEntry(logid) };
  const [change] = await changesByMonth(tx, entryRows, columns, undefined, among);
  const { before, after } = change ?? { before: noTotals(columns), after: noTotals(columns) };
  return {
    logid: load.logid,
    // Without an earlier refresh, a load holds the rows that it has read.
    rows_before: load.rowsBefore ?? before.row_count,
    rows_now: load.rowsNow,
    before: amountsOf(before),
    after: amountsOf(after),
  };
}

/** The months in which a refresh writes rows, by origin. */
async function monthsOf(
  { tx, target }: OperationWriter,
  loads: readonly ReadLoad[],
  logid: number,
): Promise<RefreshPreview['months']> {
  const { entryRows, columns } = target;
  const where = either(loads.map((load) => heldBy(load, logid)));
  const among = { where, own: ofEntry(logid) };
  const changes = await changesByMonth(tx, entryRows, columns, firstDate(target), among);
  return changes
    .filter(({ written }) => written.row_count > 0)
    .map(({ month, iter, before, written, after }) => ({
      ...{ month, iter, before: amountsOf(before), after: amountsOf(after) },
      ...{ difference: amountsOf(written), rows: written.row_count },
    }));
}

const amountsOf = ({ row_count: _, ...amounts }: Totals) => amounts;

/** The locks and reviews that hold leaves, each with its months. The leaves of all loads are added up. */
function heldMonths(leftAlone: readonly LeftAlone[]): RefreshPreview['left_alone']['held'] {
  const held = new Map<LockedRows, Map<string | null, number>>();
  for (const { holding, month, rows } of leftAlone) {
    const months = held.get(holding) ?? new Map<string | null, number>();
    held.set(holding, months.set(month, (months.get(month) ?? 0) + rows));
  }
  return [...held].map(([holding, months]) => ({
    ...{ kind: kindOf(holding), id: holding.id, slice: holding.slice },
    months: [...months]
      .map(([month, rows]) => ({ month, rows }))
      .toSorted((a, b) => ((a.month ?? LAST) < (b.month ?? LAST) ? -1 : 1)),
  }));
}
