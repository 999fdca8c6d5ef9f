import type { Page } from '@playwright/test';
import { test, expect } from '../support/e2e';
import type { Service } from '../support/service';
import { PivotPage } from './pivot-page';

/**
 * Note and held price of the panel apply to the next write, however its amount is entered, and a pinned price to
 * later ones.
 */

const at = (name: string, measure = 'Sales') => ({
  row: ['Furniture', name],
  column: ['2028', measure],
});
const CHAIRS = at('Chairs');

const chips = (page: Page) => page.getByRole('list', { name: 'Panel settings for this amount' });
const note = (pivot: PivotPage) => pivot.panel.getByRole('textbox', { name: 'Note' });
const notes = async (service: Service) =>
  (await service.query(`SELECT note FROM pf.log WHERE operation = 'scale' ORDER BY id`)).map(
    (entry) => (entry as { note: string | null }).note,
  );

/** Sums of a subcategory, by default in 2028 only. */
async function sums(
  service: Service,
  name: string,
  days = `"Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`,
) {
  const [row] = await service.query(
    `SELECT sum("Sales")::float8 AS sales, sum("Quantity")::float8 AS units FROM pf.fc_superstore_1
      WHERE "Sub-Category" = '${name}' AND ${days}`,
  );
  return row as { sales: number; units: number };
}
const chairs = (service: Service) => sums(service, 'Chairs');

test('a note in the panel is stored with the next amount typed into a cell, and only with that', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await note(pivot).fill('Fair in May');
  await pivot.click(CHAIRS);
  await page.keyboard.type('+500');
  await expect(chips(page)).toContainText('with note: Fair in May');
  await page.keyboard.press('Enter');
  await expect.poll(() => notes(service)).toEqual(['Fair in May']);
  await expect(note(pivot)).toHaveValue('');
  await page.keyboard.type('+100');
  await expect(page.locator('#cell-meaning')).toContainText('→');
  await expect(chips(page)).toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect.poll(() => notes(service)).toEqual(['Fair in May', null]);
});

test('a refused amount leaves the note in the panel and can be edited, and a note can be removed beside the cell', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await note(pivot).fill('Fair in May');
  await pivot.click(CHAIRS);
  await page.route('**/api/versions/1/scale', (route) =>
    route.fulfill({ status: 422, json: { error: 'Refused by the test' } }),
  );
  await page.keyboard.type('+500');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Refused by the test')).toBeVisible();
  await expect(note(pivot)).toHaveValue('Fair in May');
  await page.unroute('**/api/versions/1/scale');
  await page.getByRole('button', { name: 'Edit the amount' }).click();
  await expect(page.getByRole('textbox', { name: 'New amount' })).toHaveValue('+500');
  await chips(page).getByRole('button', { name: 'Leave out: with note' }).click();
  await expect(chips(page)).toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect.poll(() => notes(service)).toEqual([null]);
  await expect(note(pivot)).toHaveValue('');
});

test('a held price applies to one typed amount, and pinned to later ones, also after a reload', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await expect(page.getByTestId('value-total')).toBeVisible();
  await pivot.panel.getByLabel('Hold price').check();
  const before = await chairs(service);
  await pivot.click(CHAIRS);
  await page.keyboard.type(String(before.sales * 2));
  await expect(page.getByLabel('Spread of this amount')).toHaveValue('held');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await chairs(service)).units).toBe(before.units * 2);
  expect((await chairs(service)).sales).toBeCloseTo(before.sales * 2, 0);
  await expect(pivot.panel.getByLabel('Hold price')).not.toBeChecked();

  // The cell says for which changes it holds.
  await pivot.click(CHAIRS);
  await page.keyboard.type('-50%');
  await page.getByLabel('Spread of this amount').selectOption('held');
  const editor = page.locator('.editor');
  await expect(editor).toContainText('for the next change only');
  await editor.getByRole('button', { name: 'Pin' }).click();
  await expect(editor).toContainText('for all changes');
  await page.keyboard.press('Escape');
  await page.reload();
  await pivot.drawn();
  await pivot.click(CHAIRS);
  await pivot.click(at('Tables'), { ctrl: true });
  await page.keyboard.type('-50%');
  await expect(page.getByLabel('Spread of this amount')).toHaveValue('held');
  await page.keyboard.press('Control+Enter');
  await expect.poll(async () => (await chairs(service)).units).toBe(before.units);
  expect((await chairs(service)).sales).toBeCloseTo(before.sales, 0);
  await expect(pivot.panel.getByLabel('Hold price')).toBeChecked();
});

