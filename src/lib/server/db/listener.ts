import pg from 'pg';
import { cutOff } from './cancel';
import type { Told } from './events';
import { CHANNEL, toldIn } from './events';

/** What a {@link Listener} reports. */
export interface Listening {
  /** An event was committed, by any process. */
  told(told: Told): void;
  /** It listens again: whatever was committed since it last did is unknown. */
  missed(): void;
  /** It was lost and could not be opened again at once: nothing is told for a while. */
  silent(): void;
}

/** How long to wait, in milliseconds, before a lost connection is opened again. */
const PAUSES = [250, 1000, 2000];

/** How often the connection is tried. A network may lose it without a word. */
const CHECK_MILLISECONDS = 20_000;

/**
 * The one connection of this process that listens to what is committed. It opens with the first call
 * of `start`, and opens again by itself whenever it is lost.
 */
export class Listener {
  #state: 'new' | 'opening' | 'open' | 'ended' = 'new';
  #client: pg.Client | undefined;
  #opened: Promise<void> | undefined;
  #again: NodeJS.Timeout | undefined;
  #check: NodeJS.Timeout | undefined;
  #failures = 0;

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly listening: Listening,
    private readonly meet: (client: pg.Client) => Promise<unknown>,
    private readonly onLost: (error: Error) => void,
  ) {}

  /** Begins to listen. Resolves when the first attempt has succeeded or failed; later ones follow. */
  async start(): Promise<void> {
    if (this.#state === 'new') this.#opened = this.#open();
    await this.#opened;
  }

  /** Whether every event that is committed from now on will be told. */
  get listens(): boolean {
    return this.#state === 'open';
  }

  async #open(): Promise<void> {
    this.#state = 'opening';
    const client = new pg.Client(this.config);
    this.#client = client;
    // An error and an end may both be reported; the first one counts.
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, new Error('The connection ended')));
    client.on('notification', ({ payload = '' }) => {
      const told = toldIn(payload);
      if (told && client === this.#client) this.listening.told(told);
    });
    try {
      await client.connect();
      await this.meet(client);
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      return this.#lost(client, error instanceof Error ? error : new Error(String(error)));
    }
    if (client !== this.#client) return;
    this.#state = 'open';
    this.#failures = 0;
    this.#check = setInterval(() => {
      client.query('SELECT').catch((error: Error) => this.#lost(client, error));
    }, CHECK_MILLISECONDS).unref();
    this.listening.missed();
  }

  #lost(client: pg.Client, error: Error): void {
    if (client !== this.#client) return;
    this.#close();
    this.#state = 'opening';
    this.onLost(error);
    if (this.#failures === 1) this.listening.silent();
    const pause = PAUSES[Math.min(this.#failures, PAUSES.length - 1)];
    this.#failures += 1;
    this.#again = setTimeout(() => void this.#open(), pause).unref();
  }

  #close(): void {
    clearInterval(this.#check);
    clearTimeout(this.#again);
    if (this.#client) cutOff(this.#client);
    this.#client = undefined;
  }

  /** Closes the connection for good. */
  end(): void {
    this.#close();
    this.#state = 'ended';
  }
}
