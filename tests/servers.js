// `npm run test:servers`: the contract tests through the proxy of deploy/servers, with two and with four
// servers, and the fate of requests when a server or the database is replaced. It needs a build and Caddy,
// and ends with one line: "N passed, N failed".
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../src/cli/prepare.js';

/**
 * Tests that look into one process, which a proxy hides: its metrics, its listening connection, its cached
 * rows, or events that another process may have sent already. Others look at headers and cookies, and a proxy
 * has its own.
 */
const OF_ONE_SERVER = [
  'protect browsers, and do not name the server',
  'is 404 without the version, and not a stream for HEAD',
  'sends resync after the listening connection was lost',
  'opens at most a thousand streams, on one connection',
  'is closed if its client reads nothing',
  'requires no credentials and sets no cookie',
  'ignores messages on the channel that are not from the service',
  'reads no row of a cached entry',
  'does not affect the cached rows of the whole version',
];

/**
 * @param {string[]} args of Vitest
 * @param {Record<string, string>} env
 * @returns {Promise<{ passed: number, failed: number }>}
 */
async function vitest(args, env) {
  const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-reports-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const child = spawn('npx', ['vitest', 'run', ...args, ...reporters], {
    cwd: PROJECT,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests || (code === 0 ? 0 : 1) };
  } catch {
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (spawnSync('caddy', ['version']).status !== 0) {
  console.log('Caddy is not installed, so nothing is tested.\n0 passed, 0 failed');
} else {
  const others = `^(?!.*(${OF_ONE_SERVER.join('|')})).*$`;
  // Of the two projects of the contract, this one has servers that cache rows.
  const contract = ['--project', 'contract in *', '--testNamePattern', others];
  const total = { passed: 0, failed: 0 };
  for (const [args, env] of /** @type {[string[], Record<string, string>][]} */ ([
    [['--project', 'api', 'tests/api/servers.test.ts', 'tests/api/failover.test.ts'], {}],
    ...['2', '4'].map((PF_TEST_SERVERS) => [
      [...contract, ...process.argv.slice(2)],
      { PF_TEST_SERVERS },
    ]),
  ])) {
    const { passed, failed } = await vitest(args, env);
    total.passed += passed;
    total.failed += failed;
  }
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}
