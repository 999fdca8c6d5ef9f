import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import * as wire from '../../../../tests/support/copy-bytes';
import { pivoted, pivotedTotals } from '../../../../tests/support/pivot-engine';
import { AppError } from '../errors';
import { OID, type Column, type PlannedColumn } from './column-plan';
import { CopyDecoder } from './decoder';
import { encode } from './encode';
import { mappedDictionary } from './mapped';

// Thousands of small streams and the pivot engine's own time: slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const DAY = 86_400_000;

const column = (
  type: keyof typeof OID,
  use: PlannedColumn['use'] = 'dimension',
  name: string = type,
): PlannedColumn => ({ name, type: OID[type], use });

function decode(plan: PlannedColumn[], bytes: Uint8Array, chunkLength = bytes.length): Column[] {
  const decoder = new CopyDecoder(plan);
  for (let at = 0; at < bytes.length; at += chunkLength) {
    decoder.write(bytes.subarray(at, at + chunkLength));
  }
  return decoder.finish();
}

/** What apache-arrow reads in the stream of some columns. */
function arrowRows(columns: Column[]): Record<string, unknown>[] {
  const table = tableFromIPC(encode(columns));
  expect(table.batches.length).toBe(1);
  return table.toArray().map((row) => row.toJSON());
}

/** One column of some fields, read by apache-arrow and by the pivot engine, which have to agree. */
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

const failure = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail');
};

describe('types', () => {
  it('makes text a dictionary that tells null, the empty text and the text "null" apart', async () => {
    const texts = ['West', null, '', 'null', 'West', 'Zürich 🏔', ''];
    const read = await bothReaders(
      column('text'),
      texts.map((t) => (t === null ? null : wire.text(t))),
    );
    expect(read.values).toEqual(texts);
    expect(read.arrowType).toBe('Dictionary<Int32, Utf8>');
    expect(read.engineType).toBe('string');
  });

  it('leaves the text of a key plain', async () => {
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
  ] as const)('makes %s that fits 32 bits Int32', async (type, field, values) => {
    const read = await bothReaders(column(type), [...values.map((v) => field(v)), null]);
    expect(read.values).toEqual([...values, null]);
    expect(read.arrowType).toBe('Int32');
    expect(read.engineType).toBe('integer');
  });

  it.each([2147483648, -2147483649, 2 ** 53, -(2 ** 53)])(
    'makes a bigint column Float64 from its first value beyond 32 bits on: %d',
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

describe('values that no pivot may show', () => {
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
  ])('are refused by the column they are in: %s', (_what, planned, field) => {
    const error = read(planned, field);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ status: 422, message: expect.stringContaining('"Order No"') });
  });

  it('do not include 2^53 itself and what lies just below', () => {
    const fields = ['9007199254740992', '9007199254740991.9', '-9007199254740992'];
    const plan = [column('numeric')];
    const rows = arrowRows(decode(plan, wire.copyBytes(fields.map((f) => [wire.numeric(f)]))));
    expect(rows.map((r) => r.numeric)).toEqual([2 ** 53, 2 ** 53, -(2 ** 53)]);
  });
});

const MIXED: PlannedColumn[] = [
  column('text'),
  column('int8', 'key', 'pf_id'),
  column('numeric', 'measure'),
  column('date'),
  column('timestamptz'),
  column('bool'),
  column('text', 'key', 'pf_gkey'),
];
const mixedRow = (i: number): wire.Field[] => [
  i % 5 === 4 ? null : wire.text(`Region ${i % 3}`),
  wire.int8(i * 1000),
  i % 7 === 6 ? null : wire.numeric((i * 1.25 - 3).toFixed(2)),
  wire.date('2024-02-29'),
  wire.timestamp('2024-02-29T12:00:00Z', i),
  i % 3 === 2 ? null : wire.bool(i % 2 === 0),
  wire.text(`key ${i}`),
];

describe('chunks', () => {
  it('may be split at every byte, the header included', () => {
    const bytes = wire.copyBytes([0, 4, 6].map(mixedRow), { extension: wire.text('extension') });
    const whole = encode(decode(MIXED, bytes));
    for (let at = 1; at < bytes.length; at++) {
      const decoder = new CopyDecoder(MIXED);
      decoder.write(bytes.subarray(0, at));
      decoder.write(bytes.subarray(at));
      expect(Buffer.compare(encode(decoder.finish()), whole)).toBe(0);
    }
  });

  it.each([1, 7, 63, 4096, 200_000])('of %d bytes make the same columns', (length) => {
    const bytes = wire.copyBytes(Array.from({ length: 3000 }, (_, i) => mixedRow(i)));
    const whole = encode(decode(MIXED, bytes));
    expect(Buffer.compare(encode(decode(MIXED, bytes, length)), whole)).toBe(0);
  });

  it('may be reused by the caller', () => {
    const bytes = wire.copyBytes(Array.from({ length: 50 }, (_, i) => mixedRow(i)));
    const decoder = new CopyDecoder(MIXED);
    const buffer = Buffer.alloc(100);
    for (let at = 0; at < bytes.length; at += buffer.length) {
      const copied = bytes.copy(buffer, 0, at);
      decoder.write(buffer.subarray(0, copied));
      buffer.fill(0xee);
    }
    expect(arrowRows(decoder.finish())).toEqual(arrowRows(decode(MIXED, bytes)));
  });

  it('may hold less than one value', () => {
    const long = 'long text '.repeat(100_000);
    const bytes = wire.copyBytes([[wire.text(long)], [wire.text('short')]]);
    const rows = arrowRows(decode([column('text')], bytes, 65_536));
    expect(rows).toEqual([{ text: long }, { text: 'short' }]);
  });
});

