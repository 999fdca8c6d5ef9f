import { describe, expect, it } from 'vitest';
import {
  continuesAmount,
  digitsOf,
  formatNumber,
  parseNumber,
  readable,
  readAmount,
  readFactor,
  shownDigits,
  withoutInputMethod,
} from './number-text';
import { marksOf } from '../numbers/languages';

const GERMAN = marksOf('de-DE');

describe('readFactor', () => {
  it('takes a share as a number or as a percentage', () => {
    const texts = ['0.3', '30%', ' 7 % ', '１２．５％', '-100%', '2'];
    expect(texts.map((text) => readFactor(text))).toEqual([0.3, 0.3, 0.07, 0.125, -1, 2]);
    expect(readFactor('12,5 %', GERMAN)).toBe(0.125);
  });

  it.each(['', '%', '1e2', '30%%', 'a third'])('refuses %j', (text) =>
    expect(readFactor(text)).toBeNaN(),
  );
});

it('reads and writes the digits of a number in a language, without losing any', () => {
  const typed = ['1.204,5', '-12345678901234567,89', ' 7 ', '1.5', 'many', ''];
  expect(typed.map((text) => digitsOf(text, GERMAN))).toEqual([
    '1204.5',
    '-12345678901234567.89',
    '7',
    '',
    '',
    '',
  ]);
  expect(shownDigits('-12345678901234567.89', GERMAN)).toBe('-12345678901234567,89');
});

describe('continuesAmount', () => {
  it.each([
    ['8', '0'],
    ['80', 'm'],
    ['+5', '%'],
    ['=2*', '7'],
    ['1,234.5', '6'],
    ['１２', 'k'],
    ['5', ' '],
    ['5 ', 'M'],
    ['5 M', 'i'],
    ['5 Mi', 'o'],
    ['5 Mio', '.'],
  ])('continues %j with %j', (begun, key) => {
    expect(continuesAmount(begun, key)).toBe(true);
  });

  it.each([
    ['', 'm'],
    ['5 M', 'x'],
    ['+', 'm'],
    ['80m', 'm'],
    ['80', 'w'],
    ['80', 'Escape'],
  ])('does not continue %j with %j', (begun, key) => {
    expect(continuesAmount(begun, key)).toBe(false);
  });
});

describe('parseNumber', () => {
  it.each([
    ['1,204,331', 1204331],
    ['  -12.50 ', -12.5],
    ['\u221212.5', -12.5],
    ['+10%', 10],
    ['.5', 0.5],
    ['1e3', 1000],
    ['12.', 12],
    ['1 204 331.5', 1204331.5],
    ['1204,331', 1204331],
    ['－１，２０４．５％', -1204.5],
  ])('reads %j as %d', (text, value) => expect(parseNumber(text)).toBe(value));

  it.each([
    ...['', ' ', 'abc', '1.2.3', '--1', '1e999', '12 apples', '%', '10,5', '1.000,50', ',5'],
    '1,23,456',
    '0,125',
  ])('refuses %j', (text) => expect(parseNumber(text)).toBeNull());

  it('reads back what formatNumber writes', () => {
    for (const value of [0, -1, 1234567.89, -0.25]) {
      expect(parseNumber(formatNumber(value))).toBe(value);
    }
  });

  it.each([
    ['de-DE', '1.204.331,5', 1204331.5],
    ['de-DE', '10,5', 10.5],
    ['fr-FR', '1\u202f204\u00a0331,5', 1204331.5],
    ['de-CH', '1’204’331.5', 1204331.5],
    ['ja-JP', '1,204,331.5', 1204331.5],
  ])('reads the separators of %s', (language, text, value) =>
    expect(parseNumber(text, marksOf(language))).toBe(value),
  );

  it.each(['10.5', '1,204,331', '1,5,5'])('refuses %j with a decimal comma', (text) =>
    expect(parseNumber(text, GERMAN)).toBeNull(),
  );

  it.each(['en-US', 'de-DE', 'fr-FR', 'de-CH', 'pl-PL', 'es-ES', 'ja-JP'])(
    'reads back what Intl writes in %s',
    (language) => {
      for (const value of [0, -1, 234567.89, -0.25, 1234.5]) {
        const text = new Intl.NumberFormat(language).format(value);
        expect(parseNumber(text, marksOf(language))).toBe(value);
      }
      expect(readable(language)).toBe(language);
    },
  );

  it.each(['en-IN', 'ar-EG', 'fa-IR'])(
    'writes English separators for %s, whose separators it cannot read',
    (language) => expect(readable(language)).toBe('en-US'),
  );
});

