/** The server that the test files of a worker share: each gets the database as the first one did. */
import type { Service } from './service';
import { startService } from './service';

/** A server for one file after the other. */
export class SharedService {
  private service: Service | null = null;
  private initial: Contents = {};

  /** Starts the server if no file has used it before, or if the last one did not clean up. */
  async take(): Promise<Service> {
    if (this.service === null) {
      this.service = await startService();
      this.initial = await contentsOf(this.service);
    }
    return this.service;
  }

  /**
   * Deletes the sources, versions and objects that a file made.
   * @throws if the file left anything else behind; the next file gets another server
   */
  async release(): Promise<void> {
    const { service } = this;
    if (service === null) return;
    await cleanUp(service);
    const left = changes(this.initial, await contentsOf(service));
    if (left.length === 0) return;
    await this.stop();
    throw new Error(
      `A file must leave the database of a shared server as it was, or have a server of its own (tests/support/api.ts). Different: ${left.join(', ')}`,
    );
  }

  async stop(): Promise<void> {
    const { service } = this;
    this.service = null;
    await service?.stop();
  }
}

/** What a database contains: a hash of its rows by table, and the definitions of its objects. */
type Contents = Record<string, string>;

/**
 * Ids are not used again: the server has cached the rows of deleted versions, and would take others of the same id
 * for them.
 */
const CLEAN_UP = `
  DO $$
  DECLARE statement text;
  BEGIN
    FOR statement IN
      SELECT format('DROP SCHEMA %I CASCADE', nspname) FROM pg_namespace
      WHERE nspname NOT IN ('pf', 'public', 'information_schema', 'citus', 'citus_internal', 'columnar') AND nspname NOT LIKE 'pg\\_%'
    LOOP EXECUTE statement; END LOOP;
    LOOP
      SELECT format('DROP %s %s CASCADE',
          CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE'
            WHEN 'f' THEN 'FOREIGN TABLE' WHEN 'c' THEN 'TYPE' ELSE 'TABLE' END, oid::regclass) INTO statement
      FROM pg_class c
      WHERE relkind IN ('r', 'p', 'v', 'm', 'S', 'f', 'c')
        AND (relnamespace = 'public'::regnamespace AND relname <> 'superstore'
          OR relnamespace = 'pf'::regnamespace AND relname LIKE 'fc\\_%' AND relkind IN ('r', 'p'))
        AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = c.oid AND refobjid <> objid AND classid = 'pg_class'::regclass AND deptype IN ('i', 'e'))
      LIMIT 1;
      EXIT WHEN NOT FOUND;
      EXECUTE statement;
    END LOOP;
    FOR statement IN
      SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', oid::regprocedure) FROM pg_proc p
      WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = p.oid AND deptype = 'e')
    LOOP EXECUTE statement; END LOOP;
    FOR statement IN
      SELECT format('DROP TYPE IF EXISTS %s CASCADE', oid::regtype) FROM pg_type t
      WHERE typnamespace = 'public'::regnamespace AND typtype IN ('d', 'e', 'r')
    LOOP EXECUTE statement; END LOOP;
    FOR statement IN
      SELECT format('DROP COLLATION %I.%I', 'public', collname) FROM pg_collation
      WHERE collnamespace = 'public'::regnamespace
    LOOP EXECUTE statement; END LOOP;
  END $$;
  TRUNCATE pf.source, pf.outside_change CASCADE;
  ALTER TABLE pf.audit DISABLE TRIGGER audit_only_grows;
  TRUNCATE pf.audit;
  ALTER TABLE pf.audit ENABLE TRIGGER audit_only_grows`;

const DEADLOCK = '40P01';
const MOST_DEADLOCKS = 5;

/**
 * Runs {@link CLEAN_UP}, again after a deadlock: the server looks at written versions in the background, and its
 * statements lock the same tables in another order.
 */
async function cleanUp({ query }: Service): Promise<void> {
  for (let deadlocks = 0; ; deadlocks += 1) {
    try {
      await query(CLEAN_UP);
      return;
    } catch (error) {
      const isDeadlock = (error as { code?: string }).code === DEADLOCK;
      if (!isDeadlock || deadlocks === MOST_DEADLOCKS) throw error;
    }
  }
}

async function contentsOf({ query }: Service): Promise<Contents> {
  const tables = await query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('pf', 'public')`,
  );
  // The server records refused requests every minute, also those of a file that has ended.
  const rows = tables
    .filter(({ name }) => name !== 'pf.audit')
    .map(
      ({ name }) =>
        `SELECT '${name}', md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM ${name} t`,
    );
  const objects = `
    SELECT 'schemas', string_agg(nspname, ' ' ORDER BY nspname) FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_t%'
    UNION ALL SELECT 'tables, indexes and sequences', string_agg(c.relname, ' ' ORDER BY relname) FROM pg_class c
      WHERE relnamespace IN ('pf'::regnamespace, 'public'::regnamespace)
    UNION ALL SELECT 'columns', md5(string_agg(concat_ws(':', attrelid::regclass, attname, atttypid::regtype, attnotnull), ' ' ORDER BY attrelid, attnum)) FROM pg_attribute a
      WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace IN ('pf'::regnamespace, 'public'::regnamespace))
    UNION ALL SELECT 'constraints', string_agg(pg_get_constraintdef(oid), ' ' ORDER BY conname, conrelid::regclass::text) FROM pg_constraint
      WHERE connamespace IN ('pf'::regnamespace, 'public'::regnamespace)
    UNION ALL SELECT 'triggers', string_agg(pg_get_triggerdef(oid) || tgenabled::text, ' ' ORDER BY pg_get_triggerdef(oid)) FROM pg_trigger
    UNION ALL SELECT 'functions', md5(string_agg(proname || prosrc, ' ' ORDER BY proname, prosrc)) FROM pg_proc
      WHERE pronamespace IN ('pf'::regnamespace, 'public'::regnamespace)
    UNION ALL SELECT 'types', string_agg(typname, ' ' ORDER BY typname) FROM pg_type
      WHERE typnamespace IN ('pf'::regnamespace, 'public'::regnamespace)
    UNION ALL SELECT 'extensions', string_agg(extname, ' ' ORDER BY extname) FROM pg_extension
    UNION ALL SELECT 'settings', string_agg(s::text, ' ' ORDER BY setdatabase, setrole) FROM pg_db_role_setting s
      WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  const all = await query<{ what: string; is: string | null }>(
    `SELECT * FROM (${[objects, ...rows].join(' UNION ALL ')}) AS contents (what, "is")`,
  );
  return Object.fromEntries(all.map((row) => [row.what, row.is ?? '']));
}

const changes = (before: Contents, after: Contents): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (what) => before[what] !== after[what],
  );
