import { expect, it } from 'vitest';
import { byEntry } from './rows-behind.svelte';

const entry = (logid: number) => ({
  ...{ logid, operation: 'scale' as const, pf_user: 'ann' },
  ...{ stamp: '2026-11-30T00:00:00.000Z', note: null },
});
const row = (pf_id: number, pf_logid: number, pf_iter = 'scale') => ({ pf_id, pf_logid, pf_iter });

it('byEntry groups rows that follow each other, and separates those that operations skip', () => {
  const rows = [row(9, 4), row(10, 4), row(7, 3, 'reference'), row(8, 3), row(1, 2)];
  expect(byEntry(rows, [entry(4), entry(3)], ['reference'])).toEqual([
    { entry: entry(4), isExcluded: false, rows: [row(9, 4), row(10, 4)] },
    { entry: entry(3), isExcluded: true, rows: [row(7, 3, 'reference')] },
    { entry: entry(3), isExcluded: false, rows: [row(8, 3)] },
    { entry: undefined, isExcluded: false, rows: [row(1, 2)] },
  ]);
  expect(byEntry([], [], [])).toEqual([]);
});
