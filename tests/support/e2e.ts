import {
  expect as baseExpect,
  test as base,
  type ExpectMatcherState,
  type Locator,
} from '@playwright/test';
import type { Template } from './cluster';
import { KeptPages, type KeptPage } from './kept-page';
import { KeptServices } from './kept-service';
import { startService, type Service } from './service';
import type { TcpProxy } from './tcp-proxy';

/** What a worker keeps from test to test. */
interface Kept {
  services: KeptServices;
  pages: KeptPages;
  /** Networks before the servers, by the address of the server. */
  networks: Map<string, TcpProxy>;
}

/**
 * Playwright's test with a built server and its database. `test.use({ template: 'grain' })` sets what the
 * database has; without it, that of the demo, row by row. `env` configures the server.
 *
 * Server, browser context and page are those of the test before, reset: the database has the content of
 * the template again, the storage is empty, nothing is intercepted. What a test leaves in the page makes it fail.
 * `test.use({ alone: true })` gives a test its own, which it may stop or break.
 */
export const test = base.extend<
  {
    template: Template;
    env: Record<string, string>;
    alone: boolean;
    service: Service;
    keptPage: KeptPage | null;
    contextsClosed: void;
  },
  { kept: Kept }
>({
  template: ['raw', { option: true }],
  env: [{}, { option: true }],
  alone: [false, { option: true }],
  kept: [
    // Playwright reads from the pattern what a fixture needs.
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const kept: Kept = {
        services: new KeptServices(),
        pages: new KeptPages(),
        networks: new Map(),
      };
      await use(kept);
      for (const network of kept.networks.values()) await network.stop();
      await kept.services.stop();
    },
    { scope: 'worker' },
  ],
  service: async ({ template, env, alone, kept: { services } }, use) => {
    const service = alone ? await startService(template, env) : await services.take(template, env);
    await use(service);
    await (alone ? service.stop() : services.giveBack(service));
  },
  keptPage: async (
    { browser, alone, baseURL, kept, viewport, locale, timezoneId, colorScheme, contextOptions },
    use,
    testInfo,
  ) => {
    if (alone) return use(null);
    const page = await kept.pages.take(browser, {
      ...{ baseURL, viewport, locale, timezoneId, colorScheme, ...contextOptions },
    });
    await use(page);
    // After a failure the worker ends, with its browser and servers.
    if (testInfo.status !== testInfo.expectedStatus) return;
    const left = await page.leave();
    if (left.length === 0) return;
    await kept.pages.drop(page);
    throw new Error(`The test left behind:\n${left.join('\n')}`);
  },
  context: async ({ browser, keptPage }, use) => {
    if (keptPage) return use(keptPage.page.context());
    await use(await browser.newContext());
  },
  page: async ({ context, keptPage }, use) => {
    await use(keptPage ? keptPage.page : await context.newPage());
  },
  // The browser serves all tests of a worker: pages that a test opened for others would stay in it.
  contextsClosed: [
    async ({ browser, kept: { pages } }, use) => {
      await use();
      const others = browser.contexts().filter((context) => !pages.has(context));
      await Promise.all(others.map((context) => context.close()));
    },
    { auto: true },
  ],
  baseURL: async ({ service }, use) => use(service.url),
});

/** A test with a server, a browser context and a page of its own, which it may stop or break. */
export const aloneTest = test.extend({ alone: true });

/**
 * Playwright's `expect`, but `toBeVisible` waits as `waitFor` does, and fails with its error. Playwright's own lists
 * all roles and names of the page after each attempt that fails, which takes a tenth of the CPU time of a page
 * (https://github.com/microsoft/playwright/issues/41098).
 */
export const expect = baseExpect.extend({
  async toBeVisible(
    this: ExpectMatcherState,
    locator: Locator,
    { timeout = this.timeout }: { timeout?: number } = {},
  ) {
    await locator.waitFor({ state: this.isNot ? 'hidden' : 'visible', timeout });
    return { pass: !this.isNot, message: () => '' };
  },
});
export { storeText, visit } from './kept-page';
