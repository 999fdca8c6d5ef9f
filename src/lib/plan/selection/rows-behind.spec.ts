import { describe, expect, it } from 'vitest';
import { byEntry, RowsBehind } from './rows-behind.svelte';

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

describe('opening the list', () => {
  /** Opens the list of a selection. Returns the list and the reported sentences. */
  function opened(selection: object) {
    const told: string[] = [];
    const notHeld = [{ kind: 'filter', column: 'Units', text: 'Units > 5' }];
    const current = { slice: { Region: 'West' }, notHeld };
    const all = { current, inexact: null, showsOther: false, markedByNow: async () => [] };
    const planned = { id: 1, asOf: null, current: { exclude_iters: [] } };
    const merged = { ...all, ...selection };
    const behind = new RowsBehind(planned as never, merged as never, (text) => told.push(text));
    const opening = behind.open();
    return { behind, told, notHeld, opening };
  }

  it.each([
    [
      { showsOther: true },
      ['Only the rows of this version can be listed. Open the other one to list its own.'],
    ],
    [
      { inexact: 'No selection matches exactly this cell.' },
      ['No selection matches exactly this cell.'],
    ],
    [{ current: null }, []],
  ])('is refused for %j', async (selection, refusals) => {
    const { behind, told, opening } = opened(selection);
    await opening;
    expect(told).toEqual(refusals);
    expect(behind.isOpen).toBe(false);
  });

  it('shows the slice of the cell, and the filter that the slice does not have', async () => {
    const { behind, told, notHeld, opening } = opened({});
    await expect.poll(() => behind.isOpen).toBe(true);
    expect([behind.slice, behind.notHeld]).toEqual([{ Region: 'West' }, notHeld]);
    expect(told).toEqual([]);
    behind.close();
    await opening;
  });
});
