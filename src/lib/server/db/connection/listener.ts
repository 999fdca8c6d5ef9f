/** The connection that listens for notifications. */
import pg from 'pg';
import { cutOff } from './cancel';
import type { Told } from './notify';
import { CHANNEL, toldIn } from './notify';

/** The callbacks of a {@link Listener}. */
export interface Listening {
  /** A process committed an event. */
  told(told: Told): void;
  /** The listener gets events, for the first time or again. It has missed those that were committed before. */
  missed(): void;
  /** The connection is lost and could not be opened again at once. No events arrive for a while. */
  silent(): void;
}

/** Delays before attempts to open a lost connection again, in milliseconds. */
const PAUSES = [250, 1000, 2000];

/** Interval of the connection check. A network may drop a connection silently. */
const CHECK_MILLISECONDS = 20_000;

/** The same for a listener with a lock, which may become free. */
const LOCK_MILLISECONDS = 5_000;

/**
 * The one connection of this process that listens for commits. It opens with the first call of `start`, and
 * opens again by itself when it is lost.
 */
export class Listener {
  private state: 'new' | 'opening' | 'open' | 'ended' = 'new';
  private client: pg.Client | undefined;
  private opened: Promise<void> | undefined;
  private again: NodeJS.Timeout | undefined;
  private check: NodeJS.Timeout | undefined;
  private failures = 0;
  /** Whether this listener holds its lock, or needs none. */
  private isChosen = false;

  /**
   * @param lock the number of an advisory lock; of all listeners that name it, in all processes, only the one
   * that holds it gets events. Null for a listener that gets events in any case.
   */
  constructor(
    private readonly config: pg.ClientConfig,
    private readonly listening: Listening,
    private readonly meet: (client: pg.Client) => Promise<unknown>,
    private readonly onLost: (error: Error) => void,
    private readonly lock: number | null = null,
  ) {}

  /** Starts listening. Resolves when the first attempt has succeeded or failed; further attempts follow. */
  async start(): Promise<void> {
    if (this.state === 'new') this.opened = this.open();
    await this.opened;
  }

  /** Whether every event that is committed from now on will arrive. */
  get listens(): boolean {
    return this.state === 'open' && this.isChosen;
  }

  private async open(): Promise<void> {
    this.state = 'opening';
    const client = new pg.Client(this.config);
    this.client = client;
    // Both an error and an end may be reported. Only the first one counts.
    client.on('error', (error) => this.lost(client, error));
    client.on('end', () => this.lost(client, new Error('The connection ended')));
    client.on('notification', ({ payload = '' }) => {
      const told = toldIn(payload);
      if (told && client === this.client && this.isChosen) this.listening.told(told);
    });
    try {
      await client.connect();
      await this.meet(client);
      await client.query(`LISTEN ${CHANNEL}`);
      this.isChosen = await this.takeLock(client);
    } catch (error) {
      return this.lost(client, error instanceof Error ? error : new Error(String(error)));
    }
    if (client !== this.client) return;
    this.state = 'open';
    this.failures = 0;
    const interval = this.lock === null ? CHECK_MILLISECONDS : LOCK_MILLISECONDS;
    this.check = setInterval(() => {
      this.isAlive(client).catch((error: Error) => this.lost(client, error));
    }, interval).unref();
    if (this.isChosen) this.listening.missed();
  }

  /** Checks the connection, and whether the lock of a listener in another process is free now. */
  private async isAlive(client: pg.Client): Promise<void> {
    if (this.isChosen) {
      await client.query('SELECT');
      return;
    }
    const isChosen = await this.takeLock(client);
    if (!isChosen || client !== this.client) return;
    this.isChosen = true;
    this.listening.missed();
  }

  /** Takes the lock if it is free. PostgreSQL releases it when the connection ends. */
  private async takeLock(client: pg.Client): Promise<boolean> {
    if (this.lock === null) return true;
    const { rows } = await client.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS taken',
      [this.lock],
    );
    return rows[0]?.taken ?? false;
  }

  private lost(client: pg.Client, error: Error): void {
    if (client !== this.client) return;
    this.close();
    this.state = 'opening';
    this.onLost(error);
    if (this.failures === 1) this.listening.silent();
    const pause = PAUSES[Math.min(this.failures, PAUSES.length - 1)];
    this.failures += 1;
    this.again = setTimeout(() => void this.open(), pause).unref();
  }

  private close(): void {
    clearInterval(this.check);
    clearTimeout(this.again);
    this.isChosen = false;
    if (this.client) cutOff(this.client);
    this.client = undefined;
  }

  /** Closes the connection for good. */
  end(): void {
    this.close();
    this.state = 'ended';
  }
}
