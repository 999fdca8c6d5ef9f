import ts from 'typescript';
import { expect, it } from 'vitest';
import { fileAt, filesIn } from './files';

/** Sentences of PostgreSQL, which the service passes on. */
const FROM_POSTGRESQL = ['invalid input syntax for type interval: "soon"'];

/** A text of the code that is shorter than this, without its values, could be a part of any sentence. */
const SHORTEST = 12;

/** Returns the texts of a file that may be (the end of) a sentence; `${…}` stands for any value. */
function sentencesIn(path: string): RegExp[] {
  const found: RegExp[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
      add([node.text]);
    } else if (ts.isTemplateExpression(node)) {
      add([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]);
    }
    ts.forEachChild(node, visit);
  };
  const add = (fixed: readonly string[]): void => {
    if (fixed.join('').length < SHORTEST) return;
    const pattern = fixed.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+');
    found.push(new RegExp(`^(?:.* )?${pattern}$`));
  };
  visit(ts.createSourceFile(path, fileAt(path).text, ts.ScriptTarget.Latest, false));
  return found;
}

const sentences = [
  'src/hooks.server.ts',
  ...filesIn('src/lib/server', 'src/lib/contract').map(({ path }) => path),
]
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
  .flatMap(sentencesIn);

const examples = filesIn('docs/contract').flatMap(({ path, text }) =>
  Array.from(text.matchAll(/\{"error": ("(?:[^"\\]|\\.)*")/g), ([, json = '']) => ({
    path,
    sentence: JSON.parse(json) as string,
  })),
);

it('The contract has examples of errors', () => {
  expect(examples.length).toBeGreaterThan(20);
});

it.each(examples)('$path: the service answers “$sentence”', ({ sentence }) => {
  const isPassedOn = FROM_POSTGRESQL.some((text) => sentence.endsWith(text));
  const isWritten = sentences.some((pattern) => pattern.test(sentence));
  expect([sentence, isPassedOn || isWritten]).toEqual([sentence, true]);
});
