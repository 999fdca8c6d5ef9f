/** Writes rows of columns and long lists as JSON, piece by piece. */
import { DAY_MS } from '../../contract/primitives';
import { DataType, type Data, type Utf8 } from 'apache-arrow';
import type { Column } from './column-plan';
import { isText, rowCountOf } from './column-values';

/** Renders the JSON value of a row. */
type Render = (row: number) => string;

/**
 * The rows of columns as the JSON text of an array of objects, each column under its name. The text
 * comes in UTF-8 pieces of about 64 KB, each made when it is requested, so the whole text is never in
 * memory: it can be long, since a note is repeated in every row.
 *
 * Days are ISO text as PostgreSQL prints it, instants are ISO 8601 text in UTC. NaN and infinities
 * become null, as in `JSON.stringify`.
 * @throws Error for a column of a type that no COPY makes
 */
export const jsonRows = (columns: readonly Column[]): Generator<Uint8Array<ArrayBuffer>, void> =>
  rowPieces('[', columns, ']');

/**
 * A JSON object of some small fields and, as its last field, rows as {@link jsonRows} writes them.
 * @throws Error for a column of a type that no COPY makes
 */
export const jsonWithRows = (
  fields: Record<string, unknown>,
  name: string,
  columns: readonly Column[],
): Generator<Uint8Array<ArrayBuffer>, void> => rowPieces(opened(fields, name), columns, ']}');

/** A JSON object with some fields and, as its last one, a list that is to follow. */
const opened = (fields: Record<string, unknown>, name: string): string =>
  `{${Object.entries(fields)
    .map(([key, value]) => `"${key}":${JSON.stringify(value)},`)
    .join('')}"${name}":[`;

/** Some small fields of a JSON object, and the number of rows that belong to it. */
interface Part {
  fields: Record<string, unknown>;
  rowCount: number;
}

/**
 * A JSON object of some small fields and, as its last field, a list of objects. Each of those has small
 * fields of its own and, as its last field `rows`, its part of the rows as {@link jsonRows} writes them.
 *
 * @param parts the objects, in the order of their rows
 * @throws Error for a column of a type that no COPY makes
 */
export function* jsonWithParts(
  fields: Record<string, unknown>,
  name: string,
  parts: readonly Part[],
  columns: readonly Column[],
): Generator<Uint8Array<ArrayBuffer>, void> {
  const rowText = rowRenderer(columns);
  let before = 0;
  let head = opened(fields, name);
  for (const { fields, rowCount } of parts) {
    const first = before;
    yield* pieces(head + opened(fields, 'rows'), rowCount, (row) => rowText(first + row), ']}');
    before += rowCount;
    head = ',';
  }
  yield new TextEncoder().encode(']}');
}

const rowPieces = (
  head: string,
  columns: readonly Column[],
  tail: string,
): Generator<Uint8Array<ArrayBuffer>, void> =>
  pieces(head, rowCountOf(columns), rowRenderer(columns), tail);

