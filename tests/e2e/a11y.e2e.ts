import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, storeText, aloneTest as test } from '../support/e2e';
import { STATES } from './states';

test.use({ contextOptions: { reducedMotion: 'reduce' } });

for (const state of STATES) {
  test.describe(state.name, () => {
    test.use({ template: state.template ?? 'raw', env: state.env ?? {} });

    test('passes axe in both themes', async ({ page, service }) => {
      await storeText(page, 'pf.user', 'Ann Planner');
      await page.emulateMedia({ colorScheme: 'light' });
      await state.reach(page, service);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await expect.poll(() => page.evaluate(gridHasColourOfPage)).toBe(true);
        const { violations } = await (colorScheme === 'light' ? all : colours)(page).analyze();
        const found = violations.map(
          ({ id, nodes }) =>
            `${colorScheme}: ${id}: ${nodes.map((node) => `${node.target} ${node.any[0]?.message ?? ''}`).join(' | ')}`,
        );
        expect(found).toEqual([]);
      }
    });
  });
}

/** Axe with all rules that apply to the pages. */
const all = (page: Page) =>
  new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    // Best practices beyond WCAG that do not apply here: menus and lists are outside the landmarks
    // while they are open, and the row headers have no header above them.
    .disableRules(['region', 'empty-table-header']);

/** Axe with the rules about colours. A theme changes nothing else, and all rules take twice as long. */
const colours = (page: Page) =>
  new AxeBuilder({ page }).withRules(['color-contrast', 'link-in-text-block']);

/** Returns whether the grid has the theme's colours, which it gets shortly after the page. */
function gridHasColourOfPage(): boolean {
  const cell = document
    .querySelector('perspective-viewer-pivot-grid')
    ?.shadowRoot?.querySelector('td.pf-selected');
  return !cell || getComputedStyle(cell).color === getComputedStyle(document.body).color;
}
