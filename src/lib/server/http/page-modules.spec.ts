import { expect, it } from 'vitest';
import { modulesInHead } from './page-modules';

it('the modules of a page are named in its head, and nothing in a header', () => {
  const { preload, transformPageChunk } = modulesInHead();
  expect(
    [
      { type: 'js', path: './_app/start.js' },
      { type: 'css', path: './_app/page.css' },
      { type: 'font', path: './_app/inter.woff2' },
      { type: 'js', path: './_app/$page.js' },
    ].map((file) => preload(file)),
  ).toEqual([false, false, false, false]);
  const page = transformPageChunk({ html: '<head><title>x</title></head><p>' });
  expect(page.match(/<link[^>]*>/g)).toEqual([
    '<link rel="modulepreload" href="./_app/start.js" />',
    '<link rel="modulepreload" href="./_app/$page.js" />',
  ]);
  expect(page).toMatch(/\/>\s*<\/head><p>$/);
  expect(transformPageChunk({ html: '</html>' })).toBe('</html>');
});
