/** Number formats of a workbook. */
import type { ColumnType } from '../values/engine-types';
import { numberOptions } from '../grid/drawing/cell-format';
import type { ColumnFormat } from '../values/column-format';

/** Creates Excel formats that write numbers like the grid, with the same decimals and signs. */
export class NumberFormat {
  private readonly options: Intl.ResolvedNumberFormatOptions;
  private readonly codes = new Map<number, string>();
  private readonly before: string;
  private readonly after: string;
  /** Excel divides a number by a thousand for each comma after its digits. */
  private readonly scale: string;

  constructor(
    type: ColumnType | undefined,
    private readonly format: ColumnFormat,
  ) {
    const intl = new Intl.NumberFormat('en-US', numberOptions(type, format));
    this.options = intl.resolvedOptions();
    const parts = intl.formatToParts(0);
    const first = parts.findIndex((part) => part.type === 'integer');
    const last = parts.findLastIndex(({ type }) => type === 'integer' || type === 'fraction');
    this.before = quoted(parts.slice(0, first));
    this.after = quoted(parts.slice(last + 1));
    this.scale = ','.repeat(Math.round(Math.log10(format.divisor ?? 1) / 3));
  }

  /**
   * Returns the format of one number. Where the number of decimals varies, each number needs its own format,
   * because Excel cannot leave out decimals by itself.
   */
  codeOf(value: number): string {
    const digits = this.digitsOf(value);
    let code = this.codes.get(digits);
    if (code === undefined) {
      code = this.code(digits);
      this.codes.set(digits, code);
    }
    return code;
  }

  private digitsOf(value: number): number {
    const { minimumFractionDigits: least = 0, maximumFractionDigits: most = 0 } = this.options;
    if (least === most) return most;
    const unit = this.options.style === 'percent' ? 0.01 : (this.format.divisor ?? 1);
    const shown = Math.abs(value / unit);
    const [, decimals = ''] = shown.toFixed(most).replace(/0+$/, '').split('.');
    return Math.max(least, decimals.length);
  }

  private code(digits: number): string {
    const { useGrouping, signDisplay } = this.options;
    const whole = useGrouping ? '#,##0' : '0';
    const amount = digits > 0 ? `${whole}.${'0'.repeat(digits)}` : whole;
    const code = `${this.before}${amount}${this.scale}${this.after}`;
    if (signDisplay === 'exceptZero') return `+${code};-${code};${code}`;
    return signDisplay === 'always' ? `+${code};-${code};+${code}` : code;
  }
}

/** Quotes the text before or after the digits, except a percent sign, which makes Excel multiply by 100. */
const quoted = (parts: readonly Intl.NumberFormatPart[]): string =>
  parts
    .filter(({ type }) => type !== 'minusSign' && type !== 'plusSign')
    .map(({ type, value }) => (type === 'percentSign' ? '%' : `"${value.replaceAll('"', '')}"`))
    .join('');
