import base from '../../playwright.config';

/** `npm run screenshots`: every state of every page, for the documentation. */
export default {
  ...base,
  testDir: '.',
  testMatch: 'take.ts',
  globalSetup: '../support/global-setup.ts',
};