/** Renders the rows of some columns as JSON objects. */
function rowRenderer(columns: readonly Column[]): Render {
  const room = { characters: REMEMBERED };
  const fields = columns.map(({ name, data }, i) => ({
    name: `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    render: renderer(data, room),
  }));
  return (row) => {
    let text = '';
    for (const { name, render } of fields) text += name + render(row);
    return text + '}';
  };
}

/**
 * A JSON object of some small fields and, as its last field, the list of a column's values, empty if
 * there is no column. It comes in pieces, like {@link jsonRows}.
 * @throws Error for a column of a type that no COPY makes
 */
export function jsonWithList(
  fields: Record<string, unknown>,
  name: string,
  column: Column | undefined,
): Generator<Uint8Array<ArrayBuffer>, void> {
  const render = column ? renderer(column.data, { characters: REMEMBERED }) : () => 'null';
  return pieces(opened(fields, name), column?.data.length ?? 0, render, ']}');
}

/**
 * A JSON object of some small fields and, as its last field, a list of objects that are in memory. It comes in pieces,
 * like {@link jsonRows}, with the text that `JSON.stringify` makes of all of it.
 */
export const jsonWithObjects = (
  fields: Record<string, unknown>,
  name: string,
  objects: readonly object[],
): Generator<Uint8Array<ArrayBuffer>, void> =>
  pieces(opened(fields, name), objects.length, (row) => JSON.stringify(objects[row]), ']}');

/** Number of characters of a piece. Most characters are one byte. */
const PIECE = 65_536;

function* pieces(
  head: string,
  length: number,
  render: Render,
  tail: string,
): Generator<Uint8Array<ArrayBuffer>, void> {
  const encoder = new TextEncoder();
  let piece = head;
  for (let row = 0; row < length; row++) {
    piece += row === 0 ? render(row) : ',' + render(row);
    if (piece.length >= PIECE) {
      yield encoder.encode(piece);
      piece = '';
    }
  }
  yield encoder.encode(piece + tail);
}

function renderer(data: Data, room: Room): Render {
  const render = renderValue(data, room);
  return data.nullCount === 0 ? render : (row) => (data.getValid(row) ? render(row) : 'null');
}

function renderValue(data: Data, room: Room): Render {
  const { type } = data;
  const values: unknown = data.values;
  if (DataType.isDictionary(type) && values instanceof Int32Array) {
    const texts = data.dictionary?.data[0];
    if (isText(texts)) return remembered(values, textOf(texts), room);
  }
  if (isText(data)) return textOf(data);
  if (values instanceof Int32Array && DataType.isInt(type)) return (row) => String(values[row]);
  if (values instanceof Float64Array) {
    return (row) => (Number.isFinite(values[row]) ? String(values[row]) : 'null');
  }
  if (DataType.isBool(type) && values instanceof Uint8Array) {
    return (row) => String(((values[row >> 3] ?? 0) & (1 << (row & 7))) !== 0);
  }
  if (DataType.isDate(type) && values instanceof Int32Array) {
    return remembered(values, dayText, room);
  }
  if (DataType.isTimestamp(type) && values instanceof BigInt64Array) {
    return remembered(values, instantText, room);
  }
  throw new Error(`A column of type ${String(type)} has no JSON here`);
}

/** Number of characters of rendered text that the cache may still take. */
interface Room {
  characters: number;
}
const REMEMBERED = 8_000_000;

/** Caches the text of each value while there is room. After that, each value is rendered again. */
function remembered<T extends number | bigint>(
  values: { readonly [row: number]: T },
  render: (value: T) => string,
  room: Room,
): Render {
  const texts = new Map<T, string>();
  return (row) => {
    const value = values[row];
    if (value === undefined) return 'null';
    const known = texts.get(value);
    if (known !== undefined) return known;
    const text = render(value);
    if (text.length <= room.characters) {
      room.characters -= text.length;
      texts.set(value, text);
    }
    return text;
  };
}

function textOf({ valueOffsets, values }: Data<Utf8>): Render {
  // By default a decoder takes a leading U+FEFF for a byte order mark and drops it.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return (row) =>
    JSON.stringify(decoder.decode(values.subarray(valueOffsets[row], valueOffsets[row + 1])));
}

const instantText = (milliseconds: bigint): string =>
  `"${new Date(Number(milliseconds)).toISOString()}"`;

const DAYS_OF_400_YEARS = 146_097;

/**
 * A day, counted from 1970-01-01, as PostgreSQL prints it: years after 9999 have more digits, and
 * years before 1 end in BC. PostgreSQL's dates reach further than JavaScript's. The calendar repeats
 * every 400 years, so the day is computed in the years 1970 to 2369.
 */
function dayText(days: number): string {
  const cycles = Math.floor(days / DAYS_OF_400_YEARS);
  const date = new Date((days - cycles * DAYS_OF_400_YEARS) * DAY_MS);
  const year = date.getUTCFullYear() + 400 * cycles;
  const [shown, era] = year > 0 ? [year, ''] : [1 - year, ' BC'];
  return `"${String(shown).padStart(4, '0')}${date.toISOString().slice(4, 10)}${era}"`;
}
