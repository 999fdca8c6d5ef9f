/** Whether the server answers, and when it answers again. */

/** Delays, in milliseconds, before a server that does not answer is asked again. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 5000;

/** Timeout of this request, in milliseconds; a network that drops packets would never end it. */
const TIMEOUT = 5000;

/** Statuses of a proxy that does not reach the server. */
const NO_SERVER = [502, 503, 504];

/**
 * The connection to the server. It counts as lost once a request gets no answer, a stream of events goes
 * silent or the browser is offline. The server is then asked until it answers.
 */
class Connection {
  /** Whether the connection is lost. */
  lost = $state(false);
  private loss = new AbortController();
  private waiting: (() => void)[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    if (typeof window === 'undefined') return;
    addEventListener('offline', () => this.lose());
    addEventListener('online', () => this.lost && void this.ask(FIRST_PAUSE));
  }

  /** Aborts the next time that the connection is lost: a pending request might then wait forever. */
  get signal(): AbortSignal {
    return this.loss.signal;
  }

  /** Records that the server does not answer. */
  lose(): void {
    if (this.lost) return;
    this.lost = true;
    this.loss.abort();
    this.loss = new AbortController();
    this.askLater(FIRST_PAUSE);
  }

  /** Records that the server has answered. */
  answered(): void {
    if (!this.lost) return;
    this.lost = false;
    clearTimeout(this.timer);
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** Waits for a pause, and then until the server answers. @param signal ends the wait */
  async back(pauseMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ended = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
    while (this.lost && !signal.aborted) {
      await Promise.race([ended, new Promise<void>((resolve) => this.waiting.push(resolve))]);
    }
  }

  private askLater(pause: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(pause), pause);
  }

  private async ask(pause: number): Promise<void> {
    clearTimeout(this.timer);
    const signal = AbortSignal.timeout(TIMEOUT);
    const status = await fetch('/api/me', { signal }).then(
      (response) => response.status,
      () => null,
    );
    if (status !== null && !NO_SERVER.includes(status)) this.answered();
    else if (this.lost) this.askLater(Math.min(2 * pause, LONGEST_PAUSE));
  }
}

export const connection = new Connection();
