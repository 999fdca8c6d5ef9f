// `npm run test:citus`: the API tests on distributed versions, and the tests of the cluster itself. It needs
// the DB_* variables of a Citus coordinator, whose role may create databases and extensions. Everything that
// it creates has its own names and is dropped at the end. Without the variables it runs no test and fails
// none. The last line is "N passed, N failed, N skipped".
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
  // The contract runs once, with rows cached. `npm test` covers the effect of the time zone.
  const projects = ['api', 'contract in *', 'citus'];
  await vitest(
    'tests on the cluster',
    projects.map((project) => `--project=${project}`),
    { PF_TEST_CITUS: '1' },
  );
}
finish(true);
