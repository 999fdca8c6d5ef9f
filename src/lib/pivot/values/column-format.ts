/** Number formats of columns, and the decimals of amounts in files. */
import * as v from 'valibot';
import { roundTo, type Decimals } from '../../contract/decimals';
import { decimalsOfFormat, type FormulaFormat } from '../../contract/formulas';
import { byColumn } from '../../contract/primitives';
import type { Layout, ShowAs } from '../../contract/stored-layout';
import { tidy } from './cell-value';
import { isSum } from './ratios';

/** The format of the numbers in a column. */
export interface ColumnFormat {
  number_format?: Intl.NumberFormatOptions;
  /** The divisor of amounts in thousands or millions; absent for amounts in full. */
  divisor?: number;
  /**
   * The number of decimals with which amounts are stored; absent for ratios and for columns that are not
   * measures.
   */
  stored?: number;
  /** The engine's aggregate of the rows; absent for sums. */
  aggregate?: Aggregate | undefined;
  /** How the sums are shown in relation to others; absent for the amounts themselves. */
  shown_as?: ShowAs;
}

type Aggregate = NonNullable<Layout['aggregates']>[string];

/**
 * Returns the rest of a header after the name of the measure: the aggregate unless it is the sum, how the sums are
 * shown in relation to others, and the unit, as in "average in thousands"; null for sums in full.
 */
export function unitText({ divisor, aggregate = 'sum', shown_as }: ColumnFormat): string | null {
  const name = typeof aggregate === 'string' ? aggregate : aggregate[0];
  const texts = [
    isSum(aggregate) ? [] : (AGGREGATES[name] ?? name),
    shown_as ? SHOWN_AS[shown_as] : [],
    divisor === undefined ? [] : divisor === 1e6 ? 'in millions' : 'in thousands',
  ].flat();
  return texts.length > 0 ? texts.join(' ') : null;
}

/**
 * Returns the rest of a header that all columns have in common, apart from percentages; null if there is none. A
 * price has no unit, so amounts in thousands beside it have no common one, nor have shares beside other percentages.
 */
export function commonUnit(formats: readonly ColumnFormat[]): string | null {
  const isShare = formats.some(({ shown_as }) => shown_as?.startsWith('share_'));
  const amounts = formats.filter(
    ({ number_format }) => isShare || number_format?.style !== 'percent',
  );
  const [first, ...others] = new Set(amounts.map(unitText));
  return others.length === 0 ? (first ?? null) : null;
}

/** The ways to show sums in relation to others, in the header of a measure. */
const SHOWN_AS: Readonly<Record<ShowAs, string>> = {
  share_of_total: '% of total',
  share_of_row: '% of parent',
  share_of_column: '% of parent column',
  running_total: 'running total',
  rank: 'rank',
};

/** The engine's aggregates by name, in words; others have a name that says it. */
const AGGREGATES: Readonly<Record<string, string>> = {
  avg: 'average',
  mean: 'average',
  low: 'lowest',
  min: 'lowest',
  high: 'highest',
  max: 'highest',
};

/**
 * Returns a number for a file or the clipboard: an amount in full with the decimals of its column, without
 * the rounding error of binary fractions; a ratio with 12 significant digits.
 */
export const exactValue = (value: number, { stored }: ColumnFormat): number =>
  stored === undefined ? Number(value.toPrecision(12)) : roundTo(tidy(value), stored);

/** Returns the format of an amount with its decimals. Values that round to zero have no sign. */
export const amountOptions = ({ least, most }: Decimals) =>
  ({
    minimumFractionDigits: least,
    maximumFractionDigits: most,
    signDisplay: 'negative',
  }) as const satisfies Intl.NumberFormatOptions;

/** Returns the number format of the results of a formula. */
export function formulaOptions(format: FormulaFormat): Intl.NumberFormatOptions {
  const digits = decimalsOfFormat(format);
  const { style, currency } = format;
  return {
    ...amountOptions({ least: digits, most: digits }),
    style: style === 'number' ? 'decimal' : style,
    ...(currency !== undefined && { currency }),
  };
}

/** Returns the decimals of a price: those of the value, and at least 2. */
export const priceDecimals = ({ most }: Decimals): Decimals => ({
  least: Math.max(2, most),
  most: Math.max(2, most),
});

const Format = v.object({ number_format: v.optional(v.record(v.string(), v.unknown())) });

/**
 * Reads the formats of columns from the `columns_config` of a layout. Formats that browsers do not support
 * are left out.
 */
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
