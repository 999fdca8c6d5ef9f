import { describe, expect, it } from 'vitest';
import type { ColumnEntry } from '../../contract/columns';
import { decimalsShown } from '../../contract/decimals';
import { NumberFormat } from '../excel/number-format';
import { CellFormat } from '../grid/drawing/cell-format';
import { exactValue } from '../values/column-format';
import { measureFormats, withoutEarlierFormats } from './formats';
import { Origins } from '../rows/origins';

const column = (cname: string, role: ColumnEntry['role'], type: string): ColumnEntry => ({
  ...{ cname, role, type, label: null, is_key: false, opos: null },
  ...{ dim_group: null, dim_period_col: null, in_grain: false },
});

/** Returns the text that a cell shows for a value column. */
function text(
  type: string,
  value: number,
  amounts: Parameters<typeof measureFormats>[2] = {},
  language = 'en-US',
) {
  const decimals = {
    value: decimalsShown('value', type),
    units: decimalsShown('units', 'integer'),
  };
  const format = measureFormats([column('Sales', 'value', type)], decimals, amounts).get('Sales');
  return new CellFormat('float', format ?? {}, [language]).text(value);
}

describe('measureFormats', () => {
  it('writes the decimals of the column', () => {
    expect(text('numeric(12,3)', 0.004)).toBe('0.004');
    expect(text('numeric(12,6)', 0.000009)).toBe('0.000009');
    expect(text('bigint', 1200)).toBe('1,200');
    expect(text('numeric(12,2)', 1200)).toBe('1,200.00');
    expect(text('numeric(12,3)', 1234.5, {}, 'de-DE')).toBe('1.234,500');
  });

  it('writes thousands and millions, and other decimals', () => {
    expect(text('numeric(12,2)', 1_234_567, { Sales: { shown_in: 'thousands' } })).toBe('1,234.57');
    const style = { shown_in: 'millions', decimals: 1 } as const;
    expect(text('bigint', 1_250_000, { Sales: style })).toBe('1.3');
    expect(text('numeric(12,2)', 12.34, { Sales: { decimals: 0 } })).toBe('12');
  });

  it('omits the sign of values that round to zero', () => {
    expect(text('numeric(12,2)', -0.001)).toBe('0.00');
    expect(text('numeric(12,2)', -3, { Sales: { shown_in: 'millions' } })).toBe('0.00');
  });
});

it('ignores formats that earlier versions stored for every measure', () => {
  const columns = [column('Sales', 'value', 'numeric(12,3)')];
  const number_format = {
    signDisplay: 'negative',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  };
  const { origins } = Origins.prepare(new Map(), ['Sales'], []);
  const kept = (stored: Record<string, Record<string, unknown>>) =>
    withoutEarlierFormats(stored, columns, { Sales: 'float' }, origins);
  expect(kept({ Sales: { number_format } })).toEqual({});
  const chosen = { Sales: { number_format: { ...number_format, minimumFractionDigits: 1 } } };
  expect(kept(chosen)).toEqual(chosen);
});

describe('a workbook', () => {
  it('contains the exact decimal', () => {
    expect(exactValue(576820.84000003, { stored: 2 })).toBe(576820.84);
    expect(exactValue(0.1 + 0.2, { stored: 6 })).toBe(0.3);
    expect(exactValue(1 / 3, {})).toBe(0.333333333333);
  });

  it('shows an amount in thousands and contains it in full', () => {
    const number_format = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
    const code = (divisor: number) =>
      new NumberFormat('float', { number_format, divisor }).codeOf(1_234_500);
    expect([code(1e3), code(1e6)]).toEqual(['#,##0.0,', '#,##0.0,,']);
  });
});
