import { describe, expect, it } from 'vitest';
import { Gate } from './gate';

describe('a gate', () => {
  it('has those wait who come while it is closed', async () => {
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

  it('opens if the work fails', async () => {
    const gate = new Gate();
    const working = gate.during(() => Promise.reject(new Error('The engine refuses')));
    await gate.opened();
    await expect(working).rejects.toThrow('The engine refuses');
    expect(gate.isClosed).toBe(false);
  });
});
