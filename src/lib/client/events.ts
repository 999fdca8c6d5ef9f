import * as v from 'valibot';
import { EVENT_KINDS, VersionEvent } from '../contract/events';

/** How long to wait, in milliseconds, before a stream that the server refused is asked for again. */
const AGAIN_AFTER = 10_000;

/** What a stream of events reports. */
export interface Watcher {
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
export function watchVersion(id: number, { onEvent, onState }: Watcher): () => void {
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

/**
 * {@link watchVersion}, for answers that take time: each event is followed after the one before it.
 *
 * @param onFailure is told if an event could not be followed
 * @returns ends it; an event that is being followed goes on
 */
export function followVersion(
  id: number,
  follow: (event: VersionEvent) => Promise<void>,
  { onState, onFailure }: Pick<Watcher, 'onState'> & { onFailure: () => void },
): () => void {
  let last = Promise.resolve();
  return watchVersion(id, {
    onEvent: (event) => (last = last.then(() => follow(event)).catch(onFailure)),
    onState,
  });
}
