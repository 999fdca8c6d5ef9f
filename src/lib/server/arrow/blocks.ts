/** Blocks: adjacent rows of a version that several states share. */
import type { Data } from 'apache-arrow';
import type { Column } from './column-plan';
import { rowCountOf } from './column-values';

/**
 * Adjacent rows of a version, each column in one piece of memory. Blocks form a sequence: a column has the
 * same type in all of them, and the dictionary of a block holds the texts of this block and of all blocks
 * before it, in the order of first appearance. The last block's dictionary is therefore the dictionary of the
 * whole column. A block never changes, so several states of a version share it.
 */
export interface RowBlock {
  columns: readonly Column[];
  /**
   * Number of rows that the block's memory has room for. It exceeds the number of rows if some were left out.
   */
  held: number;
}

/** Adjacent rows of a block, from `start` (included) to `end` (excluded). */
export interface RowRun {
  /** The sequence of blocks that contains this one. */
  blocks: readonly RowBlock[];
  index: number;
  start: number;
  end: number;
}

/** A column as a sequence of blocks. */
export interface BlockColumn {
  name: string;
  blocks: readonly Data[];
}

/** Makes a block of newly decoded columns. */
export const blockOf = (columns: readonly Column[]): RowBlock => ({
  columns,
  held: rowCountOf(columns),
});

/** Number of rows in all blocks. */
export const rowCountIn = (blocks: readonly RowBlock[]): number =>
  blocks.reduce((sum, { columns }) => sum + rowCountOf(columns), 0);

/** Number of rows that the memory of all blocks has room for. */
export const heldIn = (blocks: readonly RowBlock[]): number =>
  blocks.reduce((sum, { held }) => sum + held, 0);

/** The columns of a sequence of blocks. @throws Error if the blocks differ in their columns */
export function columnsOf(blocks: readonly RowBlock[]): BlockColumn[] {
  const names = blocks[0]?.columns.map(({ name }) => name) ?? [];
  return names.map((name, i) => ({
    name,
    blocks: blocks.map((block) => dataIn(block, i, name)),
  }));
}

/** The rows of one column of a block. @throws Error if the column at index `i` has another name */
export function dataIn({ columns }: RowBlock, i: number, name: string): Data {
  const column = columns[i];
  if (column?.name !== name) throw new Error(`Columns of other names: ${column?.name}, ${name}`);
  return column.data;
}

/** Number of rows in all runs. */
export const rowsOf = (runs: readonly Pick<RowRun, 'start' | 'end'>[]): number =>
  runs.reduce((sum, { start, end }) => sum + end - start, 0);

/**
 * The runs that cover the rows from one number (included) to another (excluded). Row numbers count through
 * all blocks.
 */
export function* runsBetween(
  blocks: readonly RowBlock[],
  start: number,
  end: number,
): Generator<RowRun, void> {
  let before = 0;
  for (const [index, { columns }] of blocks.entries()) {
    const rows = rowCountOf(columns);
    const from = Math.max(0, start - before);
    const to = Math.min(rows, end - before);
    if (from < to) yield { blocks, index, start: from, end: to };
    before += rows;
  }
}
