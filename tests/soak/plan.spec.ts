import { expect, it } from 'vitest';
import { planRound, WRITES } from './plan';

const size = { versions: 3, regions: ['A', 'B'], writers: 6, readers: 4, length: 5000 };
const rounds = (seed: number) => Array.from({ length: 20 }, (_, i) => planRound(seed, i + 1, size));

it('depends only on its seed and number', () => {
  expect(rounds(7)).toEqual(rounds(7));
  expect(rounds(8)).not.toEqual(rounds(7));
  expect(planRound(7, 1, size).writers).not.toEqual(planRound(7, 2, size).writers);
});

it('contains every kind of write, read and fault within a few rounds, and rounds without a fault', () => {
  const all = rounds(1);
  const kinds = <T extends { kind: string }>(list: T[]) => new Set(list.map(({ kind }) => kind));
  expect(kinds(all.flatMap((r) => r.writers.flat()))).toEqual(new Set(WRITES));
  expect(kinds(all.flatMap((r) => r.readers.flat())).size).toBe(7);
  expect(kinds(all.flatMap((r) => r.faults)).size).toBe(4);
  expect(all.filter((r) => r.faults.length === 0).map((r) => r.number)).toEqual([4, 8, 12, 16, 20]);
});

it('replaces and clears loads only in versions without operations, and draws valid amounts', () => {
  const writes = rounds(3).flatMap((r) => r.writers.flat());
  const operations = ['scale', 'recode', 'clone'];
  const last = writes.filter((w) => w.version === size.versions - 1).map((w) => w.kind);
  expect(last).toContain('baseline');
  expect(last.filter((kind) => operations.includes(kind))).toEqual([]);
  expect(writes.filter((w) => ['replace', 'clear'].includes(w.kind) && w.version !== 2)).toEqual(
    [],
  );
  expect(writes.every((w) => w.amount !== 0 && Math.abs(w.amount) <= 1_000_000)).toBe(true);
});
