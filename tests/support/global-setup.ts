/** Starts one PostgreSQL for a whole run of Vitest or Playwright. It ends with the run. */
export { startTestCluster as default } from './cluster';
