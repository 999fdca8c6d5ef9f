import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Layout } from '../../contract/stored-layout';
import { toDateExpression, toDateName } from '../../pivot/values/to-date';
import { readAddress, withParts, writeAddress } from './address';

const BASE: Layout = {
  plugin: 'Datagrid',
  group_by: ['Category', 'Sub-Category'],
  split_by: ['Order Date (month)'],
  columns: ['Sales', 'Quantity'],
  filter: [],
  sort: [],
  expressions: { 'Order Date (month)': `bucket("Order Date", 'M')` },
  depth: 1,
};
const NONE = { view: null, entry: null, asOf: null, compare: [] as number[] };

const written = (changes: Layout) => writeAddress(NONE, { ...BASE, ...changes }, BASE);

/** Difficult names: separators of the address, texts that look like values, other scripts. */
const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.toWellFormed()),
  fc.string({ unit: fc.constantFrom(...'~,:&=?#%+ |"\'\\\n'), maxLength: 6 }),
  fc.constantFrom(
    '',
    '~',
    'null',
    'true',
    '5',
    '-0',
    '1e5',
    '__proto__',
    '売上',
    'a\u0000b',
    'all',
  ),
);
const value = fc.oneof(
  name,
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0),
);
const column = name.filter((text) => text !== '__proto__');
/** PostgreSQL stores no NUL. */
const columnOfTable = column.filter((text) => !text.includes('\0'));
const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined });

/** The parts of a layout that have a parameter of their own. */
type AddressedPart = Exclude<keyof Layout, 'expressions' | 'filter_op'>;

/** Layouts with any of these parts. A new part is missing here until it is generated, which needs its parameter. */
const layouts = fc.record<{ [Part in AddressedPart]: Layout[Part] }>({
  plugin: fc.constantFrom('Datagrid', 'Y Bar', 'a,b:c~'),
  chart_measure: maybe(name),
  group_by: fc.array(name, { maxLength: 3 }),
  split_by: fc.array(name, { maxLength: 3 }),
  columns: fc.array(name, { maxLength: 3 }),
  filter: fc.array(
    fc.oneof(
      fc.tuple(name, fc.constantFrom('==', '>=', 'contains', 'is null'), value),
      fc.tuple(name, fc.constantFrom('in', 'not in'), fc.array(value, { maxLength: 3 })),
    ),
    { maxLength: 3 },
  ),
  sort: fc.array(fc.tuple(name, fc.constantFrom('asc', 'col desc')), { maxLength: 2 }),
  aggregates: fc.dictionary(
    column,
    fc.oneof(name, fc.tuple(name, fc.array(name, { minLength: 1, maxLength: 2 }))),
    { maxKeys: 2 },
  ),
  columns_config: fc.dictionary(column, fc.record({ number_format: fc.record({ a: name }) }), {
    maxKeys: 2,
  }),
  amounts: fc.dictionary(
    column,
    fc.record(
      {
        shown_in: fc.constantFrom('thousands', 'millions'),
        decimals: fc.nat(12),
        show_as: fc.constantFrom('share_of_total', 'share_of_row', 'running_total', 'rank'),
      },
      { requiredKeys: [] },
    ),
    { maxKeys: 2 },
  ),
  marks: fc.dictionary(
    column,
    fc.array(
      fc.oneof(
        fc.record({ rule: fc.constantFrom('above', 'below'), amount: fc.integer() }),
        fc.record({ rule: fc.constant('between'), from: fc.integer(), to: fc.integer() }),
        fc.record({ rule: fc.constantFrom('top', 'bar', 'three_colours') }),
      ),
      { minLength: 1, maxLength: 2 },
    ),
    { maxKeys: 2 },
  ),
  plugin_config: fc
    .dictionary(
      columnOfTable,
      fc.record({ column_size_override: fc.integer({ min: 1, max: 999 }) }),
      {
        maxKeys: 2,
      },
    )
    .map((columns) => ({ columns })),
  depth: maybe(fc.nat(9)),
  columns_depth: maybe(fc.nat(9)),
  total_column: maybe(fc.constantFrom('start', 'end')),
  subtotals: maybe(fc.constant(true)),
  pinned_columns: maybe(fc.integer({ min: 1, max: 9 })),
  orders: maybe(
    fc.dictionary(column, fc.array(value, { minLength: 1, maxLength: 3 }), {
      minKeys: 1,
      maxKeys: 2,
    }),
  ),
  limits: maybe(
    fc.dictionary(
      column,
      fc.oneof(
        fc.record({
          keep: fc.constantFrom('top' as const, 'bottom' as const),
          number: fc.integer({ min: 1, max: 999 }),
          by: name,
        }),
        fc.record({
          keep: fc.constantFrom('above' as const, 'below' as const),
          number: fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0),
          by: name,
        }),
      ),
      { minKeys: 1, maxKeys: 2 },
    ),
  ),
});

