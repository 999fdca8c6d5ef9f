/** Finds imports that form a circle. */
import { posix } from 'node:path';
import type { TextFile } from './files';

const EXTENSIONS = ['', '.ts', '.js', '.svelte', '.svelte.ts', '/index.ts', '/index.js'];

/** `import … from`, `export … from`, `import '…'` and `import('…')`, with what they name. */
const IMPORTS =
  /^\s*(?:import|export)\b([^;'"`]*?)\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*()['"]([^'"]+)['"]|\bimport\(\s*()['"]([^'"]+)['"]\s*\)/gm;

/** Whether only types are named, which no longer exist when the program runs. */
const namesTypes = (named: string): boolean =>
  /^\s+type\s+[^\s,]/.test(named) ||
  /^\s*\{\s*(type\s+[\w$]+(\s+as\s+[\w$]+)?\s*,?\s*)+\}\s*$/.test(named);

const SCRIPTS = /<script\b[^>]*>(.*?)<\/script>/gs;
const COMMENTS = /\/\*.*?\*\/|^\s*\/\/[^\n]*$/gms;

/** The paths of the files that a file imports, apart from packages and types. */
function importsOf({ path, text }: TextFile, known: ReadonlyMap<string, unknown>): string[] {
  const code = path.endsWith('.svelte')
    ? [...text.matchAll(SCRIPTS)].map(([, script]) => script).join('\n')
    : text;
  return [...code.replace(COMMENTS, '').matchAll(IMPORTS)]
    .filter(([, named]) => !namesTypes(named ?? ''))
    .map((match) => match[2] ?? match[4] ?? match[6] ?? '')
    .filter((name) => /^(\.|\$lib\/)/.test(name))
    .flatMap((name) => {
      const target = name.startsWith('$lib/')
        ? name.replace('$lib', 'src/lib')
        : posix.join(posix.dirname(path), name);
      return EXTENSIONS.map((end) => target + end).find((each) => known.has(each)) ?? [];
    });
}

/**
 * Returns the circles as paths of files in the order in which they import each other, the first one again at the end.
 * Of circles that share a file it may return only some.
 */
export function circlesOf(files: TextFile[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const circles: string[][] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const follow = (path: string): void => {
    const at = way.indexOf(path);
    if (at >= 0) circles.push([...way.slice(at), path]);
    const file = byPath.get(path);
    if (at >= 0 || done.has(path) || !file) return;
    way.push(path);
    for (const imported of importsOf(file, byPath)) follow(imported);
    way.pop();
    done.add(path);
  };
  for (const path of byPath.keys()) follow(path);
  return circles;
}
