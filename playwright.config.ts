import { defineConfig } from '@playwright/test';
import { CHROMIUM_ARGS, installedChromium } from './tests/support/chromium.js';

export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '**/*.e2e.ts',
  globalSetup: './tests/support/global-setup.ts',
  // Two use most of as many cores as the smallest machine has; `npm test` runs other tests in the rest.
  workers: 2,
  // Otherwise one worker would run a long file alone while the other has nothing left to do.
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // Other tests run at the same time, so a test may get a tenth of a core. A timeout ends only what hangs.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  reporter: 'list',
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    actionTimeout: 120_000,
    screenshot: 'only-on-failure',
    // Frames of animations take a tenth of the CPU time, and a check of contrasts must not read colours between two.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: installedChromium(),
      // Compiling the engine's WebAssembly a second time, optimized, costs more than a short test gains.
      args: [...CHROMIUM_ARGS, '--js-flags=--liftoff-only'],
    },
  },
});
