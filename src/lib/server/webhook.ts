/** Sends the events of all versions to a URL, in order. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { VersionEvent } from '../contract/events';
import type { Listener, Listening } from './db/connection/listener';
import type { Told } from './db/connection/notify';
import { reasonOf } from './errors';
import { post, type WebhookMessage, type WebhookRules } from './webhook-request';

/** Pauses between attempts to send a message, in milliseconds; the last one repeats. */
const PAUSES = [1, 2, 4, 8, 15, 30, 60].map((seconds) => 1000 * seconds);

/** The largest number of messages that wait for the receiver; with more, one `resync` replaces them. */
const MOST_WAITING = 10_000;

/** The advisory lock of the process that sends. Any number will do that nothing else uses. */
const LOCK = 7_310_013_017;

/** How deliveries end, for the log. */
interface WebhookLog {
  /** A message could not be sent; it is tried again. Called once until one is sent again. */
  failed(reason: string): void;
  /** A message was sent after failures. */
  recovered(): void;
}

/**
 * Sends the events of all versions to the URL in PF_WEBHOOK, one after the other in the order of commits. Of
 * all processes on a database only one sends: the one whose listener holds an advisory lock
 * (docs/contract/19-planning-together.md#webhook, docs/decisions/0017-events-by-notify.md).
 */
export class Webhook implements Listening {
  private readonly listener: Listener;
  private queue: WebhookMessage[] = [];
  private sending: AbortController | null = null;
  /** Numbers of attempts of this process, by outcome. */
  readonly attempts = { sent: 0, failed: 0 };

  /** @param listen opens the connection that reports events, to one process at a time */
  constructor(
    private readonly rules: WebhookRules,
    listen: (listening: Listening, lock: number) => Listener,
    private readonly log: WebhookLog,
  ) {
    this.listener = listen(this, LOCK);
  }

  /** Starts listening. */
  start(): Promise<void> {
    return this.listener.start();
  }

  /** Number of messages that wait for the receiver. */
  get waiting(): number {
    return this.queue.length;
  }

  told({ version, event }: Told): void {
    if (this.queue.length >= MOST_WAITING) this.missed();
    else this.add(version, event);
  }

  missed(): void {
    // The message that is being sent stays in front.
    this.queue = this.queue.slice(0, this.sending ? 1 : 0);
    this.add(null, { kind: 'resync' });
  }

  silent(): void {
    this.stop();
  }

  private add(version: number | null, { kind, ...data }: VersionEvent): void {
    const timestamp = new Date().toISOString();
    const body = JSON.stringify({ type: kind, timestamp, data: { version_id: version, ...data } });
    this.queue.push({ id: randomUUID(), body });
    if (!this.sending) void this.send();
  }

  /** Sends the queue until it is empty. */
  private async send(): Promise<void> {
    const sending = new AbortController();
    const { signal } = sending;
    this.sending = sending;
    let failures = 0;
    for (let [message] = this.queue; message; [message] = this.queue) {
      // Another process may have taken over and sends `resync` first.
      if (!this.listener.listens) return this.stop();
      const fault = await post(this.rules, message, signal).catch(reasonOf);
      if (signal.aborted) return;
      if (fault === undefined) {
        this.attempts.sent++;
        if (failures > 0) this.log.recovered();
        failures = 0;
        this.queue.shift();
      } else {
        this.attempts.failed++;
        if (failures === 0) this.log.failed(fault);
        const ms = PAUSES[Math.min(failures, PAUSES.length - 1)];
        await pause(ms, undefined, { signal, ref: false }).catch(() => undefined);
        if (signal.aborted) return;
        failures++;
      }
    }
    this.sending = null;
  }

  /** Stops sending and drops what waits. */
  private stop(): void {
    this.queue = [];
    this.sending?.abort();
    this.sending = null;
  }

  /** Stops for good; the next process to send begins with `resync`. */
  end(): void {
    this.listener.end();
    this.stop();
  }
}
