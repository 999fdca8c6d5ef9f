import type { CellValue } from './engine-types';

/** Under this name, the engine's columnar JSON holds the path of each row. */
export const ROW_PATH = '__ROW_PATH__';
/** Under this name, it holds the key of each row, if asked. */
export const ROW_KEY = '__ID__';

/** Values of a read column; the row paths and keys are lists of lists. */
type ReadColumn = [name: string, values: (CellValue | CellValue[])[]];

/** What the engine's columnar JSON holds. */
export interface ReadRows {
  /** The path of each row; null if the view groups by nothing. */
  paths: CellValue[][] | null;
  /** The key of each row; null if the window did not ask for it. */
  keys: CellValue[][] | null;
  /** Column → values, one per row. Of columns that print alike, the last only. */
  columns: Map<string, CellValue[]>;
}

const STRING = /"(?:[^"\\]|\\.)*"/y;

/**
 * The engine's columnar JSON as typed rows: the one place where its answers are checked.
 *
 * @throws Error if it holds anything but columns of plain values
 */
export function parseRows(text: string): ReadRows {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null) throw unreadable();
  const {
    [ROW_PATH]: paths = null,
    [ROW_KEY]: keys = null,
    ...rest
  }: Record<string, unknown> = {
    ...parsed,
  };
  return {
    paths: paths === null ? null : checked(paths, isListOf(isListOf(isCellValue))),
    keys: keys === null ? null : checked(keys, isListOf(isListOf(isCellValue))),
    columns: new Map(
      Object.entries(rest).map(([name, values]) => [name, checked(values, isListOf(isCellValue))]),
    ),
  };
}

/**
 * The columns of the engine's columnar JSON in their order. Split columns of one printed name come
 * as repeated keys, of which `JSON.parse` would keep the last only.
 */
export function parseColumns(text: string): ReadColumn[] {
  const columns: ReadColumn[] = [];
  let at = 1;
  while (text[at] === '"') {
    const name = stringAt(text, at);
    const start = at + name.length + 1;
    at = endOfList(text, start);
    columns.push([
      checked(JSON.parse(name), isText),
      checked(JSON.parse(text.slice(start, at)), isListOf(isValueOrPath)),
    ]);
    if (text[at] === ',') at++;
  }
  return columns;
}

type Guard<T> = (value: unknown) => value is T;

const isText = (value: unknown): value is string => typeof value === 'string';

const isCellValue = (value: unknown): value is CellValue =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'number' ||
  typeof value === 'boolean';

const isListOf =
  <T>(isMember: Guard<T>) =>
  (value: unknown): value is T[] =>
    Array.isArray(value) && value.every(isMember);

const isValueOrPath = (value: unknown): value is CellValue | CellValue[] =>
  isCellValue(value) || isListOf(isCellValue)(value);

function checked<T>(value: unknown, guard: Guard<T>): T {
  if (!guard(value)) throw unreadable();
  return value;
}

const unreadable = () => new Error('The engine answered columns that cannot be read.');

function endOfList(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at += stringAt(text, at).length - 1;
    else if (character === '[') depth++;
    else if (character === ']' && --depth === 0) return at + 1;
  }
  throw new Error('The engine answered columns that end in the middle.');
}

function stringAt(text: string, at: number): string {
  STRING.lastIndex = at;
  const found = STRING.exec(text);
  if (!found) throw unreadable();
  return found[0];
}
