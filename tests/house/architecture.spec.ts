import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT } from '../../src/cli/prepare.js';
import { fileAt } from './files';

const { text } = fileAt('docs/architecture.md');
const named = [
  ...new Set(
    [...text.matchAll(/\b(?:src|tests|docs|migrations|static|bin)\/[\w./[\]=+-]*[\w\]]/g)].map(
      ([path]) => path,
    ),
  ),
];

it.each(named)('%s, which docs/architecture.md names, exists', (path) => {
  expect(existsSync(join(PROJECT, path))).toBe(true);
});

it('describes the way of a slice and of a row by their files', () => {
  for (const way of ['The way of a slice', 'The way of a row']) {
    const section = text.split(`## ${way}\n`)[1]?.split('\n## ')[0] ?? '';
    const steps = section.match(/^\d+\. .+$/gm) ?? [];
    expect(steps.length).toBeGreaterThan(5);
    expect(steps.filter((step) => !/`src\//.test(step))).toEqual([]);
  }
});
