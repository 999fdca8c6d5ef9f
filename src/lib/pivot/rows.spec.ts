import { describe, expect, it } from 'vitest';
import { emptyColumns, toEngineColumns } from './rows';

const schema = {
  pf_id: 'integer',
  region: 'string',
  'Order Date': 'date',
  seen: 'datetime',
  flag: 'boolean',
  value: 'float',
} as const;
const row = {
  pf_id: 7,
  region: 'West',
  'Order Date': '2026-01-31',
  seen: '2026-01-31T10:00:00Z',
  flag: false,
  value: 1.5,
};

describe('toEngineColumns', () => {
  it('turns rows into the columns of the loaded table, and drops what it does not have', () => {
    expect(toEngineColumns([{ ...row, later: 'column' }], schema, 'pf_id')).toEqual({
      pf_id: [7],
      region: ['West'],
      'Order Date': ['2026-01-31'],
      seen: [Date.UTC(2026, 0, 31, 10)],
      flag: [false],
      value: [1.5],
    });
  });

  it('keeps empty values empty, and names the columns that have them', () => {
    const columns = toEngineColumns([row, { pf_id: 8, value: 0 }], schema, 'pf_id');
    expect(columns.region).toEqual(['West', null]);
    expect(columns.value).toEqual([1.5, 0]);
    expect(emptyColumns(columns)).toEqual(['region', 'Order Date', 'seen', 'flag']);
  });

  it('takes a year of five digits as the number that the engine wants', () => {
    const columns = toEngineColumns([{ ...row, 'Order Date': '10000-01-01' }], schema, 'pf_id');
    expect(columns['Order Date']).toEqual([Date.UTC(10000, 0, 1)]);
  });

  it('finds columns by their own names only', () => {
    const odd = JSON.parse('{"pf_id":"integer","__proto__":"string","constructor":"string"}');
    const [answered] = JSON.parse('[{"pf_id":7,"__proto__":"West"}]');
    const columns = toEngineColumns([answered], odd, 'pf_id');
    expect(Object.entries(columns)).toEqual([
      ['pf_id', [7]],
      ['__proto__', ['West']],
      ['constructor', [null]],
    ]);
  });

  it.each([
    ['a missing key', { pf_id: null }, /no pf_id/],
    ['text for a number', { value: 'abc' }, /“value” .*number/],
    ['a whole number beyond 32 bits', { pf_id: 2 ** 31 }, /larger/],
    ['a fraction for a whole number', { pf_id: 1.5 }, /fractions/],
    ['a date that is none', { 'Order Date': 'tomorrow' }, /unknown date, “tomorrow”/],
    ['a day before Christ', { 'Order Date': '0044-03-15 BC' }, /unknown date, “0044-03-15 BC”/],
    ['a year beyond the engine', { 'Order Date': '65536-01-01' }, /unknown date, “65536-01-01”/],
    ['the end of time', { 'Order Date': 'infinity' }, /unknown date, “infinity”/],
    ['a time that is none', { seen: 'infinity' }, /unknown time, “infinity”/],
    ['a number for yes or no', { flag: 1 }, /yes or no/],
  ])('refuses %s and says to reload', (_, change, message) => {
    expect(() => toEngineColumns([{ ...row, ...change }], schema, 'pf_id')).toThrow(message);
    expect(() => toEngineColumns([{ ...row, ...change }], schema, 'pf_id')).toThrow(/reload/i);
  });
});
