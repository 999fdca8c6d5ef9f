import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { PROJECT } from '../../src/cli/prepare.js';
import { keep, whenReady } from '../../src/demo/keep';
import { freePort } from '../../src/demo/postgres';
import type { Proxy } from './caddy';
import { certificate } from './tls';

/** nginx with an address that needs no certificate, and one with the lines of the file. */
export interface Nginx extends Proxy {
  /** The port that speaks HTTP/2 over TLS. */
  tlsPort: number;
}

/**
 * Starts nginx with `deploy/proxy/nginx.conf`. Only the addresses and the paths of its files are filled in, and a
 * second address without TLS. Each person's password is their name.
 *
 * @param service address of the service
 * @param people the users in the file
 */
export async function startNginx(service: string, people: readonly string[]): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-nginx-'));
  const [port, tlsPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  let site = readFileSync(join(PROJECT, 'deploy/proxy/nginx.conf'), 'utf8');
  const fill = (placeholder: string, text: string) => {
    expect(site.split(placeholder)).toHaveLength(2);
    site = site.replace(placeholder, text);
  };
  fill('listen 443 ssl', `listen 127.0.0.1:${port};\n\tlisten 127.0.0.1:${tlsPort} ssl`);
  fill('plan.example.com', '_');
  fill('127.0.0.1:3010', new URL(service).host);
  fill('/etc/nginx/plan.pem', certificate('server.pem'));
  fill('/etc/nginx/plan.key', certificate('server.key'));
  fill('/etc/nginx/plan.htpasswd', join(folder, 'htpasswd'));
  const hash = (password: string) =>
    execFileSync('openssl', ['passwd', '-6', password], { encoding: 'utf8' }).trim();
  const users = people.map((name) => `${name}:${hash(name)}\n`);
  writeFileSync(join(folder, 'htpasswd'), users.join(''));
  writeFileSync(join(folder, 'site.conf'), site);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    [
      // Only root can change the user, and its folder is closed to others.
      ...(process.getuid?.() === 0 ? ['user root;'] : []),
      'daemon off;',
      `pid ${join(folder, 'pid')};`,
      'events {}',
      `http {\n${paths.join('\n')}\naccess_log off;\ninclude ${join(folder, 'site.conf')};\n}`,
    ].join('\n'),
  );
  const args = ['-c', join(folder, 'nginx.conf'), '-e', 'stderr'];
  const checked = spawnSync('nginx', ['-t', ...args], { encoding: 'utf8' });
  expect(checked.stderr).toContain('test is successful');
  const nginx = await keep({
    command: 'nginx',
    args,
    env: process.env,
    stopSignal: 'SIGTERM',
    remove: folder,
  });
  const answers = () =>
    fetch(url).then(
      (answer) => answer.headers.get('server')?.startsWith('nginx') ?? false,
      () => false,
    );
  await whenReady(nginx, 'nginx', answers);
  return { url, tlsPort, stop: nginx.stop };
}
