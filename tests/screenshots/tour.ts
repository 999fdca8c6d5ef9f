import { fileURLToPath } from 'node:url';
import { PRODUCTS_SQL } from '../../src/demo/products';
import { makeSample } from '../../src/demo/sample';
import { tellStory } from '../../src/demo/story';
import { PivotPage } from '../e2e/pivot-page';
import { expect, test, visit } from '../support/e2e';

/** The pictures of docs/tour.md: the plan of the demo, from the first look to a comparison. */

const FOLDER = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const FIRST_YEAR = 2027;
const at = (row: string[], measure = 'Sales') => ({
  row,
  column: [`Q2 ${FIRST_YEAR + 1}`, measure],
});

test.use({
  template: 'service',
  viewport: { width: 1280, height: 720 },
});

test('tour', async ({ page, service }) => {
  test.slow();
  const { url } = service;
  await service.query(PRODUCTS_SQL);
  const sample = await makeSample({ url, firstYear: FIRST_YEAR, grain: false, profit: true });
  await tellStory(url, sample, FIRST_YEAR);
  const pivot = new PivotPage(page);
  await pivot.keepUser('Ann');
  const take = async (name: string) => {
    await expect(page.locator('[data-sonner-toast]')).toHaveCount(0, { timeout: 20_000 });
    await page.waitForTimeout(400);
    await page.screenshot({ path: `${FOLDER}tour-${name}.png`, animations: 'disabled' });
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name });

  await visit(page, '/');
  await expect(page.getByText(`Cautious ${FIRST_YEAR}`)).toBeVisible();
  await take('home');

  await page
    .getByRole('link', { name: `Plan ${FIRST_YEAR}` })
    .first()
    .click();
  await pivot.drawn();
  await pivot.click(at(['Technology', 'Phones']));
  await take('pivot');

  const [view] = await service.query(`SELECT id FROM pf.view WHERE name = 'Families'`);
  await page.goto(`/versions/1?view=${view.id}`);
  await pivot.drawn();
  await take('families');
  await page.goto('/versions/1');
  await pivot.drawn();
  await pivot.click(at(['Technology', 'Phones']));

  await page.keyboard.type('+5%');
  await expect(page.locator('#cell-meaning')).toContainText('→');
  await take('type');

  await page.keyboard.press('Shift+Enter');
  await expect(page.getByText('Tried, not saved')).toBeVisible();
  await take('try');

  await button('Keep').click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  await page.keyboard.press('w');
  await expect(page.getByRole('region', { name: 'Why', exact: true })).toContainText('baseline');
  await take('why');
  await page.keyboard.press('w');

  await pivot.log();
  await take('log');
  await button(/^Log/).click();

  await button(`Actions for Plan ${FIRST_YEAR}`).click();
  await page.getByRole('menuitem', { name: 'Close months …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('From', { exact: true }).selectOption(`Jan ${FIRST_YEAR + 1}`);
  await dialog.getByLabel('Through', { exact: true }).selectOption(`Mar ${FIRST_YEAR + 1}`);
  await expect(dialog.getByText('closed already')).toBeVisible();
  await take('close');
  await page.keyboard.press('Escape');

  await button('Show as a chart').click();
  await expect(page.getByRole('region', { name: 'Chart', exact: true })).toBeVisible();
  await take('chart');
  await button('Show as a grid').click();

  await button('Compare').click();
  await page.getByText(`Cautious ${FIRST_YEAR}`).click();
  await expect(button(`Compared with Cautious ${FIRST_YEAR}`)).toBeVisible();
  await pivot.drawn();
  await take('compare');
});
