import { describe, expect, it } from 'vitest';
import type { LogEntry, UndoneEntry } from '../../contract/log';
import { user } from '../../client/user.svelte';
import { OwnChanges, stillThere, type Changed } from './own-changes';

const entry = (id: number, stamp: string, pf_user = 'ana'): LogEntry => ({
  ...{ id, version_id: 1, pf_user, stamp, note: null },
  ...{ operation: 'scale', slice: {}, params: { pct: 1 } },
});
const undone = (of: LogEntry): UndoneEntry => ({
  ...{ logid: of.id, version_id: 1, entry: of },
  ...{ row_count: 1, value_total: 1, units_total: 1 },
  ...{ undone_at: '2026-11-23T10:00:00.000Z', undone_by: 'ana' },
});
const change = (logid: number, stamp: string | null, timeline: string | null = 'T1') => ({
  ...{ logid, stamp, timeline, user: 'ana' },
});
const ids = ({ written, undone }: Changed) =>
  [written, undone].map((all) => all.map((each) => each.logid));

const stored = {
  entries: [entry(7, 's7'), entry(5, 's5'), entry(6, 's6', 'bea')],
  undone: [undone(entry(8, 's8')), undone(entry(9, 's9', 'bea'))],
  timeline: 'T1' as string | null,
};
const kept = {
  written: [change(5, 's5'), change(7, 's7')],
  undone: [change(9, 's9'), change(8, 's8')],
};

describe('stillThere', () => {
  it('keeps the changes in order, regardless of the author of the undone entries', () => {
    expect(ids(stillThere(kept, stored, 'ana'))).toEqual([
      [5, 7],
      [9, 8],
    ]);
  });

  it('omits entries that were undone or redone meanwhile', () => {
    const since = { ...stored, entries: [entry(5, 's5')], undone: [undone(entry(8, 's8'))] };
    expect(ids(stillThere(kept, since, 'ana'))).toEqual([[5], [8]]);
  });

  it("omits other people's changes", () => {
    expect(ids(stillThere(kept, stored, 'bea'))).toEqual([[], []]);
    const others = { written: [change(6, 's6')], undone: [] };
    expect(ids(stillThere(others, stored, 'ana'))).toEqual([[], []]);
  });

  it('omits entries of another history or with another time stamp', () => {
    const restored = { ...stored, timeline: 'T2' };
    expect(ids(stillThere(kept, restored, 'ana'))).toEqual([[], []]);
    const later = { written: [change(5, 's4')], undone: [change(8, 's4')] };
    expect(ids(stillThere(later, stored, 'ana'))).toEqual([[], []]);
  });

  it('accepts an entry without a stamp only if the history is known to be the same', () => {
    const fresh = { written: [change(5, null)], undone: [] };
    expect(ids(stillThere(fresh, stored, 'ana'))).toEqual([[5], []]);
    expect(ids(stillThere(fresh, { ...stored, timeline: null }, 'ana'))).toEqual([[], []]);
    const untold = { written: [change(5, 's5', null)], undone: [] };
    expect(ids(stillThere(untold, stored, 'ana'))).toEqual([[5], []]);
  });
});

it('undoes entries of the current user, even if another one has written since', async () => {
  const own = new OwnChanges(
    1,
    () => 'T1',
    async () => stored,
  );
  user.answer('ana');
  own.wrote(5);
  user.answer('bea');
  expect(await own.lastWritten()).toBeNull();
  own.wrote(6);
  user.answer('ana');
  expect(await own.lastWritten()).toBe(5);
  own.undid(5, 's5');
  user.answer('bea');
  expect([await own.lastWritten(), await own.lastUndone()]).toEqual([6, null]);
});
