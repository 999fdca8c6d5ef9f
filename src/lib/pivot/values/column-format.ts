import * as v from 'valibot';
import { roundTo, type Decimals } from '../../contract/decimals';
import { byColumn } from '../../contract/primitives';
import { tidy } from './cell-value';

/** How the numbers of a column are written. */
export interface ColumnFormat {
  number_format?: Intl.NumberFormatOptions;
  /** What an amount is divided by to be shown, in thousands or millions; left out: nothing. */
  divisor?: number;
  /** The decimals that amounts are stored with; left out for ratios and columns that are no measures. */
  stored?: number;
}

/** What a header says of a unit that is not the column's own: "in thousands"; null for amounts in full. */
export function unitText({ divisor }: ColumnFormat): string | null {
  if (divisor === undefined) return null;
  return divisor === 1e6 ? 'in millions' : 'in thousands';
}

/**
 * A number as a file or the clipboard holds it: an amount in full with the decimals of its column, without
 * what binary fractions add to it; a ratio to 12 significant digits.
 */
export const exactValue = (value: number, { stored }: ColumnFormat): number =>
  stored === undefined ? Number(value.toPrecision(12)) : roundTo(tidy(value), stored);

/** The format of an amount with its decimals. What rounds to zero has no sign. */
export const amountOptions = ({ least, most }: Decimals) =>
  ({
    minimumFractionDigits: least,
    maximumFractionDigits: most,
    signDisplay: 'negative',
  }) as const satisfies Intl.NumberFormatOptions;

/** The decimals of a price: those of the value, and at least 2. */
export const priceDecimals = ({ most }: Decimals): Decimals => ({
  least: Math.max(2, most),
  most: Math.max(2, most),
});

const Format = v.object({ number_format: v.optional(v.record(v.string(), v.unknown())) });

/** How columns are written, as a layout's `columns_config` says it. What no browser can write is left out. */
export function readFormats(stored: unknown): ReadonlyMap<string, ColumnFormat> {
  const read = v.safeParse(byColumn(v.unknown()), stored);
  const formats = new Map<string, ColumnFormat>();
  for (const [name, entry] of Object.entries(read.success ? read.output : {})) {
    const format = v.safeParse(Format, entry);
    const wanted = format.success ? format.output.number_format : undefined;
    if (wanted && canWrite(wanted)) formats.set(name, { number_format: wanted });
  }
  return formats;
}

function canWrite(format: Intl.NumberFormatOptions): boolean {
  try {
    new Intl.NumberFormat(undefined, format);
    return true;
  } catch {
    return false;
  }
}
