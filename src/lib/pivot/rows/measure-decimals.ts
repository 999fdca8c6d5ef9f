/** The decimals of loaded measures. */
import { baseTypeOf, measuresOf, type ColumnEntry } from '../../contract/columns';
import { decimalsShown, type MeasureDecimals } from '../../contract/decimals';
import { isLoad, itersOf } from '../../contract/operations';
import { isThere, numbersOf, type ArrowColumns } from './arrow-columns';
import { rowsByIter } from './origin-columns';

/**
 * Maximum number of rows to read for the decimals of a column; of more rows, a sample at even distances is
 * read.
 */
const MOST_READ = 100_000;

const LOADED: readonly string[] = itersOf(isLoad);

/**
 * Returns the decimals with which the measures of loaded rows are written. Only rows from the source count,
 * because results of operations may have any number of decimals.
 */
export function decimalsIn(
  columns: ArrowColumns,
  entries: readonly Pick<ColumnEntry, 'cname' | 'role' | 'type' | 'base_type'>[],
): MeasureDecimals {
  const shown = measuresOf(entries).map(({ key, column }) => {
    const role = key === 'units' ? key : 'value';
    const amounts = loadedAmounts(columns, column.cname);
    return [key, decimalsShown(role, baseTypeOf(column), amounts)] as const;
  });
  return {
    value: decimalsShown('value'),
    units: decimalsShown('units'),
    ...Object.fromEntries(shown),
  };
}

/** Returns the decimals of the measures before rows are loaded: those that their types fix, else the fewest shown. */
export const decimalsByType = (
  entries: readonly Pick<ColumnEntry, 'cname' | 'role' | 'type' | 'base_type'>[],
): MeasureDecimals => decimalsIn(new Map(), entries);

function* loadedAmounts(columns: ArrowColumns, name: string): Generator<number> {
  const numbers = numbersOf(columns.get(name));
  if (!numbers) return;
  const { values, validity } = numbers;
  const iters = rowsByIter(columns);
  const isLoaded = iters?.names.map((iter) => LOADED.includes(iter));
  const step = Math.max(1, Math.floor(values.length / MOST_READ));
  for (let y = 0; y < values.length; y += step) {
    const isFromSource = !iters || isLoaded?.[Number(iters.indices[y])] === true;
    if (isFromSource && isThere(validity, y)) yield Number(values[y]);
  }
}
