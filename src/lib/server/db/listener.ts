/** The connection that listens for notifications. */
import pg from 'pg';
import { cutOff } from './cancel';
import type { Told } from './notify';
import { CHANNEL, toldIn } from './notify';

/** The callbacks of a {@link Listener}. */
export interface Listening {
  /** A process committed an event. */
  told(told: Told): void;
  /** The listener is connected again. It has missed the events that were committed in between. */
  missed(): void;
  /** The connection is lost and could not be opened again at once. No events arrive for a while. */
  silent(): void;
}

/** Delays before attempts to open a lost connection again, in milliseconds. */
const PAUSES = [250, 1000, 2000];

/** Interval of the connection check. A network may drop a connection silently. */
const CHECK_MILLISECONDS = 20_000;

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

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly listening: Listening,
    private readonly meet: (client: pg.Client) => Promise<unknown>,
    private readonly onLost: (error: Error) => void,
  ) {}

  /** Starts listening. Resolves when the first attempt has succeeded or failed; further attempts follow. */
  async start(): Promise<void> {
    if (this.state === 'new') this.opened = this.open();
    await this.opened;
  }

  /** Whether every event that is committed from now on will arrive. */
  get listens(): boolean {
    return this.state === 'open';
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
      if (told && client === this.client) this.listening.told(told);
    });
    try {
      await client.connect();
      await this.meet(client);
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      return this.lost(client, error instanceof Error ? error : new Error(String(error)));
    }
    if (client !== this.client) return;
    this.state = 'open';
    this.failures = 0;
    this.check = setInterval(() => {
      client.query('SELECT').catch((error: Error) => this.lost(client, error));
    }, CHECK_MILLISECONDS).unref();
    this.listening.missed();
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
    if (this.client) cutOff(this.client);
    this.client = undefined;
  }

  /** Closes the connection for good. */
  end(): void {
    this.close();
    this.state = 'ended';
  }
}
