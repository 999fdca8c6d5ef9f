import { parseForESLint as parseSvelte } from 'svelte-eslint-parser';
import ts from 'typescript-eslint';

/**
 * Parses a Svelte file for `import-x/no-cycle`, which follows the imports at the top of a program
 * only: what the file's scripts hold becomes that top.
 */
export function parseForESLint(code, options) {
  const { ast, visitorKeys } = parseSvelte(code, { ...options, parser: ts.parser });
  const scripts = ast.body.filter((node) => node.type === 'SvelteScriptElement');
  return { ast: { ...ast, body: scripts.flatMap((script) => script.body) }, visitorKeys };
}
