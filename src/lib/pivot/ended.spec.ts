import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ended, PATIENCE_MS } from './ended';

describe('steps that end something', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const taken: string[] = [];
  beforeEach(() => void taken.splice(0));

  const step = (name: string, end: () => Promise<unknown>) => () => {
    taken.push(name);
    return end();
  };
  const never = () => new Promise(() => undefined);

  it('are taken one after the other, also after one that fails at once or later', async () => {
    await ended(
      step('rejects', () => Promise.reject(new Error('late'))),
      step('throws', () => {
        throw new Error('at once');
      }),
      step('ends', () => Promise.resolve()),
    );
    expect(taken).toEqual(['rejects', 'throws', 'ends']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are waited for until one time that holds for all of them, and taken all the same', async () => {
    const ending = ended(
      step('a', never),
      step('b', never),
      step('c', () => Promise.resolve()),
    );
    let isEnded = false;
    void ending.then(() => (isEnded = true));
    await vi.advanceTimersByTimeAsync(PATIENCE_MS - 1);
    expect(isEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isEnded).toBe(true);
    await vi.runAllTimersAsync();
    expect(taken).toEqual(['a', 'b', 'c']);
  });
});
