import { describe, expect, it } from 'vitest';
import { CellFormat } from './cell-format';

const LANGUAGE = ['en-US'];

describe('a cell', () => {
  it('shows an amount with two decimals, a count with none, and no value as empty text', () => {
    const amount = new CellFormat('float', {}, LANGUAGE);
    expect([1234.5, 0.1 + 0.2, null].map((value) => amount.text(value))).toEqual([
      '1,234.50',
      '0.30',
      '',
    ]);
    expect(new CellFormat('integer', {}, LANGUAGE).text(1234)).toBe('1,234');
    expect(new CellFormat('date', {}, LANGUAGE).text(Date.UTC(2028, 0, 31))).toBe('1/31/28');
    expect(new CellFormat('boolean', {}, LANGUAGE).text(true)).toBe('true');
  });

  it('is formatted by the settings of the layout', () => {
    const number_format = { style: 'percent', minimumFractionDigits: 1 } as const;
    expect(new CellFormat('float', { number_format }, LANGUAGE).text(0.255)).toBe('25.5%');
    expect(new CellFormat('float', {}, ['de-DE']).text(1234.5)).toBe('1.234,50');
  });

  it('is negative only if it does not round to zero', () => {
    const amount = new CellFormat('float', {}, LANGUAGE);
    expect([-0.01, -0.001, 0, 5].map((value) => amount.isNegative(value))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(new CellFormat('string', {}, LANGUAGE).isNegative(-1)).toBe(false);
  });
});
