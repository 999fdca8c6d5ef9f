// The first steps of `npm run demo` and `npm test` on a fresh clone. They run before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** Whether this Node is one the project runs on. */
export function nodeIsRecent() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 19);
}

/** Whether node_modules holds the versions of package-lock.json. */
export function isInstalled() {
  const installed = join(PROJECT, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return false;
  const wanted = packagesOf(join(PROJECT, 'package-lock.json'));
  const present = packagesOf(installed);
  return Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      path === '' || (present[path] ? present[path].version === version : optional),
  );
}

/** Whether the built server is newer than everything it is built from. */
export function isBuilt() {
  const built = join(PROJECT, 'build/index.js');
  if (!existsSync(built)) return false;
  const origins = ['src', 'static', 'svelte.config.js', 'vite.config.ts', 'package-lock.json'];
  return Math.max(...origins.map((path) => newest(join(PROJECT, path)))) < statSync(built).mtimeMs;
}

/**
 * Runs an npm command in the project to its end.
 * @param {string[]} args
 * @returns {{ ok: boolean, output: string }} its output to stdout and stderr
 */
export function npm(args) {
  const run = spawnSync('npm', args, {
    cwd: PROJECT,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    maxBuffer: 1 << 28,
  });
  return { ok: run.status === 0, output: `${run.stdout ?? ''}${run.stderr ?? run.error ?? ''}` };
}

/**
 * @param {string} lockFile
 * @returns {Record<string, { version: string, optional?: boolean }>}
 */
function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

/**
 * @param {string} path
 * @returns {number} the latest modification in a file or folder, in milliseconds; 0 without one
 */
function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}
