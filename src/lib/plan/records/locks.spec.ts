import { expect, it } from 'vitest';
import type { Lock } from '../../contract/locks';
import type { SeenRecord } from '../version/own-part';
import { PlannedVersion } from '../version/planned-version.svelte';
import { Locks } from './locks.svelte';

const close = (logid: number, created_by: string, from: string, to: string): SeenRecord<Lock> => ({
  ...{ id: logid, version_id: 1, logid, created_by, note: null },
  ...{ slice: { day: { from, to } }, seen: { day: { from, to } } },
  ...{ created_at: '2027-04-01T00:00:00Z' },
});

it('joins the closes on a slice into one note, without those of other days', () => {
  const day = { cname: 'day', role: 'date', dim_group: null, type: 'date' };
  const planned = new PlannedVersion({ id: 1 } as never, { id: 1 } as never, [day as never]);
  const locks = new Locks(planned, () => undefined, {} as never);
  locks.all = [
    close(1, 'eve', '2027-01-01', '2027-01-31'),
    close(2, 'ann', '2027-02-01', '2027-02-28'),
    close(3, 'eve', '2028-01-01', '2028-01-31'),
  ];
  expect(locks.notesOn({ day: { from: '2027-01-01', to: '2027-12-31' } })).toEqual([
    { text: 'Closed by eve, ann', parts: [{ day: { from: '2027-01-01', to: '2027-02-28' } }] },
  ]);
});
