import type { Connection } from '../../src/lib/server/migrate/connect';

/**
 * Databases for tests on a Citus cluster, reached through its coordinator. Such a database exists under the
 * same name on each worker. The coordinator creates all of them.
 */

/** Runs a statement about databases on the coordinator and on each worker. */
export async function onEveryNode(coordinator: Connection, statement: string): Promise<void> {
  // Citus would also run some of these statements on the workers if it had created the databases itself.
  await coordinator.query(statement);
  await onWorkers(coordinator, statement);
}

/**
 * Runs a statement on one worker after the other. Two concurrent drops of a database would deadlock: a
 * backend that Citus starts in it on one worker connects to the other, where it is locked.
 * @throws Error if a worker refuses it
 */
export async function onWorkers(coordinator: Connection, statement: string): Promise<void> {
  const { rows } = await coordinator.query<{ where: string; success: boolean; result: string }>(
    `SELECT nodename || ':' || nodeport AS where, success, result FROM run_command_on_workers($1, parallel => false)`,
    [statement],
  );
  const failed = rows.find(({ success }) => !success);
  if (failed) throw new Error(`${failed.where}: ${statement}: ${failed.result}`);
}

interface Node {
  nodename: string;
  nodeport: number;
  groupid: number;
}

/** The coordinator and the workers that a cluster has. */
export const nodesOf = async (coordinator: Connection): Promise<Node[]> =>
  (
    await coordinator.query<Node>(
      `SELECT nodename, nodeport, groupid FROM pg_dist_node
       WHERE noderole = 'primary' AND isactive ORDER BY groupid`,
    )
  ).rows;

/** Makes a cluster of the nodes in an empty database that exists on each of them. */
export async function joinNodes(inDatabase: Connection, nodes: readonly Node[]): Promise<void> {
  await inDatabase.query('CREATE EXTENSION citus');
  for (const { nodename, nodeport, groupid } of nodes) {
    if (groupid === 0) {
      await inDatabase.query('SELECT citus_set_coordinator_host($1, $2)', [nodename, nodeport]);
    } else {
      await inDatabase.query(
        `SELECT * FROM master_run_on_worker(ARRAY[$1], ARRAY[$2::int], ARRAY['CREATE EXTENSION citus'], false)`,
        [nodename, nodeport],
      );
      await inDatabase.query('SELECT citus_add_node($1, $2)', [nodename, nodeport]);
    }
  }
}

/**
 * Forbids connections to a database, so that it can be copied: Citus keeps connections to its databases open.
 */
export async function close(coordinator: Connection, name: string): Promise<void> {
  await onEveryNode(coordinator, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await onEveryNode(
    coordinator,
    `SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
}

/** The settings that the service requires of Citus' sessions on workers, for one database. */
const WORKER_SETTINGS = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
};

/** Sets them for the workers' sessions in a database. */
export const setUpWorkers = (coordinator: Connection, name: string): Promise<void> =>
  onWorkers(
    coordinator,
    Object.entries(WORKER_SETTINGS)
      .map(
        ([setting, value]) =>
          `ALTER ROLE CURRENT_USER IN DATABASE ${name} SET ${setting} = '${value}'`,
      )
      .join('; '),
  );
