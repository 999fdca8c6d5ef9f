/** The lines of the log: entries, and series of refreshes that share a line. */
import type { LogListEntry } from '$lib/contract/log';
import { isRefresh } from '$lib/contract/operations';

/** The entries of a line, newest first. */
export type LogLine = readonly [LogListEntry, ...LogListEntry[]];

/**
 * Returns the lines of some entries, in their order. Refreshes that follow each other share a line: a refresh each
 * night would hide the changes of people.
 */
export function logLines(entries: readonly LogListEntry[]): LogLine[] {
  const lines: [LogListEntry, ...LogListEntry[]][] = [];
  for (const entry of entries) {
    const last = lines.at(-1);
    if (last && isRefresh(last[0].operation) && isRefresh(entry.operation)) last.push(entry);
    else lines.push([entry]);
  }
  return lines;
}
