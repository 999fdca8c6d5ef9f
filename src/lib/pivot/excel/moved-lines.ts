/** Finds the rows and columns of an exported sheet by their labels, after somebody has moved, added or removed some. */
import { shownDigits } from '../../xlsx/formats';
import type { SheetCell } from '../../xlsx/sheet';

/** Cells of a sheet by row, from 1, and column, from 0. */
export type Cells = ReadonlyMap<number, ReadonlyMap<number, SheetCell>>;

/** A row or column that was exported. */
interface Line {
  /** The texts of its headers. */
  heads: readonly string[];
  /** Where it was exported. */
  place: number;
}

/** The rows and columns that were exported. */
export interface Lines {
  rows: readonly Line[];
  columns: readonly Line[];
}

/** Where the lines of a sheet are now. */
interface PlacedHeader {
  /** The place of each line; null if it is not found. */
  places: (number | null)[];
  /** The lines of the sheet that were not exported. */
  others: number[];
}

/** Number of rows above the headers that may have been added. */
const MOST_ADDED = 100;

/** Number of lines that a sentence names. */
const MOST_NAMED = 5;

/** Where the rows and columns of a sheet are now. */
export interface PlacedLines {
  rows: PlacedHeader;
  columns: PlacedHeader;
}

/**
 * Finds the rows and columns of a sheet by their labels. A line is found if all lines are where they were exported, or
 * if no other one has its label, or if all lines of its label are there and the order is that of the export.
 *
 * @param headers number of rows and columns of headers when it was exported
 */
export function placedLines(
  shown: Cells,
  lines: Lines,
  headers: { rows: number; columns: number },
): PlacedLines {
  const width = 1 + [...shown.values()].reduce((most, row) => greatest(row.keys(), most), -1);
  const heads = (above: number) =>
    keysAt(width, 0, (x) =>
      Array.from({ length: headers.rows }, (_, i) => shown.get(above + i + 1)?.get(x)),
    );
  const above = best(MOST_ADDED, heads, lines.columns);
  const last = greatest(shown.keys(), 0);
  const labels = (x: number) =>
    keysAt(last + 1, above + headers.rows + 1, (y) => [shown.get(y)?.get(x)]);
  return {
    columns: placed(lines.columns, heads(above)),
    rows: placed(lines.rows, labels(best(Math.min(width, MOST_ADDED), labels, lines.rows))),
  };
}

/** Returns the greatest of some numbers and another one. A sheet has too many for Math.max. */
function greatest(numbers: Iterable<number>, least: number): number {
  let most = least;
  for (const number of numbers) most = Math.max(most, number);
  return most;
}

/** Returns whether all lines are where they were exported. */
export const isUnmoved = (lines: readonly Line[], { places }: PlacedHeader): boolean =>
  lines.every(({ place }, i) => places[i] === place);

/** Describes rows and columns that are not found, and those that were not exported. Empty if there are none. */
export function placeTexts({ rows, columns }: PlacedLines, lines: Lines): string[] {
  const missing = [...lost(lines.rows, rows), ...lost(lines.columns, columns)];
  const names = missing.slice(0, MOST_NAMED).map((name) => `“${name}”`);
  const more = missing.length > names.length ? ` and ${missing.length - names.length} more` : '';
  const added = rows.others.length;
  return [
    'Rows or columns are not where they were exported. Their cells are found by their labels.',
    ...(missing.length > 0
      ? [
          `Not found, and not read: ${names.join(', ')}${more}. These labels are gone, or several rows or columns have them.`,
        ]
      : []),
    ...(added > 0
      ? [
          `Not read, because ${added === 1 ? 'it was' : 'they were'} not exported: ${rowsText(rows.others)}.`,
        ]
      : []),
  ];
}

