import {
  Bool,
  DateDay,
  Float64,
  Int32,
  TimestampMillisecond,
  Utf8,
  makeData,
  tableFromIPC,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as wire from '../../../../tests/support/copy-bytes';
import { OID, type Column, type PlannedColumn } from './column-plan';
import { CopyDecoder } from './decoder';
import { decode } from './encode';
import { encode } from '../../../../tests/support/encode';
import { jsonRows, jsonWithList, jsonWithObjects } from './json';

const textOf = (pieces: Iterable<Uint8Array>): string =>
  Buffer.concat([...pieces]).toString('utf8');
const parsed = (columns: readonly Column[]) => JSON.parse(textOf(jsonRows(columns))) as unknown;

/** A column of a COPY with these fields. */
function columnOf(
  type: keyof typeof OID,
  fields: wire.Field[],
  use: PlannedColumn['use'] = 'dimension',
): Column {
  const decoder = new CopyDecoder([{ name: type, type: OID[type], use }]);
  decoder.write(wire.copyBytes(fields.map((field) => [field])));
  return decoder.finish()[0]!;
}

const values = (column: Column): unknown[] =>
  (parsed([column]) as Record<string, unknown>[]).map((row) => row[column.name]);

describe('one value', () => {
  it('is a text, whatever characters it has', () => {
    const texts = [
      '',
      'West',
      'a"b\\c',
      '\u0001\n\u001f\u007f',
      '\ufeffZürich 🏔',
      '\u2028',
      'null',
    ];
    const fields = [...texts.map(wire.text), null];
    expect(values(columnOf('text', fields))).toEqual([...texts, null]);
    expect(values(columnOf('text', fields, 'key'))).toEqual([...texts, null]);
  });

  it('is a number as JavaScript writes it', () => {
    expect(textOf(jsonRows([columnOf('int8', [7, -1, 2 ** 40].map(wire.int8))]))).toBe(
      '[{"int8":7},{"int8":-1},{"int8":1099511627776}]',
    );
    const floats = [0.1, -0, 1e21, 5e-324, 1.7976931348623157e308];
    expect(values(columnOf('float8', floats.map(wire.float8), 'measure'))).toEqual([
      0.1, 0, 1e21, 5e-324, 1.7976931348623157e308,
    ]);
    const numerics = ['12.340', '-0.5', '100'].map(wire.numeric);
    expect(values(columnOf('numeric', [...numerics, null], 'measure'))).toEqual([
      12.34,
      -0.5,
      100,
      null,
    ]);
  });

  it('is null for a number that is not finite', () => {
    expect(values(columnOf('float8', [NaN, Infinity].map(wire.float8), 'amount'))).toEqual([
      null,
      null,
    ]);
  });

  it('is true or false, for more than eight rows too', () => {
    const bools = Array.from({ length: 19 }, (_, i) => i % 3 === 0);
    expect(values(columnOf('bool', [...bools.map(wire.bool), null]))).toEqual([...bools, null]);
  });

  it('is a day as PostgreSQL prints it, over its whole calendar', () => {
    const days = {
      '2024-02-29': 19_782,
      '1969-12-31': -1,
      '0001-01-01': -719_162,
      '0001-12-31 BC': -719_163,
      '0044-03-15 BC': -735_160,
      '4713-01-01 BC': -2_440_550,
      '10000-01-01': 2_932_897,
      '275760-09-14': 100_000_001,
      '5874897-12-31': 2_145_042_905,
    };
    const column: Column = {
      name: 'day',
      data: makeData({ type: new DateDay(), data: Int32Array.from(Object.values(days)) }),
    };
    expect(values(column)).toEqual(Object.keys(days));
  });

  it('is an instant in UTC', () => {
    const fields = [wire.timestamp('2026-03-31T23:59:59.123Z', 999), null];
    expect(values(columnOf('timestamptz', fields))).toEqual(['2026-03-31T23:59:59.123Z', null]);
  });

  it('is refused for a column type that no COPY makes', () => {
    const list = vectorFromArray([[1]]).data[0]!;
    expect(() => jsonRows([{ name: 'a', data: list }])).toThrow(/no JSON/);
  });
});

describe('rows', () => {
  it('have every column under its name, in order, whatever the name is', () => {
    const names = ['Order Date', 'a"b', '7', '__proto__', ''];
    const data = makeData({ type: new Int32(), data: Int32Array.of(1, 2) });
    expect(textOf(jsonRows(names.map((name) => ({ name, data }))))).toBe(
      '[{"Order Date":1,"a\\"b":1,"7":1,"__proto__":1,"":1},{"Order Date":2,"a\\"b":2,"7":2,"__proto__":2,"":2}]',
    );
  });

  it('make an empty list if there are none', () => {
    expect(textOf(jsonRows([columnOf('int4', [])]))).toBe('[]');
    expect(textOf(jsonRows([]))).toBe('[]');
  });

  it('come in pieces, each made on request', () => {
    const note = '\u0001'.repeat(10_000);
    const column = columnOf('text', Array<wire.Field>(2000).fill(wire.text(note)));
    const pieces = jsonRows([column]);
    const sizes = Array.from({ length: 5 }, () => (pieces.next().value as Uint8Array).length);
    // A piece ends with the row that fills it.
    expect(Math.max(...sizes)).toBeLessThan(3 * 65_536);
    expect(Math.min(...sizes)).toBeGreaterThan(65_000);
    expect(pieces.return(undefined).done).toBe(true);
    expect(pieces.next()).toEqual({ done: true, value: undefined });
  });

  it('keep their texts if there are more of them than the cache holds', () => {
    const texts = Array.from({ length: 300 }, (_, i) => `${i}${'\u0001'.repeat(10_000)}`);
    const column = columnOf('text', [...texts, ...texts].map(wire.text));
    expect(values(column)).toEqual([...texts, ...texts]);
  });
});

describe('a list in an object', () => {
  it('stands after the small fields', () => {
    const column = columnOf('int4', [3, 1, 2].map(wire.int4));
    expect(textOf(jsonWithList({ rows_deleted: 3 }, 'pf_ids', column))).toBe(
      '{"rows_deleted":3,"pf_ids":[3,1,2]}',
    );
    // A stream pads its columns.
    const [streamed] = decode(encode([column]));
    expect(textOf(jsonWithList({}, 'pf_ids', streamed))).toBe('{"pf_ids":[3,1,2]}');
    expect(textOf(jsonWithList({ rows_deleted: 0 }, 'pf_ids', columnOf('int4', [])))).toBe(
      '{"rows_deleted":0,"pf_ids":[]}',
    );
    expect(textOf(jsonWithList({}, 'pf_gkeys', undefined))).toBe('{"pf_gkeys":[]}');
  });
});

const cell = {
  text: fc.option(fc.string({ unit: 'grapheme' }).map((s) => s.replaceAll('\0', ''))),
  int: fc.option(fc.integer()),
  float: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
  bool: fc.option(fc.boolean()),
  instant: fc.option(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 })),
  day: fc.option(fc.integer({ min: -719_162, max: 2_932_896 })),
};

