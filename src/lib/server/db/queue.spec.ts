import { expect, it } from 'vitest';
import { Queue } from './queue';

const task = () => {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { end, ended };
};
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('runs so many tasks of a key at a time, the others in the order they came', async () => {
  const queue = new Queue(2);
  const started: number[] = [];
  const tasks = Array.from({ length: 5 }, task);
  const runs = tasks.map(({ ended }, i) =>
    queue.run(1, () => {
      started.push(i);
      return ended;
    }),
  );
  await settle();
  expect(started).toEqual([0, 1]);
  tasks[1]!.end();
  await settle();
  expect(started).toEqual([0, 1, 2]);
  for (const { end } of tasks) end();
  await Promise.all(runs);
  expect(started).toEqual([0, 1, 2, 3, 4]);
});

it('keeps keys apart', async () => {
  const queue = new Queue(1);
  const first = task();
  const run = queue.run(1, () => first.ended);
  await expect(queue.run(2, () => Promise.resolve('through'))).resolves.toBe('through');
  first.end();
  await run;
});

it('gives the place of a task that fails to the next one', async () => {
  const queue = new Queue(1);
  const failing = queue.run(1, () => Promise.reject(new Error('broken')));
  const next = queue.run(1, () => Promise.resolve('through'));
  await expect(failing).rejects.toThrow('broken');
  await expect(next).resolves.toBe('through');
  await expect(queue.run(1, () => Promise.resolve('again'))).resolves.toBe('again');
});
