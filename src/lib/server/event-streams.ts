/** Event streams: passes commits on to the open streams of each version. */
import type { Heartbeat, VersionEvent } from '../contract/events';
import { HEARTBEAT } from '../contract/events';
import type { Told } from './db/notify';
import type { Listener, Listening } from './db/listener';
import { AppError } from './errors';
import { membersOf, type Sender } from './sender';

/** The largest number of open streams of one process. */
const MOST_STREAMS = 1000;

/** Time after which a browser reopens a lost stream, in milliseconds. */
const RETRY_MILLISECONDS = 2000;

/**
 * Bytes that may wait for a slow client before its stream is closed. The client then reconnects and compares.
 */
const MOST_WAITING = 65_536;

/** Seconds after which a client may try again if too many streams are open. */
const RETRY_AFTER = 30;

interface Stream {
  versionId: number;
  /** Whether the stream closes if the sender's territories may have changed; they are checked when it reopens. */
  isLimited: boolean;
  controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
}

/**
 * The open event streams of this process. One connection to the database listens for all of them
 * (docs/contract/19-planning-together.md#live, docs/decisions/0017-events-by-notify.md).
 */
export class Events implements Listening {
  private readonly streams = new Set<Stream>();
  private readonly listener: Listener;
  private readonly encoder = new TextEncoder();
  private lastId = 0;
  /** Time between two heartbeats of a stream, in milliseconds. */
  private readonly interval: number;
  /** The event that shows a client that its stream is alive. */
  private readonly heartbeatText: string;
  private heartbeat: NodeJS.Timeout | undefined;
  private ended = false;

  /**
   * @param listen opens the connection that reports to these streams
   * @param heartbeat interval of heartbeats, in milliseconds
   */
  constructor(listen: (listening: Listening) => Listener, heartbeat: number) {
    this.listener = listen(this);
    this.interval = heartbeat;
    const data: Heartbeat = { interval_ms: heartbeat };
    this.heartbeatText = `event: ${HEARTBEAT}\ndata: ${JSON.stringify(data)}\n\n`;
  }

  /** Number of open streams. */
  get open(): number {
    return this.streams.size;
  }

  /**
   * Opens a stream of the events of a version from now on.
   *
   * @param lastEventId id of the last event that the client has received on an earlier stream; null if none
   * @param sender who opens it
   * @throws AppError 503 if there are too many streams, or the server is shutting down
   */
  async stream(
    versionId: number,
    lastEventId: string | null,
    sender: Sender,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    await this.listener.start();
    if (this.ended) throw new AppError(503, 'The server is shutting down', { retryAfter: 1 });
    if (!this.listener.listens) {
      throw new AppError(503, 'The database cannot be reached, so changes cannot be reported', {
        retryAfter: 5,
      });
    }
    if (this.streams.size >= MOST_STREAMS) {
      throw new AppError(503, `This server has ${MOST_STREAMS} open event streams already`, {
        retryAfter: RETRY_AFTER,
      });
    }
    let stream: Stream | undefined;
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          stream = { versionId, isLimited: membersOf(sender) !== undefined, controller };
          this.streams.add(stream);
          this.heartbeat ??= setInterval(() => this.beat(), this.interval).unref();
          // With an id from the start, a browser that reconnects always sends a Last-Event-ID.
          this.send(stream, `id: ${this.lastId}\nretry: ${RETRY_MILLISECONDS}\n\n`);
          this.send(stream, this.heartbeatText);
          if (lastEventId !== null) this.send(stream, this.text({ kind: 'resync' }));
        },
        cancel: () => {
          if (stream) this.forget(stream);
        },
      },
      { highWaterMark: MOST_WAITING, size: ({ byteLength }) => byteLength },
    );
  }

  told({ version, event }: Told): void {
    const text = this.text(event);
    for (const stream of this.streams) {
      if (stream.versionId === version) this.pass(stream, event, text);
    }
  }

  missed(): void {
    const event = { kind: 'resync' } as const;
    const text = this.text(event);
    for (const stream of this.streams) this.pass(stream, event, text);
  }

  private pass(stream: Stream, { kind }: VersionEvent, text: string): void {
    if (kind === 'resync' && stream.isLimited) this.close(stream);
    else this.send(stream, text);
  }

  /**
   * Closes all streams, so that clients notice that they are behind. Each client that reconnects compares.
   */
  silent(): void {
    for (const stream of this.streams) this.close(stream);
  }

  private beat(): void {
    for (const stream of this.streams) this.send(stream, `:\n\n${this.heartbeatText}`);
  }

  private text({ kind, ...data }: VersionEvent): string {
    this.lastId += 1;
    return `id: ${this.lastId}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
  }

  private send(stream: Stream, text: string): void {
    if ((stream.controller.desiredSize ?? 0) > 0) {
      stream.controller.enqueue(this.encoder.encode(text));
    } else {
      this.close(stream);
    }
  }

  private close(stream: Stream): void {
    this.forget(stream);
    stream.controller.close();
  }

  private forget(stream: Stream): void {
    this.streams.delete(stream);
    if (this.streams.size > 0) return;
    clearInterval(this.heartbeat);
    this.heartbeat = undefined;
  }

  /** Closes all streams and the connection. No further stream can be opened. */
  end(): void {
    this.ended = true;
    for (const stream of this.streams) this.close(stream);
    this.listener.end();
  }
}
