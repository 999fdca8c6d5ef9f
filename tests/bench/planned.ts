import type pg from 'pg';
import type { SqlText } from '../../src/lib/server/sql/quote';
import { timed, type Way } from './measure';
import { send, vacuum } from './place';

/** The user of all measured changes. */
const PF_USER = 'bench';

/** A version on which operations are measured. Its state is restored after each. */
export class Planned {
  /** @param keeper a connection without measurements: a VACUUM fills the caches of its connection */
  constructor(
    private readonly keeper: pg.Client,
    private readonly url: string,
    readonly id: number,
    readonly table: string,
  ) {}

  operate(operation: string, body: object, headers: Record<string, string> = {}): Promise<unknown> {
    const sent = { pf_user: PF_USER, ...body };
    return send(this.url, 'POST', `/versions/${this.id}/${operation}`, sent, headers);
  }

  async newest(): Promise<number> {
    return Number((await this.keeper.query('SELECT max(id) AS id FROM pf.log')).rows[0].id);
  }

  settle(): Promise<void> {
    return vacuum(this.keeper, this.table);
  }

  /**
   * Makes PostgreSQL reuse its WAL files. Creating a new one takes 40 ms, more than an undo, and would slow
   * down whichever side commits next.
   */
  reuseWal(): Promise<unknown> {
    return this.keeper.query('CHECKPOINT');
  }

  /** Deletes the entries after an entry. */
  async backTo(logid: number): Promise<void> {
    await this.keeper.query(`DELETE FROM ${this.table} WHERE pf_logid > ${logid}`);
    await this.keeper.query(`DELETE FROM pf.log WHERE id > ${logid}`);
    await this.settle();
  }

  /**
   * Returns a function that measures some work, and then deletes the log entry that the work has written.
   *
   * @param work gets an id for the entry; the service takes one of its own
   */
  undone(work: (logid: number) => Promise<unknown>): Way {
    return async () => {
      const before = await this.newest();
      // The service takes its ids from the sequence; the others use an id that it will not reach.
      const took = await timed(() => work(before + 1_000_000));
      await this.backTo(before);
      return took;
    };
  }

  /** Returns a statement together with its log entry, as one transaction. */
  logged(operation: string, logid: number, statement: SqlText): string {
    return `BEGIN;
    INSERT INTO pf.log (id, version_id, pf_user, operation)
      VALUES (${logid}, ${this.id}, '${PF_USER}', '${operation}');
    ${statement};
    COMMIT;`;
  }
}
