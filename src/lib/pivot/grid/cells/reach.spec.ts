import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Slice } from '../../../contract/slices';
import type { LayoutFilter } from '../../../contract/stored-layout';
import { valueKey } from '../../values/cell-value';
import { overlapOf, Reach } from './reach';
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
