import { numbersOf, type ArrowColumns } from './arrow-columns';

/** The column that tells which log entry wrote a row. */
const LOGID = 'pf_logid';

/** Rows of one log entry that follow each other: from one place up to another. */
interface Run {
  logid: number;
  from: number;
  to: number;
}

/** The rows of each log entry, which follow each other as they come; null if a row has none. */
export function entriesIn(columns: ArrowColumns): Run[] | null {
  const entries = numbersOf(columns.get(LOGID));
  if (!entries || entries.validity.length > 0) return null;
  const { values } = entries;
  const runs: Run[] = [];
  for (let from = 0, to = 0; from < values.length; from = to) {
    while (to < values.length && values[to] === values[from]) to++;
    runs.push({ logid: Number(values[from]), from, to });
  }
  return runs;
}

/**
 * The log entries that a table's rows come from, as they came and went: a view of the engine's for it takes a
 * second with a million rows, and every change asks for it.
 */
export class KnownEntries {
  private readonly ids = new Set<number>();

  /** Rows came. */
  add(columns: ArrowColumns): void {
    for (const { logid } of entriesIn(columns) ?? []) this.ids.add(logid);
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
