import { ARROW } from '../../../src/lib/contract/primitives';
import type { SqlText } from '../../../src/lib/server/sql/quote';
import { sql } from '../../../src/lib/server/sql/quote';
import { takeTurns } from '../measure';
import { within, type Bench } from '../part';
import { makeVersion } from '../place';
import { Planned } from '../planned';
import { decimalOrders, manyColumns, type Shape } from '../shapes';
import { bareInsert, insertInOrder } from '../statements';
import { withDatabase } from '../tools';

/** The tables, by the names of their measurements. */
const TABLES: Record<string, (bench: Bench) => Shape> = {
  '14 columns': (bench) => decimalOrders(within(bench, 500_000)),
  '49 columns': (bench) => manyColumns(within(bench, 120_000)),
};

/**
 * Measures a scale of all leaves of a version, to the last byte of the answer. Beside it, it measures an insert that
 * answers as many rows, and an insert that first nets and sorts the leaves.
 */
export const measureWholePlans = (bench: Bench): Promise<void> =>
  withDatabase(bench, async ({ place, keeper, server, psql }) => {
    for (const [name, shapeOf] of Object.entries(TABLES)) {
      const shape = shapeOf(bench);
      bench.say(`${shape.rows} rows of ${name}`);
      const { id, table } = await makeVersion(place.client, server.url, shape);
      const version = new Planned(keeper, server.url, id, table);
      const undone = (work: (logid: number) => Promise<unknown>) => {
        const way = version.undone(work);
        return async () => {
          await version.reuseWal();
          return way();
        };
      };
      const copied = (statementOf: (shape: Shape, table: string, logid: number) => SqlText) =>
        undone((logid) => {
          const copy = sql`COPY (${statementOf(shape, table, logid)}) TO STDOUT (FORMAT binary)`;
          return psql.run(version.logged('scale', logid, copy));
        });
      const ways = {
        'a bare insert': copied(bareInsert),
        'netted, in order': copied(insertInOrder),
        'the service': undone(() =>
          version.operate('scale', { slice: {}, pct: 7 }, { accept: ARROW }),
        ),
      };
      const turns = { rows: shape.rows, ways: await takeTurns(ways, bench.extent.rounds) };
      bench.tell({ kind: 'turns', name, turns });
    }
  });