/** Describes rows that were swapped under one label, by their places. Empty if there are none. */
export const swappedTexts = (places: readonly number[]): string[] =>
  places.length === 0
    ? []
    : [
        `Not read: ${rowsText(places)} have one label and each other’s numbers. They may have been swapped. Type these numbers into the pivot.`,
      ];

const lost = (lines: readonly Line[], { places }: PlacedHeader): string[] =>
  lines.flatMap(({ heads }, i) =>
    places[i] === null ? [heads.filter((head) => head !== '').join(', ')] : [],
  );

function rowsText(places: readonly number[]): string {
  const names = places.slice(0, MOST_NAMED).join(', ');
  const more = places.length > MOST_NAMED ? ` and ${places.length - MOST_NAMED} more` : '';
  return `${places.length === 1 ? 'row' : 'rows'} ${names}${more}`;
}

/** The keys of the lines of a sheet by their place, without those that have no text. */
function keysAt(
  end: number,
  from: number,
  cellsAt: (place: number) => (SheetCell | undefined)[],
): ReadonlyMap<number, string> {
  const keys = new Map<number, string>();
  for (let place = from; place < end; place++) {
    const cells = cellsAt(place);
    const texts = cells.map((cell) => cell?.text ?? '');
    if (texts.some((text) => text.trim() !== '')) keys.set(place, keyOf(texts, cells));
  }
  return keys;
}

/** Returns the number up to `most` whose keys have the most lines, the lowest of several. */
function best(
  most: number,
  keysOf: (n: number) => ReadonlyMap<number, string>,
  lines: readonly Line[],
): number {
  const wanted = new Set(lines.map(({ heads }) => keyOf(heads)));
  let found = { n: 0, count: 0 };
  for (let n = 0; n < most && found.count < wanted.size; n++) {
    const keys = new Set(keysOf(n).values());
    const count = [...wanted].filter((key) => keys.has(key)).length;
    if (count > found.count) found = { n, count };
  }
  return found.n;
}

function placed(lines: readonly Line[], shown: ReadonlyMap<number, string>): PlacedHeader {
  const keys = lines.map(({ heads }) => keyOf(heads));
  const known = new Set(keys);
  const others = [...shown].flatMap(([place, key]) => (known.has(key) ? [] : [place]));
  if (lines.every(({ place }, i) => (shown.get(place) ?? keyOf([''])) === keys[i])) {
    return { places: lines.map(({ place }) => place), others };
  }
  const placesOf = new Map<string, number[]>();
  const order: string[] = [];
  for (const [place, key] of shown) {
    if (!known.has(key)) continue;
    order.push(key);
    placesOf.set(key, [...(placesOf.get(key) ?? []), place]);
  }
  const isOrdered = isPartOf(order, keys);
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const taken = new Map<string, number>();
  const places = keys.map((key) => {
    const own = placesOf.get(key) ?? [];
    const n = taken.get(key) ?? 0;
    taken.set(key, n + 1);
    const isSure = own.length === counts.get(key) && (own.length === 1 || isOrdered);
    return isSure ? (own[n] ?? null) : null;
  });
  return { places, others };
}

/** Whether a list is another one with some members left out. */
function isPartOf(part: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  for (const each of whole) if (at < part.length && part[at] === each) at++;
  return at === part.length;
}

/**
 * A text to compare headers by. A spreadsheet writes the number 1.1 as 1.1000000000000001, and 100 as 1E2. The text
 * 007 is another label than 7.
 *
 * @param cells the cells of the texts; undefined for headers as they were exported
 */
export const keyOf = (texts: readonly string[], cells?: readonly (SheetCell | undefined)[]) =>
  JSON.stringify(
    texts.map((text, i) => {
      const own = text.trim();
      const digits = cells?.[i]?.kind === 'number' ? shownDigits(own) : own;
      const number = Number(digits);
      const isNumber = cells?.[i]?.kind === 'number' || String(number) === digits;
      return isNumber && Number.isFinite(number) ? number : own;
    }),
  );
