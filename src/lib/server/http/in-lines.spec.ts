import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { AppError } from '../errors';
import { inLines } from './in-lines';

const connected = () => {
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  return { platform: { req: { socket } } };
};
type Work = Parameters<typeof inLines<{ done: number }>>[2];
const answer = (work: Work, event = connected(), failed = vi.fn()) =>
  inLines(event, 'it was counted', work, failed);
const bytes = (text: string) => new TextEncoder().encode(text);
const linesOf = async (response: Response): Promise<unknown[]> =>
  (await response.text()).split('\n').map((line) => (line === '' ? null : JSON.parse(line)));

it('An answer in lines begins with the first progress, and its last line is the result', async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const response = await answer(async (_, report) => {
    for (let done = 0; done < 100; done++) report({ done });
    await finished;
    return [bytes('{"a":'), bytes('1}')];
  });
  finish();
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  // Reports that follow at once are left out.
  expect(await linesOf(response)).toEqual([{ done: 0 }, { a: 1 }, null]);
});

it('An error before the first progress is thrown, a later one is the last line', async () => {
  const refusal = new AppError(422, 'It cannot be counted', { field: 'by' });
  await expect(answer(() => Promise.reject(refusal))).rejects.toBe(refusal);

  const failed = vi.fn();
  const begun =
    (error: Error): Work =>
    async (_, report) => {
      report({ done: 1 });
      await Promise.resolve();
      throw error;
    };
  expect(await linesOf(await answer(begun(refusal), connected(), failed))).toEqual([
    { done: 1 },
    { status: 422, error: 'It cannot be counted', field: 'by' },
    null,
  ]);
  expect(failed).not.toHaveBeenCalled();

  const fault = new Error('a fault of the service');
  expect(await linesOf(await answer(begun(fault), connected(), failed))).toEqual([
    { done: 1 },
    expect.objectContaining({ status: 500 }),
    null,
  ]);
  expect(failed).toHaveBeenCalledExactlyOnceWith(fault);
});

it('An error of the service after the first progress is reported, also if it names its status', async () => {
  const failed = vi.fn();
  const fault = new AppError(500, 'The database did not confirm the commit');
  const work: Work = async (_, report) => {
    report({ done: 1 });
    await Promise.resolve();
    throw fault;
  };
  await linesOf(await answer(work, connected(), failed));
  expect(failed).toHaveBeenCalledExactlyOnceWith(fault);
});

it('The last progress is sent again while the work is silent', async () => {
  vi.useFakeTimers();
  try {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const response = await answer(async (_, report) => {
      report({ done: 7 });
      await finished;
      return [bytes('{"a":1}')];
    });
    const lines = linesOf(response);
    await vi.advanceTimersByTimeAsync(25_000);
    finish();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await lines).toEqual([{ done: 7 }, { done: 7 }, { done: 7 }, { a: 1 }, null]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it('The work ends when the client closes the connection, and nothing has failed', async () => {
  const event = connected();
  const failed = vi.fn();
  const ended = new Promise<unknown>((resolve) => {
    const work: Work = (signal, report) => {
      report({ done: 1 });
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          resolve(signal.reason);
          reject(signal.reason);
        }),
      );
    };
    void answer(work, event, failed).then(async ({ body }) => {
      await body?.cancel();
      event.platform.req.socket.emit('close');
    });
  });
  expect(await ended).toMatchObject({ name: 'AbortError' });
  expect(failed).not.toHaveBeenCalled();
  expect(event.platform.req.socket.listenerCount('close')).toBe(0);
});
