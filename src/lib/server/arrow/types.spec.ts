import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { arrowRows, column, decode, failure } from '../../../../tests/support/copied-columns';
import * as wire from '../../../../tests/support/copy-bytes';
import { pivoted } from '../../../../tests/support/pivot-engine';
import { AppError } from '../errors';
import type { PlannedColumn } from './column-plan';
import { CopyDecoder } from './decoder';
import { encode } from '../../../../tests/support/encode';

// These tests read thousands of small streams and run the pivot engine, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const DAY = 86_400_000;

/** Reads one column with apache-arrow and with the pivot engine, which must agree. */
async function bothReaders(planned: PlannedColumn, fields: wire.Field[]) {
  const columns = decode([planned], wire.copyBytes(fields.map((field) => [field])));
  const byArrow = arrowRows(columns).map((row) => row[planned.name]);
  const { rows, schema } = await pivoted(encode(columns));
  expect(rows.map((row) => row[planned.name])).toEqual(byArrow.map((v) => v ?? null));
  return {
    values: byArrow,
    arrowType: String(columns[0]?.data.type),
    engineType: schema[planned.name],
  };
}

describe('types', () => {
  it('makes text a dictionary that distinguishes null, the empty text and the text "null"', async () => {
    const texts = ['West', null, '', 'null', 'West', 'Zürich 🏔', ''];
    const read = await bothReaders(
      column('text'),
      texts.map((t) => (t === null ? null : wire.text(t))),
    );
    expect(read.values).toEqual(texts);
    expect(read.arrowType).toBe('Dictionary<Int32, Utf8>');
    expect(read.engineType).toBe('string');
  });

  it('stores the text of a key without a dictionary', async () => {
    const texts = ['a\u001fb', null, '', 'a\u001e\u001fb', 'x'.repeat(300)];
    const read = await bothReaders(
      column('text', 'key'),
      texts.map((t) => (t === null ? null : wire.text(t))),
    );
    expect(read.values).toEqual(texts);
    expect(read.arrowType).toBe('Utf8');
    expect(read.engineType).toBe('string');
  });

  it('reads varchar, char and name like text', () => {
    const plan = [column('varchar'), column('bpchar'), column('name')];
    const bytes = wire.copyBytes([[wire.text('a'), wire.text('b  '), wire.text('c')]]);
    expect(arrowRows(decode(plan, bytes))).toEqual([{ varchar: 'a', bpchar: 'b  ', name: 'c' }]);
  });

  it.each([
    ['int2', wire.int2, [-32768, 0, 32767]],
    ['int4', wire.int4, [-2147483648, -1, 2147483647]],
    ['int8', wire.int8, [-2147483648, 4294, 2147483647]],
  ] as const)('makes %s Int32 if it fits 32 bits', async (type, field, values) => {
    const read = await bothReaders(column(type), [...values.map((v) => field(v)), null]);
    expect(read.values).toEqual([...values, null]);
    expect(read.arrowType).toBe('Int32');
    expect(read.engineType).toBe('integer');
  });

  it.each([2147483648, -2147483649, 2 ** 53, -(2 ** 53)])(
    'makes a bigint column Float64 at the first value beyond 32 bits: %d',
    async (large) => {
      const values = [7, null, -8, large, null, 9];
      const read = await bothReaders(
        column('int8', 'key'),
        values.map((v) => (v === null ? null : wire.int8(v))),
      );
      expect(read.values).toEqual(values);
      expect(read.arrowType).toBe('Float64');
      expect(read.engineType).toBe('float');
    },
  );

  it.each([
    ['int2', wire.int2(3), 3],
    ['int4', wire.int4(-4), -4],
    ['int8', wire.int8(5), 5],
    ['int8', wire.int8(2n ** 63n - 1n), 2 ** 63],
    ['float4', wire.float4(0.5), 0.5],
    ['float8', wire.float8(0.1), 0.1],
    ['numeric', wire.numeric('-1234.56'), -1234.56],
  ] as const)('makes a measure of type %s Float64', async (type, field, value) => {
    const read = await bothReaders(column(type, 'measure'), [field, null]);
    expect(read.values).toEqual([value, null]);
    expect(read.arrowType).toBe('Float64');
  });

  it('makes real, double precision and numeric dimensions Float64', async () => {
    expect((await bothReaders(column('float4'), [wire.float4(1.5)])).values).toEqual([1.5]);
    expect((await bothReaders(column('float8'), [wire.float8(1e300)])).values).toEqual([1e300]);
    const read = await bothReaders(column('numeric'), [wire.numeric('7'), wire.numeric('7.25')]);
    expect(read.values).toEqual([7, 7.25]);
    expect(read.arrowType).toBe('Float64');
  });

  it('makes boolean Bool', async () => {
    const values = [true, null, false, true, true, false, false, true, true];
    const read = await bothReaders(
      column('bool'),
      values.map((v) => (v === null ? null : wire.bool(v))),
    );
    expect(read.values).toEqual(values);
    expect(read.engineType).toBe('boolean');
  });

  it('makes date Date32, counted from 1970', async () => {
    const days = [
      '1999-12-31',
      '2000-01-01',
      '1970-01-01',
      '2024-02-29',
      '0001-01-01',
      '9999-12-31',
    ];
    const read = await bothReaders(column('date'), [...days.map(wire.date), null]);
    expect(read.values).toEqual([...days.map((day) => Date.parse(day)), null]);
    expect(read.arrowType).toBe('Date32<DAY>');
    expect(read.engineType).toBe('date');
  });

  it('makes timestamps whole milliseconds, rounded down', async () => {
    const fields = [
      wire.timestamp('2024-03-31T01:02:03.004Z', 999),
      wire.timestamp('1999-12-31T23:59:59.999Z', 1),
      wire.timestamp('1969-12-31T00:00:00Z', -1),
      null,
    ];
    for (const type of ['timestamp', 'timestamptz'] as const) {
      const read = await bothReaders(column(type), fields);
      expect(read.values).toEqual([
        Date.parse('2024-03-31T01:02:03.004Z'),
        Date.parse('1999-12-31T23:59:59.999Z'),
        -DAY - 1,
        null,
      ]);
      expect(read.engineType).toBe('datetime');
    }
  });

  it('refuses to plan a type that the select should have cast', () => {
    const plan = [{ name: 'Tags', type: 3802, use: 'dimension' as const }];
    expect(() => new CopyDecoder(plan)).toThrow(/Tags.*3802.*text/);
    expect(() => new CopyDecoder([column('text', 'measure')])).toThrow(/measure/);
  });
});

