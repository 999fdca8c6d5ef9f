import { onTestFinished } from 'vitest';

/** One block of an event stream. */
export interface StreamEvent {
  id?: string;
  event?: string;
  data?: unknown;
  retry?: string;
}

/** An event stream that a test reads. */
export interface EventStream {
  status: number;
  headers: Headers;
  /**
   * Returns the next block that is not a heartbeat; undefined after the end of the stream. A comment line is
   * a block without fields.
   */
  next(): Promise<StreamEvent | undefined>;
  /** The next events, without comment lines. */
  events(count: number): Promise<StreamEvent[]>;
  /** Closes the stream, like a closed tab. */
  close(): void;
  /** The heartbeats that were read so far. */
  heartbeats: StreamEvent[];
}

/**
 * Opens the event stream of a version, at the address of a server. The server may still be told of entries
 * from before: the stream leaves them out.
 */
export async function openEvents(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  const abort = new AbortController();
  const response = await fetch(`${url}/api${path}/events`, { headers, signal: abort.signal });
  const last = response.ok ? await lastEntry(`${url}/api${path}/log`, headers) : 0;
  onTestFinished(() => abort.abort());
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const heartbeats: StreamEvent[] = [];
  const next = async (): Promise<StreamEvent | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const event = parse(block);
        if (event.event === 'heartbeat') heartbeats.push(event);
        else if (!isWrittenBefore(event, last)) return event;
        continue;
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += value;
    }
  };
  return {
    status: response.status,
    headers: response.headers,
    next,
    events: async (count) => {
      const events: StreamEvent[] = [];
      while (events.length < count) {
        const block = await next();
        if (!block) throw new Error(`The stream ended after ${JSON.stringify(events)}`);
        if (block.event) events.push(block);
      }
      return events;
    },
    close: () => abort.abort(),
    heartbeats,
  };
}

function parse(block: string): StreamEvent {
  const fields = block
    .split('\n')
    .filter((line) => !line.startsWith(':'))
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const)
    .map(([name, value]) => [name, name === 'data' ? JSON.parse(value) : value] as const);
  return Object.fromEntries(fields);
}

/** Returns the newest entry of a log; 0 if it is empty or cannot be read. */
async function lastEntry(url: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(url, { headers });
  if (!response.ok) return 0;
  const { entries } = (await response.json()) as { entries: { id: number }[] };
  return Math.max(0, ...entries.map(({ id }) => id));
}

function isWrittenBefore({ event, data }: StreamEvent, last: number): boolean {
  return event === 'written' && (data as { logid: number }).logid <= last;
}
