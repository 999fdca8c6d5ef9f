import { describe, expect, it } from 'vitest';
import type { ColumnEntry } from '../../contract/columns';
import type { Layout } from '../../contract/stored-layout';
import {
  aggregatedBy,
  dateOf,
  datePart,
  daysOf,
  exchanged,
  fieldsOf,
  fits,
  labelOf,
  moved,
  sortedBy,
  sortOf,
  UNITS,
  zoneOf,
  type Unit,
} from './fields';

const column = (cname: string, role: ColumnEntry['role'], label: string | null = null) => ({
  ...{ cname, role, label, is_key: false, opos: null, dim_group: null },
  ...{ dim_period_col: null, in_grain: false, type: null },
});

const COLUMNS = [
  column('Region', 'dimension', 'Sales region'),
  column('Segment', 'dimension'),
  column('not loaded', 'dimension'),
  column('Due "by"', 'date', 'Due'),
  column('Sales', 'value', 'Revenue'),
  column('Quantity', 'units'),
];
const SCHEMA = {
  Region: 'string',
  Segment: 'string',
  'Due "by"': 'date',
  Sales: 'float',
  'Sales: reference': 'float',
  Quantity: 'integer',
  pf_id: 'integer',
  pf_iter: 'string',
  pf_logid: 'integer',
  pf_note: 'string',
  pf_op: 'string',
} as const;
const FIELDS = fieldsOf(COLUMNS, SCHEMA, ['Sales: price', 'Sales: reference']);
const LAYOUT: Layout = {
  group_by: ['Region', 'Segment'],
  split_by: ['Due "by" (month)'],
  columns: ['Sales', 'Quantity'],
  expressions: { 'Due "by" (month)': `bucket("Due \\"by\\"", 'M')`, twice: '2 * "Sales"' },
};

describe('fields', () => {
  it('are the loaded columns, named by the labels of the metadata, without the keys of the service', () => {
    expect(FIELDS.map(({ name, label, kind }) => [kind, name, label].join(': '))).toEqual([
      'dimension: Region: Sales region',
      'dimension: Segment: Segment',
      'date: Due "by": Due',
      'measure: Sales: Revenue',
      'measure: Quantity: Quantity',
      'measure: Sales: price: Revenue: price',
      'measure: Sales: reference: Revenue: reference',
      'change: pf_op: Operation',
      'change: pf_note: Note',
      'change: pf_logid: Log entry',
    ]);
    const grain = { pf_iter: 'string', pf_logid: 'integer', pf_gkey: 'string' } as const;
    expect(fieldsOf([], grain).map(({ label }) => label)).toEqual(['Operation', 'Log entry']);
  });

  it('have YTD and YTG after a date with closed days', () => {
    const fields = fieldsOf(COLUMNS, SCHEMA, [], new Map([['Due "by"', '2028-03-31']]));
    const added = fields.filter(({ expression }) => expression !== undefined);
    expect(added.map(({ name, label, kind }) => [kind, name, label].join(': '))).toEqual([
      'dimension: Due "by" (YTD, YTG): Due (YTD, YTG)',
    ]);
    expect(added[0]?.expression).toContain('date(2028, 3, 31)');
  });

  it('have readable names in a layout, dates with their unit', () => {
    expect(labelOf('Region', LAYOUT, FIELDS)).toBe('Sales region');
    expect(labelOf('Due "by" (month)', LAYOUT, FIELDS)).toBe('Due (month)');
    expect(labelOf('Due "by"', LAYOUT, FIELDS)).toBe('Due');
    expect(labelOf('twice', LAYOUT, FIELDS)).toBe('twice');
  });

  it('that are dates can be grouped by a unit even if their names contain quotes', () => {
    for (const unit of UNITS) {
      const { name, expressions } = datePart('Due "by"', unit);
      expect(dateOf(name, { expressions }, FIELDS)).toMatchObject({ date: { label: 'Due' }, unit });
    }
    expect(dateOf('Region', LAYOUT, FIELDS)).toBeNull();
    expect(dateOf('twice', LAYOUT, FIELDS)).toBeNull();
  });

  it('fit only some zones', () => {
    expect([fits('measure', 'measures'), fits('measure', 'rows')]).toEqual([true, false]);
    expect([fits('date', 'columns'), fits('dimension', 'measures')]).toEqual([true, false]);
  });
});

