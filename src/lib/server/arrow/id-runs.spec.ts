import { Float64, Int32, makeVector } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Column } from './column-plan';
import { IdColumn, idCount, runsOf } from './id-runs';

const columnOf = (ids: Int32Array | Float64Array): Column => ({
  name: 'pf_id',
  data: makeVector(ids).data[0]!,
});

describe('runs of ids', () => {
  it('are few for ids that were drawn one after the other', () => {
    const ids = Int32Array.from({ length: 5000 }, (_, i) => (i < 2000 ? 7 + i : 9000 + i));
    expect(runsOf(columnOf(ids))).toEqual([7, 2000, 11_000, 3000]);
    expect(runsOf(columnOf(new Int32Array(0)))).toEqual([]);
  });

  it('are given up if there are too many', () => {
    expect(runsOf(columnOf(Int32Array.from({ length: 30_000 }, (_, i) => 2 * i)))).toBeUndefined();
  });

  it('make the same ids again, in the same order and of the same type', () => {
    const id = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(2 ** 31 - 2, 2 ** 40));
    const run = fc.tuple(id, fc.integer({ min: 1, max: 5 }));
    fc.assert(
      fc.property(fc.array(run), (drawn) => {
        const ids = drawn.flatMap(([first, count]) =>
          Array.from({ length: count }, (_, i) => first + i),
        );
        const isWide = ids.some((id) => id > 2 ** 31 - 1);
        const column = columnOf(isWide ? Float64Array.from(ids) : Int32Array.from(ids));
        const runs = runsOf(column)!;
        const { name, data } = new IdColumn('pf_id', runs);
        expect([name, [...data.values], idCount(runs)]).toEqual(['pf_id', ids, ids.length]);
        expect(data.type.typeId).toBe((isWide ? new Float64() : new Int32()).typeId);
      }),
    );
  });

  it('are listed as JSON does, in as many bytes as were told', () => {
    const id = fc.oneof(
      fc.integer({ min: 0, max: 12_000 }),
      fc.integer({ min: 0, max: 2 ** 42 }),
      fc.constantFrom(999, 1000, 8_500, 98_999, 999_000, 2 ** 31 - 1500, 1e12 - 2000),
    );
    const run = fc.tuple(id, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 4_500 })));
    fc.assert(
      fc.property(fc.array(run, { maxLength: 5 }), (drawn) => {
        const ids = drawn.flatMap(([first, count]) =>
          Array.from({ length: count }, (_, i) => first + i),
        );
        const column = new IdColumn('pf_id', drawn.flat());
        const list = Buffer.concat([...column.list()]);
        expect(`[${list.toString()}]`).toBe(JSON.stringify(ids));
        expect(column.listLength).toBe(list.length);
      }),
      {
        examples: [
          [[[999, 3002]]],
          [[[9_999, 100_002]]],
          [
            [
              [1000, 2000],
              [5000, 1000],
            ],
          ],
        ],
      },
    );
  });
});
