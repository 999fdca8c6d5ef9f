import { expect, it } from 'vitest';
import { filesIn } from './files';

/** Folders of `src/lib` in which every file begins with its purpose. */
const FOLDERS = [
  'src/lib/client',
  'src/lib/contract',
  'src/lib/components/home',
  'src/lib/components/pivot',
  'src/lib/components/replay',
  'src/lib/components/shell',
  'src/lib/components/source',
  'src/lib/components/ui',
  'src/lib/components/workbench',
  'src/lib/pivot',
  'src/lib/plan',
  'src/lib/server',
  'src/lib/numbers',
  'src/lib/xlsx',
];

/** Returns whether a comment comes before the imports and the code of a file. */
const opensWithComment = (path: string, text: string): boolean =>
  path.endsWith('.svelte') ? /^(<!-- |<script[^>]*>\s*\/\*\* )/.test(text) : /^\/\*\*\s/.test(text);

it.each(FOLDERS)('Every file of %s states its purpose in its first line', (folder) => {
  const files = filesIn(folder).filter(
    ({ path }) => /\.(ts|svelte)$/.test(path) && !/\.spec\.ts$/.test(path),
  );
  expect(files.length).toBeGreaterThan(1);
  const without = files.filter(({ path, text }) => !opensWithComment(path, text));
  expect(without.map(({ path }) => path)).toEqual([]);
});
