import { describe, expect, it } from 'vitest';
import type { ReadCell } from '../../pivot/slice/cell';
import { listOf } from '../../pivot/slice/slice-values';
import { selectedSlice, toggled } from './selected-slice';

const COLUMNS = [
  { cname: 'Region', role: 'dimension' as const, is_key: false },
  { cname: 'Segment', role: 'dimension' as const, is_key: false },
];

const cell = (slice: ReadCell['slice'], rest: Partial<ReadCell> = {}): ReadCell => ({
  rowPath: Object.values(slice).flatMap(listOf),
  columnPath: null,
  measure: 'Sales',
  slice,
  listed: slice,
  notHeld: [],
  periods: new Map(),
  impossible: null,
  value: 1,
  aggregate: 'sum',
  ...rest,
});

describe('toggled', () => {
  const [west, east] = [cell({ Region: 'West' }), cell({ Region: 'East' })];

  it('adds a cell, and removes a cell with the same identity even if its number has changed', () => {
    expect(toggled([west], [east])).toEqual([west, east]);
    expect(toggled([west], [west, east])).toEqual([west, east]);
    expect(toggled([west, east], [{ ...west, value: 2 }])).toEqual([east]);
  });

  it('distinguishes the empty value from the text "null"', () => {
    const [none, text] = [cell({ Region: null }), cell({ Region: 'null' })];
    expect(toggled([none], [text])).toEqual([none, text]);
  });
});

describe('selectedSlice', () => {
  it('joins cells that differ in one column', () => {
    const cells = [
      cell({ Region: 'West', Segment: 'Home' }),
      cell({ Region: 'East', Segment: 'Home' }),
    ];
    expect(selectedSlice(cells, COLUMNS)).toMatchObject({
      cells,
      slice: { Region: ['West', 'East'], Segment: 'Home' },
      impossible: null,
    });
  });

  it('combines consecutive months into a range, with the days in them', () => {
    const month = (days: string[], from: string, to: string) =>
      cell({ Date: days }, { periods: new Map([['Date', { from, to }]]) });
    const jan = month(['2028-01-05', '2028-01-09'], '2028-01-01', '2028-01-31');
    const feb = month(['2028-02-01'], '2028-02-01', '2028-02-29');
    const mar = month(['2028-03-31'], '2028-03-01', '2028-03-31');
    const days = ['2028-01-05', '2028-01-09', '2028-02-01'];
    expect(selectedSlice([jan, feb], COLUMNS)).toMatchObject({
      slice: { Date: { from: '2028-01-01', to: '2028-02-29' } },
      listed: { Date: days },
    });
    const apart = ['2028-01-05', '2028-01-09', '2028-03-31'];
    expect(selectedSlice([jan, mar], COLUMNS)?.slice).toEqual({ Date: apart });
  });

  it('refuses cells that differ in two columns', () => {
    const cells = [
      cell({ Region: 'West', Segment: 'Home' }),
      cell({ Region: 'East', Segment: 'Office' }),
    ];
    expect(selectedSlice(cells, COLUMNS)).toBeNull();
  });

  it('names each omitted part once, and says why one of the cells cannot be selected', () => {
    const notHeld = [{ kind: 'split' as const, column: 'pf_iter', text: 'pf_iter = scale' }];
    const cells = [
      cell({ Region: 'West' }, { notHeld }),
      cell({ Region: 'East' }, { notHeld, impossible: 'No selection matches exactly this cell.' }),
    ];
    expect(selectedSlice(cells, COLUMNS)).toMatchObject({
      notHeld,
      impossible: 'No selection matches exactly this cell.',
    });
  });

  it('names the dimensions that are not a key, if the source has keys', () => {
    const columns = COLUMNS.map((c) => ({ ...c, is_key: c.cname === 'Region' }));
    const selected = selectedSlice([cell({ Region: 'West', Segment: 'Home' })], columns);
    expect(selected?.unmarked).toEqual(['Segment']);
  });
});
