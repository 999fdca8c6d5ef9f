import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Slice } from '../../../contract/slices';
import type { LayoutFilter } from '../../../contract/stored-layout';
import { valueKey } from '../../values/cell-value';
import { columnFromArray, dateDay, dictionary, utf8 } from '@uwdata/flechette';
import { columnsIn, encoded } from '../../rows/arrow-columns';
import { Attributes } from '../../rows/attributes';
import { inKeys, overlapOf, Reach } from './reach';
import { admits } from '../../slice/slice-values';

const DAYS = ['2027-01-30', '2027-01-31', '2027-02-01', '2027-02-02'];
const REGIONS = ['East', 'West', null, ''];
const ROWS = DAYS.flatMap((day) => REGIONS.map((region) => ({ day, region })));

const lists = <T>(all: T[]) => fc.subarray(all, { minLength: 1 });
const range = fc
  .tuple(fc.option(fc.constantFrom(...DAYS)), fc.option(fc.constantFrom(...DAYS)))
  .filter(([from, to]) => from !== null || to !== null)
  .map(([from, to]) => ({ ...(from !== null && { from }), ...(to !== null && { to }) }));
const slices: fc.Arbitrary<Slice> = fc.record(
  { region: lists(REGIONS), day: fc.oneof(lists(DAYS), range) },
  { requiredKeys: [] },
);

const isIn = (slice: Slice, row: { day: string; region: string | null }): boolean =>
  Object.entries(slice).every(([column, wanted]) =>
    admits(wanted, column === 'day' ? row.day : row.region),
  );

describe('the overlap of two slices', () => {
  it('is "all" or "none" only if that is true of every row', () => {
    fc.assert(
      fc.property(slices, slices, (slice, other) => {
        const inBoth = ROWS.filter((row) => isIn(slice, row)).map((row) => isIn(other, row));
        const overlap = overlapOf(slice, other);
        if (overlap === 'all') expect(inBoth).not.toContain(false);
        if (overlap === 'none') expect(inBoth).not.toContain(true);
      }),
    );
  });

  it('is exact for a slice that lists the values of each column', () => {
    const full = fc.record({ region: lists(REGIONS), day: lists(DAYS) });
    fc.assert(
      fc.property(full, slices, (slice, other) => {
        const inBoth = ROWS.filter((row) => isIn(slice, row)).map((row) => isIn(other, row));
        const expected = !inBoth.includes(true) ? 'none' : inBoth.includes(false) ? 'some' : 'all';
        expect(overlapOf(slice, other)).toBe(expected);
      }),
    );
  });

  it('of ranges is computed from their ends, both included', () => {
    const year = { day: { from: '2027-01-01', to: '2027-12-31' } };
    const upTo = (to: string) => ({ day: { to } });
    expect(overlapOf(year, upTo('2027-12-31'))).toBe('all');
    expect(overlapOf(year, upTo('2027-12-30'))).toBe('some');
    expect(overlapOf(year, upTo('2027-01-01'))).toBe('some');
    expect(overlapOf(year, upTo('2026-12-31'))).toBe('none');
    expect(overlapOf({ day: { from: '2027-01-01' } }, upTo('2030-01-01'))).toBe('some');
  });

  it('is "all" if the other slice is empty, which selects the whole version', () => {
    expect(overlapOf({}, {})).toBe('all');
    expect(overlapOf({ region: 'East' }, {})).toBe('all');
    expect(overlapOf({}, { region: 'East' })).toBe('some');
  });
});

