import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect as connectTo, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../../src/cli/prepare.js';
import { startPostgres } from '../../src/demo/postgres';
import type { DatabaseConfig } from '../../src/lib/server/config';
import { queryOn, type Query } from './service';

/** Returns the path of a certificate in tests/fixtures/tls. */
export const certificate = (name: string): string => join(PROJECT, 'tests/fixtures/tls', name);

/** A PostgreSQL that accepts only encrypted connections, behind a proxy that inspects each of them. */
export interface EncryptedPostgres {
  /** The database through the proxy, under the name of the certificate, without settings for encryption. */
  database: DatabaseConfig;
  query: Query;
  /** Number of connections through the proxy, and of the unencrypted ones among them. */
  connections: { all: number; plain: number };
  stop(): Promise<void>;
}

export async function startEncryptedPostgres(): Promise<EncryptedPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-tls-'));
  const postgres = await startPostgres({ folder, settings: { fsync: 'off' } });
  const direct = postgres.database('postgres');
  const data = join(folder, 'data');
  const { uid, gid } = statSync(data);
  const write = (name: string, content: string | Buffer) => {
    writeFileSync(join(data, name), content, { mode: 0o600 });
    if (process.getuid?.() === 0) chownSync(join(data, name), uid, gid);
  };
  write('server.crt', readFileSync(certificate('server.pem')));
  write('server.key', readFileSync(certificate('server.key')));
  write('pg_hba.conf', 'hostssl all all all scram-sha-256\n');
  const plain = queryOn(direct);
  await plain.query('ALTER SYSTEM SET ssl = on');
  await plain.query('SELECT pg_reload_conf()');
  await plain.end();

  const proxy = await startProxy(direct.port);
  const database = { ...direct, host: 'localhost', port: proxy.port };
  const ca = readFileSync(certificate('authority.pem'), 'utf8');
  const { query, end } = queryOn({
    ...direct,
    host: 'localhost',
    ssl: { rejectUnauthorized: true, ca },
  });
  return {
    database,
    query,
    connections: proxy.connections,
    stop: async () => {
      await end();
      proxy.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The protocol's SSLRequest: its length and its code. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
/** The first byte of a TLS handshake. */
const HANDSHAKE = 22;

/** Starts a proxy to a port that counts connections with any bytes other than a request for TLS and TLS. */
async function startProxy(to: number) {
  const connections = { all: 0, plain: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const backend = connectTo(to, '127.0.0.1');
    connections.all += 1;
    let parts = 0;
    client.on('data', (bytes) => {
      parts += 1;
      if (parts === 1 && !bytes.equals(SSL_REQUEST)) connections.plain += 1;
      if (parts === 2 && bytes[0] !== HANDSHAKE) connections.plain += 1;
    });
    client.pipe(backend).pipe(client);
    for (const socket of [client, backend]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        backend.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port, connections, stop };
}
