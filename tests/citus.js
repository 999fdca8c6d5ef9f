// `npm run test:citus`: the tests of the API on distributed versions, and those of the cluster itself. It
// needs the DB_* variables of a Citus coordinator, whose role may make databases and extensions; all that
// it makes has names of its own and goes again. Without them it runs nothing and fails nothing. It ends
// with one line: "N passed, N failed, N skipped".
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../src/cli/prepare.js';
import { finish, run, step, total, vitest } from './support/steps.js';

const FOLDERS = ['tests/api', 'tests/citus'];
const NEEDED = ['DB_HOST', 'DB_NAME', 'DB_USER', 'DB_PASSWORD'];

const missing = NEEDED.filter((name) => process.env[name] === undefined);
if (missing.length > 0) {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' }),
  );
  total.skipped = files.filter((file) => file.endsWith('.test.ts')).length;
  console.log(
    `These tests need a Citus cluster. Set the DB_* variables to its coordinator (missing: ${missing.join(', ')}).`,
  );
  console.log('The files of tests are counted as skipped.');
} else if (await step('build', () => run('npm', ['run', '--silent', 'build']))) {
  // The contract once, with rows that are kept: what a time zone changes, `npm test` finds out.
  const projects = ['api', 'contract in America/New_York', 'citus'];
  await vitest(
    'tests on the cluster',
    projects.map((project) => `--project=${project}`),
    { PF_TEST_CITUS: '1' },
  );
}
finish(true);
