import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import node from '@sveltejs/adapter-node';
import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

/** What `npm run migrate`, `npm run periods` and `npm run schema:dump` start (see bin/command.js). */
const commands = ['migrate', 'periods', 'schema-dump'];

/**
 * adapter-node with this service's defaults. `node build` alone must listen on port 3010 and leave
 * the body limit to the API (which answers `{error}` with 413), but adapter-node reads its own
 * variables before any code of ours runs. So its entry moves aside, behind one that sets them first.
 * The commands are bundled beside the server: what is deployed needs neither the sources nor tsx.
 *
 * @returns {import('@sveltejs/kit').Adapter}
 */
function adapter() {
  const inner = node({ out: 'build', precompress: true });
  return {
    ...inner,
    async adapt(builder) {
      await inner.adapt(builder);
      await bundleCommands();
      renameSync('build/index.js', 'build/server-entry.js');
      writeFileSync('build/defaults.js', readFileSync('src/server-defaults.js'));
      writeFileSync(
        'build/index.js',
        "import './defaults.js';\nexport * from './server-entry.js';\n",
      );
    },
  };
}

/** Bundles the commands of src/cli to build/cli; packages stay imports, as in the server. */
async function bundleCommands() {
  // Imported here, as ESLint and svelte-check read this file too and build nothing.
  const { build } = await import('vite');
  await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      ssr: true,
      outDir: 'build/cli',
      rolldownOptions: {
        input: Object.fromEntries(commands.map((name) => [name, `src/cli/${name}.ts`])),
        output: { chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  });
}

/** @type {import('@sveltejs/kit').Config} */
export default {
  preprocess: vitePreprocess(),
  kit: {
    adapter: adapter(),
    // The API answers 415 itself to anything but JSON, which a browser never sends across sites
    // without asking first; SvelteKit's own check would answer 403 to scripts in its place.
    csrf: { trustedOrigins: ['*'] },
    csp: {
      mode: 'auto',
      directives: {
        'default-src': ['self'],
        // The pivot engine is WebAssembly in a worker that is started from a blob.
        'script-src': ['self', 'wasm-unsafe-eval'],
        'worker-src': ['self', 'blob:'],
        // The engine and the grid write styles as they go.
        'style-src': ['self', 'unsafe-inline'],
        'img-src': ['self', 'data:'],
        'font-src': ['self', 'data:'],
        'object-src': ['none'],
        'base-uri': ['self'],
        'form-action': ['self'],
        'frame-ancestors': ['none'],
      },
    },
  },
};
