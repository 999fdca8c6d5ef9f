/** The content of a test's database, which can be restored while a server uses the database. */
import pg from 'pg';
import type { DatabaseConfig } from '../../src/lib/server/config';

/** A table of the snapshot; the number of its rows and their newest transaction show whether it was changed. */
interface Table {
  oid: number;
  name: string;
  /** The columns that can be written, as a list of SQL. */
  columns: string;
  rows: number;
  newest: number;
}

/** The schemas in which tests make tables. */
const OURS = `n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'`;

/** Every definition in these schemas, as text; not where its rows are stored, which a restore changes. */
const DEFINITIONS = `
  SELECT md5(string_agg(t, E'\\n' ORDER BY t)) AS digest FROM (
    SELECT concat_ws(' ', 'schema', n.nspname, n.nspacl) FROM pg_namespace n WHERE ${OURS}
    UNION ALL
    SELECT concat_ws(' ', 'class', c.oid, n.nspname, c.relname, c.relkind, c.relacl, c.reloptions)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${OURS}
    UNION ALL
    SELECT concat_ws(' ', 'column', a.attrelid, a.attnum, a.attname, a.atttypid, a.atttypmod, a.attnotnull,
        a.attisdropped, a.attacl)
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${OURS}
    UNION ALL
    SELECT concat_ws(' ', 'trigger', t.tgrelid, t.tgname, t.tgenabled)
      FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${OURS}
    UNION ALL
    SELECT concat_ws(' ', 'constraint', c.conrelid, c.conname, pg_get_constraintdef(c.oid))
      FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace WHERE ${OURS}
    UNION ALL
    SELECT concat_ws(' ', 'function', p.oid, p.proname, md5(p.prosrc))
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE ${OURS}
    UNION ALL
    SELECT concat_ws(' ', 'setting', s.setdatabase, s.setrole, s.setconfig) FROM pg_db_role_setting s
  ) AS definitions (t)`;

/**
 * What a database has, kept in temporary tables of one connection. The service allows for a restored database:
 * an entry is known by its id and stamp, a change from outside by its transaction, and neither returns.
 */
export class Snapshot {
  private constructor(
    private readonly client: pg.Client,
    private readonly schemas: string[],
    private readonly tables: Table[],
    private readonly sequences: string[],
    private readonly definitions: string,
  ) {}

  static async of(database: DatabaseConfig): Promise<Snapshot> {
    const client = new pg.Client({ ...database, options: '-c TimeZone=UTC -c lock_timeout=10s' });
    client.on('error', () => {});
    await client.connect();
    const { rows: schemas } = await client.query<{ nspname: string }>(
      `SELECT nspname FROM pg_namespace n WHERE ${OURS}`,
    );
    const { rows: tables } = await client.query<Table>(
      `SELECT c.oid::int, format('%I.%I', n.nspname, c.relname) AS name, 0 AS rows, 0 AS newest,
         (SELECT string_agg(format('%I', a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a
           WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind = 'r' AND ${OURS}`,
    );
    for (const { oid, name, columns } of tables) {
      await client.query(`CREATE TEMP TABLE snapshot_${oid} AS SELECT ${columns} FROM ${name}`);
    }
    const { rows: sequences } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', n.nspname, c.relname) AS name
         FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid
         JOIN pg_namespace n ON n.oid = c.relnamespace
        -- The connections of a server have taken further numbers from a sequence with a cache.
        WHERE s.seqcache = 1 AND ${OURS}`,
    );
    const restores: string[] = [];
    for (const { name } of sequences) {
      const { rows } = await client.query<{ last_value: string; is_called: boolean }>(
        `SELECT last_value, is_called FROM ${name}`,
      );
      for (const { last_value, is_called } of rows) {
        restores.push(`SELECT setval('${name}', ${last_value}, ${is_called});`);
      }
    }
    const snapshot = new Snapshot(
      client,
      schemas.map(({ nspname }) => nspname),
      tables,
      restores,
      await definitionsOf(client),
    );
    await snapshot.look();
    return snapshot;
  }

  /**
   * Returns the database to the snapshot.
   * @returns whether it could: not if something that it had was defined differently since
   */
  async restore(): Promise<boolean> {
    try {
      await this.dropOthers();
      if ((await definitionsOf(this.client)) !== this.definitions) return false;
      const before = this.tables.map((table) => ({ ...table }));
      await this.look();
      const changed = this.tables.filter(
        ({ rows, newest }, i) => rows !== before[i]?.rows || newest !== before[i]?.newest,
      );
      const statements = changed.map(
        ({ oid, name, columns }) =>
          `DELETE FROM ${name};
           INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT * FROM snapshot_${oid};`,
      );
      // As a replica: without triggers and foreign keys.
      await this.client.query(
        `BEGIN; SET LOCAL session_replication_role = replica;
         ${statements.join('\n')} ${this.sequences.join('\n')} COMMIT`,
      );
      if (changed.length > 0) {
        await this.client.query(`VACUUM ${changed.map(({ name }) => name).join(', ')}`);
        await this.look();
      }
      return true;
    } catch {
      return false;
    }
  }

  end(): Promise<void> {
    return this.client.end();
  }

  /** Reads how many rows each table has, and their newest transaction. */
  private async look(): Promise<void> {
    const { rows } = await this.client.query<{ i: number; rows: number; newest: number }>(
      this.tables
        .map(
          ({ name }, i) =>
            `SELECT ${i} AS i, count(*)::int AS rows, coalesce(max(xmin::text::int8), 0)::int AS newest FROM ${name}`,
        )
        .join(' UNION ALL '),
    );
    for (const { i, ...seen } of rows) Object.assign(this.tables[i] ?? {}, seen);
  }

  /** Drops what the snapshot does not have. */
  private async dropOthers(): Promise<void> {
    const known = this.tables.map(({ oid }) => oid).join(', ');
    const { rows: schemas } = await this.client.query<{ statement: string }>(
      `SELECT format('DROP SCHEMA %I CASCADE', n.nspname) AS statement
         FROM pg_namespace n WHERE ${OURS} AND n.nspname <> ALL ($1)`,
      [this.schemas],
    );
    const { rows: tables } = await this.client.query<{ statement: string }>(
      `SELECT format('DROP %s IF EXISTS %I.%I CASCADE', kind, n.nspname, c.relname) AS statement
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         JOIN (VALUES ('r', 'TABLE'), ('p', 'TABLE'), ('v', 'VIEW'), ('m', 'MATERIALIZED VIEW')) AS k (relkind, kind)
           ON k.relkind = c.relkind::text
        WHERE ${OURS} AND c.oid NOT IN (${known})
          AND NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid)`,
    );
    const all = [...schemas, ...tables].map(({ statement }) => statement);
    await this.client.query(all.join(';'));
  }
}

async function definitionsOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ digest: string }>(DEFINITIONS);
  return rows[0]?.digest ?? '';
}
