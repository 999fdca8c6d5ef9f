import { expect, it } from 'vitest';
import { messageOf } from './message-of';

it.each([
  'Failed to fetch dynamically imported module: http://host/_app/immutable/chunks/x.js',
  'error loading dynamically imported module: http://host/_app/immutable/chunks/x.js',
  'Importing a module script failed.',
  'Unable to preload CSS for /_app/immutable/assets/x.css',
])('hides the sentence of a browser about a file: %s', (message) => {
  expect(messageOf(new TypeError(message))).toBe('A part of this page could not be loaded');
});

it('passes on every other message', () => {
  expect(messageOf(new Error('Version is closed'))).toBe('Version is closed');
  expect(messageOf('text')).toBe('text');
});
