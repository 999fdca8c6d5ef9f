/** The loads that a refresh reads again, and what they hold. */
import type { CopiedEntry, LogEntry } from '../../../contract/log';
import { isRefreshEntry } from '../../../contract/log';
import type { CopyingLoad } from '../../../contract/operations';
import { isCopyingLoad, isLoad } from '../../../contract/operations';
import type { RefreshPreviewRequest } from '../../../contract/refreshes';
import { countSource, differing, timesOfLoads } from '../../db/loads/refreshes';
import { listedEntries } from '../../db/log/log';
import { AppError, faultAt, fieldPlace } from '../../errors';
import type { SqlText } from '../../sql/quote';
import { literal, sql } from '../../sql/quote';
import type { WrittenForLoad } from '../../sql/templates/refresh';
import { differingQuery, heldByLoad } from '../../sql/templates/refresh';
import type { Statement } from '../client-faults';
import { blameClient } from '../client-faults';
import type { OperationWriter } from '../entries/open-entry';
import type { ForecastVersion } from '../version/forecast-version';
import { loadPlace, loadTerms, recordedLoad, UNMOVED } from './loads';

/** A load that is read again. */
export interface ReadLoad {
  /** Its entry, which may have been undone since it was refreshed. */
  logid: number;
  iter: CopyingLoad;
  /** Rows of the source that it selected when it was last refreshed; undefined if it never was. */
  rowsBefore: number | undefined;
  /** Rows of the source that it selects now. */
  rowsNow: number;
  /** The condition on rows of the source, and the offset of dates. */
  tokens: { filter_clause: SqlText; date_offset: SqlText };
  /** What earlier refreshes have written for it, oldest first. */
  written: readonly WrittenForLoad[];
  /** The time of the rows that this refresh writes for it. */
  at: string;
  blamed: Statement;
}

/** The loads that a refresh reads again, and the forecasts that it leaves alone, oldest first. */
export interface AskedLoads {
  loads: readonly ReadLoad[];
  forecasts: number[];
}

/**
 * Finds the loads of a request, and checks that each can be read again. If the request names none, these are all loads
 * of the version, and undone ones of which earlier refreshes have left rows behind: the source has nothing for those.
 *
 * @throws AppError 422 for an entry that is no load, and as {@link ofLoad}
 */
export async function askedLoads(
  { tx, target }: OperationWriter,
  { loads: named }: Pick<RefreshPreviewRequest, 'loads'>,
): Promise<AskedLoads> {
  const entries = (await listedEntries(tx, target.version.id)).toReversed();
  for (const [i, id] of (named ?? []).entries()) {
    if (entries.some((entry) => entry.id === id && isLoad(entry.operation))) continue;
    throw faultAt(fieldPlace(`loads.${i}`), 422, `entry ${id} is not a load of this version`);
  }
  const wanted = entries.filter(({ id }) => named?.includes(id) ?? true);
  const refreshed = refreshedLoads(entries);
  const read: Omit<ReadLoad, 'at'>[] = [];
  for (const entry of wanted.filter(isCopied)) {
    read.push(await readAgain({ tx, target }, entry, refreshed.get(entry.id)));
  }
  for (const [logid, before] of named ? [] : refreshed) {
    if (entries.some(({ id }) => id === logid)) continue;
    const undone = gone(logid, before);
    const rows = await differingRows({ tx, target }, undone, [sql`TRUE`]);
    if (rows.length > 0) read.push(undone);
  }
  const latest = [...refreshed.values()].flatMap(({ written }) => written.map(({ at }) => at));
  const times = await timesOfLoads(tx, read.length, latest.toSorted().at(-1) ?? null);
  return {
    loads: read.map((load, i) => ({ ...load, at: times[i] ?? '' })),
    forecasts: wanted.filter(({ operation }) => operation === 'forecast').map(({ id }) => id),
  };
}

const isCopied = (entry: LogEntry): entry is CopiedEntry => isCopyingLoad(entry.operation);

/** What the refreshes of a version have written for a load. */
interface Refreshed {
  iter: CopyingLoad;
  /** Rows of the source that the last one has read. */
  rows: number;
  written: WrittenForLoad[];
}

/** What refreshes have written, by load. @param entries oldest first */
function refreshedLoads(entries: readonly LogEntry[]): Map<number, Refreshed> {
  const refreshed = new Map<number, Refreshed>();
  for (const { id, params } of entries.filter(isRefreshEntry)) {
    for (const { logid, iter, rows, written_at: at } of params?.loads ?? []) {
      const written = [...(refreshed.get(logid)?.written ?? []), { logid: id, at }];
      refreshed.set(logid, { iter, rows, written });
    }
  }
  return refreshed;
}

/** @throws AppError as {@link ofLoad} */
const readAgain = (
  { tx, target }: Pick<OperationWriter, 'tx' | 'target'>,
  { id, operation, params }: CopiedEntry,
  refreshed: Refreshed | undefined,
): Promise<Omit<ReadLoad, 'at'>> =>
  ofLoad(id, async () => {
    const request = await recordedLoad(target, params);
    const { where, offset } = await loadTerms(tx, target, request);
    const blamed = loadPlace(request, target.source);
    return {
      ...{ logid: id, iter: operation, rowsBefore: refreshed?.rows },
      rowsNow: await blameClient(blamed, () => countSource(tx, target.source, where)),
      tokens: { filter_clause: where, date_offset: literal(offset.interval) },
      ...{ written: refreshed?.written ?? [], blamed },
    };
  });

/** An undone load, for which the source has nothing. */
const gone = (logid: number, { iter, rows, written }: Refreshed): Omit<ReadLoad, 'at'> => ({
  ...{ logid, iter, rowsBefore: rows, rowsNow: 0 },
  tokens: { filter_clause: sql`FALSE`, date_offset: literal(UNMOVED.interval) },
  ...{ written, blamed: { words: 'refresh' } },
});

/** Leaves of a load that differ from the source and lie in some rows, by the first of these and by month. */
export const differingRows = (
  { tx, target }: Pick<OperationWriter, 'tx' | 'target'>,
  { logid, written, tokens, blamed }: Omit<ReadLoad, 'at'>,
  conditions: readonly SqlText[],
) => {
  const { source, columns, table } = target;
  const among = { held: heldByLoad(logid, written), date: firstDate(target), conditions };
  const query = differingQuery(source, columns, among, { ...tokens, fc_table: table });
  return blameClient(blamed, () => differing(tx, query));
};

/** The date column by whose months a refresh is shown; undefined for a source without dates. */
export const firstDate = ({ columns }: ForecastVersion) =>
  columns.find(({ role }) => role === 'date');

/**
 * Runs a step that reads a load again.
 *
 * @throws AppError 422 that names the load, if the step is refused
 */
export async function ofLoad<Result>(logid: number, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof AppError) || ![400, 404, 409, 422].includes(error.status)) throw error;
    const sentence = `Load ${logid} cannot be read again, so nothing was refreshed: ${error.message}`;
    // The error's field belongs to the recorded load, which this client has not sent.
    throw new AppError(422, sentence, { column: error.blame.column, cause: error });
  }
}
