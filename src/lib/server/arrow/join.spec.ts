import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { column, decode, MIXED, mixedRow } from '../../../../tests/support/copied-columns';
import * as wire from '../../../../tests/support/copy-bytes';
import { blockOf, columnsOf as columnsIn, type RowBlock, type RowRun } from './blocks';
import { integerColumns, type Column } from './column-plan';
import { encodeBlocks, encodeParts } from './encode';
import { byEntry, rowsOfEntries, type EntryRows } from './entry-rows';
import { joinRuns } from './join';

const PLAN = [
  ...MIXED,
  column('int8', 'dimension', 'size'),
  column('float8'),
  column('int8', 'dimension', 'pf_logid'),
];
const INTEGERS = integerColumns(PLAN);

/** Row `i` of an entry. Some of its integers exceed 32 bits. */
const row = (i: number, entry: number): wire.Field[] => [
  ...mixedRow(i),
  i % 4 === 3 ? null : wire.int8(i % 11 === 10 ? 2 ** 40 + i : i),
  i % 6 === 5 ? null : wire.float8(i / 3),
  wire.int8(entry),
];

const columnsOf = (rows: readonly (readonly [i: number, entry: number])[]): Column[] =>
  decode(PLAN, wire.copyBytes(rows.map(([i, entry]) => row(i, entry))));

/** Random rows, each a number and the id of its entry. */
const someRows = fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 5 })), { maxLength: 60 });

const hex = (parts: readonly Uint8Array[]) => Buffer.concat(parts).toString('hex');
const bytesOf = (columns: readonly Column[]) => hex(encodeParts(columns));
const bytesIn = (blocks: readonly RowBlock[]) => hex(encodeBlocks(columnsIn(blocks)));

/** A run of columns in a single block. */
const runOf = (columns: readonly Column[], start: number, end: number): RowRun => ({
  blocks: [blockOf(columns)],
  index: 0,
  start,
  end,
});

/** The numbers, limited to `length`, in ascending order. */
const between = (length: number, ...numbers: number[]) =>
  numbers.map((n) => Math.min(n, length)).sort((a, b) => a - b);

describe('joined runs of rows', () => {
  it('equal, byte for byte, the columns that a decoder makes of the same rows', async () => {
    const source = fc.tuple(someRows, fc.nat(60), fc.nat(60), fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.array(source, { minLength: 1, maxLength: 6 }), async (sources) => {
        const groups: RowRun[][] = [];
        const wanted: (readonly [number, number])[] = [];
        for (const [rows, a, b, isNew] of sources) {
          const [start = 0, end = 0] = between(rows.length, a, b);
          const run = runOf(columnsOf(rows), start, end);
          const group = groups.at(-1);
          if (isNew || !group) groups.push([run]);
          else group.push(run);
          wanted.push(...rows.slice(start, end));
        }
        const joined = await joinRuns(groups, INTEGERS);
        expect(joined).toHaveLength(groups.length);
        expect(bytesIn(joined)).toBe(bytesOf(columnsOf(wanted)));
      }),
    );
  });

  it('equal them if rows at the end or in between are left out', async () => {
    const numbers = fc.tuple(fc.nat(60), fc.nat(60), fc.nat(60));
    await fc.assert(
      fc.asyncProperty(someRows, numbers, someRows, async (rows, cuts, more) => {
        const [end = 0, from = 0, to = 0] = between(rows.length, ...cuts);
        const first = runOf(columnsOf(rows), 0, end);
        const runs = [
          first,
          runOf(columnsOf(more), 0, more.length),
          { ...first, start: from, end: to },
        ];
        const wanted = [...rows.slice(0, end), ...more, ...rows.slice(from, to)];
        for (const groups of [[runs], runs.map((run) => [run])]) {
          expect(bytesIn(await joinRuns(groups, INTEGERS))).toBe(bytesOf(columnsOf(wanted)));
        }
      }),
    );
  });

  it('become Int32 again once the integers that exceed it are left out', async () => {
    const columns = columnsOf([
      [10, 1],
      [3, 1],
      [4, 2],
    ]);
    const size = columns.find(({ name }) => name === 'size');
    expect(size?.data.values).toBeInstanceOf(Float64Array);
    const [block] = await joinRuns([[runOf(columns, 1, 3)]], INTEGERS);
    const left = block?.columns.find(({ name }) => name === 'size');
    expect(left?.data.values).toBeInstanceOf(Int32Array);
  });

  it('are the source itself if nothing is left out', async () => {
    const columns = columnsOf([
      [1, 1],
      [2, 2],
    ]);
    const [block] = await joinRuns([[runOf(columns, 0, 2)]], INTEGERS);
    expect(block?.columns.map(({ data }) => data)).toEqual(columns.map(({ data }) => data));
    expect(block?.columns[1]?.data).toBe(columns[1]?.data);
  });

  it('stay in their memory if they are alone in their block and most of that memory is theirs', async () => {
    const rows = Array.from({ length: 20 }, (_, i) => [i, 1] as const);
    const columns = columnsOf(rows);
    const isCopied = async (...runs: RowRun[]) => {
      const [block] = await joinRuns([runs], INTEGERS);
      const numbers = ({ data }: Column) => data.values instanceof Float64Array;
      const [own, theirs] = [block?.columns.find(numbers), columns.find(numbers)];
      return own?.data.buffers[1]?.buffer !== theirs?.data.buffers[1]?.buffer;
    };
    expect(await isCopied(runOf(columns, 0, 20))).toBe(false);
    expect(await isCopied(runOf(columns, 2, 18))).toBe(false);
    expect(await isCopied(runOf(columns, 2, 12))).toBe(true);
    expect(await isCopied(runOf(columns, 0, 20), runOf(columnsOf(rows), 0, 1))).toBe(true);
  });

  it('are refused if their columns do not match', async () => {
    const text = decode([column('text', 'dimension', 'a')], wire.copyBytes([[wire.text('x')]]));
    const number = decode([column('int4', 'dimension', 'a')], wire.copyBytes([[wire.int4(1)]]));
    const other = decode([column('int4', 'dimension', 'b')], wire.copyBytes([[wire.int4(1)]]));
    const join = (...sources: Column[][]) =>
      joinRuns([sources.map((columns) => runOf(columns, 0, 1))], INTEGERS);
    await expect(join(text, number)).rejects.toThrow('go with');
    await expect(join(number, text)).rejects.toThrow('go with');
    await expect(join(number, other)).rejects.toThrow('other names');
  });
});

