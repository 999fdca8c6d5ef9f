// `npm test`: all checks, on a fresh clone too. It needs no running service, asks no question, and ends with
// one line: "N passed, N failed".
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isInstalled, nodeIsRecent } from '../src/cli/prepare.js';
import { installedChromium } from './support/chromium.js';
import { finish, playwright, run, step, total, vitest } from './support/steps.js';

/** @returns {Promise<import('./support/steps.js').Run>} */
async function provideChromium() {
  const asRoot = process.getuid?.() === 0;
  if (asRoot && spawnSync('apt-get', ['--version']).status === 0) {
    const env = { DEBIAN_FRONTEND: 'noninteractive' };
    const update = await run('apt-get', ['update'], env);
    if (!update.ok) return update;
    return run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], env);
  }
  return run('npx', ['playwright', 'install', 'chromium']);
}

function hasChromium() {
  if (installedChromium()) return true;
  const { chromium } = createRequire(import.meta.url)('@playwright/test');
  return existsSync(chromium.executablePath());
}

async function everything() {
  if (!nodeIsRecent()) {
    console.error(`Node 20.19 or newer is needed; this is ${process.versions.node}.`);
    total.failed += 1;
    return;
  }
  if (!isInstalled() && !(await step('install', () => run('npm', ['ci'])))) return;

  await step('format', () => run('npm', ['run', '--silent', 'format:check']));
  await step('lint', () => run('npm', ['run', '--silent', 'lint']));
  await step('types', () => run('npm', ['run', '--silent', 'check']));
  if (!(await step('build', () => run('npm', ['run', '--silent', 'build'])))) return;

  await vitest('tests without a browser', []);

  if (!hasChromium() && !(await step('Chromium', provideChromium))) return;
  await playwright('tests in the browser');
}

await everything();
finish();
