import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connection } from './connection.svelte';
import { ApiError, Unanswered } from './http';
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

  describe('after a question without an answer', () => {
    // Specs of one worker share the connection, which another one may have lost.
    beforeEach(() => connection.answered());
    afterEach(() => {
      vi.useRealTimers();
    });

    /** Asks a question that fails once. */
    function failing(error: Error) {
      vi.useFakeTimers();
      const latest = new Latest<number>();
      let asked = 0;
      latest.ask(async () => {
        asked += 1;
        if (asked === 1) throw error;
        return asked;
      });
      return latest;
    }

    it('asks it again', async () => {
      const latest = failing(new Unanswered(0, 'The server does not answer.'));
      await latest.settled();
      expect(latest.failure).toBe('The server does not answer.');
      await vi.advanceTimersByTimeAsync(5000);
      expect([latest.answer, latest.failure]).toEqual([2, null]);
    });

    it('does not ask it again if another question was asked since', async () => {
      const latest = failing(new Unanswered(0, 'The server does not answer.'));
      await latest.settled();
      latest.ask(async () => -1);
      await vi.advanceTimersByTimeAsync(5000);
      expect(latest.answer).toBe(-1);
    });

    it('does not ask it again if the server has refused it', async () => {
      const latest = failing(new ApiError(422, 'No.'));
      await latest.settled();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(latest.failure).toBe('No.');
    });
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
