import { describe, expect, it } from 'vitest';
import { columnsIn } from './rows/arrow-columns';
import { visitEntries } from './entries';
import { awkwardRows, bytesOf } from '../../../tests/support/pivot-tables';

const rowsOf = (...logids: (number | null)[]) =>
  columnsIn(
    bytesOf(
      logids.map((pf_logid) => ({ pf_logid })),
      { pf_logid: 'integer' },
    ),
  );

/** What is visited; null if nothing can be. */
function visited(columns: ReturnType<typeof rowsOf>) {
  const runs: number[][] = [];
  return visitEntries(columns, (...run) => void runs.push(run)) ? runs : null;
}

describe('the log entries of rows', () => {
  it('are told by their rows that follow each other', () => {
    expect(visited(rowsOf(4, 4, 9, 4))).toEqual([
      [4, 0, 2],
      [9, 2, 3],
      [4, 3, 4],
    ]);
    expect(visited(rowsOf())).toEqual([]);
  });

  it('cannot be told if a row has none, or if they are not loaded', () => {
    expect(visited(rowsOf(4, null))).toBeNull();
    expect(visited(columnsIn(bytesOf(awkwardRows(2))))).toBeNull();
  });
});
