import {
  Bool,
  type DataType,
  DateDay,
  Dictionary,
  Float64,
  Int32,
  Table,
  tableToIPC,
  TimestampMillisecond,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { AnsweredRows, fitted } from './rows';

const schema = {
  pf_id: 'integer',
  region: 'string',
  'Order Date': 'date',
  seen: 'datetime',
  flag: 'boolean',
  value: 'float',
} as const;

const text = () => new Dictionary(new Utf8(), new Int32());
type Answered = Record<string, [DataType, ...unknown[]]>;
const DAY = new Date('2026-01-31');
const SEEN = Date.UTC(2026, 0, 31, 10);
const row: Answered = {
  pf_id: [new Int32(), 7],
  region: [text(), 'West'],
  'Order Date': [new DateDay(), DAY],
  seen: [new TimestampMillisecond(), SEEN],
  flag: [new Bool(), false],
  value: [new Float64(), 1.5],
};

/** Creates rows in the form of the service's responses. */
function answered(columns: Answered): AnsweredRows {
  const vectors = Object.entries(columns).map(
    ([name, [type, ...values]]) => [name, vectorFromArray(values, type)] as const,
  );
  return new AnsweredRows(
    Uint8Array.from(tableToIPC(new Table(Object.fromEntries(vectors)), 'stream')).buffer,
  );
}

const valuesOf = (columns: ReturnType<typeof fitted>) =>
  Object.fromEntries([...columns].map(([name, column]) => [name, [...column]]));

describe('fitted', () => {
  it('has the columns of the loaded table, and drops others', () => {
    const { columns } = answered({ ...row, later: [text(), 'column'] });
    const fit = fitted(columns, schema, 'pf_id');
    expect(valuesOf(fit)).toEqual({
      pf_id: [7],
      region: ['West'],
      'Order Date': [DAY.getTime()],
      seen: [SEEN],
      flag: [false],
      value: [1.5],
    });
    for (const [name, column] of fit) expect(column).toBe(columns.get(name));
  });

  it('keeps empty values empty, and leaves out columns without values', () => {
    const { columns } = answered({
      pf_id: [new Int32(), 7, 8],
      region: [text(), 'West', null],
      'Order Date': [new DateDay(), null, null],
      flag: [text(), null, null],
      value: [new Float64(), 1.5, 0],
    });
    const fit = fitted(columns, schema, 'pf_id');
    expect(valuesOf(fit)).toEqual({ pf_id: [7, 8], region: ['West', null], value: [1.5, 0] });
    expect(fit.get('region')?.nullCount).toBe(1);
  });

  it('accepts whole numbers that arrive as floats, and floats that arrive as whole numbers', () => {
    const fit = fitted(
      answered({ pf_id: [new Float64(), 7, 8], value: [new Int32(), 3, null] }).columns,
      schema,
      'pf_id',
    );
    expect(valuesOf(fit)).toEqual({ pf_id: [7, 8], value: [3, null] });
    expect(fit.get('pf_id')?.data[0]?.values).toBeInstanceOf(Int32Array);
    expect(fit.get('value')?.data[0]?.values).toBeInstanceOf(Float64Array);
  });

  it('converts values of other types to text in a text column', () => {
    const region = [
      [
        [new Utf8(), 'West', null],
        ['West', null],
      ],
      [
        [new Int32(), 1, null],
        ['1', null],
      ],
      [
        [new DateDay(), DAY, null],
        ['2026-01-31', null],
      ],
    ] as const;
    for (const [[type, ...values], texts] of region) {
      const { columns } = answered({ pf_id: [new Int32(), 7, 8], region: [type, ...values] });
      expect(valuesOf(fitted(columns, schema, 'pf_id')).region).toEqual(texts);
    }
  });

  it('accepts a year of five digits', () => {
    const far = new Date(Date.UTC(10000, 0, 1));
    const { columns } = answered({ ...row, 'Order Date': [new DateDay(), far] });
    expect(valuesOf(fitted(columns, schema, 'pf_id'))['Order Date']).toEqual([far.getTime()]);
  });

  it('finds columns by their own names only', () => {
    const odd = JSON.parse('{"pf_id":"integer","__proto__":"string","constructor":"string"}');
    const { columns } = answered({ pf_id: [new Int32(), 7] });
    const named = new Map(columns).set('__proto__', columns.get('pf_id')!);
    const fit = [...fitted(named, odd, 'pf_id')].map(([name, column]) => [name, [...column]]);
    expect(fit).toEqual([
      ['pf_id', [7]],
      ['__proto__', ['7']],
    ]);
  });

  it.each<[string, Answered, RegExp]>([
    ['no key', { pf_id: [new Int32(), null] }, /no pf_id/],
    ['text for a number', { value: [text(), 'abc'] }, /“value” .*number/],
    ['a date for a whole number', { pf_id: [new DateDay(), DAY] }, /“pf_id” .*number/],
    ['a whole number beyond 32 bits', { pf_id: [new Float64(), 2 ** 31] }, /larger/],
    ['a fraction for a whole number', { pf_id: [new Float64(), 1.5] }, /fractions/],
    ['nothing finite for a whole number', { pf_id: [new Float64(), Infinity] }, /number/],
    ['text for a date', { 'Order Date': [text(), 'tomorrow'] }, /“Order Date” .*date/],
    [
      'a day before Christ',
      { 'Order Date': [new DateDay(), new Date('-000043-03-15')] },
      /unknown date, “-000043-03-15”/,
    ],
    [
      'a year beyond the engine',
      { 'Order Date': [new DateDay(), new Date('+065536-01-01')] },
      /unknown date, “65536-01-01”/,
    ],
    ['text for a time', { seen: [text(), 'infinity'] }, /“seen” .*time/],
    ['a number for yes or no', { flag: [new Int32(), 1] }, /yes or no/],
  ])('refuses %s with a message to reload', (_, change, message) => {
    const { columns } = answered({ ...row, ...change });
    expect(() => fitted(columns, schema, 'pf_id')).toThrow(message);
    expect(() => fitted(columns, schema, 'pf_id')).toThrow(/reload/i);
  });
});

describe('AnsweredRows', () => {
  it('returns each value in the JSON form of the service, and the entry', () => {
    const rows = answered({ ...row, pf_logid: [new Int32(), -3] });
    const names = [...Object.keys(row), 'no such column'];
    expect(names.map((name) => rows.at(name, 0))).toEqual([
      ...[7, 'West', '2026-01-31', '2026-01-31T10:00:00.000Z', false, 1.5, null],
    ]);
    expect(rows).toMatchObject({ count: 1, logid: -3 });
  });
});
