import type { Data } from 'apache-arrow';
import type { Column } from './column-plan';
import { rowCountOf } from './column-values';

/**
 * Adjacent rows of a version, each column in one memory. Blocks follow one another and fit together: a
 * column has one type in all of them, and a dictionary has the texts that occur up to the end of its
 * block, in the order of first appearance. So the last block's dictionary is that of the whole column.
 * Nothing in a block ever changes, so several states of a version share it.
 */
export interface RowBlock {
  columns: readonly Column[];
  /** How many rows its memory has room for, those that were left out included. */
  held: number;
}

/** Adjacent rows of a block: those from `start` up to, not including, `end`. */
export interface RowRun {
  /** All blocks that the block is one of. */
  blocks: readonly RowBlock[];
  index: number;
  start: number;
  end: number;
}

/** A column of blocks: its rows, block by block. */
export interface BlockColumn {
  name: string;
  blocks: readonly Data[];
}

/** The block of columns that somebody has just made. */
export const blockOf = (columns: readonly Column[]): RowBlock => ({
  columns,
  held: rowCountOf(columns),
});

/** How many rows some blocks have. */
export const rowCountIn = (blocks: readonly RowBlock[]): number =>
  blocks.reduce((sum, { columns }) => sum + rowCountOf(columns), 0);

/** How many rows the memory of some blocks has room for. */
export const heldIn = (blocks: readonly RowBlock[]): number =>
  blocks.reduce((sum, { held }) => sum + held, 0);

/** The columns of some blocks. @throws Error if the blocks have different ones */
export function columnsOf(blocks: readonly RowBlock[]): BlockColumn[] {
  const names = blocks[0]?.columns.map(({ name }) => name) ?? [];
  return names.map((name, i) => ({
    name,
    blocks: blocks.map((block) => dataIn(block, i, name)),
  }));
}

/** The rows of a column of a block. @throws Error if the column at its place has another name */
export function dataIn({ columns }: RowBlock, i: number, name: string): Data {
  const column = columns[i];
  if (column?.name !== name) throw new Error(`Columns of other names: ${column?.name}, ${name}`);
  return column.data;
}

/** How many rows there are in some runs. */
export const rowsOf = (runs: readonly Pick<RowRun, 'start' | 'end'>[]): number =>
  runs.reduce((sum, { start, end }) => sum + end - start, 0);

/** The runs of some blocks from one row up to, not including, another; rows are counted through all of them. */
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
