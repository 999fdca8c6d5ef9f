/** Follows the events of a version, and reconnects. */
import * as v from 'valibot';
import { EVENT_KINDS, HEARTBEAT, Heartbeat, VersionEvent } from '../contract/events';

/** Timeout, in milliseconds, for a stream to open. */
const OPEN_TIMEOUT = 10_000;

/** A stream is lost after this many intervals of its heartbeat without an event: two are missing by then. */
const INTERVALS_OF_SILENCE = 2.25;

/** How long to wait, in milliseconds, before a stream that the server refused is asked for again. */
const AGAIN_AFTER = 5_000;

/** How long, in milliseconds, a page that is no longer seen keeps its stream: its person may be back soon. */
const KEPT_UNSEEN = 10_000;

/** How long, in milliseconds, the first rows wait for their stream to open. */
const STREAM_WAIT = 500;

/** How long to wait, in milliseconds, before the first of so many further attempts to catch up. */
const FIRST_RETRY = 2000;
const RETRIES = 5;

/** What a stream of events reports. */
interface Watcher {
  /** Something was committed, or something may have been missed (`resync`). */
  onEvent: (event: VersionEvent) => void;
  /** Whether changes of others arrive at the moment. */
  onState: (isUp: boolean) => void;
}

/**
 * GET /versions/:id/events: reports what is committed to a version, in order. A stream that is lost, or silent
 * for two heartbeats, is opened again, and reports `resync` first. A page that nobody sees has none, so that it
 * takes none of the few connections that a browser opens to a server.
 *
 * @returns ends it
 */
function watchVersion(id: number, { onEvent, onState }: Watcher): () => void {
  let source: EventSource | null = null;
  let resumes = false;
  let again: ReturnType<typeof setTimeout> | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const expectWithin = (milliseconds: number) => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      onState(false);
      reopen();
    }, milliseconds);
  };
  const isUp = () => {
    onState(true);
    // The server says so itself only if the browser tells it of an earlier event.
    if (resumes) onEvent({ kind: 'resync' });
    resumes = false;
  };
  const open = () => {
    const opened = new EventSource(`/api/versions/${id}/events`);
    source = opened;
    // Unknown until the first heartbeat; a server of an older build sends none.
    let interval: number | null = null;
    const heard = () => {
      if (interval !== null) expectWithin(INTERVALS_OF_SILENCE * interval);
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
      // The browser tries again by itself, unless the answer was a refusal.
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
  // The stream may go on without a network, on the machine of the server: its next heartbeat shows it.
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

/** What follows a version by its events. */
interface Follower {
  /**
   * Brings some events to the screen, in the order of their commits.
   *
   * @param signal aborts if the stream is lost: nothing may change on screen after it
   * @throws if it fails
   */
  follow: (events: readonly VersionEvent[], signal: AbortSignal) => Promise<void>;
  /** Whether changes of others arrive at the moment. */
  onState: (isUp: boolean) => void;
  /** An event could not be followed. What was missed is compared soon. */
  onFailure: () => void;
  /** What was missed is here now. */
  onRecovered: () => void;
}

/**
 * {@link watchVersion}, for answers that take time: events that come meanwhile are followed together, after
 * those before them. After a failure, the follower has to compare (`resync`), each time after twice as long;
 * then it is left alone.
 *
 * @returns `opened` resolves once rows can be asked for, since a change after them is told. If the stream
 * takes long to open, that is before it; the follower compares once it is open. `end` ends it; events
 * that are being followed go on
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
      } catch {
        // A stream that opens again reports `resync`.
        if (!isEnded && !isLost) compareLater();
      }
    }
    isFollowing = false;
  };
  const compareLater = () => {
    onFailure();
    // Whatever fails before the next attempt is mended by it.
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
        // A request over a lost network may wait without end.
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

/** The entries that some events wrote, and those that they undid: what was undone is not written any more. */
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