describe('a slice and the cells of a pivot', () => {
  const MONTH = 'day (month)';
  const ms = (day: string) => Date.parse(day);
  const month = (day: string) => ms(`${day.slice(0, 7)}-01`);
  const underlying = new Map([
    [
      MONTH,
      {
        columns: ['day'],
        tuples: DAYS.map((day) => ({ value: valueKey(month(day)), tuple: [ms(day)] })),
      },
    ],
  ]);
  const reach = (slice: Slice, filter: LayoutFilter[] = [], filter_op: 'and' | 'or' = 'and') =>
    new Reach(
      slice,
      {
        group_by: ['region'],
        split_by: [MONTH],
        filter,
        filter_op,
        schema: { region: 'string', product: 'string', day: 'date', [MONTH]: 'date' },
        isExpression: (name) => name === MONTH,
      },
      underlying,
    );
  const cell = (region: string | null | undefined, day: string) => ({
    rowPath: region === undefined ? [] : [region],
    columnPath: [month(day)],
    measure: 'value',
  });

  it('contains a month if it contains all of its days', () => {
    const january = reach({ day: { to: '2027-01-31' } });
    expect(january.holds(cell('East', '2027-01-31'))).toBe(true);
    expect(january.holds(cell(undefined, '2027-01-31'))).toBe(true);
    expect(january.holds(cell('East', '2027-02-01'))).toBe(false);
    const half = reach({ day: { to: '2027-02-01' } });
    expect(half.holds(cell('East', '2027-02-01'))).toBe(false);
    expect(half.touches(cell('East', '2027-02-01'))).toBe(true);
  });

  it('does not contain a cell that may have rows outside the slice', () => {
    const east = reach({ region: 'East' });
    expect(east.holds(cell('East', '2027-01-31'))).toBe(true);
    expect(east.holds(cell(undefined, '2027-01-31'))).toBe(false);
    expect(east.holds(cell(null, '2027-01-31'))).toBe(false);
    expect(reach({ region: null }).holds(cell(null, '2027-01-31'))).toBe(true);
    expect(reach({ region: null }).holds(cell('', '2027-01-31'))).toBe(false);
    expect(reach({ product: 'Chairs' }).holds(cell('East', '2027-01-31'))).toBe(false);
    expect(reach({}).holds(cell(undefined, '2027-01-31'))).toBe(true);
  });

  it('contains the cells that a filter keeps to its values, if all filters apply together', () => {
    const chairs: LayoutFilter[] = [['product', 'in', ['Chairs', 'Tables']]];
    const locked = { product: ['Chairs', 'Tables', 'Phones'] };
    const at = cell('East', '2027-01-31');
    expect(reach(locked, chairs).holds(at)).toBe(true);
    expect(reach({ product: 'Chairs' }, chairs).holds(at)).toBe(false);
    const either: LayoutFilter[] = [...chairs, ['region', '==', 'West']];
    expect(reach(locked, either).holds(at)).toBe(true);
    expect(reach(locked, either, 'or').holds(at)).toBe(false);
  });

  it('misses the cells that have no row of it, by their headers or by a filter', () => {
    const east = reach({ region: 'East', day: { to: '2027-01-31' } });
    expect(east.misses(cell('East', '2027-01-31'))).toBe(false);
    expect(east.misses(cell('East', '2027-02-01'))).toBe(true);
    expect(east.misses(cell('West', '2027-01-31'))).toBe(true);
    expect(east.misses(cell(undefined, '2027-01-31'))).toBe(false);
    expect(reach({ product: 'Chairs' }).misses(cell('East', '2027-01-31'))).toBe(false);
    const tables: LayoutFilter[] = [['product', 'in', ['Tables']]];
    expect(reach({ product: 'Chairs' }, tables).misses(cell(undefined, '2027-01-31'))).toBe(true);
    expect(reach({ product: 'Tables' }, tables).misses(cell(undefined, '2027-01-31'))).toBe(false);
    const either: LayoutFilter[] = [...tables, ['region', '==', 'West']];
    expect(reach({ product: 'Chairs' }, either, 'or').misses(cell('East', '2027-01-31'))).toBe(
      false,
    );
  });
});

