// `npm run test:deploy`: the files of `deploy` and the promises of docs/operating.md with the programs that they are for.
// It fails if one of these is missing, and names it. Arguments, such as the name of a file, go to Vitest. The last line
// is "N passed, N failed".
import { spawnSync } from 'node:child_process';
import { finish, run, step, total, vitest } from './support/steps.js';

/** Each program, with the package of Debian that has it. */
const PROGRAMS = {
  nginx: ['nginx', '-v'],
  caddy: ['caddy', 'version'],
  pgbouncer: ['pgbouncer', '--version'],
  promtool: ['prometheus', '--version'],
  'systemd-analyze': ['systemd', '--version'],
  kubectl: ['kubernetes-client', 'options'],
  openssl: ['openssl', 'version'],
  pg_dump: ['postgresql-client', '--version'],
};

const missing = Object.entries(PROGRAMS).filter(
  ([program, [, argument = '']]) => spawnSync(program, [argument]).status !== 0,
);
if (missing.length > 0) {
  const names = missing.map(([program, [debian]]) => `${program} (package ${debian} of Debian)`);
  console.log(`These tests need programs that are not installed: ${names.join(', ')}.`);
  total.failed += missing.length;
} else if (await step('build', () => run('npm', ['run', '--silent', 'build']))) {
  const args = ['--project=deploy', ...process.argv.slice(2)];
  await vitest('tests of the deployment', args, { PF_TEST_DEPLOY: '1' });
}
finish();
