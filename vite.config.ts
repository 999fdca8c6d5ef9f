import { mkdirSync, writeFileSync } from 'node:fs';
import { sveltekit } from '@sveltejs/kit/vite';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { packageFolders } from './src/cli/packages.js';

const onCitus = Boolean(process.env.PF_TEST_CITUS);

const onPostgres = {
  environment: 'node',
  setupFiles: ['tests/support/seed.ts'],
  globalSetup: ['tests/support/global-setup.ts'],
  // On a cluster, the first statement of a session takes a second.
  testTimeout: onCitus ? 600_000 : 60_000,
  hookTimeout: onCitus ? 600_000 : 120_000,
  maxWorkers: 2,
  // Vitest runs projects with different limits one after the other, and needs an order.
  sequence: { groupOrder: 1 },
  // A file shares nothing but modules with others, and evaluating them takes as long as a short test.
  isolate: false,
};

/** The longest files of a project first; a worker is used again as long as the project is the same. */
class ProjectByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
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
 * The contract holds wherever the service runs: its tests run west and east of UTC, the tests
 * themselves and the servers that they start. In the east, these servers keep no rows.
 */
const places = [{ TZ: 'America/New_York' }, { TZ: 'Asia/Kolkata', PF_TEST_KEEP_ENTRIES: '0' }];

export default defineConfig({
  plugins: [sveltekit(), bundledPackages],
  test: {
    sequence: { sequencer: ProjectByProject },
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          // The engine's specs take seconds on a machine that is busy.
          testTimeout: 60_000,
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
      // Asked for by name, in `npm run test:citus`.
      ...(onCitus
        ? [
            {
              extends: true as const,
              test: { ...onPostgres, name: 'citus', include: ['tests/citus/*.test.ts'] },
            },
          ]
        : []),
      ...places.map((env) => ({
        extends: true as const,
        test: {
          ...onPostgres,
          name: `contract in ${env.TZ}`,
          include: ['tests/api/contract/*.test.ts'],
          env,
        },
      })),
    ],
  },
});
