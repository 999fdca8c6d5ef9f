import { describe, expect, it, vi } from 'vitest';
import {
  arrowRows,
  column,
  decode,
  failure,
  MIXED,
  mixedRow,
} from '../../../../tests/support/copied-columns';
import * as wire from '../../../../tests/support/copy-bytes';
import { pivoted } from '../../../../tests/support/pivot-engine';
import { AppError } from '../errors';
import { CopyDecoder } from './decoder';
import { encode } from '../../../../tests/support/encode';

// These tests read thousands of small streams and run the pivot engine, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describe('chunks', () => {
  it('may be split at every byte, including inside the header', () => {
    const bytes = wire.copyBytes([0, 4, 6].map(mixedRow), { extension: wire.text('extension') });
    const whole = encode(decode(MIXED, bytes));
    for (let at = 1; at < bytes.length; at++) {
      const decoder = new CopyDecoder(MIXED);
      decoder.write(bytes.subarray(0, at));
      decoder.write(bytes.subarray(at));
      expect(Buffer.compare(encode(decoder.finish()), whole)).toBe(0);
    }
  });

  it.each([1, 7, 63, 4096, 200_000])('of %d bytes decode to the same columns', (length) => {
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

  it('is refused wherever it is truncated', () => {
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

  it('is not reported as a client error', () => {
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
  ])('%s are in the same rows for every type and for both readers', async (_where, isNull) => {
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