test('a trial shows its note and writes it when it is kept', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await note(pivot).fill('Fair in May');
  await pivot.click(CHAIRS);
  await page.keyboard.type('+500');
  await page.keyboard.press('Shift+Enter');
  await expect(page.getByTestId('tried-note')).toHaveText('Note: “Fair in May”');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('tried-note')).toHaveCount(0);
  await expect(note(pivot)).toHaveValue('Fair in May');
  await page.keyboard.type('+500');
  await page.keyboard.press('Shift+Enter');
  await expect(page.getByTestId('tried-note')).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => notes(service)).toEqual(['Fair in May']);
  await expect(note(pivot)).toHaveValue('');
});

test('note and held price apply to a pasted block and to a fill', async ({
  page,
  context,
  service,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await pivot.panel.getByLabel('Hold price').check();
  await note(pivot).fill('Fair in May');
  const before = { chairs: await chairs(service), tables: await sums(service, 'Tables') };

  // Chairs and Furnishings stand above Tables.
  const furnishings = await sums(service, 'Furnishings');
  const pasted = [before.chairs.sales * 2, furnishings.sales * 3];
  await pivot.click(CHAIRS);
  await page.evaluate((text) => navigator.clipboard.writeText(text), pasted.join('\n'));
  await page.keyboard.press('Control+v');
  await expect.poll(() => notes(service)).toEqual(['Fair in May']);
  expect(await chairs(service)).toEqual({
    sales: before.chairs.sales * 2,
    units: before.chairs.units * 2,
  });
  expect((await sums(service, 'Furnishings')).units).toBe(furnishings.units * 3);
  await expect(note(pivot)).toHaveValue('');
  await page.keyboard.press('Control+z');
  await expect(page.getByText(/^Undone: /)).toBeVisible();

  await pivot.click(CHAIRS);
  await expect(pivot.panel.getByLabel('Hold price')).not.toBeChecked();
  await pivot.panel.getByLabel('Hold price').check();
  await note(pivot).fill('Agreed in June');
  await pivot.click(CHAIRS);
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(page.getByTestId('marked')).toContainText('3 cells');
  await page.keyboard.press('Control+d');
  await expect.poll(() => notes(service)).toEqual(['Agreed in June']);
  const filled = await sums(service, 'Tables');
  expect(filled.sales).toBeCloseTo(before.chairs.sales, 2);
  const share = before.chairs.sales / before.tables.sales;
  expect(filled.units).toBe(Math.round(before.tables.units * share));
  expect((await chairs(service)).units).toBe(before.chairs.units);
  await expect(note(pivot)).toHaveValue('');
});

test('a note applies to a price typed into a cell, and a held price does not', async ({
  page,
  service,
}) => {
  const default_layout = {
    group_by: ['Category', 'Sub-Category'],
    columns: ['Sales', 'Quantity', 'Sales: price'],
  };
  const { status } = await service.api.patch('/sources/1', { default_layout });
  expect(status).toBe(200);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const price = { row: ['Furniture', 'Chairs'], column: ['Sales: price'] };
  await pivot.click(price);
  await pivot.panel.getByLabel('Hold price').check();
  await note(pivot).fill('New list');
  const all = () => sums(service, 'Chairs', 'TRUE');
  const before = await all();
  await pivot.click(price);
  await page.keyboard.type('150');
  await expect(chips(page)).toHaveText(/^with note: New list/);
  await page.keyboard.press('Enter');
  await expect.poll(() => notes(service)).toEqual(['New list']);
  expect(await all()).toEqual({ sales: 150 * before.units, units: before.units });
  await expect(note(pivot)).toHaveValue('');
});
