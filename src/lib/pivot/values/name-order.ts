/** The order in which the values of a field are shown. */
import { valueKey } from './cell-value';
import type { CellValue } from './engine-types';

/** Compares two values of a field: below 0 if the first one is shown first. */
export type NameOrder = (a: CellValue, b: CellValue) => number;

/** Compares texts by the rules of the browser's language: "Ö" is beside "O", and "Item 9" before "Item 10". */
const language = new Intl.Collator(undefined, { numeric: true });

/** Compares values by number, or by the code units of texts, as the engine does. The empty value comes first. */
export const inEngineOrder: NameOrder = (a, b) =>
  a === b ? 0 : a === null || (b !== null && a < b) ? -1 : 1;

/** Compares texts by the browser's language, and all other values as {@link inEngineOrder} does. */
export const inOrder: NameOrder = (a, b) =>
  typeof a === 'string' && typeof b === 'string'
    ? language.compare(a, b) || inEngineOrder(a, b)
    : inEngineOrder(a, b);

/** Returns an order in which the listed values come first. @param rest the order of all others; null for their own */
export function listedFirst(values: readonly CellValue[], rest: NameOrder | null): NameOrder {
  const places = new Map(values.map((value, i) => [valueKey(value), i]));
  const placeOf = (value: CellValue) => places.get(valueKey(value)) ?? values.length;
  return (a, b) => placeOf(a) - placeOf(b) || (rest ? rest(a, b) : 0);
}

/**
 * Returns the values of an order that have to be listed: those before the end that is in its usual order.
 *
 * @param usual all values in their usual order
 */
export function valuesToList<Value extends CellValue>(
  ordered: readonly Value[],
  usual: readonly Value[],
): Value[] {
  const places = new Map(usual.map((value, i) => [valueKey(value), i]));
  const placeOf = (value: Value) => places.get(valueKey(value)) ?? -1;
  const ordersUsually = (value: Value, i: number) => {
    const place = placeOf(value);
    const next = ordered[i + 1];
    return place >= 0 && (next === undefined || place <= placeOf(next));
  };
  const last = ordered.findLastIndex((value, i) => !ordersUsually(value, i));
  return ordered.slice(0, last + 1);
}

/** Whether the engine sorts some values as {@link inOrder} does. Its own comparison takes a tenth of the time. */
export const isEngineOrder = (values: Iterable<CellValue>): boolean =>
  [...values]
    .sort(inEngineOrder)
    .every((value, i, sorted) => i === 0 || inOrder(sorted[i - 1] ?? null, value) <= 0);
