import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { sveltekit } from '@sveltejs/kit/vite';
import { extract } from 'pro_self_extracting_wasm';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { packageFolders } from './src/cli/packages.js';
import { CASES_FACTOR } from './tests/support/cases.js';
import { FIRST_ZONE, SECOND_ZONE } from './tests/support/zones.js';

const onCitus = Boolean(process.env.PF_TEST_CITUS);

const onPostgres = {
  environment: 'node',
  setupFiles: ['tests/support/seed.ts'],
  globalSetup: ['tests/support/global-setup.ts'],
  // A test may get a tenth of a core while `npm test` runs the browser. A timeout ends only what hangs.
  testTimeout: 600_000 * CASES_FACTOR,
  hookTimeout: 600_000,
  // Many tests wait, so that two cores have time for a third worker.
  maxWorkers: 3,
  // Vitest runs projects with different limits one after the other, and needs an order.
  sequence: { groupOrder: 1 },
  // A file shares nothing but modules with others, and evaluating them takes as long as a short test.
  isolate: false,
};

/** Files that take long and have few lines; without times of an earlier run, Vitest starts large files first. */
const LONG_FOR_THEIR_SIZE = /\/(gone|health|limits|replay-limits|19g-|19h-)[^/]*$/;

/**
 * The longest files of a project first, or with `--sequence.shuffle` in an order that its seed decides. A worker is
 * used again as long as the project is the same.
 */
class ProjectByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { shuffle, seed } = this.ctx.config.sequence;
    const place = ({ moduleId }: TestSpecification): number =>
      shuffle
        ? createHash('sha1').update(`${seed} ${moduleId}`).digest().readUInt32BE()
        : Number(!LONG_FOR_THEIR_SIZE.test(moduleId));
    const sorted = (await super.sort(files)).sort((a, b) => place(a) - place(b));
    const names = [...new Set(sorted.map(({ project }) => project.name))];
    return names.flatMap((name) => sorted.filter(({ project }) => project.name === name));
  }
}

/** Lists the packages whose files a build puts into its own, for `npm run licenses`. */
const bundledPackages: Plugin = {
  name: 'bundled-packages',
  apply: 'build',
  generateBundle(_, bundle) {
    const origins = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk' ? Object.keys(file.modules) : file.originalFileNames,
    );
    mkdirSync('.svelte-kit', { recursive: true });
    writeFileSync(
      `.svelte-kit/bundled-${this.environment.name}.json`,
      JSON.stringify(packageFolders(origins)),
    );
  },
};

/**
 * Resolves `<file>.wasm?unpacked` to the URL of the module that the file contains in compressed form. The engine's
 * package has such files. Decompressing one in the browser would take the page's thread 0.4 s at each visit, and the
 * compression of HTTP answers makes it smaller.
 */
const unpackedWasm: Plugin = {
  name: 'unpacked-wasm',
  enforce: 'pre',
  async resolveId(id, importer) {
    if (!id.endsWith('.wasm?unpacked')) return null;
    const packed = await this.resolve(id.replace('?unpacked', ''), importer);
    if (!packed) return null;
    mkdirSync('.svelte-kit/unpacked', { recursive: true });
    const unpacked = resolve('.svelte-kit/unpacked', basename(packed.id));
    writeFileSync(unpacked, await extract(Uint8Array.from(readFileSync(packed.id))));
    return `${unpacked}?url`;
  },
};

/**
 * Contract pages that compare no cached rows, and whose subject has no dates; some compare the rows of the table. They
 * run once; a new page runs twice.
 */
const WITHOUT_ROWS =
  '{03,08,09?,10,10b,11?,16a,17,19a,19[cefg],20,20[fgh],21,21b,22,23a}-*.test.ts';

/**
 * The contract holds wherever the service runs: each run of the tests has one zone west and one east of UTC, for
 * the tests and the servers that they start. In the second, these servers cache no rows, and every version gets the
 * indexes of large ones.
 */
const contract = [
  { name: `contract in ${FIRST_ZONE}`, env: { TZ: FIRST_ZONE } },
  {
    name: `contract with indexes, without cached rows in ${SECOND_ZONE}`,
    env: { TZ: SECOND_ZONE, PF_TEST_KEEP_ENTRIES: '0', PF_TEST_INDEX_ROWS: '1' },
    exclude: [`tests/api/contract/${WITHOUT_ROWS}`],
  },
];

export default defineConfig({
  plugins: [unpackedWasm, sveltekit(), bundledPackages],
  test: {
    sequence: { sequencer: ProjectByProject },
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          // The engine's specs take a minute if the machine is busy.
          testTimeout: 600_000,
          isolate: false,
          include: ['src/**/*.spec.ts', 'tests/{bench,house,hunt,soak}/**/*.spec.ts'],
          environment: 'node',
          setupFiles: ['tests/support/seed.ts'],
        },
      },
      {
        extends: true,
        test: { ...onPostgres, name: 'api', include: ['tests/api/*.test.ts'] },
      },
      // Needs other programs, in `npm run test:deploy`.
      ...(process.env.PF_TEST_DEPLOY
        ? [
            {
              extends: true as const,
              test: { ...onPostgres, name: 'deploy', include: ['tests/deploy/*.test.ts'] },
            },
          ]
        : []),
      // Asked for by name, in `npm run test:citus`.
      ...(onCitus
        ? [
            {
              extends: true as const,
              test: { ...onPostgres, name: 'citus', include: ['tests/citus/*.test.ts'] },
            },
          ]
        : []),
      ...contract.map((variant) => ({
        extends: true as const,
        test: { ...onPostgres, include: ['tests/api/contract/*.test.ts'], ...variant },
      })),
    ],
  },
});
