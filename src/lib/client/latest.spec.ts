import { describe, expect, it } from 'vitest';
import { Latest, LatestCall } from './latest.svelte';

/** A question that the test answers when it wants. */
function question<T>() {
  let answer: (value: T) => void = () => undefined;
  let refuse: (error: Error) => void = () => undefined;
  const answered = new Promise<T>((resolve, reject) => {
    answer = resolve;
    refuse = reject;
  });
  return { ask: () => answered, answer, refuse };
}

describe('Latest', () => {
  it('uses the answer to the latest question, even if an earlier one arrives later', async () => {
    const latest = new Latest<string>();
    const [first, second] = [question<string>(), question<string>()];
    latest.ask(first.ask);
    latest.ask(second.ask);
    second.answer('second');
    await latest.settled();
    first.answer('first');
    await Promise.resolve();
    expect(latest.answer).toBe('second');
    expect(latest.waiting).toBe(false);
  });

  it('ignores the failure of an earlier question', async () => {
    const latest = new Latest<string>();
    const [first, second] = [question<string>(), question<string>()];
    latest.ask(first.ask);
    latest.ask(second.ask);
    first.refuse(new Error('too slow'));
    second.answer('second');
    await latest.settled();
    expect(latest.failure).toBeNull();
    expect(latest.answer).toBe('second');
  });

  it('keeps the previous answer until the next one arrives, and drops it on a failure', async () => {
    const latest = new Latest<string>();
    latest.ask(async () => 'old');
    await latest.settled();
    const next = question<string>();
    latest.ask(next.ask);
    expect(latest.answer).toBe('old');
    next.refuse(new Error('The server does not answer.'));
    await latest.settled();
    expect(latest.answer).toBeNull();
    expect(latest.failure).toBe('The server does not answer.');
  });

  it('sends only the last question of a quick series', async () => {
    const latest = new Latest<string>(1);
    const sent: string[] = [];
    for (const text of ['a', 'ab', 'abc']) {
      latest.ask(async () => {
        sent.push(text);
        return text;
      });
    }
    await latest.settled();
    expect(sent).toEqual(['abc']);
  });

  it('releases its waiters when it is stopped, and aborts the question', async () => {
    const latest = new Latest<string>();
    let signal: AbortSignal | undefined;
    latest.ask((given) => {
      signal = given;
      return question<string>().ask();
    });
    const settled = latest.settled();
    latest.clear();
    await settled;
    expect(signal?.aborted).toBe(true);
    expect(latest.waiting).toBe(false);
  });
});

describe('LatestCall', () => {
  it('aborts the previous call', () => {
    const call = new LatestCall();
    const first = call.begin();
    const second = call.begin();
    expect([first.aborted, second.aborted]).toEqual([true, false]);
    call.stop();
    expect(second.aborted).toBe(true);
  });
});
