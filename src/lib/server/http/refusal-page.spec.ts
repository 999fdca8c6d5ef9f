import { expect, it } from 'vitest';
import { AppError } from '../errors';
import { pageRefusal } from './refusal-page';

const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

it('shows a browser a page with the sentence, whose signs are escaped', async () => {
  const answer = pageRefusal(new AppError(421, 'The host "a&b<i>" is not served'), BROWSER);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    421,
    'text/html; charset=utf-8',
  ]);
  const text = await answer.text();
  expect(text).toContain('<h1>This page cannot be opened</h1>');
  expect(text).toContain('<p>The host &quot;a&amp;b&lt;i>&quot; is not served.</p>');
});

it.each([null, '*/*', 'application/json'])('sends the sentence alone for %s', async (accept) => {
  const answer = pageRefusal(new AppError(401, 'Nobody is signed in'), accept);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(await answer.text()).toBe('Nobody is signed in\n');
});
