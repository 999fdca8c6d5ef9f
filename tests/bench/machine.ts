import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { PROJECT } from '../../src/cli/prepare.js';
import type { Machine } from './report/figures';

/** Returns the properties of the machine, and its load in the last minute. */
export async function machineOf(client: pg.Client, chromium: string | null): Promise<Machine> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  const manifest = join(PROJECT, 'node_modules/@finos/perspective/package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return {
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    load: loadavg()[0] ?? NaN,
    node: process.versions.node,
    postgres: rows[0]!.server_version,
    chromium,
    engine: version,
  };
}
