import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import node from '@sveltejs/adapter-node';
import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';
import { packageFolders } from './src/cli/packages.js';

/** What `npm run migrate`, `npm run periods` and `npm run schema:dump` start (see bin/command.js). */
const commands = ['migrate', 'periods', 'schema-dump'];

/**
 * adapter-node with this service's defaults. `node build` alone must listen on port 3010 and leave
 * the body limit to the API (which answers `{error}` with 413), but adapter-node reads its own
 * variables before any code of ours runs. So its entry moves aside, behind one that sets them first
 * and then prepares the listener for what adapter-node does not look after.
 * The commands are bundled beside the server: what is deployed needs neither the sources nor tsx.
 *
 * @returns {import('@sveltejs/kit').Adapter}
 */
function adapter() {
  const inner = node({ out: 'build', precompress: true });
  return {
    ...inner,
    async adapt(builder) {
      await inner.adapt({ ...builder, compress: compressFiles });
      await bundleCommands();
      renameSync('build/index.js', 'build/server-entry.js');
      writeFileSync('build/defaults.js', readFileSync('src/server-defaults.js'));
      writeFileSync('build/listener.js', readFileSync('src/server-listener.js'));
      writeFileSync('build/bundled-packages.json', JSON.stringify(bundledPackages()));
      writeFileSync(
        'build/index.js',
        [
          "import './defaults.js';",
          "import { server } from './server-entry.js';",
          "import { prepareListener } from './listener.js';",
          'prepareListener(server.server);',
          '',
        ].join('\n'),
      );
    },
  };
}

/** The files that compression makes smaller. */
const COMPRESSED = /\.(css|html|js|json|svg|wasm|xml)$/;

/**
 * Writes the files of a folder compressed beside them, if there is such a folder.
 * @param {string} folder
 */
async function compressFiles(folder) {
  if (!existsSync(folder)) return;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => COMPRESSED.test(name))
    .map((name) => join(folder, name));
  const compressFile = async (/** @type {string} */ file) => {
    const content = readFileSync(file);
    const params = {
      // The best compression of the engine's WebAssembly takes half a minute, and makes it a tenth smaller.
      [constants.BROTLI_PARAM_QUALITY]: file.endsWith('.wasm') ? 9 : 11,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    const level = constants.Z_BEST_COMPRESSION;
    writeFileSync(`${file}.gz`, await promisify(gzip)(content, { level }));
    writeFileSync(`${file}.br`, await promisify(brotliCompress)(content, { params }));
  };
  await Promise.all(files.map(compressFile));
}

/** Packages that are part of what was built, for the browser and for the server. */
function bundledPackages() {
  const listed = readdirSync('.svelte-kit')
    .filter((file) => /^bundled-.+\.json$/.test(file))
    .flatMap((file) => JSON.parse(readFileSync(`.svelte-kit/${file}`, 'utf8')));
  // adapter-node bundles the server once more, and leaves only its source maps to tell of what.
  const maps = readdirSync('build/server', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.map'))
    .flatMap((file) => JSON.parse(readFileSync(`build/server/${file}`, 'utf8')).sources);
  return packageFolders([...listed, ...maps, 'node_modules/@sveltejs/adapter-node']);
}

/** Bundles the commands of src/cli to build/cli; packages stay imports. */
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

/**
 * Names what is built: the version of the package and the revision of its sources. The server says it
 * at start, and open pages tell by it whether a newer build answers them.
 */
function buildName() {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  // An image is built without the repository, which says the revision otherwise.
  const git = spawnSync('git', ['describe', '--always', '--dirty', '--exclude=*']);
  const revision = process.env.REVISION || String(git.stdout ?? '').trim();
  return revision ? `${version}+${revision}` : version;
}

/** @type {import('@sveltejs/kit').Config} */
export default {
  preprocess: vitePreprocess(),
  kit: {
    adapter: adapter(),
    version: { name: buildName(), pollInterval: 10 * 60_000 },
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
