import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT } from '../../src/cli/prepare.js';
import { fileAt } from './files';

const ARCHITECTURE = 'docs/architecture.md';
const PATH = /\b(?:src|tests|docs|migrations|static|bin)\/(?:[\w./=+-]|\[[\w.=]+\])+(?<=[\w\]])/g;

describe.each([ARCHITECTURE, 'CONTRIBUTING.md'])('%s names', (document) => {
  const named = new Set(Array.from(fileAt(document).text.matchAll(PATH), ([path]) => path));

  it.each([...named])('%s, which exists', (path) => {
    expect(existsSync(join(PROJECT, path))).toBe(true);
  });
});

it('describes the way of a slice and of a row by their files', () => {
  for (const way of ['The way of a slice', 'The way of a row']) {
    const section = fileAt(ARCHITECTURE).text.split(`## ${way}\n`)[1]?.split('\n## ')[0] ?? '';
    const steps = section.match(/^\d+\. .+$/gm) ?? [];
    expect(steps.length).toBeGreaterThan(5);
    expect(steps.filter((step) => !/`src\//.test(step))).toEqual([]);
  }
});
