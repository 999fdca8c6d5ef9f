import { describe, expect, it } from 'vitest';
import { FLOORS } from '../../lint/floors.js';
import { filesIn } from './files';

describe.each(Object.entries(FLOORS))('src/lib/%s', (folder, floors) => {
  const rooms = floors.flat();
  const found = new Set(
    filesIn(`src/lib/${folder}`)
      .filter(({ path }) => /\.(ts|svelte)$/.test(path) && !/\.spec\.ts$/.test(path))
      .map(({ path }) => path.slice(`src/lib/${folder}/`.length))
      .map((path) => /^([^/]+)\//.exec(path)?.[1] ?? path.replace(/\.(ts|svelte)$/, '')),
  );

  it('has each of its files in a room', () => {
    expect([...found].sort()).toEqual([...rooms].sort());
  });
});
