import { describe, expect, it } from 'vitest';
import { KeptTotals } from './kept-totals';

describe('cached totals', () => {
  const entry = (id: number) => ({ id, stamp: `stamp ${id}` });
  const kept = () => new KeptTotals<{ logid: number; size: number }>(true, ({ size }) => size);

  it('contain the entries that were added and not dropped', () => {
    const totals = kept();
    for (const id of [1, 2]) totals.add('a', entry(id), { logid: id, size: 1 });
    totals.drop('a', entry(1));
    totals.drop('b', entry(2));
    expect(totals.of('a', [entry(1), entry(2)])).toEqual([{ logid: 2, size: 1 }]);
    expect(totals.of('a', [{ id: 2, stamp: 'of another database' }])).toEqual([]);
  });

  it('make room for others when they are dropped', () => {
    const totals = kept();
    totals.add('a', entry(1), { logid: 1, size: 1 });
    for (let id = 2; id < 10; id++) {
      totals.add('b', entry(id), { logid: id, size: 200_000 });
      totals.drop('b', entry(id));
    }
    expect(totals.of('a', [entry(1)])).toHaveLength(1);
    totals.add('b', entry(10), { logid: 10, size: 250_000 });
    expect(totals.of('a', [entry(1)])).toEqual([]);
  });
});
