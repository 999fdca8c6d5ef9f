/** Reads the rows of some entries, to append them to those on screen. */
import * as api from '../../client/api';
import { soon } from '../../client/http';
import type { History } from '../../contract/primitives';
import type { Pivot } from '../../pivot/pivot';
import { AnsweredRows } from '../../pivot/rows/rows';
import { readDownload } from '../version/download';

/** Number of rows above which loading is faster than appending. */
const MOST_ROWS = 100_000;

/**
 * Reads the rows of some entries of a version, in the form of the rows on screen.
 *
 * @param pivot holds the rows on screen
 * @param history of the database that the rows on screen were read from
 * @returns null for the rows if there are none; `areTooMany` if they are not worth appending, and were not read
 * @throws if they cannot be read, or if the rows on screen belong to another history
 */
export async function readEntryRows(
  versionId: number,
  logids: readonly number[],
  pivot: Pick<Pivot, 'index'>,
  history: History,
  signal?: AbortSignal,
): Promise<{ rows: AnsweredRows | null; areTooMany: boolean }> {
  const endpoint = pivot.index === 'pf_gkey' ? 'agg' : 'data';
  const response = await api.loadRows(versionId, endpoint, { logids, signal: soon(signal) });
  if (api.differenceOf(api.historyOf(response), history)) {
    await response.body?.cancel();
    throw new Error('The rows on screen are outdated, so no rows can be added to them');
  }
  if (Number(response.headers.get('x-row-count')) > MOST_ROWS) {
    await response.body?.cancel();
    return { rows: null, areTooMany: true };
  }
  const { bytes } = await readDownload(response, 'number', () => undefined);
  return { rows: bytes && new AnsweredRows(bytes), areTooMany: false };
}
