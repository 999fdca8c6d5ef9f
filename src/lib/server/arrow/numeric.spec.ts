import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as wire from '../../../../tests/support/copy-bytes';
import { isBeyondSafe, numericToDouble } from './numeric';

const viewOf = (bytes: Buffer) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
const read = (text: string) => {
  const bytes = wire.numeric(text);
  return numericToDouble(viewOf(bytes), 0, bytes.length);
};
const beyond = (text: string) => {
  const bytes = wire.numeric(text);
  return isBeyondSafe(viewOf(bytes), 0, bytes.length);
};

describe('numericToDouble', () => {
  it.each([
    '0',
    '0.00',
    '1',
    '-1',
    '0.1',
    '-0.0001',
    '0.00001',
    '9999.9999',
    '10000',
    '99999999.99',
    '12345678901.23',
    '9007199254740991',
    '9007199254740993',
    '9007199254740992.5',
    '123456789012345678.90',
    '0.30000000000000004',
    '2.2250738585072011',
    `1${'0'.repeat(60)}`,
    `0.${'0'.repeat(60)}1`,
    `9${'9'.repeat(400)}`,
    `0.${'0'.repeat(400)}1`,
  ])('rounds %s once, as its text does', (text) => {
    expect(read(text)).toBe(Number(text));
  });

  it('returns the double nearest to any decimal', () => {
    const decimal = fc
      .tuple(fc.boolean(), fc.stringMatching(/^\d{0,40}$/), fc.stringMatching(/^\d{0,40}$/))
      .map(([minus, whole, fraction]) => `${minus ? '-' : ''}${whole || '0'}.${fraction}`);
    fc.assert(
      fc.property(decimal, (text) => {
        expect(read(text)).toBe(Number(text) || 0);
      }),
      { numRuns: 2000 },
    );
  });

  it('returns the double that a short decimal was printed from', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 8 }), (digits, scale) => {
        const text = (digits / 10 ** scale).toFixed(scale);
        expect(read(text)).toBe(Number(text) || 0);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads NaN and the infinities', () => {
    expect(read('NaN')).toBeNaN();
    expect(read('Infinity')).toBe(Infinity);
    expect(read('-Infinity')).toBe(-Infinity);
  });

  it.each([
    ['too short', [0, 0, 0]],
    ['fewer digits than it says', [2, 0, 0, 0, 1]],
    ['more digits than it says', [1, 0, 0, 0, 1, 1]],
    ['a negative count', [0xffff, 0, 0, 0]],
    ['a digit above 9999', [1, 0, 0, 0, 10000]],
    ['a digit above 9999 among many', [6, 0, 0, 0, 1, 1, 1, 1, 1, 10000]],
    ['an unknown sign', [1, 0, 0x8000, 0, 1]],
  ])('refuses bytes that are not a numeric: %s', (_what, words) => {
    const bytes = Buffer.alloc(2 * words.length);
    words.forEach((word, i) => bytes.writeUInt16BE(word, 2 * i));
    expect(() => numericToDouble(viewOf(bytes), 0, bytes.length)).toThrow(/Malformed/);
  });
});

describe('isBeyondSafe', () => {
  it('compares every digit', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -20n, max: 20n }),
        fc.stringMatching(/^\d{0,12}$/),
        fc.boolean(),
        (distance, fraction, minus) => {
          const whole = 2n ** 53n + distance;
          const expected = distance > 0n || (distance === 0n && /[1-9]/.test(fraction));
          expect(beyond(`${minus ? '-' : ''}${whole}.${fraction}`)).toBe(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is false for small numbers and true for large ones', () => {
    expect(beyond('0')).toBe(false);
    expect(beyond('-123.45')).toBe(false);
    expect(beyond(`1${'0'.repeat(30)}`)).toBe(true);
  });
});
