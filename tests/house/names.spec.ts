import { expect, it } from 'vitest';
import { filesIn } from './files';

const DECLARED =
  /^(?: {2})?(?:export )?(?:interface|type|(?:abstract )?class) (\w+)(?=[ <])(?! from)/gm;

it('are one thing each: a type of the browser half has its name for itself', () => {
  const places = new Map<string, string[]>();
  for (const { path, text } of filesIn('src/lib')) {
    const isRead = /\.(ts|svelte)$/.test(path) && !/\.spec\.ts$/.test(path);
    if (!isRead || path.startsWith('src/lib/server/')) continue;
    for (const [, name = ''] of text.matchAll(DECLARED)) {
      places.set(name, [...(places.get(name) ?? []), path]);
    }
  }
  const isOfContract = (path: string) => path.startsWith('src/lib/contract/');
  const several = [...places].filter(([, paths]) => paths.length > 1 && !paths.every(isOfContract));
  expect(several).toEqual([]);
});
