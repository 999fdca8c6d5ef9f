import { numbersOf, type ArrowColumns } from './rows/arrow-columns';

/** The column that tells which log entry wrote a row. */
const LOGID = 'pf_logid';

/**
 * Visits the rows of each log entry, as far as they follow each other: from one place up to another.
 *
 * @returns false if a row has no entry; then none is visited
 */
export function visitEntries(
  columns: ArrowColumns,
  visit: (logid: number, from: number, to: number) => void,
): boolean {
  const entries = numbersOf(columns.get(LOGID));
  if (!entries || entries.validity.length > 0) return false;
  const { values } = entries;
  for (let from = 0, to = 0; from < values.length; from = to) {
    while (to < values.length && values[to] === values[from]) to++;
    visit(Number(values[from]), from, to);
  }
  return true;
}
