import perspective from '@finos/perspective/node';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { LayoutFilter } from '../../contract/stored-layout';
import { toScalar } from '../values/cell-value';
import type { CellValue, Table } from '../values/engine-types';
import {
  admitted,
  exceptFilters,
  rangeFilters,
  replaceFilters,
  valueFilters,
  withoutFilters,
} from './filter';

const SCHEMA = {
  id: 'integer',
  text: 'string',
  size: 'integer',
  rate: 'float',
  flag: 'boolean',
  day: 'date',
  stamp: 'datetime',
} as const;
type Name = Exclude<keyof typeof SCHEMA, 'id'>;

const VALUES: Record<Name, (string | number | boolean | null)[]> = {
  text: ['a', 'b', '', 'null', 'c|d', null],
  size: [0, 1, -5, 7, null],
  rate: [0, 0.1, 2.5, null],
  flag: [true, false, null],
  day: ['2028-01-31', '2028-02-01', '2028-03-31', null],
  stamp: ['2028-01-31T23:59:59.500Z', '2028-02-01T00:00:00.000Z', null],
};
const ROWS = Array.from({ length: 60 }, (_, id) => ({
  id,
  ...Object.fromEntries(
    Object.entries(VALUES).map(([name, values], i) => [
      name,
      values[(id * (i + 3)) % values.length],
    ]),
  ),
})) as ({ id: number } & Record<Name, CellValue>)[];

describe('filters of a column', async () => {
  const table = (await perspective.table({ ...SCHEMA })) as unknown as Table;
  await table.update(
    Object.fromEntries(
      Object.keys(SCHEMA).map((name) => [name, ROWS.map((row) => row[name as Name])]),
    ),
  );
  afterAll(() => table.delete());

  async function rowsThat(filter: LayoutFilter[]): Promise<number[]> {
    const view = await table.view({ columns: ['id'], filter });
    const { id } = JSON.parse(await view.to_columns_string()) as { id: number[] };
    await view.delete();
    return id;
  }

  /** Finds the rows of some values without filters. */
  const rowsOf = (name: Name, values: readonly CellValue[]) =>
    ROWS.filter((row) => values.includes(row[name])).map(({ id }) => id);

  it('admit exactly the picked values, which can be read back from them', async () => {
    const picks = fc
      .constantFrom(...(Object.keys(VALUES) as Name[]))
      .chain((name) => fc.tuple(fc.constant(name), fc.subarray(VALUES[name], { minLength: 1 })));
    await fc.assert(
      fc.asyncProperty(picks, async ([name, picked]) => {
        const filters = valueFilters(name, VALUES[name], picked);
        expect(await rowsThat(filters)).toEqual(rowsOf(name, picked));
        const read = admitted(filters);
        if (read.kind !== 'values') throw new Error(`${JSON.stringify(filters)} is not a list`);
        const isIn = (value: CellValue) => read.values.includes(value) !== read.except;
        expect(VALUES[name].filter(isIn)).toEqual(picked);
      }),
    );
  });

  it('exclude values, including the empty one', async () => {
    for (const [name, values] of Object.entries(VALUES) as [Name, CellValue[]][]) {
      for (const left of [[null], values.slice(0, 1), values.slice(1)]) {
        const rest = values.filter((value) => !left.includes(value));
        expect(await rowsThat(exceptFilters(name, left))).toEqual(rowsOf(name, rest));
      }
    }
  });

  it('exclude one more value', () => {
    const without = (present: LayoutFilter[], value: CellValue) =>
      withoutFilters('a', present, value);
    expect(without([], 'x')).toEqual([['a', '!=', 'x']]);
    expect(without([['a', '!=', 'y']], 'x')).toEqual([['a', 'not in', ['y', 'x']]]);
    expect(without([['a', 'not in', ['y', 'z']]], null)).toEqual([
      ['a', 'not in', ['y', 'z']],
      ['a', 'is not null', null],
    ]);
    expect(without([['a', 'in', ['x', 'y', 'z']]], 'x')).toEqual([['a', 'in', ['y', 'z']]]);
    expect(without([['a', 'in', ['x', 'y']]], 'x')).toEqual([['a', '==', 'y']]);
    expect(without([['a', '==', 'x']], 'x')).toBeNull();
    expect(without([['a', 'contains', 'x']], 'x')).toEqual([
      ['a', 'contains', 'x'],
      ['a', '!=', 'x'],
    ]);
  });

  it('admit a range of days with both of its ends', async () => {
    for (const [name, from, to] of [
      ['day', '2028-01-31', '2028-02-01'],
      ['day', null, '2028-02-01'],
      ['day', '2028-02-01', null],
      ['stamp', '2028-01-31', '2028-01-31'],
      ['stamp', null, '2028-02-01'],
    ] as const) {
      const filters = rangeFilters(name, SCHEMA[name], from, to);
      expect(admitted(filters)).toEqual({ kind: 'range', from, to });
      const isIn = (value: CellValue) => {
        const day = String(toScalar(value, SCHEMA[name])).slice(0, 10);
        return value !== null && (from ?? day) <= day && day <= (to ?? day);
      };
      expect(await rowsThat(filters)).toEqual(rowsOf(name, VALUES[name].filter(isIn)));
    }
  });

  it('are read as "other" if they are neither values nor a range', () => {
    for (const filters of [
      [['a', 'contains', 'x']],
      [['a', '>', 5]],
      [['a', '>=', 5]],
      [
        ['a', 'in', ['x']],
        ['a', '!=', 'y'],
      ],
      [
        ['a', '>=', '2028-01-01'],
        ['a', '>=', '2028-02-01'],
      ],
    ] as LayoutFilter[][]) {
      expect(admitted(filters)).toEqual({ kind: 'other' });
    }
    expect(admitted([])).toEqual({ kind: 'values', except: true, values: [] });
  });

  it('are replaced in place', () => {
    const filters: LayoutFilter[] = [
      ['a', '>=', 1],
      ['b', '==', 2],
      ['a', '<=', 3],
    ];
    expect(replaceFilters(filters, 'a', [['a', '==', 4]])).toEqual([
      ['a', '==', 4],
      ['b', '==', 2],
    ]);
    expect(replaceFilters(filters, 'c', [['c', '==', 4]])).toEqual([
      ['a', '>=', 1],
      ['a', '<=', 3],
      ['b', '==', 2],
      ['c', '==', 4],
    ]);
    expect(replaceFilters(filters, 'a', [])).toEqual([['b', '==', 2]]);
  });
});