describe('malformed input', () => {
  const plan = [column('int4'), column('text')];
  const good = wire.copyBytes([[wire.int4(1), wire.text('abc')]]);
  const changed = (at: number, ...bytes: number[]) => {
    const copy = Buffer.from(good);
    copy.set(bytes, at);
    return copy;
  };

  it('is refused wherever it is cut off', () => {
    for (let end = 0; end < good.length; end++) {
      expect(() => decode(plan, good.subarray(0, end)), `cut at ${end}`).toThrow(/Truncated/);
    }
  });

  it.each([
    ['a wrong signature', changed(3, 0), /signature/],
    ['a critical flag', changed(12, 1), /flag/],
    ['a negative header extension', changed(15, 0xff), /extension/],
    ['another number of fields', changed(20, 3), /3 fields in a row of 2 columns/],
    ['a length below -1', changed(21, 0xff, 0xff, 0xff, 0xfe), /length -2/],
    ['bytes after the end', Buffer.concat([good, Buffer.from([0])]), /after its end/],
  ])('is refused: %s', (_what, bytes, message) => {
    expect(() => decode(plan, bytes)).toThrow(message);
  });

  it.each([
    ['bool', 2],
    ['int2', 4],
    ['int4', 8],
    ['int8', 4],
    ['float4', 8],
    ['float8', 4],
    ['date', 8],
    ['timestamp', 4],
    ['numeric', 7],
  ] as const)('is refused: a %s of %d bytes', (type, length) => {
    const bytes = wire.copyBytes([[new Uint8Array(length)]]);
    expect(() => decode([column(type)], bytes)).toThrow(/Malformed/);
  });

  it('does not turn up as a client error', () => {
    expect(failure(() => decode(plan, changed(20, 3)))).not.toBeInstanceOf(AppError);
  });
});

describe('nulls', () => {
  it.each([
    ['first', (i: number) => i === 0],
    ['last', (i: number) => i === 2999],
    ['late', (i: number) => i === 2500],
    ['everywhere', () => true],
    ['in every other row', (i: number) => i % 2 === 1],
  ])('%s are the same rows in every type and in both readers', async (_where, isNull) => {
    const rows = Array.from({ length: 3000 }, (_, i): wire.Field[] =>
      isNull(i)
        ? MIXED.map(() => null)
        : mixedRow(i).map((field, c) => field ?? (mixedRow(0)[c] as wire.Field)),
    );
    const columns = decode(MIXED, wire.copyBytes(rows), 10_000);
    const expected = rows.map((row) => row[0] === null);
    const engine = (await pivoted(encode(columns))).rows;
    const arrow = arrowRows(columns);
    for (const { name } of MIXED) {
      expect(arrow.map((row) => row[name] === null)).toEqual(expected);
      expect(engine.map((row) => row[name] === null)).toEqual(expected);
    }
  });
});

describe('dictionaries', () => {
  it('hold each text once, however many rows and texts there are', async () => {
    const count = 20_000;
    const textOf = (i: number) => `text ${(i * 7919) % 12_000}`;
    const bytes = wire.copyBytes(
      Array.from({ length: count }, (_, i) => [wire.text(textOf(i)), wire.int4(1)]),
    );
    const columns = decode([column('text'), column('int4', 'measure', 'units')], bytes, 65_536);
    expect(columns[0]?.data.dictionary?.length).toBe(12_000);
    const arrow = tableFromIPC(encode(columns)).getChild('text');
    for (let i = 0; i < count; i += 997) expect(arrow?.get(i)).toBe(textOf(i));
    const totals = await pivotedTotals(encode(columns), 'text', ['units']);
    expect(totals.length).toBe(12_001);
    expect(totals[0]?.units).toBe(count);
    expect(totals.slice(1).every((row) => row.units === 1 || row.units === 2)).toBe(true);
  });

  it('tell texts apart that differ in one byte, at any length', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 12 })), (texts) => {
        const columns = decode([column('text')], wire.copyBytes(texts.map((t) => [wire.text(t)])));
        expect(columns[0]?.data.dictionary?.length).toBe(new Set(texts).size);
        if (texts.length > 0) expect(arrowRows(columns).map((r) => r.text)).toEqual(texts);
      }),
    );
  });
});