describe('the rows of some entries', () => {
  it('are grouped by entry, whatever source has them and in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(
        someRows,
        someRows,
        fc.subarray([1, 2, 3, 4, 5]),
        async (first, second, chosen) => {
          const later = second.map(([i, entry]) => [i, entry + 5] as const);
          const kept = await byEntry(blockOf(columnsOf(first)), [1, 2, 3, 4, 5], INTEGERS);
          const fresh = await byEntry(blockOf(columnsOf(later)), [6, 7, 8, 9, 10], INTEGERS);
          if (!kept || !fresh) throw new Error('Every row has an entry');
          const live = [...chosen, ...chosen.map((entry) => entry + 5)];
          const rows = await rowsOfEntries(live, [kept, fresh], INTEGERS);
          const wanted = live.flatMap((id) =>
            [...first, ...later].filter(([, entry]) => entry === id),
          );
          expect(bytesIn(rows.blocks)).toBe(bytesOf(columnsOf(wanted)));
          expect([...rows.places.keys()]).toEqual(live);
          // The result can be a source itself.
          const again = await rowsOfEntries(live.slice(1), [rows], INTEGERS);
          expect(bytesIn(again.blocks)).toBe(
            bytesOf(columnsOf(wanted.filter(([, entry]) => entry !== live[0]))),
          );
        },
      ),
    );
  });

  it('are correct after any number of entries were added and removed, for blocks of any size', async () => {
    /** The rows that an entry writes, and which earlier entries are removed by then. */
    const change = fc.tuple(
      fc.array(fc.nat(40), { maxLength: 12 }),
      fc.array(fc.nat(20), { maxLength: 2 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 2, maxLength: 12 }),
        fc.integer({ min: 0, max: 20 }),
        async (changes, blockRows) => {
          const written = new Map<number, (readonly [number, number])[]>();
          let rows: EntryRows | undefined;
          for (const [id, [numbers, gone]] of changes.entries()) {
            for (const place of gone) written.delete(place);
            const own = numbers.map((i) => [i, id] as const);
            written.set(id, own);
            const fresh = await byEntry(blockOf(columnsOf(own)), [id], INTEGERS);
            if (!fresh) throw new Error('Every row has an entry');
            const sources = rows ? [rows, fresh] : [fresh];
            rows = await rowsOfEntries([...written.keys()], sources, INTEGERS, blockRows);
            expect(bytesIn(rows.blocks)).toBe(bytesOf(columnsOf([...written.values()].flat())));
          }
        },
      ),
    );
  });

  it('cannot be grouped if a row names no entry or an unknown one', async () => {
    const columns = columnsOf([
      [1, 1],
      [2, 2],
    ]);
    expect(await byEntry(blockOf(columns), [1], INTEGERS)).toBeUndefined();
    expect(await byEntry(blockOf(columns.slice(0, -1)), [1, 2], INTEGERS)).toBeUndefined();
    const orphan = decode([column('int8', 'dimension', 'pf_logid')], wire.copyBytes([[null]]));
    expect(await byEntry(blockOf(orphan), [1, 2], INTEGERS)).toBeUndefined();
  });
});
