import {
  bool,
  columnFromArray,
  type DataType,
  dateDay,
  dictionary,
  float64,
  int32,
  tableFromIPC,
  timestamp,
  utf8,
} from '@uwdata/flechette';
import { describe, expect, it } from 'vitest';
import { awkwardRows, bytesOf } from '../../../../tests/support/pivot-tables';
import { columnsIn, columnsOf, encoded, rowsAt, visitEntries } from './arrow-columns';

const rowsOf = (...logids: (number | null)[]) =>
  columnsIn(
    bytesOf(
      logids.map((pf_logid) => ({ pf_logid })),
      { pf_logid: 'integer' },
    ),
  );

/** Returns the runs that were visited; null if a row has no entry. */
function visited(columns: ReturnType<typeof rowsOf>) {
  const runs: number[][] = [];
  return visitEntries(columns, (...run) => void runs.push(run)) ? runs : null;
}

describe('the log entries of rows', () => {
  it('are visited in runs of adjacent rows', () => {
    expect(visited(rowsOf(4, 4, 9, 4))).toEqual([
      [4, 0, 2],
      [9, 2, 3],
      [4, 3, 4],
    ]);
    expect(visited(rowsOf())).toEqual([]);
  });

  it('are not visited if a row has none, or if the column is not loaded', () => {
    expect(visited(rowsOf(4, null))).toBeNull();
    expect(visited(columnsIn(bytesOf(awkwardRows(2))))).toBeNull();
  });
});

const DAY_MS = 86_400_000;

/** Values by column type; each list has one that another type would take for empty. */
const TYPES: Record<string, [type: DataType, values: unknown[]]> = {
  float: [float64(), [0, 1.5, -2, 0.1 + 0.2, 1e300]],
  integer: [int32(), [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]],
  day: [dateDay(), [0, DAY_MS, -DAY_MS, 20_000 * DAY_MS, -700_000 * DAY_MS]],
  time: [timestamp(), [0, 1, -1, 1_700_000_000_000, -62_000_000_000_000]],
  yes: [bool(), [false, true, true, false, true]],
  text: [utf8(), ['', 'null', 'Żółć', 'a|b', '😀']],
  word: [dictionary(utf8()), ['', 'null', 'Żółć', '', '😀']],
};

describe('rows at indexes', () => {
  const places = Int32Array.of(4, 0, 3, 3, 1);

  it.each(Object.keys(TYPES))('keep the values of a column of type %s', async (name) => {
    const [type, values] = TYPES[name]!;
    for (const given of [values, values.map((value, y) => (y === 3 ? null : value))]) {
      const columns = new Map([[name, columnFromArray(given, type)]]);
      const taken = columnsOf(tableFromIPC(encoded(await rowsAt(columns, places)))).get(name);
      expect([...(taken ?? [])]).toEqual([...places].map((y) => given[y]));
    }
  });

  it('can be none', async () => {
    const columns = new Map(
      Object.entries(TYPES).map(([name, [type, values]]) => [name, columnFromArray(values, type)]),
    );
    const taken = columnsOf(tableFromIPC(encoded(await rowsAt(columns, new Int32Array(0)))));
    expect([...taken.values()].map(({ length }) => length)).toEqual(
      Object.keys(TYPES).map(() => 0),
    );
  });
});
