// `npm test`: all checks, on a fresh clone too. It needs no running service, asks no question, and ends with
// one line: "N passed, N failed".
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isInstalled, nodeIsRecent } from '../src/cli/prepare.js';
import { HEADLESS_SHELL, installedChromium } from './support/chromium.js';
import { finish, playwright, run, step, together, total, vitest } from './support/steps.js';
import { FIRST_ZONE, RUN, SECOND_ZONE } from './support/zones.js';

/**
 * Installs Debian's headless shell of Chromium, otherwise Chromium itself. Not needed on a machine with
 * another Chromium.
 * @returns {Promise<import('./support/steps.js').Run>}
 */
async function provideChromium() {
  const asRoot = process.getuid?.() === 0;
  let result = { ok: false, output: '' };
  if (asRoot && spawnSync('apt-get', ['--version']).status === 0) {
    const env = { DEBIAN_FRONTEND: 'noninteractive' };
    const install = (/** @type {string} */ name) =>
      run('apt-get', ['install', '-y', '--no-install-recommends', name], env);
    await run('apt-get', ['update'], env);
    result = await install(HEADLESS_SHELL);
    if (!result.ok && !hasChromium()) result = await install('chromium');
  } else if (!hasChromium()) {
    result = await run('npx', ['playwright', 'install', 'chromium']);
  }
  return hasChromium() ? { ...result, ok: true } : result;
}

function hasChromium() {
  if (installedChromium()) return true;
  const { chromium } = createRequire(import.meta.url)('@playwright/test');
  return existsSync(chromium.executablePath());
}

const hasShell = () =>
  Boolean(process.env.CHROMIUM) || installedChromium()?.endsWith(HEADLESS_SHELL);

const THIS_RUN = `Run ${RUN}: the contract in ${FIRST_ZONE}, rows and dates also in ${SECOND_ZONE}; browser tests in the order of --shuffle=${RUN}`;

/**
 * Space for new objects in MB. With less, a program that reads many files spends a third of its time on garbage
 * collection.
 */
const NEW_OBJECTS = `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=64`;

/** @param {string} script of package.json */
const npm = (script) =>
  run('npm', ['run', '--silent', script], { NODE_OPTIONS: NEW_OBJECTS }, script !== 'build');

/** The checks, the longest first; one at a time takes one core. */
const checks = [
  () => step('lint', () => npm('lint')),
  () => step('types', () => npm('check')),
  () => step('format', () => npm('format:check')),
];

const quick = () =>
  together(2, [...checks, () => vitest('tests of pure functions', ['--project', 'pure'])]);

/**
 * The browser waits a third of its time, and so do the other tests: side by side they use two cores. The browser goes
 * first, because it takes longer. The build and an installation leave time for the checks.
 */
async function everything() {
  console.log(THIS_RUN);
  const checked = together(1, checks);
  const [isBuilt, hasBrowser] = await Promise.all([
    step('build', () => npm('build')),
    hasShell() || step('Chromium', provideChromium),
  ]);
  if (!isBuilt) return checked;
  const [withoutBrowser, inBrowser] = await Promise.all([
    vitest('tests without a browser', []),
    hasBrowser && playwright('tests in the browser', [`--shuffle=${RUN}`]),
    checked,
  ]);
  if (!withoutBrowser || !inBrowser) console.log(`${THIS_RUN}. PF_TEST_RUN=${RUN} repeats it.`);
}

async function prepared() {
  if (!nodeIsRecent()) {
    console.error(`Node 20.19 or newer is needed; this is ${process.versions.node}.`);
    total.failed += 1;
    return false;
  }
  if (!isInstalled() && !(await step('install', () => run('npm', ['ci'])))) return false;
  // All concurrent steps need the generated types.
  return step('generated types', () => run('npx', ['svelte-kit', 'sync']));
}

if (await prepared()) await (process.argv.includes('--quick') ? quick() : everything());
finish();
