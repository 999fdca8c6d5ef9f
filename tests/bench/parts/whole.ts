import pg from 'pg';
import { startServer } from '../../../src/demo/server';
import { ARROW } from '../../../src/lib/contract/primitives';
import type { SqlText } from '../../../src/lib/server/sql/quote';
import { machineOf } from '../machine';
import { takeTurns, timed } from '../measure';
import { within, type Bench } from '../part';
import { makeVersion, send, startPlace } from '../place';
import { startPsql } from '../psql';
import { decimalOrders, manyColumns, type Shape } from '../shapes';
import { bareInsert, insertInOrder } from '../statements';

/** The tables, by the names of their measurements. */
const TABLES: Record<string, (bench: Bench) => Shape> = {
  '14 columns': (bench) => decimalOrders(within(bench, 500_000)),
  '49 columns': (bench) => manyColumns(within(bench, 120_000)),
};

/**
 * Measures a scale of all leaves of a version, to the last byte of the answer, beside its lower bounds: an insert that
 * answers as many rows, and the same insert of leaves in their order.
 */
export async function measureWholePlans(bench: Bench): Promise<void> {
  // Only the statements themselves may work on the tables.
  const place = await startPlace({ autovacuum: 'off' });
  const { database, client } = place;
  // Deletions here must not outdate the service's cache.
  const keeper = new pg.Client({ ...database, options: '-c pf.writer=service' });
  await keeper.connect();
  const server = await startServer({ database, env: { PF_LOG_LEVEL: 'silent' } });
  const psql = await startPsql(database);
  try {
    bench.tell({ kind: 'machine', machine: await machineOf(client, null) });
    for (const [name, shapeOf] of Object.entries(TABLES)) {
      const shape = shapeOf(bench);
      bench.say(`${shape.rows} rows of ${name}`);
      const { id, table } = await makeVersion(client, server.url, shape);
      const newest = async () =>
        Number((await keeper.query('SELECT max(id) AS id FROM pf.log')).rows[0].id);
      const undone = (work: (logid: number) => Promise<unknown>) => async () => {
        const before = await newest();
        await keeper.query('CHECKPOINT');
        // The service takes its ids from the sequence; the others use an id that it will not reach.
        const took = await timed(() => work(before + 1_000_000));
        await keeper.query(`DELETE FROM ${table} WHERE pf_logid > ${before}`);
        await keeper.query(`DELETE FROM pf.log WHERE id > ${before}`);
        await keeper.query(`VACUUM ${table}`);
        return took;
      };
      const copied = (statementOf: (shape: Shape, table: string, logid: number) => SqlText) =>
        undone((logid) =>
          psql.run(`BEGIN;
            INSERT INTO pf.log (id, version_id, pf_user, operation)
              VALUES (${logid}, ${id}, 'bench', 'scale');
            COPY (${statementOf(shape, table, logid)}) TO STDOUT (FORMAT binary);
            COMMIT;`),
        );
      const body = { slice: {}, pct: 7, pf_user: 'bench' };
      const ways = {
        'a bare insert': copied(bareInsert),
        'netted, in order': copied(insertInOrder),
        'the service': undone(() =>
          send(server.url, 'POST', `/versions/${id}/scale`, body, { accept: ARROW }),
        ),
      };
      const turns = { rows: shape.rows, ways: await takeTurns(ways, bench.extent.rounds) };
      bench.tell({ kind: 'turns', name, turns });
    }
  } finally {
    await psql.end();
    await server.stop();
    await keeper.end();
    await place.close();
  }
}