describe('an address', () => {
  it('is empty for the layout that the source opens with', () => {
    expect(written({})).toBe('');
    expect(readAddress('')).toEqual({ ...NONE, parts: {} });
  });

  it('names the differences in readable text', () => {
    expect(written({ group_by: ['Region', 'Ship Mode'], depth: 0 })).toBe(
      '?rows=Region,Ship+Mode&depth=0',
    );
    expect(
      written({
        filter: [
          ['Region', 'in', ['West', 'East']],
          ['Order Date', '>=', '2028-01-01'],
        ],
        sort: [['Sales', 'desc']],
        plugin: 'Y Bar',
      }),
    ).toBe(
      '?filter=Region:in:West:East&filter=Order+Date:%3E=:2028-01-01&sort=Sales:desc&chart=Y+Bar',
    );
    expect(
      writeAddress(
        { ...NONE, view: 3, entry: 7, compare: [2, 5] },
        { ...BASE, split_by: [] },
        BASE,
      ),
    ).toBe('?view=3&compare=2&compare=5&columns=&entry=7');
  });

  it('is empty if only the order of the formats differs', () => {
    const formats = {
      Sales: { number_format: { minimumFractionDigits: 2, signDisplay: 'negative' } },
      Profit: { a: 1 },
    };
    const kept = {
      Profit: { a: 1 },
      Sales: { number_format: { signDisplay: 'negative', minimumFractionDigits: 2 } },
    };
    const base = { ...BASE, columns_config: kept };
    expect(writeAddress(NONE, { ...BASE, columns_config: formats }, base)).toBe('');
  });

  it('contains the expressions that are shown, and no others', () => {
    const year = { 'Order Date (year)': `bucket("Order Date", 'Y')` };
    const expressions = { ...BASE.expressions, ...year };
    expect(written({ expressions })).toBe('');
    const address = written({ expressions, split_by: ['Order Date (year)'] });
    expect(withParts(BASE, readAddress(address).parts)).toMatchObject({
      split_by: ['Order Date (year)'],
      expressions,
    });
  });

  it('does not name the close through which a view shows YTD', () => {
    const name = toDateName('Order Date');
    const through = (day: string): Layout => ({
      ...BASE,
      split_by: [name],
      expressions: { ...BASE.expressions, [name]: toDateExpression('Order Date', day) },
    });
    expect(writeAddress(NONE, through('2027-06-30'), through('2027-03-31'))).toBe('');
  });

  it('restores a layout with any names and values', () => {
    fc.assert(
      fc.property(layouts, layouts, fc.option(fc.integer({ min: 1 })), (shown, base, view) => {
        const compare = view === null ? [] : [view, view + 1];
        const ids = { view, entry: view, asOf: view, compare };
        const address = writeAddress(ids, shown, base);
        // As a browser normalizes it.
        const { search } = new URL(`http://localhost/versions/1${address}`);
        expect(search).toBe(address);
        const read = readAddress(search);
        expect(read).toMatchObject(ids);
        expect(withParts(base, read.parts)).toEqual({ ...shown, expressions: {} });
      }),
    );
  });

  it('that is damaged keeps its readable parts', () => {
    const spoilt =
      '?view=1e3&entry=-1&compare=0&rows=Region&rows=City&filter=Region&filter=:&filter&sort=Sales&depth=x' +
      '&total=Sales&format=Sales:%7B&format=a:5&calc=x&chart&nothing=1&columns=%FF~';
    expect(readAddress(spoilt)).toEqual({
      ...NONE,
      parts: {
        group_by: ['Region'],
        split_by: ['\ufffd'],
        filter: [['', '', null]],
        sort: [],
        depth: undefined,
        plugin: 'Datagrid',
        aggregates: {},
        columns_config: {},
      },
    });
  });

  it('can be read from any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        readAddress(`?filter=${text}&rows=${text}&sort=${text}&total=${text}&format=${text}`);
      }),
    );
  });
});

it('contains the amount style of a measure', () => {
  const amounts = {
    Sales: { shown_in: 'thousands', decimals: 1 },
    'a:b': { decimals: 0 },
  } as const;
  const written = writeAddress(NONE, { ...BASE, amounts }, BASE);
  expect(written).toBe('?amounts=Sales:thousands:1&amounts=a~:b::0');
  expect(readAddress(written).parts).toEqual({ amounts });
  expect(readAddress('?amounts=Sales:dozens:1').parts).toEqual({ amounts: {} });
  expect(writeAddress(NONE, BASE, { ...BASE, amounts })).toBe('?amounts=');
});

it('contains the rules that mark cells of a measure', () => {
  const marks: Layout['marks'] = {
    Sales: [{ rule: 'above', amount: -1.5 }, { rule: 'bar' }],
    'a:b': [{ rule: 'between', from: 0, to: 2 }],
  };
  const written = writeAddress(NONE, { ...BASE, marks }, BASE);
  expect(written).toBe('?mark=Sales:above:-1.5&mark=Sales:bar&mark=a~:b:between:0:2');
  expect(readAddress(written).parts).toEqual({ marks });
  const unread = '?mark=Sales:above&mark=Sales:above:x&mark=Sales:sometimes&mark=Sales:between:1';
  expect(readAddress(unread).parts).toEqual({ marks: {} });
});

it('names at most three versions to compare with, each once', () => {
  expect(
    readAddress('?compare=4&compare=2&compare=4&compare=x&compare=9&compare=7').compare,
  ).toEqual([4, 2, 9]);
});

it('stores the widths of columns, and skips those that are no widths', () => {
  const widths = { '2028|Sales: Δ': { column_size_override: 120 }, __ROW_PATH__: {} };
  const search = written({ plugin_config: { columns: widths } });
  expect(new URLSearchParams(search).get('width')).toBe('2028|Sales~: Δ:120');
  const { columns } = readAddress(search).parts.plugin_config ?? {};
  expect(columns).toEqual({ '2028|Sales: Δ': { column_size_override: 120 } });
  const wrong = readAddress('?width=Sales:-4&width=Sales&width=Sales:wide').parts;
  expect(wrong.plugin_config).toEqual({ columns: {} });
});
