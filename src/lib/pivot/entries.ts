import { numbersOf, type ArrowColumns } from './arrow-columns';

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

/**
 * The log entries that a table's rows come from, as they came and went: a view of the engine's for it takes a
 * second with a million rows, and every change asks for it.
 */
export class KnownEntries {
  private readonly ids = new Set<number>();

  /** Rows came. */
  add(columns: ArrowColumns): void {
    visitEntries(columns, (logid) => this.ids.add(logid));
  }

  /** The rows of an entry went. */
  remove(logid: number): void {
    this.ids.delete(logid);
  }

  /** All of them: those of this version above zero, those of another one and of what is tried below. */
  get all(): readonly number[] {
    return [...this.ids];
  }
}
