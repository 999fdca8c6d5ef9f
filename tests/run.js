// `npm test`: everything that must hold, on a fresh clone too. It needs no running service, asks
// nothing, and ends with one line: "N passed, N failed".
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled, nodeIsRecent, PROJECT } from '../src/cli/prepare.js';
import { installedChromium } from './support/chromium.js';

/** @typedef {{ passed: number, failed: number, skipped?: string[] }} Tally */
/** @typedef {{ ok: boolean, output: string }} Run */

const reports = mkdtempSync(join(tmpdir(), 'forecast-pivot-reports-'));
const total = { passed: 0, failed: 0 };
/** @type {import('node:child_process').ChildProcess | undefined} */
let current;
let interrupted = false;

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => {
    interrupted = true;
    // At a terminal the command got the signal too; sent to this process alone, it did not.
    current?.kill(signal);
  });

/**
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 * @returns {Promise<Run>}
 */
function run(command, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: PROJECT,
      env: { ...process.env, CI: '1', NO_COLOR: '1', FORCE_COLOR: undefined, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    current = child;
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', (error) => resolve({ ok: false, output: error.message }));
    child.once('close', (code) => resolve({ ok: code === 0, output }));
  });
}

/**
 * Runs one step and prints its line; the output of the command only where something failed.
 * @param {string} name
 * @param {() => Promise<Run>} work
 * @param {(run: Run) => Tally} [count] how many tests the step was; none where left out
 * @returns {Promise<boolean>} whether it went well
 */
async function step(name, work, count = ({ ok }) => ({ passed: 0, failed: ok ? 0 : 1 })) {
  if (interrupted) return false;
  process.stdout.write(`${name} … `);
  const start = Date.now();
  const result = await work();
  const { passed, failed, skipped = [] } = count(result);
  total.passed += passed;
  total.failed += failed;
  const tests = passed + failed > 0 && name.includes('tests') ? `, ${passed + failed} tests` : '';
  const seconds = Math.round((Date.now() - start) / 1000);
  console.log(`${failed === 0 ? 'ok' : 'FAILED'} (${seconds} s${tests})`);
  for (const test of skipped) console.log(`  skipped: ${test}`);
  if (failed > 0 && !interrupted) console.log(result.output.trimEnd());
  return failed === 0;
}

/**
 * @param {string} path of a JSON report
 * @param {Run} run that should have written it
 * @param {(report: any) => Tally} read
 * @returns {Tally} with a failure more where the run failed beside its tests
 */
function tally(path, { ok }, read) {
  const counted = existsSync(path)
    ? read(JSON.parse(readFileSync(path, 'utf8')))
    : { passed: 0, failed: 0 };
  if (!ok && counted.failed === 0) counted.failed = 1;
  if (ok && counted.passed === 0) counted.failed = 1;
  return counted;
}

/** @param {any} report */
const vitestTally = (report) => ({
  passed: report.numPassedTests,
  // A file that cannot be read holds no test that could fail.
  failed:
    report.numFailedTests +
    report.testResults.filter(
      (/** @type {any} */ file) =>
        file.status === 'failed' &&
        file.assertionResults.every((/** @type {any} */ test) => test.status !== 'failed'),
    ).length,
  skipped: report.testResults.flatMap((/** @type {any} */ file) =>
    file.assertionResults
      .filter((/** @type {any} */ test) => !['passed', 'failed'].includes(test.status))
      .map((/** @type {any} */ test) => test.fullName),
  ),
});

/** @param {any} report */
const playwrightTally = (report) => ({
  passed: report.stats.expected,
  failed: report.stats.unexpected + report.stats.flaky + report.errors.length,
});

/** @returns {Promise<Run>} */
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

  const vitestReport = join(reports, 'vitest.json');
  await step(
    'tests without a browser',
    () =>
      run('npx', [
        'vitest',
        'run',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${vitestReport}`,
      ]),
    (result) => tally(vitestReport, result, vitestTally),
  );

  if (!hasChromium() && !(await step('Chromium', provideChromium))) return;
  const playwrightReport = join(reports, 'playwright.json');
  await step(
    'tests in the browser',
    () =>
      run('npx', ['playwright', 'test', '--reporter=list,json'], {
        PLAYWRIGHT_JSON_OUTPUT_NAME: playwrightReport,
      }),
    (result) => tally(playwrightReport, result, playwrightTally),
  );
}

await everything();
rmSync(reports, { recursive: true, force: true });
if (interrupted) total.failed ||= 1;
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
