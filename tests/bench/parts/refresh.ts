import { tableFromIPC } from 'apache-arrow';
import { startServer } from '../../../src/demo/server';
import { machineOf } from '../machine';
import { takeTurns, timed } from '../measure';
import { within, type Bench } from '../part';
import { call, drain, makeVersion, send, startPlace } from '../place';
import { LEAVES, plannedOrders } from '../shapes';

/** Rows of the source that change before each refresh. */
const CHANGED = LEAVES / 20;

/**
 * Measures a refresh of a load of which a few rows have changed, and one without changes. Beside them are two references
 * in bare SQL: the rows of the source as the load writes them and those that it holds, each added up by leaf in a
 * statement of its own, and one statement that compares both. Last, a page reads the rows of the refresh.
 */
export async function measureRefresh(bench: Bench): Promise<void> {
  const rows = within(bench, 1_000_000);
  const place = await startPlace();
  const { database, client } = place;
  const env = { PF_MEMORY_MB: '8192', PF_LOG_LEVEL: 'silent', PF_STATEMENT_TIMEOUT: '0' };
  const server = await startServer({ database, env });
  try {
    bench.tell({ kind: 'machine', machine: await machineOf(client, null) });
    const shape = plannedOrders(rows, { grain: false });
    const { id, table } = await makeVersion(client, server.url, shape);
    const source = `public.${shape.tname}`;
    const keys = shape.columns
      .filter(({ role }) => role === 'dimension' || role === 'date')
      .map(({ cname }) => (cname === 'Month' ? `("Month" + interval '0')::date` : `"${cname}"`));
    // Both sums are counted: PostgreSQL does not compute columns of a subquery that nobody reads.
    const byLeaf = (from: string) =>
      client.query(`SELECT count(sales), count(quantity) FROM (
        SELECT ${keys.join(', ')}, sum("Sales") AS sales, sum("Quantity") AS quantity FROM ${from}
        GROUP BY ${keys.map((_, i) => i + 1).join(', ')}) AS leaves`);
    const names = keys.map((_, i) => `k${i}`).join(', ');
    const side = (from: string, sign: string) =>
      `SELECT ${keys.map((key, i) => `${key} AS k${i}`).join(', ')},
         ${sign}"Sales" AS sales, ${sign}"Quantity" AS quantity FROM ${from}`;
    const compare = () =>
      client.query(`SELECT ${names}, sum(sales), sum(quantity)
        FROM (${side(source, '')} UNION ALL ${side(table, '-')}) AS sides
        GROUP BY ${names} HAVING sum(sales) <> 0 OR sum(quantity) <> 0`);
    let turn = 0;
    const refresh = (row_count: number) =>
      timed(async () => {
        const answer = await call(server.url, 'POST', `/versions/${id}/refresh`, {
          pf_user: 'bench',
        });
        if (answer.row_count !== row_count) throw new Error(`Refreshed ${answer.row_count} leaves`);
        newest = answer.logid ?? newest;
      });
    let newest = 0;
    const ways = await takeTurns(
      {
        'the source, by leaf': () => timed(() => byLeaf(source)),
        'the rows of the load, by leaf': () => timed(() => byLeaf(table)),
        'both, compared by leaf': () => timed(compare),
        refresh: async () => {
          turn += 1;
          // A batch has as many leaves of each of 20 regions.
          await client.query(`UPDATE ${source} SET "Sales" = "Sales" + 1
            WHERE "Batch" = 'Batch ${turn % (rows / LEAVES)}' AND "Region" = 'Region ${turn % 20}'`);
          return refresh(CHANGED);
        },
        'refresh without changes': () => refresh(0),
        'the rows of a refresh, as a page reads them': () =>
          timed(() => drain(server.url, `/versions/${id}/data?logid=${newest}`)),
      },
      bench.extent.rounds,
    );
    bench.tell({ kind: 'turns', name: 'refresh', turns: { rows, ways } });
    const read = tableFromIPC(
      await send(server.url, 'GET', `/versions/${id}/data?logid=${newest}`),
    );
    bench.tell({ kind: 'value', name: 'rows', rows, value: read.numRows / CHANGED });
  } finally {
    await server.stop();
    await place.close();
  }
}
