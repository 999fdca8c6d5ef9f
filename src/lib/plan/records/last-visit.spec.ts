import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LastVisit } from './last-visit';

const entry = (id: number, pf_user = 'bea') => ({ id, pf_user });

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
  });
});
afterEach(() => vi.unstubAllGlobals());

it('lists what others wrote after the newest entry of the last visit', () => {
  const first = new LastVisit(1);
  expect(first.since([entry(1)], 'ann')).toEqual([]);
  first.store([entry(2), entry(1)]);

  const second = new LastVisit(1);
  const log = [entry(5), entry(4, 'ann'), entry(3), entry(2), entry(1)];
  second.store(log);
  expect(second.since(log, 'ann')).toEqual([entry(5), entry(3)]);
  // Another version has visits of its own.
  expect(new LastVisit(2).since(log, 'ann')).toEqual([]);
  expect(new LastVisit(1).since(log, 'ann')).toEqual([]);
});

it('takes an undo of the newest entry for no visit before it', () => {
  new LastVisit(1).store([entry(5)]);
  const second = new LastVisit(1);
  second.store([entry(3)]);
  expect(new LastVisit(1).since([entry(6), entry(3)], 'ann')).toEqual([entry(6)]);
});

it('a text that is no id counts as no visit', () => {
  localStorage.setItem('pf.seen.1', 'x');
  expect(new LastVisit(1).since([entry(1)], 'ann')).toEqual([]);
});
