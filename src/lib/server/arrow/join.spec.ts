import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { column, decode, MIXED, mixedRow } from '../../../../tests/support/copied-columns';
import * as wire from '../../../../tests/support/copy-bytes';
import { encode } from '../../../../tests/support/encode';
import { integerColumns, type Column } from './column-plan';
import { byEntry, rowsOfEntries } from './entry-rows';
import { joinRows, type RowRun } from './join';

const PLAN = [
  ...MIXED,
  column('int8', 'dimension', 'size'),
  column('float8'),
  column('int8', 'dimension', 'pf_logid'),
];
const INTEGERS = integerColumns(PLAN);

/** The i-th row, of an entry; some of its integers do not fit in 32 bits. */
const row = (i: number, entry: number): wire.Field[] => [
  ...mixedRow(i),
  i % 4 === 3 ? null : wire.int8(i % 11 === 10 ? 2 ** 40 + i : i),
  i % 6 === 5 ? null : wire.float8(i / 3),
  wire.int8(entry),
];

const columnsOf = (rows: readonly (readonly [i: number, entry: number])[]): Column[] =>
  decode(PLAN, wire.copyBytes(rows.map(([i, entry]) => row(i, entry))));

/** Rows of some entries, each a number and its entry. */
const someRows = fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 5 })), { maxLength: 60 });

const bytesOf = (columns: readonly Column[]) => Buffer.from(encode(columns)).toString('hex');

describe('runs of rows, joined', () => {
  it('are the columns that a decoder makes of the same rows, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(someRows, fc.nat(60), fc.nat(60)), { minLength: 1, maxLength: 6 }),
        async (sources) => {
          const runs: RowRun[] = [];
          const wanted: (readonly [number, number])[] = [];
          for (const [rows, a, b] of sources) {
            const [start = 0, end = 0] = [a, b]
              .map((n) => Math.min(n, rows.length))
              .sort((x, y) => x - y);
            runs.push({ columns: columnsOf(rows), start, end });
            wanted.push(...rows.slice(start, end));
          }
          const joined = await joinRows(runs, INTEGERS);
          expect(bytesOf(joined)).toBe(bytesOf(columnsOf(wanted)));
        },
      ),
    );
  });

  it('are so if rows of one source are left out at its end or between', async () => {
    const numbers = fc.tuple(fc.nat(60), fc.nat(60), fc.nat(60));
    await fc.assert(
      fc.asyncProperty(someRows, numbers, someRows, async (rows, cuts, more) => {
        const [end = 0, from = 0, to = 0] = cuts
          .map((n) => Math.min(n, rows.length))
          .sort((x, y) => x - y);
        const [columns, others] = [columnsOf(rows), columnsOf(more)];
        const runs = [
          { columns, start: 0, end },
          { columns: others, start: 0, end: more.length },
          { columns, start: from, end: to },
        ];
        const wanted = [...rows.slice(0, end), ...more, ...rows.slice(from, to)];
        expect(bytesOf(await joinRows(runs, INTEGERS))).toBe(bytesOf(columnsOf(wanted)));
      }),
    );
  });

  it('let integers be narrow again once those that do not fit are gone', async () => {
    const columns = columnsOf([
      [10, 1],
      [3, 1],
      [4, 2],
    ]);
    const size = columns.find(({ name }) => name === 'size');
    expect(size?.data.values).toBeInstanceOf(Float64Array);
    const [, narrow] = await Promise.all(
      [0, 1].map((start) => joinRows([{ columns, start, end: 3 }], INTEGERS)),
    );
    const left = narrow?.find(({ name }) => name === 'size');
    expect(left?.data.values).toBeInstanceOf(Int32Array);
  });

  it('are those of the source itself if nothing is left out', async () => {
    const columns = columnsOf([
      [1, 1],
      [2, 2],
    ]);
    const joined = await joinRows([{ columns, start: 0, end: 2 }], INTEGERS);
    expect(joined.map(({ data }) => data.values)).toEqual(columns.map(({ data }) => data.values));
    expect(joined[1]?.data.values).toBe(columns[1]?.data.values);
  });

  it('are refused if their columns do not go together', async () => {
    const text = decode([column('text', 'dimension', 'a')], wire.copyBytes([[wire.text('x')]]));
    const number = decode([column('int4', 'dimension', 'a')], wire.copyBytes([[wire.int4(1)]]));
    const other = decode([column('int4', 'dimension', 'b')], wire.copyBytes([[wire.int4(1)]]));
    const join = (...sources: Column[][]) =>
      joinRows(
        sources.map((columns) => ({ columns, start: 0, end: 1 })),
        INTEGERS,
      );
    await expect(join(text, number)).rejects.toThrow('go with');
    await expect(join(number, text)).rejects.toThrow('go with');
    await expect(join(number, other)).rejects.toThrow('other names');
  });
});

describe('the rows of some entries', () => {
  it('come entry by entry, whoever has them and in whatever order they lay', async () => {
    await fc.assert(
      fc.asyncProperty(
        someRows,
        someRows,
        fc.subarray([1, 2, 3, 4, 5]),
        async (first, second, chosen) => {
          const later = second.map(([i, entry]) => [i, entry + 5] as const);
          const kept = await byEntry(columnsOf(first), [1, 2, 3, 4, 5], INTEGERS);
          const fresh = await byEntry(columnsOf(later), [6, 7, 8, 9, 10], INTEGERS);
          if (!kept || !fresh) throw new Error('Every row tells its entry');
          const live = [...chosen, ...chosen.map((entry) => entry + 5)];
          const rows = await rowsOfEntries(live, [kept, fresh], INTEGERS);
          const wanted = live.flatMap((id) =>
            [...first, ...later].filter(([, entry]) => entry === id),
          );
          expect(bytesOf(rows.columns)).toBe(bytesOf(columnsOf(wanted)));
          expect([...rows.places.keys()]).toEqual(live);
          // What was made of them can be made from again.
          const again = await rowsOfEntries(live.slice(1), [rows], INTEGERS);
          expect(bytesOf(again.columns)).toBe(
            bytesOf(columnsOf(wanted.filter(([, entry]) => entry !== live[0]))),
          );
        },
      ),
    );
  });

  it('are not told apart if a row has an entry that is not there, or none', async () => {
    const columns = columnsOf([
      [1, 1],
      [2, 2],
    ]);
    expect(await byEntry(columns, [1], INTEGERS)).toBeUndefined();
    expect(await byEntry(columns.slice(0, -1), [1, 2], INTEGERS)).toBeUndefined();
    const orphan = decode([column('int8', 'dimension', 'pf_logid')], wire.copyBytes([[null]]));
    expect(await byEntry(orphan, [1, 2], INTEGERS)).toBeUndefined();
  });
});