it('equal what apache-arrow reads from the same columns, before and after a stream of them', () => {
  fc.assert(
    fc.property(fc.array(fc.record(cell), { minLength: 1, maxLength: 40 }), (rows) => {
      const of = <K extends keyof typeof cell>(key: K) => rows.map((row) => row[key]);
      const day = 86_400_000;
      const vectors = {
        text: vectorFromArray(of('text')),
        plain: vectorFromArray(of('text'), new Utf8()),
        int: vectorFromArray(of('int'), new Int32()),
        float: vectorFromArray(of('float'), new Float64()),
        bool: vectorFromArray(of('bool'), new Bool()),
        instant: vectorFromArray(of('instant'), new TimestampMillisecond()),
        day: vectorFromArray(
          of('day').map((days) => (days === null ? null : days * day)),
          new DateDay(),
        ),
      };
      const columns = Object.entries(vectors).map(([name, { data }]) => ({
        name,
        data: data[0]!,
      })) as Column[];
      const iso = (ms: number | null, length: number) =>
        ms === null ? null : new Date(ms).toISOString().slice(0, length);
      const byArrow = tableFromIPC(encode(columns))
        .toArray()
        .map((row) => row.toJSON())
        .map((row) => ({
          ...row,
          float: row.float === null ? null : row.float + 0,
          instant: iso(row.instant, 24),
          day: iso(row.day === null ? null : Number(row.day), 10),
        }));
      // Arrow's own decoder drops a text's first U+FEFF.
      for (const [i, { text }] of rows.entries()) Object.assign(byArrow[i]!, { text, plain: text });
      expect(parsed(columns)).toEqual(byArrow);
      expect(parsed(decode(encode(columns)))).toEqual(byArrow);
    }),
  );
});

describe('objects in an object', () => {
  it.each([0, 1, 2, 5000])('%i of them have the text of JSON.stringify', (count) => {
    const fields = { column: 'Order "Date"', history: ['2026-01-01'] };
    const groups = Array.from({ length: count }, (_, i) => ({
      group: { Region: `Süd ${i}` },
      amounts: [i / 3, -0, NaN, null],
      missing: undefined,
    }));
    const pieces = [...jsonWithObjects(fields, 'groups', groups)];
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000);
    expect(new TextDecoder().decode(Buffer.concat(pieces))).toBe(
      JSON.stringify({ ...fields, groups }),
    );
  });
});
