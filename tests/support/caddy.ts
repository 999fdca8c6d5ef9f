import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { PROJECT } from '../../src/cli/prepare.js';
import { keep, whenReady } from '../../src/demo/keep';
import { freePort } from '../../src/demo/postgres';

const run = promisify(execFile);

/** Whether the proxy that docs/operating.md shows is installed here. */
export const caddyIsInstalled = (): boolean => spawnSync('caddy', ['version']).status === 0;

/** A running proxy. */
export interface Caddy {
  /** What people open. */
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts Caddy with `docs/proxy/Caddyfile`. Only the two addresses and the hashes of the passwords
 * are filled in; each person's password is their name.
 *
 * @param service where the service listens
 * @param people those whom the file lets in
 */
export async function startCaddy(service: string, people: readonly string[]): Promise<Caddy> {
  const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-caddy-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let file = readFileSync(join(PROJECT, 'docs/proxy/Caddyfile'), 'utf8');
  const fill = (placeholder: string, text: string) => {
    expect(file.split(placeholder)).toHaveLength(2);
    file = file.replace(placeholder, text);
  };
  // Caddy takes every name here, so that the service is the one that refuses some.
  fill('plan.example.com', `http://:${port}`);
  fill('127.0.0.1:3010', new URL(service).host);
  for (const name of people) {
    const { stdout } = await run('caddy', ['hash-password', '--plaintext', name]);
    fill(`${name.toUpperCase()}S_PASSWORD_HASH`, stdout.trim());
  }
  return runCaddy(folder, url, file);
}

/**
 * Starts Caddy before several servers, with what `deploy/servers/Caddyfile` says of them. It signs nobody
 * in, so that the tests of the contract can say themselves who somebody is.
 *
 * @param servers where they listen, or will listen
 */
export async function startBalancer(servers: readonly string[]): Promise<Caddy> {
  const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-caddy-'));
  const port = await freePort();
  const file = readFileSync(join(PROJECT, 'deploy/servers/Caddyfile'), 'utf8');
  const [, proxy = ''] = /^\treverse_proxy .*? \{\n(.*?)^\t\}/ms.exec(file) ?? [];
  expect(proxy).toContain('health_uri');
  const settings = proxy
    .replaceAll(/^\s*header_up .*\n/gm, '')
    .replaceAll('{$PLAN_ADDRESS}', 'plan.example.com');
  const hosts = servers.map((server) => new URL(server).host).join(' ');
  return runCaddy(
    folder,
    `http://127.0.0.1:${port}`,
    `http://:${port} {\n\treverse_proxy ${hosts} {\n${settings}\t}\n}\n`,
  );
}

async function runCaddy(folder: string, url: string, file: string): Promise<Caddy> {
  // Another Caddy of this machine may have the address of the administration.
  writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n${file}`);
  const caddy = await keep({
    command: 'caddy',
    args: ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stopSignal: 'SIGTERM',
    remove: folder,
  });
  // It has to say so itself: at a port that is in use, somebody else would answer.
  const says = () => caddy.output().includes('serving initial configuration');
  await whenReady(caddy, 'Caddy', async () => says() && (await answers(url)));
  return { url, stop: caddy.stop };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

/** The header with which a person signs in, whose password is their name. */
export const passwordOf = (name: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${name}`).toString('base64')}`,
});
