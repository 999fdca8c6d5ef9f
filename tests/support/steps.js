// The steps of a test command. Each prints one line, and its output if it failed. The last line has the
// counts.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../../src/cli/prepare.js';

/** @typedef {{ passed: number, failed: number, skipped?: string[], files?: Map<string, number> }} Tally files: seconds by file */
/** @typedef {{ ok: boolean, output: string }} Run */

const reports = mkdtempSync(join(tmpdir(), 'forecast-pivot-reports-'));
export const total = { passed: 0, failed: 0, skipped: 0 };
/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
let interrupted = false;

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => {
    interrupted = true;
    // At a terminal, the signal reaches the command too. If it is sent to this process alone, it does not.
    for (const child of running) child.kill(signal);
  });

/**
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 * @returns {Promise<Run>}
 */
export function run(command, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: PROJECT,
      env: { ...process.env, CI: '1', NO_COLOR: '1', FORCE_COLOR: undefined, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', (error) => {
      running.delete(child);
      resolve({ ok: false, output: error.message });
    });
    child.once('close', (code) => {
      running.delete(child);
      resolve({ ok: code === 0, output });
    });
  });
}

/**
 * Runs one step and prints its line at the end, because others may run at the same time; the output of the
 * command is printed only after a failure.
 * @param {string} name
 * @param {() => Promise<Run>} work
 * @param {(run: Run) => Tally} [count] number of tests in the step; none by default
 * @returns {Promise<boolean>} whether it succeeded
 */
export async function step(name, work, count = ({ ok }) => ({ passed: 0, failed: ok ? 0 : 1 })) {
  if (interrupted) return false;
  const start = Date.now();
  const result = await work();
  const { passed, failed, skipped = [], files } = count(result);
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped.length;
  const tests = passed + failed > 0 && name.includes('tests') ? `, ${passed + failed} tests` : '';
  const seconds = Math.round((Date.now() - start) / 1000);
  console.log(`${name} … ${failed === 0 ? 'ok' : 'FAILED'} (${seconds} s${tests})`);
  for (const test of skipped) console.log(`  skipped: ${test}`);
  if (files) console.log(`  slowest files: ${slowest(files)}`);
  if (failed > 0 && !interrupted) console.log(result.output.trimEnd());
  return failed === 0;
}

/** @param {Map<string, number>} files seconds by file */
const slowest = (files) =>
  [...files]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 10)
    .map(([file, seconds]) => `${file} ${Math.round(seconds)} s`)
    .join(', ');

/**
 * @param {string} path of a JSON report
 * @param {Run} run that should have written it
 * @param {(report: any) => Tally} read
 * @returns {Tally} with an additional failure if the run failed apart from its tests
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
  // A file that cannot be loaded has no tests, so it counts as a failure.
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
  files: new Map(report.suites.map((/** @type {any} */ suite) => [suite.file, secondsOf(suite)])),
});

/**
 * @param {any} suite of a report of Playwright
 * @returns {number}
 */
const secondsOf = ({ suites = [], specs = [] }) =>
  [
    ...suites.map(secondsOf),
    ...specs
      .flatMap((/** @type {any} */ spec) => spec.tests)
      .flatMap((/** @type {any} */ test) => test.results)
      .map((/** @type {any} */ result) => result.duration / 1000),
  ].reduce((sum, seconds) => sum + seconds, 0);

/**
 * Runs Vitest as a step.
 * @param {string} name
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
export function vitest(name, args, env) {
  const report = join(reports, 'vitest.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return step(
    name,
    () => run('npx', ['vitest', 'run', ...reporters, ...args], env),
    (result) => tally(report, result, vitestTally),
  );
}

/**
 * Runs Playwright as a step.
 * @param {string} name
 */
export function playwright(name) {
  const report = join(reports, 'playwright.json');
  return step(
    name,
    () =>
      run('npx', ['playwright', 'test', '--reporter=list,json'], {
        PLAYWRIGHT_JSON_OUTPUT_NAME: report,
      }),
    (result) => tally(report, result, playwrightTally),
  );
}

/**
 * Prints the last line and sets the exit code accordingly.
 * @param {boolean} [withSkipped] whether skipped tests are counted too
 */
export function finish(withSkipped = false) {
  rmSync(reports, { recursive: true, force: true });
  if (interrupted) total.failed ||= 1;
  const skipped = withSkipped ? `, ${total.skipped} skipped` : '';
  console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}
