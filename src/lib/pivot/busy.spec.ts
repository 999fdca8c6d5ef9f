import { describe, expect, it } from 'vitest';
import { Busy } from './busy';

describe('what is busy', () => {
  it('says so once, until the last of what it does is done or has failed', async () => {
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
