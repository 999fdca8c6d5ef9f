/** The modules of a page, which a browser loads while it reads the page. */

/** The parts of SvelteKit's options for an answer. */
interface PageOptions {
  preload: (file: { type: string; path: string }) => boolean;
  transformPageChunk: (chunk: { html: string }) => string;
}

/**
 * Returns options by which SvelteKit names the modules of a page in its head instead of in a `Link` header: that header
 * had 5 KB, and proxies refuse an answer whose headers are larger than their buffer, nginx from 4 KB on.
 */
export function modulesInHead(): PageOptions {
  const modules: string[] = [];
  return {
    // Style sheets are in the head anyway.
    preload: ({ type, path }) => {
      if (type === 'js') modules.push(path);
      return false;
    },
    transformPageChunk: ({ html }) =>
      html.replace('</head>', (end) => {
        const links = modules.map((path) => `<link rel="modulepreload" href="${path}" />`);
        return [...links, end].join('\n    ');
      }),
  };
}
