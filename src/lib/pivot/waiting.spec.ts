import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Busy, ended, Gate, PATIENCE_MS } from './waiting';

describe('Gate', () => {
  it('delays callers while it is closed', async () => {
    const gate = new Gate();
    await gate.opened();
    const told: string[] = [];
    let end = () => {};
    const working = gate.during(() =>
      new Promise<void>((resolve) => (end = resolve)).then(() => void told.push('work')),
    );
    expect(gate.isClosed).toBe(true);
    const waiting = gate.opened().then(() => told.push('question'));
    end();
    await Promise.all([working, waiting]);
    expect(told).toEqual(['work', 'question']);
    expect(gate.isClosed).toBe(false);
  });

  it('opens when the work fails', async () => {
    const gate = new Gate();
    const working = gate.during(() => Promise.reject(new Error('The engine refuses')));
    await gate.opened();
    await expect(working).rejects.toThrow('The engine refuses');
    expect(gate.isClosed).toBe(false);
  });

  it('repeats a question that was asked before it closed', async () => {
    const told: string[] = [];
    const gate = new Gate();
    gate.onOpen = () => told.push('open');
    let isComplete = true;
    let end = () => {};
    let reach = () => {};
    const isAsked = new Promise<void>((resolve) => (reach = resolve));
    const asking = gate.ask(async () => {
      reach();
      await Promise.resolve();
      told.push('question');
      return isComplete;
    });
    await isAsked;
    const working = gate.during(async () => {
      isComplete = false;
      await new Promise<void>((resolve) => (end = resolve));
      isComplete = true;
    });
    await Promise.resolve();
    end();
    expect(await asking).toBe(true);
    await working;
    expect(told).toEqual(['question', 'open', 'question']);
  });

  it('rejects with the error of the question', async () => {
    const asking = new Gate().ask(() => Promise.reject(new Error('No such column')));
    await expect(asking).rejects.toThrow('No such column');
  });
});

describe('Busy', () => {
  it('reports once, until the last work has ended or failed', async () => {
    const told: boolean[] = [];
    const busy = new Busy((isBusy) => told.push(isBusy));
    let finish: (value: string) => void = () => undefined;
    const first = busy.during(() => new Promise<string>((resolve) => (finish = resolve)));
    const second = busy.during(() => Promise.reject(new Error('gone')));
    await expect(second).rejects.toThrow('gone');
    expect(told).toEqual([true]);
    finish('done');
    expect(await first).toBe('done');
    expect(told).toEqual([true, false]);
  });
});

describe('ended', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const taken: string[] = [];
  beforeEach(() => void taken.splice(0));

  const step = (name: string, end: () => Promise<unknown>) => () => {
    taken.push(name);
    return end();
  };
  const never = () => new Promise(() => undefined);

  it('runs the steps in order, also after a step that throws or rejects', async () => {
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

  it('waits at most one timeout for all steps, and still runs them all', async () => {
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
