/** Number formats of the measures in a layout. */
import { baseTypeOf, measuresOf, type ColumnEntry } from '../../contract/columns';
import { storedDecimals, type Decimals, type MeasureDecimals } from '../../contract/decimals';
import type { Layout } from '../../contract/stored-layout';
import type { Origins } from '../rows/origins';
import type { Origin } from '../rows/origin-columns';
import {
  amountOptions,
  formulaOptions,
  priceDecimals,
  type ColumnFormat,
} from '../values/column-format';
import type { Schema } from '../values/engine-types';
import { SHARE_FORMAT } from '../values/ratios';

/** The part of a layout that sets the format of the amounts of each measure. */
type AmountStyles = NonNullable<Layout['amounts']>;

/** Divisors of amounts that are shown in a larger unit. */
const DIVISORS = { thousands: 1e3, millions: 1e6 } as const;

/** Formats by column, as in the `columns_config` of a layout. */
type StoredFormats = NonNullable<Layout['columns_config']>;

/**
 * Returns the formats of the measures' columns: in full with the decimals of the measure, unless the layout
 * sets another format. Prices and percentages always have the same format.
 */
export function measureFormats(
  columns: readonly ColumnEntry[],
  decimals: MeasureDecimals,
  styles: AmountStyles = {},
  origins: Origins | null = null,
): Map<string, ColumnFormat> {
  const formats = new Map<string, ColumnFormat>();
  for (const { key, column } of measuresOf(columns)) {
    const { cname } = column;
    const own = decimals[key];
    if (own === undefined) continue;
    const { shown_in, decimals: chosen } = styles[cname] ?? {};
    const digits = chosen === undefined ? own : { least: chosen, most: chosen };
    const amount: ColumnFormat = {
      number_format: amountOptions(digits),
      ...(shown_in && { divisor: DIVISORS[shown_in] }),
      stored: storedDecimals(baseTypeOf(column)),
    };
    formats.set(cname, amount);
    for (const { name, origin } of origins?.columnsOf(cname) ?? [])
      formats.set(name, formatOf(origin, amount, own));
  }
  for (const { name: formula, format } of origins?.formulas ?? []) {
    const result = format
      ? { number_format: formulaOptions(format) }
      : (formats.get(formula) ?? {});
    formats.set(formula, result);
    for (const { name, origin } of origins?.columnsOf(formula) ?? [])
      formats.set(name, formatOf(origin, result, decimals.value));
  }
  return formats;
}

function formatOf(origin: Origin, amount: ColumnFormat, own: Decimals): ColumnFormat {
  switch (origin) {
    case 'price':
      return { number_format: amountOptions(priceDecimals(own)) };
    case 'percent':
    case 'otherPercent':
      return { number_format: SHARE_FORMAT };
    case 'difference':
    case 'otherDifference':
      return { ...amount, number_format: { ...amount.number_format, signDisplay: 'exceptZero' } };
    default:
      return amount;
  }
}

/**
 * Removes the formats that earlier versions of this page stored for every measure: two decimals, whatever the
 * column had.
 */
export function withoutEarlierFormats(
  stored: StoredFormats,
  columns: readonly ColumnEntry[],
  schema: Schema,
  origins: Origins,
): StoredFormats {
  const earlier = new Map<string, object>();
  for (const { cname, role } of columns) {
    if (role !== 'value' && role !== 'units') continue;
    const digits = role === 'units' || schema[cname] === 'integer' ? 0 : 2;
    const own = amountOptions({
      least: digits,
      most: role === 'units' && schema[cname] === 'float' ? 2 : digits,
    });
    earlier.set(cname, own);
    for (const { name, origin } of origins.columnsOf(cname)) {
      const { number_format } = formatOf(origin, { number_format: own }, { least: 2, most: 2 });
      earlier.set(name, { ...own, ...number_format });
    }
  }
  return Object.fromEntries(
    Object.entries(stored).filter(([name, { number_format, ...others }]) => {
      const usual = earlier.get(name);
      return !usual || Object.keys(others).length > 0 || !isEqual(number_format, usual);
    }),
  );
}

function isEqual(one: unknown, other: object): boolean {
  const sorted = (format: object) => JSON.stringify(Object.entries(format).sort());
  return typeof one === 'object' && one !== null && sorted(one) === sorted(other);
}
