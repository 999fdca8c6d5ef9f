import { describe, expect, it } from 'vitest';
import { columnsIn } from './arrow-columns';
import { entriesIn, KnownEntries } from './entries';
import { awkwardRows, bytesOf } from '../../../tests/support/pivot-tables';

const rowsOf = (...logids: (number | null)[]) =>
  columnsIn(
    bytesOf(
      logids.map((pf_logid) => ({ pf_logid })),
      { pf_logid: 'integer' },
    ),
  );

describe('the log entries of rows', () => {
  it('are told by their rows that follow each other', () => {
    expect(entriesIn(rowsOf(4, 4, 9, 4))).toEqual([
      { logid: 4, from: 0, to: 2 },
      { logid: 9, from: 2, to: 3 },
      { logid: 4, from: 3, to: 4 },
    ]);
    expect(entriesIn(rowsOf())).toEqual([]);
  });

  it('cannot be told if a row has none, or if they are not loaded', () => {
    expect(entriesIn(rowsOf(4, null))).toBeNull();
    expect(entriesIn(columnsIn(bytesOf(awkwardRows(2))))).toBeNull();
  });

  it('are known as they came and went', () => {
    const known = new KnownEntries();
    known.add(rowsOf(1, 1, 2));
    known.add(rowsOf(-7));
    expect(known.all).toEqual([1, 2, -7]);
    known.remove(2);
    known.remove(3);
    known.add(rowsOf(1, 5));
    expect(known.all).toEqual([1, -7, 5]);
  });
});
