/** One PostgreSQL for the whole run of Vitest or Playwright, gone with it. */
export { startTestCluster as default } from './cluster';
