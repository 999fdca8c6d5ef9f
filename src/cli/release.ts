/**
 * `npm run release -- <version>`: checks the project, gives the package and the changelog the version, commits and tags.
 * It pushes nothing.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './prepare.js';
import { datedChangelog, hasSection, isNewer } from './release-notes';

const CHANGELOG = join(PROJECT, 'CHANGELOG.md');

/** Runs a program and shows its output. @throws Error if it fails */
function run(command: string, ...args: string[]): void {
  const { status } = spawnSync(command, args, { cwd: PROJECT, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

/** Returns the output of a program. */
const ask = (command: string, ...args: string[]): string =>
  spawnSync(command, args, { cwd: PROJECT, encoding: 'utf8' }).stdout.trim();

/** @throws Error naming what prevents the release; nothing is changed then */
function release(version: string): void {
  const { version: last } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Usage: npm run release -- 1.2.3');
  const tag = `v${version}`;
  if (ask('git', 'tag', '--list', tag) !== '') throw new Error(`The tag ${tag} is there already`);
  if (version !== last && !isNewer(version, last)) {
    throw new Error(`${version} is not newer than ${last}`);
  }
  if (ask('git', 'status', '--porcelain') !== '') {
    throw new Error('Commit or remove the changes of the working tree first');
  }
  const day = new Date().toISOString().slice(0, 10);
  const text = readFileSync(CHANGELOG, 'utf8');
  // The section of a version that has no tag yet may be dated already.
  const isDated = version === last && hasSection(text, version);
  const changelog = isDated ? text : datedChangelog(text, version, day);

  run('npm', 'test');
  writeFileSync(CHANGELOG, changelog);
  // The version stands in package.json, and npm copies it to package-lock.json.
  run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version');
  if (ask('git', 'status', '--porcelain') !== '') {
    run('git', 'commit', '--quiet', '--all', '--message', `Release ${version}`);
  }
  run('git', 'tag', '--annotate', tag, '--message', `Forecast Pivot ${version}`);
  console.log(`Tagged ${tag}. Publish it with: git push --follow-tags`);
}

try {
  release(process.argv[2] ?? '');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
