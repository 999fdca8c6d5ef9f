import base from '../../playwright.config';

/** `npm run screenshots`: every state of every page, and the tour, for the documentation. */
export default {
  ...base,
  testDir: '.',
  testMatch: ['take.ts', 'tour.ts'],
  globalSetup: '../support/global-setup.ts',
};
