/** Calls of which only the latest counts. */
import { untrack } from 'svelte';
import { connection } from './connection.svelte';
import { Unanswered } from './http';
import { messageOf } from './message-of';

/** A repeated call: each call replaces the previous one. */
export class LatestCall {
  private call: AbortController | null = null;

  /** Ends the previous call and begins the next. Its signal aborts once it is no longer the latest. */
  begin(): AbortSignal {
    this.stop();
    this.call = new AbortController();
    return this.call.signal;
  }

  stop(): void {
    this.call?.abort();
    this.call = null;
  }
}

/** Delays, in milliseconds, before a question without an answer is asked again. */
const FIRST_PAUSE = 2000;
const LONGEST_PAUSE = 60_000;

/**
 * A repeated question and the answer to the latest one; a late answer to an earlier question is ignored. The
 * previous answer stays until the next one arrives. A question that no server answered is asked again once
 * one does.
 */
export class Latest<Answer> {
  answer = $state.raw<Answer | null>(null);
  /** Why the latest question failed; null if it was answered, or is still open. */
  error = $state.raw<unknown>(null);
  /** Whether the latest question is still open. */
  waiting = $state.raw(false);

  private readonly call = new LatestCall();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private whenSettled: (() => void)[] = [];
  /** The next delay before the question is asked again. */
  private pauseAfter = FIRST_PAUSE;

  /** @param pauseMs debounce: a question is sent once no other has followed it for this time */
  constructor(private readonly pauseMs = 0) {}

  /** The error as a sentence to show; null without one. */
  get failure(): string | null {
    return this.error === null ? null : messageOf(this.error);
  }

  /** Asks a question. @param pauseMs a debounce for this question only; 0 sends it at once */
  ask(question: (signal: AbortSignal) => Promise<Answer>, pauseMs = this.pauseMs): void {
    this.pauseAfter = FIRST_PAUSE;
    this.begin(question, pauseMs);
  }

  /** Drops an open question; the last answer stays. */
  stop(): void {
    clearTimeout(this.timer);
    this.call.stop();
    this.settle();
  }

  /** Drops the question and the last answer. */
  clear(): void {
    this.stop();
    this.answer = null;
    this.error = null;
  }

  /** Waits until no question is open, without making the effect that waits depend on it. */
  settled(): Promise<void> {
    return untrack(() => this.waiting)
      ? new Promise((resolve) => this.whenSettled.push(resolve))
      : Promise.resolve();
  }

  private begin(question: (signal: AbortSignal) => Promise<Answer>, pauseMs: number): void {
    clearTimeout(this.timer);
    const signal = this.call.begin();
    this.error = null;
    this.waiting = true;
    if (pauseMs === 0) void this.send(question, signal);
    else this.timer = setTimeout(() => void this.send(question, signal), pauseMs);
  }

  private async send(
    question: (signal: AbortSignal) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const answer = await question(signal);
      if (signal.aborted) return;
      this.answer = answer;
    } catch (error) {
      if (signal.aborted) return;
      this.answer = null;
      this.error = error;
      if (error instanceof Unanswered) void this.askAgain(question, signal);
    }
    this.settle();
  }

  private async askAgain(
    question: (signal: AbortSignal) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<void> {
    const pause = this.pauseAfter;
    this.pauseAfter = Math.min(2 * pause, LONGEST_PAUSE);
    await connection.back(pause, signal);
    if (!signal.aborted) this.begin(question, 0);
  }

  private settle(): void {
    this.waiting = false;
    for (const resolve of this.whenSettled.splice(0)) resolve();
  }
}