describe('moved', () => {
  const rows = (name: string, index?: number) => moved(LAYOUT, name, 'rows', index)?.group_by;

  it('moves a field from one zone to a place in another', () => {
    const there = moved(LAYOUT, 'Segment', 'columns', 0);
    expect(there).toMatchObject({
      group_by: ['Region'],
      split_by: ['Segment', 'Due "by" (month)'],
      columns: ['Sales', 'Quantity'],
    });
    expect(zoneOf('Segment', there ?? {})).toBe('columns');
    expect(moved(LAYOUT, 'Segment', null)).toMatchObject({ group_by: ['Region'] });
  });

  it('reorders the fields of a zone', () => {
    expect(rows('Region', 2)).toEqual(['Segment', 'Region']);
    expect(rows('Region', 1)).toEqual(['Region', 'Segment']);
    expect(rows('Segment', 0)).toEqual(['Segment', 'Region']);
    expect(rows('pf_note')).toEqual(['Region', 'Segment', 'pf_note']);
  });

  it('leaves at least one row field and one measure', () => {
    const bare = { group_by: ['Region'], columns: ['Sales'] };
    expect(moved(bare, 'Region', 'columns')).toBeNull();
    expect(moved(bare, 'Sales', null)).toBeNull();
    expect(moved(bare, 'Region', 'rows')).toMatchObject({ group_by: ['Region'] });
    expect(moved(LAYOUT, 'Due "by" (month)', null)).toMatchObject({ split_by: [] });
  });
});

it('returns the first and last day of a year, a month and a day', () => {
  const days = (day: string, unit: Unit) => daysOf(Date.parse(`${day}T00:00:00Z`), unit);
  expect(days('2028-01-01', 'year')).toEqual(['2028-01-01', '2028-12-31']);
  expect(days('2028-01-01', 'quarter')).toEqual(['2028-01-01', '2028-03-31']);
  expect(days('2027-10-01', 'quarter')).toEqual(['2027-10-01', '2027-12-31']);
  expect(days('2028-02-01', 'month')).toEqual(['2028-02-01', '2028-02-29']);
  expect(days('2027-12-01', 'month')).toEqual(['2027-12-01', '2027-12-31']);
  expect(days('2028-05-31', 'day')).toEqual(['2028-05-31', '2028-05-31']);
});

it('replaces a column by another in the same place', () => {
  expect(exchanged(LAYOUT, 'Region', 'City').group_by).toEqual(['City', 'Segment']);
  expect(exchanged(LAYOUT, 'Region', 'Segment').group_by).toEqual(['Segment']);
});

it('sorts the rows by one column and keeps the order of the columns', () => {
  const layout: Layout = {
    ...LAYOUT,
    sort: [
      ['Quantity', 'asc'],
      ['Sales', 'col desc'],
    ],
  };
  expect(sortOf('Quantity', layout)).toBe('asc');
  expect(sortOf('Sales', layout)).toBeNull();
  expect(sortedBy(layout, { name: 'Sales' }, 'desc').sort).toEqual([
    ['Sales', 'desc'],
    ['Sales', 'col desc'],
  ]);
  expect(sortedBy(layout, { name: 'Sales' }, null).sort).toEqual([['Sales', 'col desc']]);
});

it('shows a measure as an average, without the order by the sums of a single column, and as a sum again', () => {
  const layout: Layout = {
    expressions: { 'Sales of 2028': '"Sales"', 'Sales of East': '"Sales"' },
    aggregates: { Quantity: 'avg' },
    sort: [
      ['Sales of 2028', 'desc'],
      ['Sales', 'asc'],
    ],
  };
  const shown = aggregatedBy(layout, 'Sales', 'avg');
  expect(shown.aggregates).toEqual({ Quantity: 'avg', Sales: 'avg' });
  expect(shown.sort).toEqual([['Sales', 'asc']]);
  expect(aggregatedBy(shown, 'Sales', 'sum').aggregates).toEqual({ Quantity: 'avg' });
});
