import type { SqlText } from '../quote';
import { join, sql } from '../quote';

/** How far the lists of a statement inside a CTE are indented. */
export const IN_CTE = sql`        `;

/** Lines of SQL joined under one another at an indentation, with commas between. */
export const list = (items: readonly SqlText[], indent = sql`    `): SqlText =>
  join(items, sql`,\n${indent}`);

/** A name that no column of the source has, for a value a statement computes on its way. */
export function freeName(wish: string, taken: readonly string[]): string {
  let name = wish;
  while (taken.includes(name)) name += '_';
  return name;
}
