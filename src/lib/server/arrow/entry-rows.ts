import type { Column } from './column-plan';
import { numbersOf, rowCountOf } from './column-values';
import { joinRows, type RowRun } from './join';

/** Where the rows of an entry are, from `start` up to, not including, `end`. */
export interface Place {
  start: number;
  end: number;
}

/**
 * The rows of a version as a statement answers them, those of each entry together, in the order of the
 * entries. Nothing in it ever changes.
 */
export interface EntryRows {
  columns: readonly Column[];
  /** By id, oldest first; an entry without rows has a place too. */
  places: ReadonlyMap<number, Place>;
}

/**
 * Rows with those of each entry together. They are copied only if they lie in another order.
 *
 * @param columns with `pf_logid`
 * @param entries ids of all entries that the rows can be of
 * @param integers names of the columns that hold integers
 * @param onCopy is called before they are copied
 * @returns undefined if a row tells no entry, or one that is not among `entries`
 */
export async function byEntry(
  columns: readonly Column[],
  entries: readonly number[],
  integers: ReadonlySet<string>,
  onCopy: () => void = () => {},
): Promise<EntryRows | undefined> {
  const runs = runsByEntry(columns);
  const known = new Set(entries);
  if (!runs || [...runs.keys()].some((id) => !known.has(id))) return undefined;
  const ordered = entries.flatMap((id) => runs.get(id) ?? []);
  // Each entry is usually one run.
  const isOrdered = ordered.every(({ start }, i) => start === (ordered[i - 1]?.end ?? 0));
  if (!isOrdered) onCopy();
  return {
    columns: isOrdered
      ? columns
      : await joinRows(
          ordered.map((place) => ({ columns, ...place })),
          integers,
        ),
    places: placesOf(entries.map((id) => [id, lengthOf(runs.get(id) ?? [])])),
  };
}

/**
 * The rows of some entries, out of those that there are.
 *
 * @param entries their ids, oldest first
 * @param sources each has some of the entries; at least one
 * @param integers names of the columns that hold integers
 */
export async function rowsOfEntries(
  entries: readonly number[],
  sources: readonly EntryRows[],
  integers: ReadonlySet<string>,
): Promise<EntryRows> {
  const runs: RowRun[] = [];
  const lengths: [number, number][] = [];
  for (const id of entries) {
    const source = sources.find(({ places }) => places.has(id));
    const place = source?.places.get(id);
    if (!source || !place) throw new Error(`Nobody has the rows of entry ${id}`);
    const { columns } = source;
    const { start, end } = place;
    lengths.push([id, end - start]);
    const last = runs.at(-1);
    if (last?.columns === columns && last.end === start) last.end = end;
    else if (end > start) runs.push({ columns, start, end });
  }
  const [any] = sources;
  if (!any) throw new Error('No rows to choose from');
  if (runs.length === 0) runs.push({ columns: any.columns, start: 0, end: 0 });
  return { columns: await joinRows(runs, integers), places: placesOf(lengths) };
}

/** The part, from 0 to 1, that some entries have of all rows. */
export function shareOf({ columns, places }: EntryRows, entries: readonly number[]): number {
  const all = rowCountOf(columns);
  const own = entries.flatMap((id) => places.get(id) ?? []);
  return all === 0 ? 0 : lengthOf(own) / all;
}

/** Where the runs of rows of each entry are; undefined if a row tells none. */
function runsByEntry(columns: readonly Column[]): Map<number, Place[]> | undefined {
  const logids = columns.find(({ name }) => name === 'pf_logid');
  if (!logids || logids.data.nullCount > 0) return undefined;
  const ids = numbersOf(logids);
  const runs = new Map<number, Place[]>();
  for (let start = 0, end = 0; start < ids.length; start = end) {
    const id = ids[start] ?? NaN;
    do end += 1;
    while (end < ids.length && ids[end] === id);
    const known = runs.get(id);
    if (known) known.push({ start, end });
    else runs.set(id, [{ start, end }]);
  }
  return runs;
}

const lengthOf = (runs: readonly Place[]): number =>
  runs.reduce((sum, { start, end }) => sum + end - start, 0);

/** The places of entries whose rows lie one after the other. */
function placesOf(lengths: readonly (readonly [id: number, length: number])[]): Map<number, Place> {
  let end = 0;
  return new Map(
    lengths.map(([id, length]) => {
      const start = end;
      end += length;
      return [id, { start, end }];
    }),
  );
}
