import { fileURLToPath } from 'node:url';
import { STATES } from '../e2e/states';
import { test } from '../support/e2e';

const FOLDER = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
/** The usual width is not part of the file's name. */
const SIZES = [
  { mark: '', width: 1440, height: 900 },
  { mark: '-1024', width: 1024, height: 768 },
];

for (const { name, template = 'raw', env = {}, reach } of STATES) {
  test.describe(name, () => {
    test.use({ template, env });

    test('light and dark', async ({ page, service }) => {
      await page.addInitScript(() => localStorage.setItem('pf.user', 'Ann Planner'));
      await page.emulateMedia({ colorScheme: 'light' });
      await reach(page, service);
      for (const { mark, width, height } of SIZES) {
        await page.setViewportSize({ width, height });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          // Elements that measure themselves are drawn again in the following frames.
          await page.waitForTimeout(400);
          await page.screenshot({
            path: `${FOLDER}${name}-${colorScheme}${mark}.png`,
            animations: 'disabled',
            caret: 'hide',
          });
        }
      }
    });
  });
}