describe('a column that follows from ids', () => {
  const ids = (values: (number | null)[]) => {
    const fields = values.map((v) => [v === null ? null : wire.int8(v)]);
    return decode([column('int8', 'dimension', 'pf_logid')], wire.copyBytes(fields))[0] as Column;
  };
  const notes = new Map([
    [1, 'first'],
    [2, null],
    [3, 'it\'s {{logid}} $& "quoted"'],
    [4, ''],
    [5, 'first'],
    [2 ** 40, 'far'],
  ]);

  it('gives each row the text of its id, null where there is none', async () => {
    const logids = ids([1, 1, 2, 3, 4, 5, 99, null, 1]);
    const note = mappedDictionary('pf_note', logids, notes);
    const expected = ['first', 'first', null, notes.get(3), '', 'first', null, null, 'first'];
    expect(arrowRows([logids, note]).map((row) => row.pf_note)).toEqual(expected);
    const { rows } = await pivoted(encode([logids, note]));
    expect(rows.map((row) => row.pf_note)).toEqual(expected);
    expect(note.data.dictionary?.toArray()).toEqual(['first', notes.get(3), '', 'far']);
  });

  it('works on ids beyond 32 bits', () => {
    const note = mappedDictionary('pf_note', ids([1, 2 ** 40, null]), notes);
    expect(arrowRows([note]).map((row) => row.pf_note)).toEqual(['first', 'far', null]);
  });

  it('works where no id has a text', async () => {
    const logids = ids([2, 2]);
    const note = mappedDictionary('pf_note', logids, new Map([[2, null]]));
    expect(arrowRows([note]).map((row) => row.pf_note)).toEqual([null, null]);
    expect((await pivoted(encode([logids, note]))).rows).toEqual([
      { pf_logid: 2, pf_note: null },
      { pf_logid: 2, pf_note: null },
    ]);
  });

  it('refuses a column that holds no ids', () => {
    const [stamp] = decode([column('timestamp')], wire.copyBytes([]));
    expect(() => mappedDictionary('pf_note', stamp as Column, notes)).toThrow(/no ids/);
  });
});

describe('the stream', () => {
  it('has no bytes where there are no rows', () => {
    expect(encode(decode(MIXED, wire.copyBytes([]))).length).toBe(0);
    expect(encode([])).toEqual(new Uint8Array(0));
  });

  it('is the same for the same rows', () => {
    const bytes = wire.copyBytes(Array.from({ length: 20 }, (_, i) => mixedRow(i)));
    expect(encode(decode(MIXED, bytes))).toEqual(encode(decode(MIXED, bytes)));
  });

  it('keeps column names as they are, and their order', () => {
    const names = ['Order Date', 'sub-category', 'select', 'a"b'];
    const plan = names.map((name) => column('int4', 'dimension', name));
    const columns = decode(plan, wire.copyBytes([names.map((_, i) => wire.int4(i))]));
    const table = tableFromIPC(encode(columns));
    expect(table.schema.fields.map((field) => field.name)).toEqual(names);
  });

  it('refuses columns of different lengths', () => {
    const [one] = decode([column('int4')], wire.copyBytes([[wire.int4(1)]]));
    const [two] = decode([column('int4')], wire.copyBytes([[wire.int4(1)], [wire.int4(2)]]));
    expect(() => encode([one, two] as Column[])).toThrow(/lengths/);
  });

  it('sums up in the pivot engine to what the rows hold', async () => {
    const cents = Array.from({ length: 4000 }, (_, i) => (i * 7919) % 100_003);
    const bytes = wire.copyBytes(
      cents.map((c, i) => [
        i % 9 === 0 ? null : wire.text(`Region ${i % 4}`),
        wire.numeric((c / 100).toFixed(2)),
      ]),
    );
    const plan = [column('text', 'dimension', 'Region'), column('numeric', 'measure', 'Sales')];
    const totals = await pivotedTotals(encode(decode(plan, bytes)), 'Region', ['Sales']);
    const sum = (of: (i: number) => boolean) =>
      cents.reduce((total, c, i) => (of(i) ? total + c : total), 0) / 100;
    const bySales = new Map(
      totals.map((row) => [JSON.stringify(row.__ROW_PATH__), row.Sales as number]),
    );
    expect(bySales.get('[]')).toBeCloseTo(
      sum(() => true),
      6,
    );
    expect(bySales.get('[null]')).toBeCloseTo(
      sum((i) => i % 9 === 0),
      6,
    );
    for (const region of [0, 1, 2, 3]) {
      expect(bySales.get(`["Region ${region}"]`)).toBeCloseTo(
        sum((i) => i % 9 !== 0 && i % 4 === region),
        6,
      );
    }
  });
});
