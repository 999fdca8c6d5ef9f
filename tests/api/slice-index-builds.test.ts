import { describe, expect } from 'vitest';
import { startServer, type Server } from '../../src/demo/server';
import { it as base } from '../support/api';
import { plan, type Planned } from '../support/planned';
import { hold, until, untilBuilding } from '../support/race';
import { apiAt } from '../support/http';
import type { Service } from '../support/service';

const SMALL = { PF_INDEX_ROWS: '1', PF_INDEX_DELAY: '0' };
const it = base.extend('env', { scope: 'file' }, SMALL);

const COLUMNS = [
  { name: 'Region', type: 'text', role: 'dimension' as const },
  { name: 'Product', type: 'text', role: 'dimension' as const },
  { name: 'Day', type: 'date', role: 'date' as const },
  { name: 'Sales', type: 'numeric(12,2)', role: 'value' as const },
];
const ROWS = Array.from({ length: 40 }, (_, i) => ({
  Region: `Region ${i % 4}`,
  Product: `Product ${i}`,
  Day: `2027-01-${10 + (i % 20)}`,
  Sales: 10 + i,
}));

/** Creates a version with rows, whose indexes are then built. */
async function loaded(service: Service): Promise<Planned> {
  const made = await plan(service, COLUMNS, ROWS);
  expect((await service.api.post(`${made.path}/baseline`, { pf_user: 'ann' })).status).toBe(200);
  return made;
}

/** The columns of the indexes for slices of a version, with `(invalid)` behind those that cannot be used. */
const indexed = async ({ query }: Service, { table }: Planned): Promise<string[]> =>
  (
    await query(`SELECT a.attname || CASE WHEN i.indisvalid THEN '' ELSE ' (invalid)' END AS name
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
      WHERE i.indrelid = '${table}'::regclass AND c.relname LIKE 'slice%' ORDER BY 1`)
  ).map(({ name }) => name);

const ALL = ['Day', 'Product', 'Region'];
const SOON = { timeout: 300_000, interval: 100 };

/** What a server has logged with the level of a warning or above. */
const warnings = ({ output }: Server): string[] =>
  output()
    .split('\n')
    .filter((line) => /"level":[456]0/.test(line));

/** A transaction with a snapshot that is older than each build from now on, which therefore waits for it. */
const oldReader = (service: Service) =>
  hold(service, 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM pg_class');

const building = ({ query }: Service) =>
  query(`SELECT 1 FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%'
    AND state = 'active' AND datname = current_database()`);

describe('the build of indexes for slices', () => {
  it('gives way to ANALYZE and VACUUM of an administrator, and is tried again', async ({
    service,
  }) => {
    const reader = await oldReader(service);
    const version = await loaded(service);
    await untilBuilding(service);
    // Each of them waits for the lock of the build with a snapshot that the build would wait for.
    await service.query(`ANALYZE ${version.table}`);
    await until(async () => (await building(service)).length > 0);
    await service.query(`VACUUM (ANALYZE) ${version.table}`);
    await reader.release();
    await expect.poll(() => indexed(service, version), SOON).toEqual(ALL);
    expect(warnings(service.server)).toEqual([]);
    expect(service.server.output()).toContain('gave way');
  });

  it('drops an index that cannot be used and builds what is missing, after the next write', async ({
    service,
  }) => {
    const version = await loaded(service);
    await expect.poll(() => indexed(service, version), SOON).toEqual(ALL);
    const [first, second] = await service.query(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
       WHERE i.indrelid = '${version.table}'::regclass AND c.relname LIKE 'slice%' ORDER BY 1`,
    );
    await service.query(`DROP INDEX pf.${first.name}`);
    await service.query(
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'pf.${second.name}'::regclass`,
    );
    expect(await indexed(service, version)).toHaveLength(2);
    const answer = await service.api.post(`${version.path}/scale`, {
      pf_user: 'ann',
      slice: { Product: 'Product 1' },
      pct: 5,
    });
    expect(answer.status).toBe(200);
    await expect.poll(() => indexed(service, version), SOON).toEqual(ALL);
    expect(warnings(service.server)).toEqual([]);
  });

  it('is no error when the server stops in the middle, and continues at the next start', async ({
    service,
  }) => {
    const reader = await oldReader(service);
    const options = { database: service.database, env: SMALL };
    const server = await startServer(options);
    const version = await loaded({ ...service, api: apiAt(server.url) });
    await untilBuilding(service);
    await server.stop();
    expect(warnings(server)).toEqual([]);
    expect(await building(service)).toEqual([]);
    expect(await indexed(service, version)).toEqual([expect.stringContaining('(invalid)')]);
    await reader.release();
    const next = await startServer(options);
    try {
      await expect.poll(() => indexed(service, version), SOON).toEqual(ALL);
      expect(warnings(next)).toEqual([]);
    } finally {
      await next.stop();
    }
  });

  it('is tried again after an error, whose sentence is in the log', async ({ service }) => {
    const server = await startServer({ database: service.database, env: SMALL });
    try {
      await service.query(`CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS
        $$BEGIN IF current_query() LIKE '%CONCURRENTLY%' THEN RAISE 'no index today'; END IF; END$$;
        CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('CREATE INDEX')
          EXECUTE FUNCTION public.refuse()`);
      const version = await loaded({ ...service, api: apiAt(server.url) });
      await until(async () => /no index today/.test(server.output()));
      const [line] = warnings(server);
      expect(line).toContain('it is tried again');
      expect(line).not.toContain('nothing was changed');
      await service.query('DROP EVENT TRIGGER refuse');
      await expect.poll(() => indexed(service, version), SOON).toEqual(ALL);
    } finally {
      await server.stop();
    }
  });
});
