import { expect, it } from 'vitest';
import { circlesOf } from './circles';
import { filesIn } from './files';

const files = (texts: Record<string, string>) =>
  Object.entries(texts).map(([path, text]) => ({ path, text }));

it('no imports of src form a circle', () => {
  const code = filesIn('src').filter(({ path }) => /\.(ts|js|svelte)$/.test(path));
  expect(circlesOf(code)).toEqual([]);
});

it.each([
  ["import { b } from './b';", "export { a } from '$lib/a';"],
  ["import {\n  type B,\n  b,\n} from './b.js';", "export * from './a';"],
  ["import './b';", "const a = () => import('$lib/a');"],
  ["import b, { type B } from './b';", "import type from './a';"],
  ["// a comment\nimport { b } from './b';", "/* and */ export * from './a';"],
])('%j and %j form a circle', (a, b) => {
  expect(circlesOf(files({ 'src/lib/a.ts': a, 'src/lib/b.js': b }))).toEqual([
    ['src/lib/a.ts', 'src/lib/b.js', 'src/lib/a.ts'],
  ]);
});

it('finds a circle through the scripts of components and a longer one', () => {
  expect(
    circlesOf(
      files({
        'src/lib/a.svelte.ts': "import C from './ui/C.svelte';",
        'src/lib/ui/C.svelte': `<script module>\n  import { d } from '../d';\n</script>\n<script lang="ts">\n  import { x } from './x';\n</script>`,
        'src/lib/d/index.ts': "import { a } from '../a.svelte';",
        'src/lib/ui/x.ts': "import C from './C.svelte';",
      }),
    ),
  ).toEqual([
    ['src/lib/a.svelte.ts', 'src/lib/ui/C.svelte', 'src/lib/d/index.ts', 'src/lib/a.svelte.ts'],
    ['src/lib/ui/C.svelte', 'src/lib/ui/x.ts', 'src/lib/ui/C.svelte'],
  ]);
});

it.each([
  "import type { A } from './a';",
  "import { type A, type B as C } from './a';",
  "import type A from './a';",
  "export type { A } from './a';",
  "// import { a } from './a';",
  "/*\nimport { a } from './a';\n*/",
  "import { a } from 'a';",
])('%j does not close a circle', (b) => {
  expect(
    circlesOf(files({ 'src/lib/a.ts': "import { b } from './b';", 'src/lib/b.ts': b })),
  ).toEqual([]);
});
