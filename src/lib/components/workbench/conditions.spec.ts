import { describe, expect, it } from 'vitest';
import type { Filters } from '$lib/contract/loads';
import {
  describeFilters,
  fromFilters,
  isIncomplete,
  valueKindOf,
  operatorsFor,
  toFilters,
  type ValueKind,
} from './conditions';

const kinds: Record<string, ValueKind> = {
  Region: 'text',
  Sales: 'number',
  'Order Date': 'date',
  Paid: 'boolean',
};
const kind = (cname: string) => kinds[cname] ?? 'text';

describe('valueKindOf', () => {
  it.each([
    ['numeric(12,4)', 'number'],
    ['double precision', 'number'],
    ['timestamp with time zone', 'date'],
    ['boolean', 'boolean'],
    ['character varying(20)', 'text'],
    ['interval', 'text'],
    [null, 'text'],
  ])('%s is %s', (type, expected) => expect(valueKindOf(type)).toBe(expected));
});

describe('filters', () => {
  const stored: Filters = [
    [
      { cname: 'Region', op: 'in', value: ['West', 'null', ''] },
      { cname: 'Sales', op: 'between', value: [-5, 10.5] },
    ],
    [
      { cname: 'Order Date', op: '>=', value: '2019-03-01' },
      { cname: 'Region', op: 'is not null' },
      { cname: 'Paid', op: '=', value: false },
    ],
  ];

  it('are edited and stored without a change', () => {
    expect(toFilters(fromFilters(stored), kind)).toEqual(stored);
  });

  it('list a repeated value once, and keep both ends of a span', () => {
    expect(
      fromFilters([
        [{ cname: 'Region', op: 'in', value: ['West', 'East', 'West'] }],
        [{ cname: 'Sales', op: 'between', value: [5, 5] }],
      ]).map(([condition]) => condition?.values),
    ).toEqual([
      ['West', 'East'],
      ['5', '5'],
    ]);
  });

  it('omit groups without conditions, which would select every row', () => {
    expect(toFilters([[], []], kind)).toEqual([]);
  });

  it('send numbers as numbers, and as text if a number would lose digits', () => {
    const value = (text: string) =>
      toFilters([[{ cname: 'Sales', op: '=', values: [text] }]], kind)[0]?.[0]?.value;
    expect(value('1,204.5')).toBe(1204.5);
    expect(value('+3')).toBe(3);
    expect(value('12345678901234567890')).toBe('12345678901234567890');
    expect(value('0.12345678901234567')).toBe('0.12345678901234567');
  });

  it('are described in a sentence', () => {
    const columns = [
      { cname: 'Region', label: 'Sales region', type: 'text' },
      { cname: 'Sales', label: null, type: 'numeric' },
      { cname: 'Order Date', label: null, type: 'date' },
    ];
    expect(describeFilters(stored, columns)).toBe(
      'Sales region is one of West, null, (blank text) and Sales is between -5 and 10.5, ' +
        'or Order Date is on or after Mar 1, 2019 and Sales region is not empty and Paid is false',
    );
    expect(describeFilters([], columns)).toBe('All rows');
  });
});

describe('isIncomplete', () => {
  it.each<[ReturnType<typeof fromFilters>[0][0], boolean]>([
    [{ cname: 'Region', op: '=', values: [] }, true],
    [{ cname: 'Region', op: '=', values: [''] }, false],
    [{ cname: 'Region', op: 'in', values: [] }, true],
    [{ cname: 'Region', op: 'is null', values: [] }, false],
    [{ cname: 'Region', op: 'like', values: [''] }, true],
    [{ cname: 'Sales', op: '>', values: ['abc'] }, true],
    [{ cname: 'Sales', op: 'between', values: ['1'] }, true],
    [{ cname: 'Sales', op: 'between', values: ['1', '2'] }, false],
    [{ cname: 'Order Date', op: '=', values: [''] }, true],
  ])('%j: %s', (condition, expected) =>
    expect(isIncomplete(condition, kind(condition.cname))).toBe(expected),
  );
});

describe('operatorsFor', () => {
  it('includes a stored operator that is not offered otherwise', () => {
    expect(operatorsFor('boolean', '<>')).toContain('<>');
    expect(operatorsFor('boolean', '=')).not.toContain('<>');
  });
});
