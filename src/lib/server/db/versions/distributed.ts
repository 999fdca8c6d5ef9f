/**
 * Forecast tables that Citus distributes over the workers of a cluster
 * (docs/contract/21-past-one-machine.md, docs/decisions/0025-distributed-by-pf-id.md).
 */
import * as v from 'valibot';
import type { Identifier } from '../../sql/quote';
import { commas, literal, qualified, sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';
import type { Transaction } from '../connection/transaction';

/**
 * Distributes the empty forecast table of a version by `pf_id`.
 *
 * @throws DatabaseError if a worker does not answer
 */
export async function distribute(
  tx: Transaction,
  versionId: number,
  shards: number,
): Promise<void> {
  // Shards that are created in parallel can deadlock if the name of their table is so long that their type
  // names are truncated to the same text.
  await runSequentially(tx);
  // The table is given by its oid, because a quoted name is parsed differently inside a string.
  await tx.one(
    v.object({}),
    sql`SELECT create_distributed_table(c.oid, 'pf_id', shard_count => ${shards})
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'pf'
     WHERE c.relkind = 'r' AND c.relname LIKE 'fc\\_%\\_' || $1::integer`,
    [versionId],
  );
}

/** Lets the rest of a transaction run the statements on shards one after the other. Does nothing without Citus. */
export async function runSequentially(tx: Transaction): Promise<void> {
  if (tx.mayBeDistributed) {
    await tx.run(sql`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`);
  }
}

/** Whether the database belongs to a Citus cluster. */
const hasCitus = (db: Queryable): Promise<boolean> =>
  db.any(sql`SELECT 1 FROM pg_extension WHERE extname = 'citus'`);

/** The distributed forecast tables, as a FROM clause with their `pg_class` as `c`. */
const DISTRIBUTED = sql`pg_dist_partition p
  JOIN pg_class c ON c.oid = p.logicalrelid AND c.relname LIKE 'fc\\_%'
  JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'pf'
  WHERE p.partmethod = 'h'`;

/** The forecast table of a version, if it is distributed. Its name ends with the version's id. */
async function distributedTable(db: Queryable, versionId: number): Promise<Identifier | undefined> {
  if (!(await hasCitus(db))) return undefined;
  const table = await db.maybeOne(
    v.object({ name: v.string() }),
    sql`SELECT c.relname AS name FROM ${DISTRIBUTED} AND c.relname LIKE '%\\_' || $1::integer`,
    [versionId],
  );
  return table && qualified('pf', table.name);
}

/** Whether the forecast table of a version is distributed. */
export const isDistributed = async (db: Queryable, versionId: number): Promise<boolean> =>
  (await distributedTable(db, versionId)) !== undefined;

/** The key space of advisory locks for commits. Any constant will do that nothing else uses. */
const COMMITS = 731_001_302;

/**
 * Makes readers and writers of a distributed version wait until this transaction is over on all workers. The
 * lock on its row in `pf.version` ends as soon as the coordinator has committed; this advisory lock ends when
 * all workers have committed too (docs/contract/21-past-one-machine.md#writing).
 *
 * A write takes this lock just before it commits, so that reads do not wait for its work. A transaction that
 * changes or drops the table takes it at its start: a read holds the lock while it looks at the table, and
 * the two would deadlock.
 */
export async function lockUntilCommitted(tx: Transaction, versionId: number): Promise<void> {
  if (!tx.mayBeDistributed || !(await distributedTable(tx, versionId))) return;
  await tx.run(sql`SELECT pg_advisory_xact_lock(${COMMITS}, $1)`, [versionId]);
}

/**
 * Waits until all workers have repeated the coordinator's commits to a distributed version. While
 * the version's row is locked, no further commit follows.
 */
export async function waitForCommits(tx: Transaction, versionId: number): Promise<void> {
  if (!tx.mayBeDistributed || !(await distributedTable(tx, versionId))) return;
  await tx.run(
    sql`SELECT pg_advisory_lock_shared(${COMMITS}, $1), pg_advisory_unlock_shared(${COMMITS}, $1)`,
    [versionId],
  );
}

/**
 * Begins a transaction with one snapshot. For a distributed version, each worker takes a snapshot of its own,
 * so all of them are taken while no transaction is about to commit
 * (docs/contract/21-past-one-machine.md#reading).
 *
 * @param begin begins the transaction
 * @throws DatabaseError; the session may then still hold a lock and must be closed
 */
export async function beginInOneSnapshot(
  session: Queryable,
  versionId: number,
  begin: () => Promise<unknown>,
): Promise<void> {
  await session.run(sql`SELECT pg_advisory_lock_shared(${COMMITS}, $1)`, [versionId]);
  await begin();
  const table = await distributedTable(session, versionId);
  if (table) {
    // A second connection to a worker would take a second snapshot.
    await session.run(sql`SET LOCAL citus.max_adaptive_executor_pool_size = 1`);
    await session.run(sql`SELECT count(*) FROM ${table} WHERE pf_logid IS NULL`);
  }
  await session.run(sql`SELECT pg_advisory_unlock_shared(${COMMITS}, $1)`, [versionId]);
}

/**
 * Settings of the sessions that Citus opens on workers. Texts, keys and conditions depend on them: the value
 * to set, and which values have the same effect.
 */
const WORKER_SETTINGS: Readonly<Record<string, { value: string; same: RegExp }>> = {
  TimeZone: { value: 'UTC', same: /^(Etc\/)?UTC$/ },
  DateStyle: { value: 'ISO', same: /^ISO\b/ },
  IntervalStyle: { value: 'postgres', same: /^postgres$/ },
  extra_float_digits: { value: '1', same: /^[123]$/ },
  standard_conforming_strings: { value: 'on', same: /^on$/ },
};

const Worker = v.object({
  /** Host and port. */
  name: v.string(),
  answers: v.boolean(),
  result: v.nullable(v.string()),
  /** The service's role, quoted. */
  role: v.string(),
});

/** What a cluster lacks for distributed versions. */
interface ClusterProblems {
  /** Sentences that say what to change. */
  setup: string[];
  /** Workers that do not answer, as host and port. */
  away: string[];
}

/**
 * Finds what prevents distributed versions from working. The result is empty if there are none and none will
 * be made.
 *
 * @param isAskedFor whether new versions are to be distributed
 * @throws DatabaseError
 */
export async function clusterProblems(
  db: Queryable,
  isAskedFor: boolean,
): Promise<ClusterProblems> {
  if (!(await hasCitus(db))) {
    return { setup: isAskedFor ? [WITHOUT_CITUS] : [], away: [] };
  }
  if (!isAskedFor && !(await db.any(sql`SELECT 1 FROM ${DISTRIBUTED} LIMIT 1`))) {
    return { setup: [], away: [] };
  }
  if (await db.any(sql`SELECT 1 FROM pg_dist_local_group WHERE groupid <> 0`)) {
    return { setup: [NOT_COORDINATOR], away: [] };
  }
  const names = commas(Object.keys(WORKER_SETTINGS).map(literal));
  const ask = sql`SELECT json_object_agg(name, setting) FROM pg_settings WHERE name IN (${names})`;
  const workers = await db.many(
    Worker,
    sql`SELECT nodename || ':' || nodeport AS name, success AS answers, result,
       quote_ident(current_user) AS role
     FROM run_command_on_workers(${literal(ask)}) ORDER BY 1`,
  );
  return {
    setup: workers.flatMap(wrongSettings),
    away: workers.filter((worker) => !worker.answers).map(({ name }) => name),
  };
}

const WITHOUT_CITUS =
  'PF_DISTRIBUTE is set, and the database has no Citus. Run CREATE EXTENSION citus there and add the workers, or leave PF_DISTRIBUTE out';
const NOT_COORDINATOR =
  'DB_HOST is a worker of a Citus cluster. Set it to the coordinator, through which all servers have to work';

const Settings = v.record(v.string(), v.string());

function wrongSettings({ name, answers, result, role }: v.InferOutput<typeof Worker>): string[] {
  if (!answers || result === null) return [];
  const settings = v.parse(Settings, JSON.parse(result));
  return Object.entries(WORKER_SETTINGS).flatMap(([setting, { value, same }]) => {
    const present = settings[setting] ?? '';
    if (same.test(present)) return [];
    return `On the worker ${name}, ${setting} is "${present}". Run ALTER ROLE ${role} SET ${setting} = '${value}' on the coordinator, and start the service again`;
  });
}
