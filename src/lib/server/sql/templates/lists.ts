/** Layout of lists of columns and expressions in a template. */
import type { SqlText } from '../quote';
import { join, sql } from '../quote';

/** Indentation of lists inside a CTE. */
export const IN_CTE = sql`        `;

/** Lines of SQL under one another, with commas between them. */
export const list = (items: readonly SqlText[], indent = sql`    `): SqlText =>
  join(items, sql`,\n${indent}`);

/** A name for an intermediate value that no column of the source has. */
export function freeName(wish: string, taken: readonly string[]): string {
  let name = wish;
  while (taken.includes(name)) name += '_';
  return name;
}
