import type { Browser } from '@playwright/test';
import pg from 'pg';
import { startServer, type Server } from '../../src/demo/server';
import { EngineAlone, startBrowser } from './browser';
import { machineOf } from './machine';
import type { Bench } from './part';
import { startPlace, type Place } from './place';
import { startPsql, type Psql } from './psql';

/** What a part about statements that write needs. */
export interface DatabaseTools {
  place: Place;
  /** A connection without measurements: a VACUUM fills the caches of its connection. */
  keeper: pg.Client;
  server: Server;
  psql: Psql;
}

/** Starts a database on which only the measured statements work, a service, and psql; ends them after the work. */
export async function withDatabase(
  bench: Bench,
  work: (tools: DatabaseTools) => Promise<void>,
): Promise<void> {
  const place = await startPlace({ autovacuum: 'off' });
  const { database, client } = place;
  // Deletions of the keeper must not outdate the service's cache.
  const keeper = new pg.Client({ ...database, options: '-c pf.writer=service' });
  await keeper.connect();
  const server = await startServer({ database, env: { PF_LOG_LEVEL: 'silent' } });
  const psql = await startPsql(database);
  try {
    bench.tell({ kind: 'machine', machine: await machineOf(client, null) });
    await work({ place, keeper, server, psql });
  } finally {
    await psql.end();
    await server.stop();
    await keeper.end();
    await place.close();
  }
}

/** What a part about the page needs. */
export interface PageTools {
  place: Place;
  server: Server;
  browser: Browser;
  engine: EngineAlone;
}

/** Starts a database, a service, a browser, and the engine in a page of its own; ends them after the work. */
export async function withPage(
  bench: Bench,
  work: (tools: PageTools) => Promise<void>,
): Promise<void> {
  const place = await startPlace();
  const { database, client } = place;
  const env = { PF_MEMORY_MB: '2048', PF_LOG_LEVEL: 'silent' };
  const server = await startServer({ database, env });
  const engine = await EngineAlone.start();
  const browser = await startBrowser();
  try {
    bench.tell({ kind: 'machine', machine: await machineOf(client, browser.version()) });
    await work({ place, server, browser, engine });
  } finally {
    await browser.close();
    await engine.end();
    await server.stop();
    await place.close();
  }
}
