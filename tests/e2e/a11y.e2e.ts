import { COLOURS, gridHasColourOfPage, violations } from '../support/axe';
import { expect, storeText, test } from '../support/e2e';
import { STATES } from './states';

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
        const rules = colorScheme === 'light' ? ALL : COLOURS;
        const found = (await violations(page, rules)).map(
          ({ id, nodes }) =>
            `${colorScheme}: ${id}: ${nodes.map((node) => `${node.target} ${node.any[0]?.message ?? ''}`).join(' | ')}`,
        );
        expect(found).toEqual([]);
      }
    });
  });
}

/** All rules that apply to the pages. */
const ALL = {
  tags: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  // Best practices beyond WCAG that do not apply here: menus and lists are outside the landmarks
  // while they are open, and the row headers have no header above them.
  without: ['region', 'empty-table-header'],
};
