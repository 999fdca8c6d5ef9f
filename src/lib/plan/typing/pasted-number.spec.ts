import { describe, expect, it } from 'vitest';
import { plainText } from '../../components/number-text';
import { isDash } from '../../numbers/notation';
import { isInPlace, readPastedNumber } from './pasted-number';

const valueOf = (text: string, decimal: '.' | ',') => {
  const read = readPastedNumber(text, decimal);
  return read && 'value' in read ? read.value : read;
};

describe('readPastedNumber', () => {
  it.each([
    ['1,204.50', 1204.5],
    ['-500', -500],
    ['+500', 500],
    ['+3', 3],
    ['(1,204.50)', -1204.5],
    ['($1,204.50)', -1204.5],
    ['$(1,204.50)', -1204.5],
    ['$ 1,204.50', 1204.5],
    ['US$1,204.50', 1204.5],
    ['-€500', -500],
    ['€-500', -500],
    ['500-', -500],
    ['1,204.50-', -1204.5],
    ['1204.50 USD', 1204.5],
    ['10k', 10_000],
    ['(1.5k)', -1500],
    ['1e3', 1000],
    ['1.2E+05', 120_000],
    ['5%', 0.05],
    ['-3 %', -0.03],
    ['12.5%', 0.125],
    ['1,00,000', 100_000],
    ['₹ 1,23,45,678.90', 12_345_678.9],
    ['Rs. 1,00,000', 100_000],
    ['1 204.50', 1204.5],
    ['1’204.50', 1204.5],
    ["CHF 1'204.50", 1204.5],
    ["1'204.–", 1204],
    ['1’204.-', 1204],
    ['\u200e-500', -500],
    ['\u202a1,204.50\u202c', 1204.5],
    ['\u2212500', -500],
    ['１２．５', 12.5],
    ['.5', 0.5],
    ['0', 0],
    ['-0', 0],
    ['-', 0],
    [' $ -   ', 0],
    ['–', 0],
  ])('reads %j with a decimal point as %s', (text, value) => {
    expect(valueOf(text, '.')).toBe(value);
  });

  it.each([
    ['1.204,50', 1204.5],
    ['1.204,50 €', 1204.5],
    ['1.204.567', 1_204_567],
    ['1 204,50', 1204.5],
    ['1\u00a0204,50', 1204.5],
    ['1\u202f204\u202f567,5\u00a0€', 1_204_567.5],
    ['\u22121\u00a0204,50 kr', -1204.5],
    ['1 204,50 kr.', 1204.5],
    ['1 204,50 zł', 1204.5],
    ['R$ 1.204,50', 1204.5],
    ['-R$ 1.204,50', -1204.5],
    ['R 1 204,50', 1204.5],
    ['1.204,50-', -1204.5],
    ['12,5 %', 0.125],
    ['%12,5', 0.125],
    ['1.204,–', 1204],
    ['- €', 0],
    ['-   kr', 0],
    [',5', 0.5],
    ['0,123', 0.123],
  ])('reads %j with a decimal comma as %s', (text, value) => {
    expect(valueOf(text, ',')).toBe(value);
  });

  it.each([
    '=keep',
    '=9575*1.05',
    '*1.05',
    '/2',
    '1..2',
    '12a',
    'n/a',
    '#N/A',
    '1,2',
    '12,34,56',
    '1234,567',
    '0,123',
    '1,204 567',
    '12 34',
    '--5',
    '(5)-',
    '5%%',
    '$5€',
    'JAN 2028',
    '01.03.2028',
    '2028-03',
    '9'.repeat(400),
    `1${' '.repeat(200)}`,
    '+',
    '()',
    '%',
    '€',
    '',
  ])('%j is no number with a decimal point', (text) => {
    expect(readPastedNumber(text, '.')).toBeNull();
  });

  it('gives the reason for a number with more digits than a double has', () => {
    expect(readPastedNumber('4,503,599,627,370,500.05', '.')).toEqual({
      problem: expect.stringContaining('too many digits'),
    });
    expect(valueOf('9007199254740992', '.')).toBe(9007199254740992);
  });

  it('reads back all digits that plainText writes', () => {
    for (const value of [83918.645, -0.1, 0, 1e12, 1234567.8912]) {
      expect(valueOf(plainText(value), '.')).toBe(value);
    }
  });
});

it('distinguishes a dash, a text in place of a number and other texts', () => {
  expect(['-', '—', ' $-   ', '- kr'].map(isDash)).toEqual([true, true, true, true]);
  expect(['', '-5', '+', '€', '(-)', '--'].map(isDash)).toEqual(Array(6).fill(false));
  expect(['#N/A', '#DIV/0!', 'n/a', 'N.A.', 'k. A.', '=A1'].map(isInPlace)).toEqual(
    Array(6).fill(true),
  );
  expect(['Sales', 'Chairs', '5'].map(isInPlace)).toEqual([false, false, false]);
});
