/** Detects a failover, and closes the connections to the previous database. */
import type pg from 'pg';
import { cutOff } from './cancel';
import type { Timeline, Turn } from './timeline';
import { Presence, readTimeline } from './timeline';

/** The histories to which the open connections of this process lead (docs/decisions/0027-a-standby-takes-over.md). */
export class Failover {
  private readonly presence: Presence;
  private readonly histories = new Map<pg.ClientBase, Timeline>();

  /** @param onTurn called when the database disappears, returns or is replaced */
  constructor(onTurn: (turn: Turn) => void) {
    this.presence = new Presence(onTurn);
  }

  /**
   * Records the history of a new connection. If the database has been replaced, all connections to the
   * previous one are closed: nothing may be read or written there, and its statements would wait until they
   * time out.
   */
  async meet(client: pg.ClientBase): Promise<void> {
    const found = await timelineOf(client);
    if (!this.histories.has(client)) client.once('end', () => this.histories.delete(client));
    this.histories.set(client, found);
    this.presence.met(found);
    const isOther = ({ name, readOnly }: Timeline) =>
      !readOnly && name !== null && found.name !== null && name !== found.name;
    for (const [other, timeline] of this.histories) if (isOther(timeline)) cutOff(other);
  }

  /**
   * Reads the history of an open connection again if its database has another table of the log: a backup was restored
   * in place.
   *
   * @param log the present table; null while there is none
   */
  async confirm(client: pg.ClientBase, log: string | null): Promise<void> {
    const known = this.histories.get(client);
    if (known && known.name !== null && log !== null && log !== known.log) await this.meet(client);
  }

  /** The history of an open connection. */
  of(client: pg.ClientBase): Timeline | undefined {
    return this.histories.get(client);
  }

  /** Reads the history of an open connection again. @throws if the connection is lost */
  async look(client: pg.ClientBase): Promise<Timeline> {
    const found = await timelineOf(client);
    this.presence.met(found);
    return found;
  }

  /** Records that no connection could be opened. */
  missed(reason: unknown): void {
    this.presence.missed(reason);
  }
}

const timelineOf = (client: pg.ClientBase): Promise<Timeline> =>
  readTimeline(async (statement) => (await client.query(statement)).rows);