describe('timestamps', () => {
  it('equal the division of the 64-bit integer, from the year -4713 to 270,000', () => {
    const earliest = BigInt(Date.UTC(-4713, 0, 1)) - BigInt(Date.UTC(2000, 0, 1));
    const latest = BigInt(Date.UTC(270_000, 0, 1)) - BigInt(Date.UTC(2000, 0, 1));
    const toMilliseconds = (micros: bigint) =>
      (micros - (((micros % 1000n) + 1000n) % 1000n)) / 1000n + BigInt(Date.UTC(2000, 0, 1));
    fc.assert(
      fc.property(fc.bigInt({ min: earliest * 1000n, max: latest * 1000n }), (micros) => {
        const [stamp] = decode([column('timestamp')], wire.copyBytes([[wire.int8(micros)]]));
        expect((stamp?.data.values as BigInt64Array)[0]).toBe(toMilliseconds(micros));
      }),
    );
  });
});

describe('values that the pivot cannot show', () => {
  const read = (planned: PlannedColumn, field: wire.Field) =>
    failure(() => decode([planned], wire.copyBytes([[null], [field]])));

  it.each([
    ['a bigint', column('int8', 'dimension', 'Order No'), wire.int8(2n ** 53n + 1n)],
    ['a bigint', column('int8', 'dimension', 'Order No'), wire.int8(-(2n ** 53n) - 1n)],
    ['a bigint', column('int8', 'key', 'Order No'), wire.int8(2n ** 63n - 1n)],
    ['a numeric', column('numeric', 'dimension', 'Order No'), wire.numeric('9007199254740993')],
    ['a numeric', column('numeric', 'dimension', 'Order No'), wire.numeric('9007199254740992.1')],
    ['a numeric', column('numeric', 'dimension', 'Order No'), wire.numeric('-9007199254740993')],
    ['a numeric', column('numeric', 'dimension', 'Order No'), wire.numeric(`1${'0'.repeat(40)}`)],
    ['NaN', column('numeric', 'dimension', 'Order No'), wire.numeric('NaN')],
    ['NaN', column('numeric', 'measure', 'Order No'), wire.numeric('NaN')],
    ['infinity', column('numeric', 'measure', 'Order No'), wire.numeric('Infinity')],
    ['infinity', column('numeric', 'measure', 'Order No'), wire.numeric('-Infinity')],
    ['NaN', column('float8', 'measure', 'Order No'), wire.float8(NaN)],
    ['infinity', column('float4', 'measure', 'Order No'), wire.float4(-Infinity)],
    ['a date of infinity', column('date', 'dimension', 'Order No'), wire.int4(2147483647)],
    ['a date of -infinity', column('date', 'dimension', 'Order No'), wire.int4(-2147483648)],
    ['infinity', column('timestamp', 'dimension', 'Order No'), wire.int8(2n ** 63n - 1n)],
    ['-infinity', column('timestamptz', 'dimension', 'Order No'), wire.int8(-(2n ** 63n))],
  ])('are refused with the name of their column: %s', (_what, planned, field) => {
    const error = read(planned, field);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ status: 422, message: expect.stringContaining('"Order No"') });
  });

  it('do not include 2^53 itself and values just below it', () => {
    const fields = ['9007199254740992', '9007199254740991.9', '-9007199254740992'];
    const plan = [column('numeric')];
    const rows = arrowRows(decode(plan, wire.copyBytes(fields.map((f) => [wire.numeric(f)]))));
    expect(rows.map((r) => r.numeric)).toEqual([2 ** 53, 2 ** 53, -(2 ** 53)]);
  });
});
