import { describe, expect, it, vi } from 'vitest';
import { arrowRows, column, decode } from '../../../../tests/support/copied-columns';
import * as wire from '../../../../tests/support/copy-bytes';
import { pivoted } from '../../../../tests/support/pivot-engine';
import type { Column } from './column-plan';
import { encode } from '../../../../tests/support/encode';
import { entryRuns } from './entry-rows';
import { mappedDictionary } from './mapped';

// These tests read thousands of small streams and run the pivot engine, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describe('a text column derived from entry ids', () => {
  const ids = (values: (number | null)[]) => {
    const fields = values.map((v) => [v === null ? null : wire.int8(v)]);
    return decode([column('int8', 'dimension', 'pf_logid')], wire.copyBytes(fields))[0] as Column;
  };
  const mapped = (logids: Column, texts: ReadonlyMap<number, string | null>) => ({
    name: 'pf_note',
    data: mappedDictionary(logids.data.length, entryRuns(logids), texts),
  });
  const notes = new Map([
    [1, 'first'],
    [2, null],
    [3, 'it\'s {{logid}} $& "quoted"'],
    [4, ''],
    [5, 'first'],
    [2 ** 40, 'far'],
  ]);

  it("has the text of each row's id, or null if it has none", async () => {
    const logids = ids([1, 1, 2, 3, 4, 5, 99, null, 1]);
    const note = mapped(logids, notes);
    const expected = ['first', 'first', null, notes.get(3), '', 'first', null, null, 'first'];
    expect(arrowRows([logids, note]).map((row) => row.pf_note)).toEqual(expected);
    const { rows } = await pivoted(encode([logids, note]));
    expect(rows.map((row) => row.pf_note)).toEqual(expected);
    expect(note.data.dictionary?.toArray()).toEqual(['first', notes.get(3), '', 'far']);
  });

  it('supports runs that begin and end within one byte of the bitmap', () => {
    for (const [before, none, after] of [
      [0, 3, 2],
      [3, 2, 1],
      [5, 6, 9],
      [7, 1, 0],
      [8, 16, 8],
      [3, 40, 20],
    ] as const) {
      const runs = [Array(before).fill(1), Array(none).fill(2), Array(after).fill(4)].flat();
      const logids = ids(runs);
      const note = mapped(logids, notes);
      expect(note.data.nullCount).toBe(none);
      expect(arrowRows([note]).map((row) => row.pf_note)).toEqual(runs.map((id) => notes.get(id)));
    }
  });

  it('supports ids beyond 32 bits', () => {
    const note = mapped(ids([1, 2 ** 40, null]), notes);
    expect(arrowRows([note]).map((row) => row.pf_note)).toEqual(['first', 'far', null]);
  });

  it('is null if no id has a text', async () => {
    const logids = ids([2, 2]);
    const note = mapped(logids, new Map([[2, null]]));
    expect(arrowRows([note]).map((row) => row.pf_note)).toEqual([null, null]);
    expect((await pivoted(encode([logids, note]))).rows).toEqual([
      { pf_logid: 2, pf_note: null },
      { pf_logid: 2, pf_note: null },
    ]);
  });

  it('refuses a column without ids', () => {
    const [stamp] = decode([column('timestamp')], wire.copyBytes([]));
    expect(() => mapped(stamp as Column, notes)).toThrow(/no ids/);
  });
});
