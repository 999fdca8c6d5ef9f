import { describe, expect, it } from 'vitest';
import { parseNumber } from './numbers';

describe('A number in a cell', () => {
  it.each([
    ['12', 'point', '12'],
    ['-12', 'point', '-12'],
    ['+12', 'point', '12'],
    ['1,234.50', 'point', '1234.50'],
    ['1.234,50', 'comma', '1234.50'],
    ['1.234', 'comma', '1234'],
    ['1.234', 'point', '1.234'],
    ['12,34,567.5', 'point', '1234567.5'],
    ["1'234.5", 'point', '1234.5'],
    ['1 234 567,5', 'comma', '1234567.5'],
    ['1\u202f234,5', 'comma', '1234.5'],
    ['(1,234)', 'point', '-1234'],
    ['($5.00)', 'point', '-5.00'],
    ['12.50-', 'point', '-12.50'],
    ['−5', 'point', '-5'],
    ['€ 5,20', 'comma', '5.20'],
    ['-5,20 €', 'comma', '-5.20'],
    ['USD 5', 'point', '5'],
    ['5 kr', 'point', '5'],
    ['5 EUR', 'point', '5'],
    ['(CHF 5)', 'point', '-5'],
    ['5€', 'point', '5'],
    ['R$5', 'point', '5'],
    ['12.5%', 'point', '0.125'],
    ['7 %', 'point', '0.07'],
    ['250%', 'point', '2.50'],
    ['.5', 'point', '0.5'],
    ['1.5E+3', 'point', '1500'],
    ['1.5e-3', 'point', '0.0015'],
    ['\u200e-5', 'point', '-5'],
    ['00123', 'point', '00123'],
  ] as const)('%s with a decimal %s is %s', (cell, decimal, text) => {
    expect(parseNumber(cell, decimal)?.text).toBe(text);
  });

  it.each([
    ['', 'point'],
    ['-', 'point'],
    ['abc', 'point'],
    ['1,5', 'point'],
    ['1,23,456', 'comma'],
    ['1.2.3', 'point'],
    ['1,234,56', 'point'],
    ['1.', 'point'],
    ['--5', 'point'],
    ['(-5)', 'point'],
    ['$5€', 'point'],
    ['5 pieces', 'point'],
    ['SKU1001', 'point'],
    ['ABC 123', 'point'],
    ['DEC 2027', 'point'],
    ['MAY-27', 'point'],
    ['12 PCS', 'point'],
    ['Fr1', 'point'],
    ['EUR1', 'point'],
    ['1EUR', 'point'],
    ['kr.5', 'point'],
    ['+49 123 456', 'point'],
    ['0x10', 'point'],
    ['NaN', 'point'],
    ['Infinity', 'point'],
    ['1e99', 'point'],
    ['2027-01-31', 'point'],
    ['=1+1', 'point'],
    ['9'.repeat(39), 'point'],
    [`1${' '.repeat(100_000)}x`, 'point'],
  ] as const)('%j with a decimal %s is none', (cell, decimal) => {
    expect(parseNumber(cell, decimal)).toBeNull();
  });

  it('says how it is written', () => {
    expect(parseNumber('00123', 'point')).toMatchObject({ isPadded: true });
    expect(parseNumber('0.5', 'point')).toMatchObject({ isPadded: false, whole: 1, decimals: 1 });
    expect(parseNumber('5%', 'point')).toMatchObject({
      isPercent: true,
      currency: '',
      decimals: 2,
    });
    expect(parseNumber('5 €', 'point')).toMatchObject({ isPercent: false, currency: '€' });
  });
});
