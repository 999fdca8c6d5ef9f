import { test as base } from '@playwright/test';
import { startService, type Service } from './service';
import type { Template } from './cluster';

/**
 * Playwright's test with a built server on a database of its own for each test. Which database is
 * set by `test.use({ template: 'grain' })`; without it the test has the demo's, row by row.
 * `env` configures the server.
 */
export const test = base.extend<{
  template: Template;
  env: Record<string, string>;
  service: Service;
  contextsClosed: void;
}>({
  template: ['raw', { option: true }],
  env: [{}, { option: true }],
  service: async ({ template, env }, use) => {
    const service = await startService(template, env);
    await use(service);
    await service.stop();
  },
  // The browser serves all tests of a worker: pages that a test opened for others would stay in it.
  contextsClosed: [
    async ({ browser }, use) => {
      await use();
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    { auto: true },
  ],
  baseURL: async ({ service }, use) => use(service.url),
});

export { expect } from '@playwright/test';
