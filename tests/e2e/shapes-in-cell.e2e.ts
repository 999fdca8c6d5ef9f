import type { Page } from '@playwright/test';
import { test, expect } from '../support/e2e';
import { PivotPage } from './pivot-page';
import { CHAIRS, lastScale, months, parted, TABLE, YEAR } from './shaped-months';

/** The spread of an amount is chosen beside the cell that it is typed into. */

const field = (page: Page) => page.getByRole('textbox', { name: 'New amount' });
const spread = (page: Page) => page.getByLabel('Spread of this amount');

test('the keyboard reaches the list beside the cell, and a shape that rises by month is written', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await page.keyboard.type('780000');
  await expect(spread(page)).toHaveValue('proportional');
  await page.keyboard.press('Alt+ArrowDown');
  await expect(spread(page)).toBeFocused();
  // Nothing is written when the field loses the focus to its own list.
  await page.keyboard.press('Escape');
  await expect(field(page)).toBeFocused();
  await expect(field(page)).toHaveValue('780000');
  // The keys step through the list, and Enter leads back.
  await page.keyboard.press('Alt+ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(spread(page)).toHaveValue('equal');
  await expect(spread(page)).toBeFocused();
  await page.keyboard.press('r');
  await expect(spread(page)).toHaveValue('ramp');
  await page.keyboard.press('Enter');
  await expect(field(page)).toBeFocused();
  await expect(field(page)).toHaveValue('780000');
  await expect(pivot.panel.getByLabel('Spread', { exact: true })).toHaveValue('ramp');
  // The months before and after are those that will be written.
  const chart = page.getByTestId('shape-months');
  await expect(chart.getByRole('figure')).toBeVisible();
  await chart.getByText('Sales by month as a table').click();
  const after = chart.getByRole('table').getByRole('row').locator('td:last-child');
  const announced = (await after.allTextContents()).map((text) => text.replace(/[.,]/g, ''));
  await page.keyboard.press('Escape');
  await expect(field(page)).toBeFocused();
  // A press on the chart keeps the focus in the field.
  await chart.getByRole('figure').click();
  await expect(field(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const found = await months(service);
  const first = found[0]?.[0] ?? 0;
  const weights = found.map(([month]) => BigInt(month - first + 1));
  expect(found.map(([, cents]) => cents)).toEqual(parted(78_000_000n, weights));
  expect(announced).toEqual(found.map(([, cents]) => String(cents)));
});

test('a price is held, and equal parts are chosen, beside the cell', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await page.keyboard.type('+10%');
  await spread(page).selectOption('at held price');
  await expect(pivot.panel.getByLabel('Hold price')).toBeChecked();
  await spread(page).selectOption('equally');
  await expect(pivot.panel.getByLabel('Hold price')).not.toBeChecked();
  await spread(page).selectOption('at held price');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  expect(await lastScale(service)).toMatchObject({ spread: 'price' });
});

test('a pattern is picked in the grid while an amount is being typed', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await page.keyboard.type('500000');
  await spread(page).selectOption('like a cell or row …');
  await expect(page.getByText(/^Pick the cell or row whose months/)).toBeVisible();
  await pivot.press({ ...CHAIRS, row: ['Furniture', 'Tables'] });
  await expect(field(page)).toBeFocused();
  await expect(field(page)).toHaveValue('500000');
  await expect(spread(page).locator('option:checked')).toHaveText(/^like .*Tables/);
  await expect(pivot.slice).toContainText('Sub-Category = Chairs');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const tables = await service.query<{ month: number; cents: string }>(
    `SELECT extract(month FROM "Order Date")::int AS month, (100 * sum("Sales"))::bigint::text AS cents
       FROM ${TABLE} WHERE "Sub-Category" = 'Tables' AND ${YEAR} GROUP BY 1 ORDER BY 1`,
  );
  const found = await months(service);
  const weights = found.map(([month]) =>
    BigInt(tables.find((each) => each.month === month)?.cents ?? 0),
  );
  expect(found.map(([, cents]) => cents)).toEqual(parted(50_000_000n, weights));

  // Esc leaves the picking, and a second one the cell. Nothing is written.
  await pivot.click(CHAIRS);
  await page.keyboard.type('1');
  await spread(page).selectOption('at held price');
  await spread(page).selectOption('like a cell or row …');
  await page.keyboard.press('Escape');
  await expect(field(page)).toBeFocused();
  await expect(spread(page)).toHaveValue('held');
  await page.keyboard.press('Escape');
  await expect(field(page)).toHaveCount(0);
  // A write that came late would be what the undo takes out.
  await page.keyboard.press('Control+z');
  await expect(page.getByText(/^Undone/)).toBeVisible();
  expect(await lastScale(service)).toBeUndefined();
});
