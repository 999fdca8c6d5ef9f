import type { CellValue } from './cell-value';

/** Values of a read column; the row paths and keys are lists of lists. */
export type ReadColumn = [name: string, values: (CellValue | CellValue[])[]];

const STRING = /"(?:[^"\\]|\\.)*"/y;

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
    columns.push([JSON.parse(name) as string, JSON.parse(text.slice(start, at)) as CellValue[]]);
    if (text[at] === ',') at++;
  }
  return columns;
}

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
  if (!found) throw new Error('The engine answered columns that cannot be read.');
  return found[0];
}
