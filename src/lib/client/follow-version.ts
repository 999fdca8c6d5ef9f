/** Follows the events of a version, and reconnects. */
import * as v from 'valibot';
import { EVENT_KINDS, HEARTBEAT, Heartbeat, VersionEvent } from '../contract/events';
import { connection } from './connection.svelte';
import { Unanswered } from './http';

/** Timeout, in milliseconds, for a stream to open. */
const OPEN_TIMEOUT = 10_000;

/**
 * Number of heartbeat intervals without an event after which a stream counts as lost. Two heartbeats are then
 * missing.
 */
const INTERVALS_OF_SILENCE = 2.25;

/** Delay, in milliseconds, before a stream that the server refused is requested again. */
const AGAIN_AFTER = 5_000;

/** Time, in milliseconds, for which a hidden page keeps its stream: its user may return soon. */
const KEPT_UNSEEN = 10_000;

/** Time, in milliseconds, for which the first rows wait for their stream to open. */
const STREAM_WAIT = 500;

/** Delay, in milliseconds, before the first further attempt to catch up, and the number of attempts. */
const FIRST_RETRY = 2000;
const RETRIES = 5;

/** Callbacks for a stream of events. */
interface Watcher {
  /** Something was committed, or something may have been missed (`resync`). */
  onEvent: (event: VersionEvent) => void;
  /** Whether changes of others currently arrive. */
  onState: (isUp: boolean) => void;
}

/**
 * GET /versions/:id/events: reports commits to a version, in order. A stream that is lost, or silent for two
 * heartbeats, is reopened and first reports `resync`. A hidden page has no stream, to leave free the few
 * connections that a browser opens to a server.
 *
 * @returns a function that ends it
 */
function watchVersion(id: number, { onEvent, onState }: Watcher): () => void {
  let source: EventSource | null = null;
  let resumes = false;
  let again: ReturnType<typeof setTimeout> | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const expectWithin = (milliseconds: number, onSilence?: () => void) => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      onSilence?.();
      onState(false);
      reopen();
    }, milliseconds);
  };
  const isUp = () => {
    connection.answered();
    onState(true);
    // The server reports `resync` only if the browser sends the id of an earlier event.
    if (resumes) onEvent({ kind: 'resync' });
    resumes = false;
  };
  const open = () => {
    const opened = new EventSource(`/api/versions/${id}/events`);
    source = opened;
    // Unknown until the first heartbeat; a server of an older build sends none.
    let interval: number | null = null;
    const heard = () => {
      if (interval === null) return;
      expectWithin(INTERVALS_OF_SILENCE * interval, () => connection.lose());
    };
    expectWithin(OPEN_TIMEOUT);
    opened.onopen = () => {
      clearTimeout(silence);
      isUp();
    };
    opened.onerror = () => {
      onState(false);
      resumes = true;
      interval = null;
      expectWithin(OPEN_TIMEOUT);
      // An EventSource reconnects automatically, unless the server refused the request.
      if (opened.readyState === EventSource.CLOSED) again = setTimeout(open, AGAIN_AFTER);
    };
    for (const kind of EVENT_KINDS) {
      opened.addEventListener(kind, ({ data }: MessageEvent<string>) => {
        const event = v.safeParse(VersionEvent, { kind, ...JSON.parse(data) });
        heard();
        if (event.success) onEvent(event.output);
      });
    }
    opened.addEventListener(HEARTBEAT, ({ data }: MessageEvent<string>) => {
      const heartbeat = v.safeParse(Heartbeat, JSON.parse(data));
      if (heartbeat.success) interval = heartbeat.output.interval_ms;
      heard();
      isUp();
    });
  };
  const close = () => {
    clearTimeout(again);
    clearTimeout(silence);
    source?.close();
    source = null;
  };
  const leave = () => {
    close();
    resumes = true;
  };
  const reopen = () => {
    if (!source) return;
    leave();
    open();
  };
  // On the machine of the server, the stream may continue without a network: its next heartbeat proves it.
  const onOffline = () => {
    onState(false);
    resumes = true;
  };
  const followSight = () => {
    clearTimeout(leaving);
    if (!document.hidden && !source) open();
    if (document.hidden && source) leaving = setTimeout(leave, KEPT_UNSEEN);
  };
  document.addEventListener('visibilitychange', followSight);
  addEventListener('offline', onOffline);
  addEventListener('online', reopen);
  followSight();
  return () => {
    removeEventListener('offline', onOffline);
    removeEventListener('online', reopen);
    document.removeEventListener('visibilitychange', followSight);
    clearTimeout(leaving);
    close();
  };
}

