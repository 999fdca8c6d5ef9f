import { rowCountIn, rowsOf, runsBetween, type RowBlock, type RowRun } from './blocks';
import type { Column } from './column-plan';
import { numbersOf } from './column-values';
import { joinRuns } from './join';

/** Fewer rows than this get a block with their neighbours: each block costs about as much as so many rows. */
const BLOCK_ROWS = 65_536;

/** Where the rows of an entry are, from `start` up to, not including, `end`. */
export interface Place {
  start: number;
  end: number;
}

/** Adjacent rows of one entry. */
export interface EntryRun extends Place {
  /** Of the entry; null if the rows tell none. */
  id: number | null;
}

/**
 * The rows of a version as a statement answers them, those of each entry together, in the order of the
 * entries. Nothing in it ever changes.
 */
export interface EntryRows {
  /** At least one. */
  blocks: readonly RowBlock[];
  /** By id, oldest first; an entry without rows has a place too. Rows are counted through all blocks. */
  places: ReadonlyMap<number, Place>;
}

/**
 * Rows with those of each entry together. They are copied only if they lie in another order.
 *
 * @param block with the column `pf_logid`
 * @param entries ids of all entries that the rows can be of
 * @param integers names of the columns that hold integers
 * @param onCopy is called before they are copied
 * @returns undefined if a row tells no entry, or one that is not among `entries`
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
  // Each entry is usually one run.
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
 * The rows of some entries, out of those that there are. Most stay in the memory that they lie in.
 *
 * @param entries their ids, oldest first
 * @param sources each has some of the entries; at least one
 * @param integers names of the columns that hold integers
 * @param blockRows fewer rows than this get a block with their neighbours
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

/** Runs by the block that they get: neighbours share one as long as it has fewer rows than `blockRows`. */
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

/** The part, from 0 to 1, that some entries have of all rows. */
export function shareOf({ blocks, places }: EntryRows, entries: readonly number[]): number {
  const all = rowCountIn(blocks);
  const own = entries.flatMap((id) => places.get(id) ?? []);
  return all === 0 ? 0 : rowsOf(own) / all;
}

/** The runs of entries that have their places. */
export function* runsAt(places: EntryRows['places']): Generator<EntryRun, void> {
  for (const [id, place] of places) yield { id, ...place };
}

/** The runs that rows tell, one after the other. @throws Error if it is no column of numbers */
export function* entryRuns(logids: Column): Generator<EntryRun, void> {
  const ids = numbersOf(logids);
  const { data } = logids;
  const anyNull = data.nullCount > 0;
  for (let start = 0, end = 0; start < data.length; start = end) {
    const id = ids[start] ?? NaN;
    // A null holds a number too, which may be a neighbour's.
    do end += 1;
    while (end < data.length && ids[end] === id && !anyNull);
    yield { id: anyNull && !data.getValid(start) ? null : id, start, end };
  }
}

/** Where the rows of each entry are; undefined if a row tells none. */
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

/** The places of entries whose rows lie one after the other. */
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
