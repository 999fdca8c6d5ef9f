/** The answer to a request for a page that is refused, such as one of a person who is not signed in. */
import { answerError } from '../errors';

const TITLES: Readonly<Record<number, string>> = { 401: 'You are not signed in' };

const STEPS: Readonly<Record<number, string>> = { 401: 'Sign in, then open this page again.' };

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };

const escaped = (text: string): string => text.replace(/[&<"]/g, (sign) => ESCAPES[sign] ?? sign);

/** Styles with the colours of `app.css`, which cannot be loaded under a host name that is not served. */
const STYLE = `
  :root { color-scheme: light dark }
  :root[data-theme='light'] { color-scheme: light }
  :root[data-theme='dark'] { color-scheme: dark }
  body { margin: 0; padding: 20vh 1.5rem 3rem; background: light-dark(#f4f6f8, #12161b);
    color: light-dark(#525d6b, #a5afbb); font: 0.875rem/1.45 system-ui, sans-serif; text-align: center }
  main { max-width: 32rem; margin: auto }
  h1 { color: light-dark(#18202a, #e7ebf0); font-size: 1.25rem }
  p { overflow-wrap: anywhere; text-wrap: balance }
  a { display: inline-block; margin: 0.5rem; padding: 0.4rem 0.9rem; border-radius: 6px; font-weight: 550;
    background: light-dark(#0b6672, #53c3cf); color: light-dark(#ffffff, #06232a); text-decoration: none }
  small { font-size: 0.8125rem }`;

const pageOf = (title: string, step: string | undefined, sentence: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Forecast Pivot</title>
<script src="/theme.js"></script>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${step ? `<p>${step}</p>\n<p><small>${sentence}.</small></p>` : `<p>${sentence}.</p>`}
<a href="">Try again</a>
</main>
</body>
</html>
`;

/**
 * Answers a request for a page that is refused before the page is made: to a browser with a small page, to anybody
 * else with the sentence as plain text.
 *
 * @param refusal the thrown error
 */
export function pageRefusal(refusal: unknown, accept: string | null): Response {
  const { status, body } = answerError(refusal);
  if (!accept?.includes('text/html')) {
    return new Response(`${body.error}\n`, {
      status,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
  }
  const title = TITLES[status] ?? 'This page cannot be opened';
  return new Response(pageOf(title, STEPS[status], escaped(body.error)), {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
    },
  });
}
