import { describe, expect, it } from 'vitest';
import type { LogListEntry } from '$lib/contract/log';
import { logLines } from './log-lines';

describe('logLines', () => {
  const entry = (id: number, operation: string) => ({ id, operation }) as LogListEntry;
  const idsOf = (...entries: LogListEntry[]) =>
    logLines(entries).map((line) => line.map(({ id }) => id));

  it('puts refreshes that follow each other into one line, newest first', () => {
    expect(
      idsOf(
        ...[9, 8, 7].map((id) => entry(id, 'refresh')),
        entry(6, 'scale'),
        entry(5, 'refresh'),
        ...[4, 3].map((id) => entry(id, 'actual')),
        ...[2, 1].map((id) => entry(id, 'baseline')),
      ),
    ).toEqual([[9, 8, 7], [6], [5], [4], [3], [2], [1]]);
  });

  it('has no line without entries', () => {
    expect(logLines([])).toEqual([]);
  });
});