describe('a slice with attributes and the cells of a pivot', () => {
  const PRODUCTS = [
    { product: 'stool', Family: 'Chairs', Size: 'S' },
    { product: 'throne', Family: 'Chairs', Size: 'L' },
    { product: 'desk', Family: 'Tables', Size: 'L' },
    { product: null, Family: null, Size: 'S' },
  ];
  const HALVES = DAYS.map((day, i) => ({ day, Half: i < 2 ? 'H1' : 'H2' }));
  const PLAN = PRODUCTS.flatMap((product) => HALVES.map((half) => ({ ...product, ...half })));
  type Field = keyof (typeof PLAN)[number];
  const texts = (values: (string | null)[]) => columnFromArray(values, dictionary(utf8()));
  const ms = (day: string) => Date.parse(day);
  const attributes = Attributes.of(
    [
      {
        lookup: { id: 1, keys: ['product'], attributes: ['Family', 'Size'], conversions: [] },
        rows: [
          new Map(
            (['product', 'Family', 'Size'] as const).map((name) => [
              name,
              texts(PRODUCTS.map((row) => row[name])),
            ]),
          ),
        ],
      },
      {
        lookup: { id: 2, keys: ['day'], attributes: ['Half'], conversions: [] },
        rows: [
          new Map([
            ['day', columnFromArray(DAYS.map(ms), dateDay())],
            ['Half', texts(HALVES.map(({ Half }) => Half))],
          ]),
        ],
      },
    ].map(({ lookup, rows }) => ({
      lookup,
      rows: rows.map((each) => columnsIn(encoded(each))),
    })),
    () => Promise.resolve(new Map()),
  );
  const underlying = new Map(
    attributes.names.flatMap((name) => {
      const behind = attributes.behind(name);
      return behind ? [[name, behind] as const] : [];
    }),
  );
  const reach = (slice: Slice, group_by: Field[], filter: LayoutFilter[] = []) =>
    new Reach(
      inKeys(slice, attributes),
      {
        ...{ group_by, filter, split_by: [], isExpression: () => false },
        schema: {
          product: 'string',
          day: 'date',
          Family: 'string',
          Size: 'string',
          Half: 'string',
        },
      },
      underlying,
    );
  const cellOf = (row: (typeof PLAN)[number], group_by: Field[]) => ({
    rowPath: group_by.map((name) => (name === 'day' ? ms(row.day) : row[name])),
    columnPath: null,
    measure: 'value',
  });
  const holds = (slice: Slice, cell: Partial<(typeof PLAN)[number]>) => {
    const group_by = Object.keys(cell) as Field[];
    const row = PLAN.find((each) => group_by.every((name) => each[name] === cell[name]));
    return row && reach(slice, group_by).holds(cellOf(row, group_by));
  };

  const fields: Field[] = ['product', 'Family', 'Size', 'day', 'Half'];
  const anySlice: fc.Arbitrary<Slice> = fc
    .tuple(...fields.map((name) => lists([...new Set(PLAN.map((row) => row[name]))])))
    .chain((values) => fc.subarray(fields.map((name, i) => [name, values[i] ?? null] as const)))
    .map((named) => Object.fromEntries(named));

  it('contains or misses a cell only if that is true of every row of it', () => {
    const arranged = fc.tuple(anySlice, fc.shuffledSubarray(fields), fc.constantFrom(...PLAN));
    fc.assert(
      fc.property(arranged, ([slice, group_by, row]) => {
        const own = PLAN.filter((each) => group_by.every((name) => each[name] === row[name]));
        const inside = own.map((each) =>
          Object.entries(slice).every(([name, wanted]) => admits(wanted, each[name as Field])),
        );
        const { holds: areHeld, misses } = {
          holds: reach(slice, group_by).holds(cellOf(row, group_by)),
          misses: reach(slice, group_by).misses(cellOf(row, group_by)),
        };
        if (areHeld) expect(inside).not.toContain(false);
        if (misses) expect(inside).not.toContain(true);
      }),
    );
  });

  it('contains the members of a locked attribute, and an attribute whose members are all locked', () => {
    expect(holds({ Family: 'Chairs' }, { product: 'throne' })).toBe(true);
    expect(holds({ Family: 'Chairs' }, { product: 'desk' })).toBe(false);
    expect(holds({ Family: null }, { product: null })).toBe(true);
    expect(holds({ product: ['stool', 'throne'] }, { Family: 'Chairs' })).toBe(true);
    expect(holds({ product: 'stool' }, { Family: 'Chairs' })).toBe(false);
    expect(holds({ Half: 'H1' }, { day: '2027-01-30' })).toBe(true);
    expect(holds({ day: { to: '2027-01-31' } }, { Half: 'H1' })).toBe(true);
    expect(holds({ day: { to: '2027-02-01' } }, { Half: 'H2' })).toBe(false);
  });

  it('contains the cell of two attributes of a key if their common members are locked', () => {
    expect(holds({ product: 'throne' }, { Family: 'Chairs', Size: 'L' })).toBe(true);
    expect(holds({ product: 'throne' }, { Family: 'Chairs', Size: 'S' })).toBe(false);
  });

  it('contains the cells that a filter on an attribute keeps to its members', () => {
    const chairs: LayoutFilter[] = [['Family', '==', 'Chairs']];
    const total = { rowPath: [], columnPath: null, measure: 'value' };
    expect(reach({ Family: 'Chairs' }, ['Half'], chairs).holds(total)).toBe(true);
    expect(reach({ Family: 'Tables' }, ['Half'], chairs).holds(total)).toBe(false);
    expect(reach({ Family: 'Tables' }, ['Half'], chairs).misses(total)).toBe(true);
  });

  it('overlaps with slices that name the keys', () => {
    const overlap = (slice: Slice, other: Slice) =>
      overlapOf(inKeys(slice, attributes), inKeys(other, attributes));
    expect(overlap({ product: 'stool' }, { Family: 'Tables' })).toBe('none');
    expect(overlap({ product: 'stool' }, { Family: 'Chairs' })).toBe('all');
    expect(overlap({ Family: 'Chairs' }, { product: 'stool' })).toBe('some');
    expect(overlap({ Family: 'Chairs', product: 'desk' }, { product: 'desk' })).toBe('none');
  });
});
