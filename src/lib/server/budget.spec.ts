import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Budget, type Reservation } from './budget';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Reserves free memory of a budget. */
const some = (budget: Budget, bytes: number): Promise<Reservation> =>
  budget.run(async (memory) => {
    memory.expect(bytes);
    return memory;
  });

/** Records the order in which reservations are granted or refused. */
function noted(budget: Budget) {
  const order: string[] = [];
  const had = new Map<string, Reservation>();
  const ask = (name: string, bytes: number, signal?: AbortSignal) => {
    const attempt = async (memory: Reservation) => {
      memory.expect(bytes);
      order.push(name);
      had.set(name, memory);
    };
    return budget.run(attempt, signal).catch((error: { status?: number; message: string }) => {
      order.push(`${name}: ${error.status ?? error.message}`);
    });
  };
  const release = async (name: string) => {
    had.get(name)?.release();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { order, ask, release };
}

describe('a budget', () => {
  it('grants free memory at once, and the rest in the order of the requests', async () => {
    const budget = new Budget(100);
    const { order, ask, release } = noted(budget);
    await ask('a', 60);
    void ask('b', 60);
    await vi.advanceTimersByTimeAsync(0);
    void ask('less, but later', 10);
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual(['a']);
    expect([budget.held, budget.waiting]).toEqual([60, 2]);
    await release('a');
    expect(order).toEqual(['a', 'b', 'less, but later']);
    await release('b');
    await release('less, but later');
    await release('less, but later');
    expect([budget.held, budget.waiting]).toEqual([0, 0]);
  });

  it('lets a small waiting answer pass a large one once there is room for it', async () => {
    const budget = new Budget(6400);
    const { order, ask, release } = noted(budget);
    await ask('a', 4000);
    await ask('b', 2400);
    void ask('large', 6400);
    await vi.advanceTimersByTimeAsync(0);
    void ask('small', 100);
    await vi.advanceTimersByTimeAsync(0);
    expect(budget.waiting).toBe(2);
    await release('a');
    expect(order).toEqual(['a', 'b', 'small']);
    await release('b');
    await release('small');
    expect(order).toEqual(['a', 'b', 'small', 'large']);
  });

  it('limits the total waiting time of one answer', async () => {
    const budget = new Budget(6400, 1000);
    const first = await some(budget, 6000);
    let attempts = 0;
    const grown = budget.run(async (memory) => {
      memory.expect(attempts === 0 ? 3000 : 6000);
      attempts++;
      memory.expect(6000);
    });
    const refused = expect(grown).rejects.toMatchObject({ status: 503 });
    await vi.advanceTimersByTimeAsync(900);
    first.trim(3000);
    await vi.advanceTimersByTimeAsync(150);
    expect(budget.waiting).toBe(0);
    await refused;
    first.release();
    expect(budget.held).toBe(0);
  });

  it('grants nothing to an answer that has released its memory', async () => {
    const budget = new Budget(100);
    const memory = await some(budget, 60);
    memory.release();
    expect(() => memory.grow(10)).toThrow('already been released');
    expect(budget.held).toBe(0);
  });

  it('lets small answers pass those that wait, while they stay small', async () => {
    const budget = new Budget(6400);
    const { order, ask } = noted(budget);
    await ask('a', 5000);
    void ask('b', 2000);
    await vi.advanceTimersByTimeAsync(0);
    await ask('small', 100);
    expect(order).toEqual(['a', 'small']);
    let attempts = 0;
    void budget.run(async (memory) => {
      attempts += 1;
      memory.grow(100);
      memory.grow(101);
    });
    await vi.advanceTimersByTimeAsync(0);
    expect([attempts, budget.held, budget.waiting]).toEqual([1, 5100, 2]);
  });

  it('limits an estimate that exceeds the whole budget to the whole budget', async () => {
    const budget = new Budget(100);
    const { order, ask, release } = noted(budget);
    await ask('a', 1);
    void ask('b', 1e12);
    await release('a');
    expect(order).toEqual(['a', 'b']);
    expect(budget.held).toBe(100);
  });

  it('lets an answer grow while memory is free, and reports a shortage after that', async () => {
    const budget = new Budget(100);
    const [one, two] = [await some(budget, 40), await some(budget, 40)];
    one.grow(60);
    one.grow(50);
    expect(() => two.grow(41)).toThrow('Not enough memory is free');
    expect([one.bytes, two.bytes, budget.held]).toEqual([60, 40, 100]);
    expect(() => two.grow(101)).toThrow('the 0 MB that PF_MEMORY_MB allows');
    one.trim(70);
    expect(one.bytes).toBe(60);
    one.trim(10);
    two.grow(90);
    expect(budget.held).toBe(100);
  });

  it('retries an attempt that was short once twice as much is free, and reserves nothing meanwhile', async () => {
    const budget = new Budget(100);
    const one = await some(budget, 40);
    const began: number[] = [];
    const two = budget.run(async (memory) => {
      began.push(memory.bytes);
      for (let bytes = 10; bytes <= 80; bytes += 10) memory.grow(bytes);
      return memory;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect([began, budget.held, budget.waiting]).toEqual([[0], 40, 1]);
    one.release();
    expect((await two).bytes).toBe(100);
    expect(began).toEqual([0, 100]);
  });

  it('releases the memory of an attempt that fails', async () => {
    const budget = new Budget(100);
    const failing = budget.run(async (memory) => {
      memory.grow(60);
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    expect(budget.held).toBe(0);
  });

  it('grants released memory to a waiting answer', async () => {
    const budget = new Budget(100);
    const { order, ask } = noted(budget);
    const one = await some(budget, 100);
    void ask('b', 50);
    await vi.advanceTimersByTimeAsync(0);
    one.trim(50);
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual(['b']);
  });

  it('refuses an answer that has waited too long, and lets those behind it pass', async () => {
    const budget = new Budget(100, 1000);
    const { order, ask } = noted(budget);
    await ask('a', 60);
    void ask('b', 60);
    await vi.advanceTimersByTimeAsync(500);
    void ask('c', 30);
    await vi.advanceTimersByTimeAsync(499);
    expect(order).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(1);
    expect(order.toSorted()).toEqual(['a', 'b: 503', 'c']);
    expect([budget.held, budget.waiting]).toEqual([90, 0]);
  });

  it('forgets a waiting client that disconnects', async () => {
    const budget = new Budget(100);
    const { order, ask, release } = noted(budget);
    const gone = new AbortController();
    await ask('a', 60);
    void ask('b', 60, gone.signal);
    void ask('c', 40);
    await vi.advanceTimersByTimeAsync(0);
    gone.abort(new Error('gone'));
    await vi.advanceTimersByTimeAsync(0);
    expect(order.toSorted()).toEqual(['a', 'b: gone', 'c']);
    await ask('d', 60, gone.signal);
    expect(order.at(-1)).toBe('d: gone');
    await release('a');
    await release('c');
    expect([budget.held, budget.waiting]).toEqual([0, 0]);
  });
});
