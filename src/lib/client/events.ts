import * as v from 'valibot';
import { EVENT_KINDS, VersionEvent } from '../contract/events';

/** How long to wait, in milliseconds, before a stream that the server refused is asked for again. */
const AGAIN_AFTER = 10_000;

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
 * GET /versions/:id/events: reports what is committed to a version, in order. A stream that is lost is
 * opened again, and reports `resync` first.
 *
 * @returns ends it
 */
function watchVersion(id: number, { onEvent, onState }: Watcher): () => void {
  let source: EventSource;
  let again: ReturnType<typeof setTimeout> | undefined;

  const open = (resumes: boolean) => {
    source = new EventSource(`/api/versions/${id}/events`);
    source.onopen = () => {
      onState(true);
      // The server says so itself only if the browser tells it of an earlier event.
      if (resumes) onEvent({ kind: 'resync' });
      resumes = false;
    };
    source.onerror = () => {
      onState(false);
      resumes = true;
      // The browser tries again by itself, unless the answer was a refusal.
      if (source.readyState === EventSource.CLOSED)
        again = setTimeout(() => open(true), AGAIN_AFTER);
    };
    for (const kind of EVENT_KINDS) {
      source.addEventListener(kind, ({ data }: MessageEvent<string>) => {
        const event = v.safeParse(VersionEvent, { kind, ...JSON.parse(data) });
        if (event.success) onEvent(event.output);
      });
    }
  };
  open(false);
  return () => {
    clearTimeout(again);
    source.close();
  };
}

/** What follows a version by its events. */
export interface Follower {
  /** Brings an event to the screen. @throws if that fails */
  follow: (event: VersionEvent) => Promise<void>;
  /** Whether changes of others arrive at the moment. */
  onState: (isUp: boolean) => void;
  /** An event could not be followed. What was missed is compared soon. */
  onFailure: () => void;
  /** What was missed is here now. */
  onRecovered: () => void;
}

/**
 * {@link watchVersion}, for answers that take time: each event is followed after the one before it. After a
 * failure, the follower has to compare (`resync`), each time after twice as long; then it is left alone.
 *
 * @returns `opened` resolves once rows can be asked for, since a change after them is told. If the stream
 * takes long to open, that is before it; the follower compares once it is open. `end` ends it; an event
 * that is being followed goes on
 */
export function followVersion(
  id: number,
  { follow, onState, onFailure, onRecovered }: Follower,
): { opened: Promise<void>; end: () => void } {
  let last = Promise.resolve();
  let failures = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const take = (event: VersionEvent) => {
    last = last.then(async () => {
      try {
        await follow(event);
      } catch {
        return compareLater();
      }
      if (event.kind !== 'resync' || failures === 0) return;
      failures = 0;
      onRecovered();
    });
  };
  const compareLater = () => {
    clearTimeout(retry);
    if (failures < RETRIES) {
      retry = setTimeout(() => take({ kind: 'resync' }), FIRST_RETRY * 2 ** failures);
    }
    failures += 1;
    onFailure();
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
        if (isUp && isLate) take({ kind: 'resync' });
        isLate = false;
        clearTimeout(wait);
        resolve();
      },
    });
    end = () => {
      clearTimeout(wait);
      clearTimeout(retry);
      stop();
      resolve();
    };
  });
  return { opened, end: () => end() };
}
