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

/** Whether Caddy is installed here. */
export const caddyIsInstalled = (): boolean => spawnSync('caddy', ['version']).status === 0;

/** A running proxy. */
export interface Proxy {
  /** The address that people open. */
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts Caddy with `deploy/proxy/Caddyfile`. Only the two addresses and the password hashes are filled in.
 * Each person's password is their name.
 *
 * @param service address of the service
 * @param people the users in the file
 */
export async function startCaddy(service: string, people: readonly string[]): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-caddy-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let file = readFileSync(join(PROJECT, 'deploy/proxy/Caddyfile'), 'utf8');
  const fill = (placeholder: string, text: string) => {
    expect(file.split(placeholder)).toHaveLength(2);
    file = file.replace(placeholder, text);
  };
  // Caddy accepts every host name here, so that the service itself refuses some.
  fill('plan.example.com', `http://:${port}`);
  fill('127.0.0.1:3010', new URL(service).host);
  for (const name of people) {
    const { stdout } = await run('caddy', ['hash-password', '--plaintext', name]);
    fill(`${name.toUpperCase()}S_PASSWORD_HASH`, stdout.trim());
  }
  return runCaddy(folder, url, file);
}

/**
 * Starts Caddy as a load balancer with the settings of `deploy/servers/Caddyfile`. It signs nobody in, so
 * that the contract tests can set the user.
 *
 * @param servers present or future addresses of the servers
 */
export async function startBalancer(servers: readonly string[]): Promise<Proxy> {
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

async function runCaddy(folder: string, url: string, file: string): Promise<Proxy> {
  // Another Caddy on this machine may use the default address of the administration.
  writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n${file}`);
  const caddy = await keep({
    command: 'caddy',
    args: ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stopSignal: 'SIGTERM',
    remove: folder,
  });
  // Caddy must report this itself: at a port that is in use, another process would answer.
  const says = () => caddy.output().includes('serving initial configuration');
  await whenReady(caddy, 'Caddy', async () => says() && (await answers(url)));
  return { url, stop: caddy.stop };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

/** The header with which a person signs in. The password is the person's name. */
export const passwordOf = (name: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${name}`).toString('base64')}`,
});