describe('readAmount', () => {
  it.each([
    ['12500', 'total', 12500],
    ['12,500.75', 'total', 12500.75],
    ['10k', 'total', 10_000],
    ['1.5m', 'total', 1_500_000],
    ['1.1K', 'total', 1100],
    ['2b', 'total', 2_000_000_000],
    ['+500', 'change', 500],
    ['-500', 'change', -500],
    ['\u22122.5k', 'change', -2500],
    ['5%', 'percent', 5],
    ['-3 %', 'percent', -3],
    ['*1.05', 'percent', 5],
    ['*0', 'percent', -100],
    ['/2', 'percent', -50],
    ['=9575*1.05', 'total', 10053.75],
    ['=0.1+0.2', 'total', 0.3],
    ['=-500', 'total', -500],
    ['=2*(3+4)-10/4', 'total', 11.5],
    ['=1,000+1k', 'total', 2000],
    ['=8-3-2', 'total', 3],
    ['=16/4/2', 'total', 2],
  ])('reads %j as a %s of %d', (text, by, amount) =>
    expect(readAmount(text)).toEqual({ by, amount }),
  );

  it.each([
    ...['+', '-', '=', '*', '/', '/0', '%', '12a', 'k', '=1+', '=(1', '=1)', '=1 2 x', '=1/0'],
    ...['10,5', '1e3k', '++5', '5%%', '=5%', '**2'],
  ])('rejects %j', (text) => expect(readAmount(text)?.amount).toBeNaN());

  it('is null for an empty text', () => expect(readAmount('  ')).toBeNull());

  it('reads a sign as the number’s own in a field of changes or percentages', () => {
    expect(readAmount('-5', 'change')).toEqual({ by: 'change', amount: -5 });
    expect(readAmount('-5', 'percent')).toEqual({ by: 'percent', amount: -5 });
    expect(readAmount('5%', 'change')).toEqual({ by: 'percent', amount: 5 });
  });

  it('reads a decimal comma', () => {
    expect(readAmount('1,5m', 'total', GERMAN)).toEqual({ by: 'total', amount: 1_500_000 });
    expect(readAmount('=1.000*1,05', 'total', GERMAN)).toEqual({ by: 'total', amount: 1050 });
  });
});

describe('amounts with units and words', () => {
  it.each([
    ['de-DE', '340.000,50 €', 340_000.5],
    ['de-DE', '€ 340.000,50', 340_000.5],
    ['de-DE', '340.000,50 EUR', 340_000.5],
    ['de-DE', '12,5m', 12_500_000],
    ['de-DE', '12.5m', 12_500_000],
    ['de-DE', '12,5 Mio', 12_500_000],
    ['de-DE', '12,5 Mio. €', 12_500_000],
    ['de-DE', 'EUR 12,5 Mio.', 12_500_000],
    ['de-DE', '1.250 Tsd. €', 1_250_000],
    ['de-DE', '2 Millionen', 2_000_000],
    ['de-DE', '1,2 mrd', 1_200_000_000],
    ['de-DE', '500 T€', 500_000],
    ['de-DE', 'TEUR 500', 500_000],
    ['de-DE', '120 Stück', 120],
    ['de-CH', "CHF 1'204.50", 1204.5],
    ['en-US', '$1.5m', 1_500_000],
    ['en-US', '5 million', 5_000_000],
    ['en-US', '£2bn', 2_000_000_000],
    ['en-US', '1,5m', 1_500_000],
    ['en-US', '120 pcs', 120],
    ['fr-FR', '1,5 M€', 1_500_000],
    ['fr-FR', '2 Md€', 2_000_000_000],
    ['es-ES', '3 mil', 3000],
    ['cs-CZ', '3 mil.', 3_000_000],
    ['ja-JP', '150万', 1_500_000],
  ])('in %s, %j is a total of %d', (language, text, amount) =>
    expect(readAmount(text, 'total', marksOf(language))).toEqual({ by: 'total', amount }),
  );

  it.each([
    ['+5 Mio. €', 'change', 5_000_000],
    ['-€5k', 'change', -5000],
    ['€ -5k', 'change', -5000],
    ['=5 Mio + 500 Tsd', 'total', 5_500_000],
  ])('a sign or a calculation keeps its meaning in %j', (text, by, amount) =>
    expect(readAmount(text, 'total', GERMAN)).toEqual({ by, amount }),
  );

  it.each([
    '5 €%',
    '€ 5 $',
    '5 Mio k',
    '1e3 Mio',
    '5 Mixed',
    'Mio',
    '12.500,5,1 €',
    '1.5',
    '500 T',
  ])('refuses %j', (text) => expect(readAmount(text, 'total', GERMAN)?.amount).toBeNaN());

  it('fills number fields and filters, too', () => {
    expect(parseNumber('12,5 Mio. €', GERMAN)).toBe(12_500_000);
    expect(digitsOf('-12.345,678901 Tsd. €', GERMAN)).toBe('-12345678.901');
    expect(readFactor('5k')).toBeNaN();
  });
});

describe('amounts with more digits than a double has', () => {
  const marks = { group: ',', decimal: '.' };

  it.each(['4,503,599,627,370,500.05', '+9007199254740993', '=2*9007199254740993'])(
    '%s is refused with the reason',
    (text) => {
      expect(readAmount(text, 'total', marks)).toMatchObject({
        amount: NaN,
        problem: expect.stringContaining('too many digits'),
      });
    },
  );

  it.each([
    ['9007199254740992', 9007199254740992],
    ['45035996273704.95', 45035996273704.95],
    ['0.33333333333333333333', 1 / 3],
    ['1.5m', 1500000],
  ])('%s is read', (text, amount) => {
    expect(readAmount(text, 'total', marks)).toEqual({ by: 'total', amount });
  });

  it('gives no reason for a text that is not a number', () => {
    expect(readAmount('12a', 'total', marks)).toEqual({ by: 'total', amount: NaN });
  });
});

describe('withoutInputMethod', () => {
  it.each([
    [{ key: '5', code: 'Digit5', shiftKey: false }, '5'],
    [{ key: 'Process', code: 'Digit5', shiftKey: false }, '5'],
    [{ key: 'Process', code: 'Numpad0', shiftKey: false }, '0'],
    [{ key: 'Process', code: 'Digit5', shiftKey: true }, 'Process'],
    [{ key: 'Process', code: 'KeyA', shiftKey: false }, 'Process'],
  ])('of %j is %j', (event, key) => expect(withoutInputMethod(event)).toBe(key));
});
