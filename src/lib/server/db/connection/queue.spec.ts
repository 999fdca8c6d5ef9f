import { expect, it } from 'vitest';
import type { Widths } from './queue';
import { Queue, WaitedTooLong } from './queue';

/** Runs tasks that end on command, and records which have started. */
function scene(widths: Widths) {
  const queue = new Queue(widths);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    queue,
    started,
    add: async (name: string, key: number) => {
      void queue.run(key, () => {
        started.push(name);
        return new Promise<void>((end) => ends.set(name, end));
      });
      await settle();
    },
    end: async (name: string) => {
      ends.get(name)?.();
      await settle();
    },
  };
}

it('runs a limited number of tasks of a key at a time, the others in order of arrival', async () => {
  const { add, end, started } = scene({ all: 9, ofKey: 2, beside: 9 });
  for (const name of ['a', 'b', 'c', 'd']) await add(name, 1);
  expect(started).toEqual(['a', 'b']);
  await end('b');
  expect(started).toEqual(['a', 'b', 'c']);
  await end('a');
  expect(started).toEqual(['a', 'b', 'c', 'd']);
});

it('keeps keys apart, up to the width of all', async () => {
  const { add, end, started } = scene({ all: 2, ofKey: 1, beside: 2 });
  await add('a', 1);
  await add('after a', 1);
  await add('b', 2);
  await add('c', 3);
  expect(started).toEqual(['a', 'b']);
  await end('b');
  expect(started).toEqual(['a', 'b', 'c']);
});

it('leaves room for keys that have nothing running yet', async () => {
  const { add, end, started } = scene({ all: 4, ofKey: 3, beside: 2 });
  for (const name of ['a1', 'a2', 'a3']) await add(name, 1);
  expect(started).toEqual(['a1', 'a2']);
  await add('b1', 2);
  await add('c1', 3);
  await add('c2', 3);
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1']);
  // The place that comes free is for a first one; those beside others have theirs already.
  await end('b1');
  expect(started).toHaveLength(4);
  await add('d1', 4);
  expect(started.at(-1)).toBe('d1');
});

it('gives the place of a task that fails to the next one', async () => {
  const { queue } = scene({ all: 1, ofKey: 1, beside: 1 });
  const failing = queue.run(1, () => Promise.reject(new Error('broken')));
  const next = queue.run(1, () => Promise.resolve('through'));
  await expect(failing).rejects.toThrow('broken');
  await expect(next).resolves.toBe('through');
  await expect(queue.run(1, () => Promise.resolve('again'))).resolves.toBe('again');
});

it('turns away a task whose turn does not come, and lets the one behind it pass', async () => {
  const queue = new Queue({ all: 1, ofKey: 1, beside: 1 }, 20);
  let end = () => {};
  const running = queue.run(1, () => new Promise<void>((resolve) => (end = resolve)));
  const ran: string[] = [];
  const late = queue.run(1, async () => ran.push('late'));
  expect(queue.waiting).toBe(1);
  await expect(late).rejects.toThrow(WaitedTooLong);
  expect(queue.waiting).toBe(0);
  const next = queue.run(1, async () => ran.push('next'));
  end();
  await Promise.all([running, next]);
  expect(ran).toEqual(['next']);
});

it('does not turn away a task that has begun', async () => {
  const queue = new Queue({ all: 1, ofKey: 1, beside: 1 }, 20);
  const longer = () => new Promise((resolve) => setTimeout(() => resolve('through'), 60));
  await expect(queue.run(1, longer)).resolves.toBe('through');
});
