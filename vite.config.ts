import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig } from 'vitest/config';

const onPostgres = {
  environment: 'node',
  setupFiles: ['tests/support/seed.ts'],
  globalSetup: ['tests/support/global-setup.ts'],
  testTimeout: 60_000,
  hookTimeout: 120_000,
  maxWorkers: 2,
  // Vitest runs projects with different limits one after the other, and wants to be told.
  sequence: { groupOrder: 1 },
};

/**
 * The contract holds wherever the service runs: its tests run west and east of UTC, the tests
 * themselves and the servers that they start.
 */
const timeZones = ['America/New_York', 'Asia/Kolkata'];

export default defineConfig({
  plugins: [sveltekit()],
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          // The engine's specs take seconds on a machine that is busy.
          testTimeout: 60_000,
          include: ['src/**/*.spec.ts', 'tests/house/*.spec.ts', 'tests/hunt/*.spec.ts'],
          environment: 'node',
          setupFiles: ['tests/support/seed.ts'],
        },
      },
      {
        extends: true,
        test: { ...onPostgres, name: 'api', include: ['tests/api/*.test.ts'] },
      },
      ...timeZones.map((TZ) => ({
        extends: true as const,
        test: {
          ...onPostgres,
          name: `contract in ${TZ}`,
          include: ['tests/api/contract/*.test.ts'],
          env: { TZ },
        },
      })),
    ],
  },
});
