// The steps of a test command. Each prints one line, and its output if it failed. The last line has the
// counts.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, setPriority, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { PROJECT } from '../../src/cli/prepare.js';

/** @typedef {{ path: string, seconds: number, tests: number }} TestFile of a report; its path is from the project */
/** @typedef {{ passed: number, failed: number, skipped?: string[], files?: TestFile[] }} Tally */
/** @typedef {{ ok: boolean, output: string }} Run */

/** Commands that let others go first have their niceness increased by this. */
const WAY = 5;

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
 * @param {boolean} [givesWay] whether commands that run at the same time go first where the CPU is full
 * @returns {Promise<Run>}
 */
export function run(command, args, env = {}, givesWay = false) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: PROJECT,
      env: { ...process.env, CI: '1', NO_COLOR: '1', FORCE_COLOR: undefined, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    running.add(child);
    if (givesWay && child.pid) setPriority(child.pid, Math.min(getPriority() + WAY, 19));
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
 * Returns the path of a command of an installed package. npx would not pass on the signal that ends a run.
 * @param {string} name
 */
const installed = (name) => join(PROJECT, 'node_modules', '.bin', name);

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
  const { passed, failed, skipped = [], files = [] } = count(result);
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped.length;
  const tests = passed + failed > 0 && name.includes('tests') ? `, ${passed + failed} tests` : '';
  const seconds = Math.round((Date.now() - start) / 1000);
  console.log(`${name} … ${failed === 0 ? 'ok' : 'FAILED'} (${seconds} s${tests})`);
  for (const line of summary(files)) console.log(`  ${line}`);
  for (const test of skipped) console.log(`  skipped: ${test}`);
  if (failed > 0 && !interrupted) console.log(result.output.trimEnd());
  return failed === 0;
}

const SLOWEST = 10;

/**
 * Counts tests and assertions by folder, and names the slowest files.
 * @param {TestFile[]} files with an item for each run of a file
 * @returns {string[]} lines
 */
function summary(files) {
  if (files.length < 2) return [];
  /** @type {Map<string, { tests: number, assertions: number, paths: Set<string> }>} */
  const kinds = new Map();
  for (const { path, tests } of files) {
    const kind = path.startsWith('src') ? 'src' : dirname(path);
    const counted = kinds.get(kind) ?? { tests: 0, assertions: 0, paths: new Set() };
    kinds.set(kind, counted);
    counted.tests += tests;
    if (!counted.paths.has(path)) counted.assertions += expectations(path);
    counted.paths.add(path);
  }
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  return [
    ...[...kinds].map(
      ([kind, { tests, assertions, paths }]) =>
        `${kind}: ${tests} tests in ${paths.size} files with ${assertions} assertions`,
    ),
    ...slowest.map(({ path, seconds }) => `${Math.round(seconds)} s: ${path}`),
  ];
}

/** @param {string} path of a test file */
const expectations = (path) =>
  readFileSync(join(PROJECT, path), 'utf8').match(/\bexpect\w*(\.\w+)*\(/g)?.length ?? 0;

/** @param {string} path */
const fromProject = (path) => relative(PROJECT, path).replaceAll('\\', '/');

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
  files: report.testResults.map((/** @type {any} */ file) => ({
    path: fromProject(file.name),
    seconds: (file.endTime - file.startTime) / 1000,
    tests: file.assertionResults.length,
  })),
});

/** @param {any} report */
const playwrightTally = (report) => ({
  passed: report.stats.expected,
  failed: report.stats.unexpected + report.stats.flaky + report.errors.length,
  files: report.suites.map((/** @type {any} */ file) => {
    const results = resultsIn(file);
    return {
      path: fromProject(join(report.config.rootDir, file.file)),
      seconds: results.reduce((sum, { duration }) => sum + duration / 1000, 0),
      tests: results.length,
    };
  }),
});

/**
 * @param {any} suite of a report by Playwright
 * @returns {{ duration: number }[]} results of its tests, with those of nested suites
 */
const resultsIn = ({ specs = [], suites = [] }) => [
  ...specs.flatMap((/** @type {any} */ spec) =>
    spec.tests.flatMap((/** @type {any} */ test) => test.results),
  ),
  ...suites.flatMap(resultsIn),
];

/**
 * Runs work, a number at a time.
 * @param {number} atOnce
 * @param {(() => Promise<unknown>)[]} work
 */
export async function together(atOnce, work) {
  const waiting = [...work];
  const turns = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await next();
  };
  await Promise.all(Array.from({ length: atOnce }, turns));
}

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
    () => run(installed('vitest'), ['run', ...reporters, ...args], env, true),
    (result) => tally(report, result, vitestTally),
  );
}

/**
 * Runs Playwright as a step.
 * @param {string} name
 * @param {string[]} args
 */
export function playwright(name, args) {
  const report = join(reports, 'playwright.json');
  return step(
    name,
    () =>
      run(installed('playwright'), ['test', '--reporter=list,json', ...args], {
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
