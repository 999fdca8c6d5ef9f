import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../../src/demo/server';
import { startPgBouncer } from '../support/pgbouncer';
import { startService, type Service } from '../support/service';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

/** Why a server does not start on the database behind PgBouncer; null if it starts. */
async function refusalBehind(settings: Record<string, string>): Promise<string | null> {
  const bouncer = await startPgBouncer(service.database, settings);
  try {
    const server = await startServer({ database: bouncer.database });
    await server.stop();
    return null;
  } catch (error) {
    return String(error);
  } finally {
    await bouncer.stop();
  }
}

/** With this, PgBouncer drops the startup parameters of the service instead of refusing them. */
const DROPPED = { ignore_startup_parameters: 'options,statement_timeout,lock_timeout' };

/** The settings that the service asks for, as defaults of its role. */
const SETTINGS = [
  ...["TimeZone = 'UTC'", "DateStyle = 'ISO'", "IntervalStyle = 'postgres'"],
  ...['standard_conforming_strings = on', 'extra_float_digits = 1', 'search_path = pg_catalog'],
  ...['jit = off', "pf.writer = 'service'"],
];

describe.each(['session', 'transaction'])('PgBouncer in %s mode', (pool_mode) => {
  it('refuses the startup parameters of the service', async () => {
    expect(await refusalBehind({ pool_mode })).toContain('unsupported startup parameter');
  });

  it('is refused with the reason if it drops them', async () => {
    expect(await refusalBehind({ pool_mode, ...DROPPED })).toMatch(
      /TimeZone is "America\/New_York" instead of "UTC".*pf\.writer is "" instead of "service".*PgBouncer/,
    );
  });

  it('is refused with the reason if the role has the settings', async () => {
    const role = `ALTER ROLE CURRENT_USER IN DATABASE "${service.database.database}"`;
    const client = new pg.Client(service.database);
    await client.connect();
    for (const setting of SETTINGS) await client.query(`${role} SET ${setting}`);
    try {
      expect(await refusalBehind({ pool_mode, ...DROPPED })).toContain('not a session of its own');
    } finally {
      await client.query(`${role} RESET ALL`);
      await client.end();
    }
  });
});
