import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import * as v from 'valibot';
import { Database } from '../../src/lib/server/db/database';
import { sql } from '../../src/lib/server/sql/quote';
import { it } from '../support/api';

/**
 * Starts a pooler that changes the startup parameters of each connection and passes everything else on. PgBouncer
 * drops `options` if `ignore_startup_parameters` lists it, and refuses the connection if not.
 */
async function startPooler(port: number, changed: (parameters: Map<string, string>) => void) {
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    client.once('data', (message: Buffer) => {
      const words = message.toString('utf8', 8, message.length - 2).split('\0');
      const parameters = new Map<string, string>();
      for (let i = 0; i < words.length; i += 2) parameters.set(words[i] ?? '', words[i + 1] ?? '');
      changed(parameters);
      const text = [...parameters].flat().map((word) => `${word}\0`);
      const body = Buffer.concat([message.subarray(4, 8), Buffer.from(`${text.join('')}\0`)]);
      const length = Buffer.alloc(4);
      length.writeInt32BE(body.length + 4);
      upstream.write(Buffer.concat([length, body]));
      client.pipe(upstream).pipe(client);
    });
    for (const socket of [client, upstream]) socket.on('error', () => {});
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const ZONE = sql`SELECT current_setting('TimeZone') AS zone`;

it.for<[string, (parameters: Map<string, string>) => void, RegExp | null]>([
  ['that passes the settings on is used', () => {}, null],
  [
    'that drops the settings is refused with the reason',
    (parameters) => parameters.delete('options'),
    /TimeZone is "America\/New_York" instead of "UTC".*pf\.writer is "" instead of "service".*PgBouncer/,
  ],
  [
    'that changes one of them is refused with the reason',
    (parameters) => {
      const options = parameters.get('options') ?? '';
      parameters.set('options', options.replace('TimeZone=UTC', 'TimeZone=Europe/Berlin'));
    },
    /service: TimeZone is "Europe\/Berlin" instead of "UTC"\. A pooler/,
  ],
])('a pooler %s', async ([, change, refusal], { service }) => {
  const port = await startPooler(service.database.port, change);
  const database = { ...service.database, host: '127.0.0.1', port };
  const db = Database.open({ ...database, statementTimeout: 9000, waitTimeout: 9000 });
  onTestFinished(() => db.close());
  const asked = db.maybeOne(v.object({ zone: v.string() }), ZONE);
  if (refusal === null) expect(await asked).toEqual({ zone: 'UTC' });
  else await expect(asked).rejects.toThrow(refusal);
});
