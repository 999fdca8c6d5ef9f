import type { Page } from '@playwright/test';
import { expect, test } from '../support/e2e';
import type { Service } from '../support/service';
import { PivotPage } from './pivot-page';

/** Note and held price of the panel apply to the next write, however its amount is entered. */

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

async function chairs(service: Service) {
  const [row] = await service.query(
    `SELECT sum("Sales")::float8 AS sales, sum("Quantity")::float8 AS units FROM pf.fc_superstore_1
      WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31' AND "Sub-Category" = 'Chairs'`,
  );
  return row as { sales: number; units: number };
}

test('a note in the panel is stored with the next amount typed into a cell, and only with that', async ({
  page,
  service,
}) => {
  test.slow();
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

test('a refused amount leaves the note in the panel, and a note can be removed beside the cell', async ({
  page,
  service,
}) => {
  test.slow();
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
  await pivot.click(CHAIRS);
  await page.keyboard.type('+500');
  await chips(page).getByRole('button', { name: 'Leave out: with note' }).click();
  await expect(chips(page)).toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect.poll(() => notes(service)).toEqual([null]);
  await expect(note(pivot)).toHaveValue('');
});

test('a held price applies to an amount typed into one or several cells', async ({
  page,
  service,
}) => {
  test.slow();
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await expect(page.getByTestId('value-total')).toBeVisible();
  await pivot.panel.getByLabel('Hold price').check();
  const before = await chairs(service);
  await pivot.click(CHAIRS);
  await page.keyboard.type(String(before.sales * 2));
  await expect(chips(page)).toContainText('at held price');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await chairs(service)).units).toBe(before.units * 2);
  expect((await chairs(service)).sales).toBeCloseTo(before.sales * 2, 0);

  await pivot.click(CHAIRS);
  await pivot.click(at('Tables'), { ctrl: true });
  await page.keyboard.type('-50%');
  await expect(chips(page)).toContainText('at held price');
  await page.keyboard.press('Control+Enter');
  await expect.poll(async () => (await chairs(service)).units).toBe(before.units);
  expect((await chairs(service)).sales).toBeCloseTo(before.sales, 0);
});

test('a trial shows its note and writes it when it is kept', async ({ page, service }) => {
  test.slow();
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await note(pivot).fill('Fair in May');
  await pivot.click(CHAIRS);
  await page.keyboard.type('+500');
  await page.keyboard.press('Shift+Enter');
  await expect(page.getByTestId('tried-note')).toHaveText('Note: “Fair in May”', {
    timeout: 40_000,
  });
  await page.keyboard.press('Escape');
  await expect(note(pivot)).toHaveValue('Fair in May');
  await page.keyboard.type('+500');
  await page.keyboard.press('Shift+Enter');
  await expect(page.getByTestId('tried-note')).toBeVisible({ timeout: 40_000 });
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => notes(service)).toEqual(['Fair in May']);
  await expect(note(pivot)).toHaveValue('');
});
