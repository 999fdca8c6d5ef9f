/** Event streams: passes commits on to the open streams of each version. */
import type { Heartbeat, VersionEvent } from '../contract/events';
import { HEARTBEAT } from '../contract/events';
import type { Told } from './db/connection/notify';
import type { Listener, Listening } from './db/connection/listener';
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

/** An event for a watcher who reads a part of a version. Its id is always the same. */
const textFor = (kind: 'resync' | 'deleted'): string => `id: 0\nevent: ${kind}\ndata: {}\n\n`;

/** Seconds after which a client may try again if too many streams are open. */
const RETRY_AFTER = 30;

interface StreamSettings {
  heartbeat: number;
  perPerson: number;
  validTokens: (ids: readonly number[]) => Promise<readonly number[]>;
}

/** Who watches a version. */
interface Watcher {
  sender: Sender;
  /**
   * For a sender who reads a part of the version: whether something that they may see has changed since the last call.
   * Their stream tells only that.
   */
  hasNews?: (() => Promise<boolean>) | undefined;
}

interface Stream {
  versionId: number;
  watcher: Watcher;
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
  private readonly perPerson: number;
  private readonly validTokens: (ids: readonly number[]) => Promise<readonly number[]>;
  /** Number of streams that were refused because one person had too many. */
  refused = 0;

  /**
   * @param listen opens the connection that reports to these streams
   * @param heartbeat interval of heartbeats, in milliseconds
   * @param perPerson largest number of open streams of one person
   * @param validTokens returns those of some tokens that are neither revoked nor expired
   */
  constructor(
    listen: (listening: Listening) => Listener,
    { heartbeat, perPerson, validTokens }: StreamSettings,
  ) {
    this.listener = listen(this);
    this.perPerson = perPerson;
    this.validTokens = validTokens;
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
   * @throws AppError 429 if the watcher has too many streams; 503 if all have, or the server is shutting down
   */
  async stream(
    versionId: number,
    lastEventId: string | null,
    watcher: Watcher,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    await this.listener.start();
    if (this.ended) throw new AppError(503, 'The server is shutting down', { retryAfter: 1 });
    if (!this.listener.listens) {
      throw new AppError(503, 'The database cannot be reached, so changes cannot be reported', {
        retryAfter: 5,
      });
    }
    this.requireOwnRoom(watcher.sender);
    if (this.streams.size >= MOST_STREAMS) {
      throw new AppError(503, `This server has ${MOST_STREAMS} open event streams already`, {
        retryAfter: RETRY_AFTER,
      });
    }
    let stream: Stream | undefined;
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          stream = { versionId, watcher, controller };
          this.streams.add(stream);
          this.heartbeat ??= setInterval(() => this.beat(), this.interval).unref();
          // With an id from the start, a browser that reconnects always sends a Last-Event-ID.
          // The number of events would tell of changes that a watcher of a part does not see.
          const isPart = watcher.hasNews !== undefined;
          this.send(stream, `id: ${isPart ? 0 : this.lastId}\nretry: ${RETRY_MILLISECONDS}\n\n`);
          this.send(stream, this.heartbeatText);
          if (lastEventId !== null) {
            this.send(stream, isPart ? textFor('resync') : this.text({ kind: 'resync' }));
          }
        },
        cancel: () => {
          if (stream) this.forget(stream);
        },
      },
      { highWaterMark: MOST_WAITING, size: ({ byteLength }) => byteLength },
    );
  }

  /** @throws AppError 429 if a sender has as many streams as one person may have */
  private requireOwnRoom({ holder }: Sender): void {
    if (holder === null) return;
    const own = [...this.streams].filter(({ watcher }) => watcher.sender.holder === holder);
    if (own.length < this.perPerson) return;
    this.refused += 1;
    throw new AppError(
      429,
      `You have ${this.perPerson} open event streams already, as many as one person may have (PF_STREAMS_PER_PERSON)`,
      { retryAfter: RETRY_AFTER },
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
    const { sender, hasNews } = stream.watcher;
    // The sender's territories may have changed; they are checked when the stream reopens.
    if (kind === 'resync' && membersOf(sender)) this.close(stream);
    else if (!hasNews) this.send(stream, text);
    else if (kind === 'deleted') this.send(stream, textFor('deleted'));
    else void this.passNews(stream, hasNews);
  }

  /** Sends `resync` if something that the watcher may see has changed. */
  private async passNews(stream: Stream, hasNews: () => Promise<boolean>): Promise<void> {
    try {
      if ((await hasNews()) && this.streams.has(stream)) this.send(stream, textFor('resync'));
    } catch (error) {
      // The notification of a deletion, or of other territories, follows.
      if (error instanceof AppError && error.status === 404) return;
      // The client reconnects and compares.
      if (this.streams.has(stream)) this.close(stream);
    }
  }

  /**
   * Closes all streams, so that clients notice that they are behind. Each client that reconnects compares.
   */
  silent(): void {
    for (const stream of this.streams) this.close(stream);
  }

  private beat(): void {
    for (const stream of this.streams) this.send(stream, `:\n\n${this.heartbeatText}`);
    void this.closeInvalid().catch(() => {});
  }

  /** Closes the streams of tokens that were revoked or have expired. */
  private async closeInvalid(): Promise<void> {
    const streams = [...this.streams].flatMap((stream) => {
      const { token } = stream.watcher.sender;
      return token === null ? [] : [{ stream, token }];
    });
    if (streams.length === 0) return;
    const valid = await this.validTokens(streams.map(({ token }) => token));
    for (const { stream, token } of streams) {
      if (this.streams.has(stream) && !valid.includes(token)) this.close(stream);
    }
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