/** A part of the page that follows the events of a version. */
interface Follower {
  /**
   * Shows some events on screen, in the order of their commits.
   *
   * @param signal aborts if the stream is lost: nothing may change on screen after that
   * @throws if it fails
   */
  follow: (events: readonly VersionEvent[], signal: AbortSignal) => Promise<void>;
  /** Whether changes of others currently arrive. */
  onState: (isUp: boolean) => void;
  /** Events could not be shown. A comparison follows soon, unless all attempts are used up. */
  onFailure: () => void;
  /** The page has caught up with the missed events. */
  onRecovered: () => void;
}

/**
 * Follows a version like {@link watchVersion}, for a follower that takes time. Events that arrive while it
 * works are passed on afterwards, together. If it fails, it gets `resync` after a delay that doubles with each
 * failure, until the attempts are used up.
 *
 * @returns `opened` resolves when the stream is open, so that no later change is missed, or when it takes too
 * long; then the follower gets `resync` once the stream is open. `end` ends it after the events in progress
 */
export function followVersion(
  id: number,
  { follow, onState, onFailure, onRecovered }: Follower,
): { opened: Promise<void>; end: () => void } {
  let waiting: VersionEvent[] = [];
  let isFollowing = false;
  let isEnded = false;
  let failures = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let isLost = false;
  let following: AbortController | undefined;

  const take = (event: VersionEvent) => {
    waiting.push(event);
    if (!isFollowing) void followWaiting();
  };
  const followWaiting = async () => {
    isFollowing = true;
    while (waiting.length > 0) {
      const events = waiting;
      waiting = [];
      following = new AbortController();
      const { signal } = following;
      try {
        await Promise.race([follow(events, signal), aborted(signal)]);
        if (failures > 0 && events.some(({ kind }) => kind === 'resync')) {
          failures = 0;
          onRecovered();
        }
      } catch (error) {
        // A comparison without an answer has found no change.
        const isUnknown =
          error instanceof Unanswered && events.every(({ kind }) => kind === 'resync');
        // A reopened stream reports `resync`.
        if (!isEnded && !isLost) compareLater(isUnknown);
      }
    }
    isFollowing = false;
  };
  const compareLater = (isUnknown: boolean) => {
    if (!isUnknown || failures === RETRIES) onFailure();
    // The next attempt repairs earlier failures.
    if (retry !== undefined || failures === RETRIES) return;
    retry = setTimeout(
      () => {
        retry = undefined;
        take({ kind: 'resync' });
      },
      FIRST_RETRY * 2 ** failures,
    );
    failures += 1;
  };

  let end: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    let isLate = false;
    const wait = setTimeout(() => {
      isLate = true;
      resolve();
    }, STREAM_WAIT);
    const stop = watchVersion(id, {
      onEvent: take,
      onState: (isUp) => {
        onState(isUp);
        isLost = !isUp;
        // A request over a lost network may wait forever.
        if (isLost) following?.abort();
        if (isUp && isLate) take({ kind: 'resync' });
        isLate = false;
        clearTimeout(wait);
        resolve();
      },
    });
    end = () => {
      clearTimeout(wait);
      clearTimeout(retry);
      waiting = [];
      isEnded = true;
      stop();
      resolve();
    };
  });
  return { opened, end: () => end() };
}

/** Rejects once the signal aborts. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The stream was lost')));
  });

/**
 * Returns the entries that some events wrote, without those that were undone after, and the entries that they
 * undid.
 */
export function entriesOf(events: readonly VersionEvent[]): {
  written: readonly number[];
  undone: readonly number[];
} {
  const undone = events.flatMap((event) => (event.kind === 'undone' ? [event.logid] : []));
  const written = events
    .flatMap((event) => (event.kind === 'written' ? [event.logid] : []))
    .filter((logid) => !undone.includes(logid));
  return { written, undone };
}
