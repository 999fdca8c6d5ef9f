import { describe, expect, it } from 'vitest';
import { Gate } from './waiting';

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

  it('has asked again what was asked before it closed', async () => {
    const told: string[] = [];
    const gate = new Gate(() => told.push('open'));
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

  it('tells why a question fails', async () => {
    const asking = new Gate().ask(() => Promise.reject(new Error('No such column')));
    await expect(asking).rejects.toThrow('No such column');
  });
});
