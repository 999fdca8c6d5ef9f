/** Combines cached rows with the rows of new entries. */
import { rowCountIn, rowsOf, runsBetween, type RowBlock, type RowRun } from './blocks';
import type { Column } from './column-plan';
import { numbersOf } from './column-values';
import { joinRuns } from './join';

/**
 * A group of fewer rows than this shares a block with its neighbours. A block costs about as much as this
 * many rows.
 */
const BLOCK_ROWS = 65_536;

/** Position of an entry's rows, from `start` (included) to `end` (excluded). */
interface Place {
  start: number;
  end: number;
}

/** Adjacent rows of one entry. */
export interface EntryRun extends Place {
  /** Id of the entry; null if the rows do not name one. */
  id: number | null;
}

/** The rows of a version, grouped by entry, in the order of the entries. Immutable. */
export interface EntryRows {
  /** At least one. */
  blocks: readonly RowBlock[];
  /**
   * Places by entry id, oldest first. An entry without rows has a place too. Row numbers count through all
   * blocks.
   */
  places: ReadonlyMap<number, Place>;
}

/**
 * Groups rows by entry. It copies them only if they are in another order.
 *
 * @param block has a column `pf_logid`
 * @param entries ids of all entries that may occur
 * @param integers names of the integer columns
 * @param onCopy called before rows are copied
 * @returns undefined if a row names no entry, or one that is not in `entries`
 */
export async function byEntry(
  block: RowBlock,
  entries: readonly number[],
  integers: ReadonlySet<string>,
  onCopy: () => void = () => {},
): Promise<EntryRows | undefined> {
  const places = placesIn(block.columns);
  const known = new Set(entries);
  if (!places || [...places.keys()].some((id) => !known.has(id))) return undefined;
  const ordered = entries.flatMap((id) => places.get(id) ?? []);
  // Most entries are a single run.
  const isOrdered = ordered.every(({ start }, i) => start === (ordered[i - 1]?.end ?? 0));
  if (!isOrdered) onCopy();
  const blocks = [block];
  return {
    blocks: isOrdered
      ? blocks
      : await joinRuns([ordered.map((place) => ({ blocks, index: 0, ...place }))], integers),
    places: inSequence(entries.map((id) => [id, rowsOf(places.get(id) ?? [])])),
  };
}

/**
 * Selects the rows of some entries. Most rows stay in the memory where they are.
 *
 * @param entries ids, oldest first
 * @param sources each has some of the entries; at least one source
 * @param integers names of the integer columns
 * @param blockRows a group of fewer rows than this shares a block with its neighbours
 */
export async function rowsOfEntries(
  entries: readonly number[],
  sources: readonly EntryRows[],
  integers: ReadonlySet<string>,
  blockRows = BLOCK_ROWS,
): Promise<EntryRows> {
  const runs: RowRun[] = [];
  const lengths: [number, number][] = [];
  for (const id of entries) {
    const source = sources.find(({ places }) => places.has(id));
    const place = source?.places.get(id);
    if (!source || !place) throw new Error(`Nobody has the rows of entry ${id}`);
    lengths.push([id, place.end - place.start]);
    for (const run of runsBetween(source.blocks, place.start, place.end)) {
      const last = runs.at(-1);
      const follows = last?.blocks === run.blocks && last.index === run.index;
      if (follows && last.end === run.start) last.end = run.end;
      else runs.push(run);
    }
  }
  const [any] = sources;
  if (!any) throw new Error('No rows to choose from');
  if (runs.length === 0) runs.push({ blocks: any.blocks, index: 0, start: 0, end: 0 });
  const blocks = await joinRuns(grouped(runs, blockRows), integers);
  return { blocks, places: inSequence(lengths) };
}

/** Groups runs into blocks. Neighbours share a block until it has `blockRows` rows. */
function grouped(runs: readonly RowRun[], blockRows: number): RowRun[][] {
  const groups: RowRun[][] = [];
  let room = 0;
  for (const run of runs) {
    const rows = run.end - run.start;
    if (rows < room) {
      groups.at(-1)?.push(run);
      room -= rows;
    } else {
      groups.push([run]);
      room = blockRows - rows;
    }
  }
  return groups;
}

/** The share, from 0 to 1, of all rows that belong to some entries. */
export function shareOf({ blocks, places }: EntryRows, entries: readonly number[]): number {
  const all = rowCountIn(blocks);
  const own = entries.flatMap((id) => places.get(id) ?? []);
  return all === 0 ? 0 : rowsOf(own) / all;
}

/** The runs of entries whose places are known. */
export function* runsAt(places: EntryRows['places']): Generator<EntryRun, void> {
  for (const [id, place] of places) yield { id, ...place };
}

/** Finds the runs of equal entry ids in a column. @throws Error if the column is not numeric */
export function* entryRuns(logids: Column): Generator<EntryRun, void> {
  const ids = numbersOf(logids);
  const { data } = logids;
  const anyNull = data.nullCount > 0;
  for (let start = 0, end = 0; start < data.length; start = end) {
    const id = ids[start] ?? NaN;
    // A null row stores a number too, which may equal its neighbour's.
    do end += 1;
    while (end < data.length && ids[end] === id && !anyNull);
    yield { id: anyNull && !data.getValid(start) ? null : id, start, end };
  }
}

/** Places of the rows of each entry; undefined if a row names no entry. */
function placesIn(columns: readonly Column[]): Map<number, Place[]> | undefined {
  const logids = columns.find(({ name }) => name === 'pf_logid');
  if (!logids) return undefined;
  const places = new Map<number, Place[]>();
  for (const { id, start, end } of entryRuns(logids)) {
    if (id === null) return undefined;
    const known = places.get(id);
    if (known) known.push({ start, end });
    else places.set(id, [{ start, end }]);
  }
  return places;
}

/** Places of entries whose rows follow one another. */
function inSequence(
  lengths: readonly (readonly [id: number, length: number])[],
): Map<number, Place> {
  let end = 0;
  return new Map(
    lengths.map(([id, length]) => {
      const start = end;
      end += length;
      return [id, { start, end }];
    }),
  );
}
