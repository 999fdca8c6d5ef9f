/** Parses the engine's columnar JSON. */
import type { CellValue } from './engine-types';

/** The name of the column with the path of each row, in the engine's columnar JSON. */
export const ROW_PATH = '__ROW_PATH__';
/** The name of the column with the key of each row, which is there on request. */
export const ROW_KEY = '__ID__';

/** A column and its values; the values of row paths and keys are lists. */
type ReadColumn = [name: string, values: (CellValue | CellValue[])[]];

/** The content of the engine's columnar JSON. */
export interface ReadRows {
  /** The path of each row; null if the view has no row groups. */
  paths: CellValue[][] | null;
  /** The key of each row; null if the window did not request it. */
  keys: CellValue[][] | null;
  /** Column → values, one per row. Of columns with the same printed name, only the last. */
  columns: Map<string, CellValue[]>;
}

const STRING = /"(?:[^"\\]|\\.)*"/y;

/**
 * Reads the engine's columnar JSON as typed rows. This is the only place where the engine's answers are
 * checked.
 *
 * @throws Error if it contains anything except columns of plain values
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
 * Reads the columns of the engine's columnar JSON in order. Split columns with the same printed name are
 * repeated keys, of which `JSON.parse` would keep only the last.
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
