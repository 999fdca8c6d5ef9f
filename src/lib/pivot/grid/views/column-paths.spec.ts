import { describe, expect, it } from 'vitest';
import { bytesOf, tableFrom } from '../../../../../tests/support/pivot-tables';
import { printed, toScalar, unprinted } from '../../values/cell-value';
import type { CellValue, ColumnType } from '../../values/engine-types';
import { pairColumns, readPrinted } from './column-paths';

describe('column names printed by the engine', () => {
  it('are parsed into the values behind them', () => {
    const paths = [
      'Furniture|2028-01-01|Sales',
      'Furniture|2028-01-01|Units',
      'Other|2028-02-01|Sales',
      'Other|2028-02-01|Units',
    ];
    expect(readPrinted(paths, ['string', 'date'], ['Sales', 'Units'])).toEqual([
      ['Furniture', Date.UTC(2028, 0)],
      ['Furniture', Date.UTC(2028, 0)],
      ['Other', Date.UTC(2028, 1)],
      ['Other', Date.UTC(2028, 1)],
    ]);
  });

  it('are parsed apart from the names of the measures', () => {
    expect(readPrinted(['a|b|c', 'a|c'], ['string'], ['b|c', 'c'])).toEqual([['a'], ['a']]);
    expect(readPrinted(['a|b|c'], ['string'], ['c'])).toBeNull();
  });

  it.each([
    { why: 'an empty value or the text "null"', path: 'null|Sales', type: 'string' },
    { why: 'an empty text', path: '|Sales', type: 'string' },
    { why: 'a fraction, of which it prints six digits', path: '0.333333|Sales', type: 'float' },
    { why: 'a text with a separator', path: 'a|b|Sales', type: 'string' },
    { why: 'a column of an unknown type', path: 'a|Sales', type: undefined },
    { why: 'a column that is not shown', path: 'a|Rank', type: 'string' },
  ] as const)('are ambiguous if one could be $why', ({ path, type }) => {
    expect(readPrinted([path], [type], ['Sales'])).toBeNull();
  });

  it('are ambiguous if two columns look alike', () => {
    expect(readPrinted(['a|Sales', 'a|Sales'], ['string'], ['Sales'])).toBeNull();
  });
});

describe('a printed value', () => {
  it.each([
    ['string', 'a'],
    ['string', '1'],
    ['string', ' '],
    ['integer', 0],
    ['integer', -12_345_678],
    ['boolean', true],
    ['boolean', false],
    ['date', Date.UTC(2028, 1, 29)],
    ['date', Date.UTC(12_028, 0, 1)],
    ['datetime', Date.UTC(2028, 1, 29, 23, 59, 59, 999)],
  ] as const)('is parsed as %s: %s', (type, value) => {
    expect(unprinted(printed(value, type), type)).toBe(value);
  });

  it.each([
    ['integer', '1.5e3'],
    ['integer', ' 7'],
    ['boolean', 'yes'],
    ['date', '2028-2-9'],
    ['datetime', '2028-02-29'],
    ['float', '1'],
    ['string', 'null'],
    ['string', ''],
  ] as const)('is not parsed if no %s prints like it: "%s"', (type, text) => {
    expect(unprinted(text, type)).toBeUndefined();
  });
});

describe('the column paths that the engine prints', () => {
  /** Splits a table that has one row per value by this value, and returns its columns. */
  async function paths(type: ColumnType, values: readonly CellValue[]): Promise<string[]> {
    const rows = values.map((value, i) => {
      const split = type === 'date' ? toScalar(value, type) : value;
      return { pf_id: i + 1, split, n: 1 };
    });
    const schema = { pf_id: 'integer', split: type, n: 'integer' } as const;
    const table = await tableFrom(bytesOf(rows, schema));
    const view = await table.view({ group_by: ['n'], split_by: ['split'], columns: ['n'] });
    try {
      return (await view.column_paths()).filter((path: string) => !path.startsWith('__ROW_PATH'));
    } finally {
      await view.delete();
    }
  }

  const read = async (type: ColumnType, values: readonly CellValue[]) =>
    readPrinted(await paths(type, values), [type], ['n'])?.map(([value]) => value);

  it.each([
    [
      'string',
      ['a', ' a', 'a ', '007', '1e3', '-', '"a"', "it's", 'a,b', 'a\nb', 'A', 'ä', '日本'],
    ],
    ['string', ['true', 'NULL', 'undefined', '🙂', '2028-01-01', 'n', '\\', 'x'.repeat(300)]],
    ['integer', [0, 1, -1, 7_000_000, 2_147_483_647, -2_147_483_647]],
    ['boolean', [true, false]],
    ['date', [Date.UTC(1969, 11, 31), Date.UTC(1900, 0, 1), 0, Date.UTC(2028, 1, 29)]],
    ['date', [Date.UTC(2028, 2, 12), Date.UTC(2028, 2, 26), Date.UTC(2028, 9, 29)]],
    [
      'datetime',
      [
        Date.UTC(1969, 11, 31, 23, 59, 59, 999),
        0,
        1,
        Date.UTC(2028, 2, 12, 7),
        Date.UTC(2028, 9, 29, 1, 30),
      ],
    ],
  ] as const)('for a %s are parsed into the values behind them: %j', async (type, values) => {
    const found = await read(type, values);
    expect(found).toHaveLength(values.length);
    expect(new Set(found)).toEqual(new Set<CellValue>(values));
  });

  it.each([
    ['string', [null, 'a']],
    ['string', ['null', 'a']],
    ['string', ['', 'a']],
    ['string', ['a|b', 'a']],
    ['float', [0.1 + 0.2, 0.3]],
    ['integer', [null, 1]],
    ['date', [null, 0]],
  ] as const)('for a %s are not parsed if they are ambiguous: %j', async (type, values) => {
    expect(await read(type, values)).toBeUndefined();
  });
});

describe('pairColumns', () => {
  const never = () => false;

  it('distinguishes values that print alike by their order', () => {
    const tuples = [['null'], ['x'], [null]];
    const paths = ['null|v', 'null|w', 'x|v', 'x|w', 'null|v', 'null|w'];
    expect(pairColumns(paths, tuples, ['string'], ['v', 'w'], never)).toEqual([
      ['null'],
      ['null'],
      ['x'],
      ['x'],
      [null],
      [null],
    ]);
    const fractions = [[0.3], [0.1 + 0.2], [100000], [100000.25], [1234567.125]];
    expect(
      pairColumns(
        ['0.3|v', '0.3|v', '100000|v', '100000|v', '1.23457e+06|v'],
        fractions,
        ['float'],
        ['v'],
        never,
      ),
    ).toEqual(fractions);
  });

  it('returns null if the order is ambiguous', () => {
    const tuples = [['null'], ['x'], [null]];
    const pair = (paths: string[], tie: () => boolean) =>
      pairColumns(paths, tuples, ['string'], ['v'], tie);
    expect(pair(['null|v', 'x|v'], never)).toEqual([null, null]);
    expect(pair(['y|v', 'x|v', 'z|v'], never)).toEqual([null, ['x'], null]);
    expect(pair(['null|v', 'x|v', 'null|v'], () => true)).toEqual([null, ['x'], null]);
  });
});
