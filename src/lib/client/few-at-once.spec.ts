import { describe, expect, it } from 'vitest';
import { fewAtOnce } from './few-at-once';

const turn = () => new Promise<void>((done) => setTimeout(done));

describe('fewAtOnce', () => {
  it('returns the results in the order of the items, and respects the limit', async () => {
    let running = 0;
    let most = 0;
    const results = await fewAtOnce(2, ['a', 'b', 'c', 'd', 'e'], async (item, i) => {
      running += 1;
      most = Math.max(most, running);
      // Later items finish sooner.
      for (let turns = 5 - i; turns > 0; turns -= 1) await turn();
      running -= 1;
      return `${item}${i}`;
    });
    expect(results).toEqual(['a0', 'b1', 'c2', 'd3', 'e4']);
    expect(most).toBe(2);
    expect(await fewAtOnce(2, [], () => Promise.resolve(1))).toEqual([]);
  });

  it('starts no item after a failure', async () => {
    const begun: number[] = [];
    const all = fewAtOnce(2, [0, 1, 2, 3, 4, 5], async (item) => {
      begun.push(item);
      await turn();
      if (item === 1) throw new Error('no');
    });
    await expect(all).rejects.toThrow('no');
    await turn();
    await turn();
    expect(begun.length).toBeLessThanOrEqual(3);
  });
});
