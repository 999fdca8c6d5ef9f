import type { Page } from '@playwright/test';
import { test, expect } from '../support/e2e';
import type { Service } from '../support/service';
import { PivotPage, type CellName } from './pivot-page';

/** Blocks pasted from spreadsheets: other number formats, headings, blanks and texts that do not fit. */

const cell = (sub: string, year = '2028', measure = 'Sales'): CellName => ({
  row: ['Furniture', sub],
  column: [year, measure],
});

/** Returns the stored sums of 2028 by subcategory. */
async function stored(service: Service): Promise<Record<string, { sales: number; units: number }>> {
  const rows = await service.query<{ sub: string; sales: number; units: number }>(
    `SELECT "Sub-Category" AS sub, sum("Sales")::numeric(20,4)::float8 AS sales,
            sum("Quantity")::int AS units
       FROM pf.fc_superstore_1 WHERE extract(year FROM "Order Date") = 2028 GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ sub, ...sums }) => [sub, sums]));
}

const entries = (service: Service) =>
  service.query<{ edits: number }>(
    `SELECT coalesce(jsonb_array_length(params->'edits'), 1) AS edits
       FROM pf.log WHERE operation = 'scale' ORDER BY id`,
  );

async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.keyboard.press('Control+v');
}

const preview = (page: Page) => page.getByRole('dialog', { name: /^Paste / });
const guesses = (page: Page) => preview(page).getByTestId('guesses').getByRole('listitem');
const pasted = (page: Page) => preview(page).getByTestId('pasted');
const status = (page: Page) => page.getByTestId('marked');

test.beforeEach(({ context }) => context.grantPermissions(['clipboard-read', 'clipboard-write']));

test('a German block is shown before and after in an English browser, and written exactly', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = await stored(service);
  await pivot.click(cell('Bookcases'));
  await paste(page, '40.000,50 €\t1.250\r\n72.000 €\t300\r\n');
  await expect(preview(page)).toHaveAccessibleName('Paste 4 numbers?');
  await expect(guesses(page)).toHaveText([
    'The numbers have a decimal comma: “40.000,50 €” is 40,000.5.',
  ]);
  await expect(pasted(page).getByRole('columnheader')).toHaveText([
    '2028 / Sales',
    '2028 / Quantity',
  ]);
  await expect(pasted(page).getByRole('rowheader')).toHaveText([
    'Furniture / Bookcases',
    'Furniture / Chairs',
  ]);
  await expect(pasted(page).getByRole('cell', { name: '40,000.50' })).toContainText('→');
  expect(await entries(service)).toEqual([]);

  await page.keyboard.press('Enter');
  await expect(preview(page)).toBeHidden();
  await expect.poll(() => entries(service)).toEqual([{ edits: 4 }]);
  expect(await stored(service)).toEqual({
    ...before,
    Bookcases: { sales: 40_000.5, units: 1250 },
    Chairs: { sales: 72_000, units: 300 },
  });
  await expect.poll(() => pivot.text(cell('Chairs'))).toBe('72,000.00');
});

test('headings are skipped, and blank cells stay as they are', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = await stored(service);
  await pivot.click(cell('Bookcases'));
  await paste(
    page,
    '\t\t2028\t\r\nCategory\tProduct\tSales\tQuantity\r\n' +
      'Furniture\tBookcases\t41,000.00\t\r\n\tChairs\t\t310\r\n',
  );
  await expect(guesses(page)).toHaveText([
    'Headings are skipped: 2 rows and 2 columns.',
    'Left as they are: 2 blank cells.',
  ]);
  await expect(pasted(page).getByRole('cell', { name: '41,000.00' })).toBeVisible();
  await page.keyboard.press('Escape');
  // One row further down, the copied labels do not name the cells.
  await pivot.click(cell('Chairs'));
  await page.keyboard.press('Control+v');
  await expect(guesses(page).nth(1)).toHaveText(
    'Copied from elsewhere: the numbers of “Bookcases” land in Furniture / Chairs, and 1 more.',
  );
  await page.keyboard.press('Escape');
  await pivot.click(cell('Bookcases'));
  await page.keyboard.press('Control+v');
  await expect(guesses(page)).toHaveCount(2);
  await page.keyboard.press('Enter');
  await expect.poll(() => entries(service)).toEqual([{ edits: 2 }]);
  const { Bookcases, Chairs, ...others } = before;
  expect(await stored(service)).toEqual({
    ...others,
    Bookcases: { sales: 41_000, units: Bookcases?.units },
    Chairs: { sales: Chairs?.sales, units: 310 },
  });
});

test('cells that do not fit are marked and counted, and the others are written', async ({
  page,
  service,
}) => {
  await service.api.post('/versions/1/locks', {
    slice: { 'Sub-Category': 'Tables' },
    note: 'Agreed',
    pf_user: 'Ben',
  });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = await stored(service);
  await pivot.click(cell('Chairs'));
  await paste(page, '40,000.00\t=keep\nn/a\t300');
  await expect(guesses(page)).toHaveText([
    'Not written: 2 cells that do not fit. “=keep” is not a number. “n/a” is not a number.',
  ]);
  await expect(pasted(page).getByRole('cell', { name: 'does not fit' })).toHaveText([
    /“=keep” does not fit/,
    /“n\/a” does not fit/,
  ]);
  await preview(page).getByRole('button', { name: 'Write 2 numbers' }).click();
  await expect.poll(() => entries(service)).toEqual([{ edits: 2 }]);
  const after = await stored(service);
  expect(after.Chairs).toEqual({ sales: 40_000, units: before.Chairs?.units });
  expect(after.Furnishings).toEqual({ sales: before.Furnishings?.sales, units: 300 });

  // A locked cell takes no number; the preview says so, too.
  await pivot.click(cell('Furnishings'));
  await paste(page, '15.000,50\n16.000,50');
  await expect(guesses(page).last()).toHaveText(
    'Not written: 1 cell that does not fit. Locked by Ben: Agreed.',
  );
  await page.keyboard.press('Enter');
  await expect.poll(() => entries(service)).toHaveLength(2);
  expect(await stored(service)).toEqual({
    ...after,
    Furnishings: { sales: 15_000.5, units: 300 },
  });

  // Without any number, there is nothing to confirm.
  await pivot.click(cell('Chairs'));
  await paste(page, 'open\nopen');
  await expect(status(page)).toContainText('“open” is not a number. Nothing was changed.');
  await expect(preview(page)).toBeHidden();
});

test('an ambiguous number is read as the browser writes numbers, and the page says how', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(cell('Chairs'));
  await paste(page, '1,204');
  await expect(
    page.getByText('The comma in “1,204” was read as a thousands separator.'),
  ).toBeVisible();
  await expect.poll(async () => (await stored(service)).Chairs?.sales).toBe(1204);
  // A number with more decimals than its column is confirmed first.
  await paste(page, '1.204');
  await expect(guesses(page)).toHaveText([
    'The point in “1.204” was read as the decimal sign.',
    'Rounded to the decimals of the column: “1.204” to 1.2.',
  ]);
  expect(await entries(service)).toHaveLength(1);
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await stored(service)).Chairs?.sales).toBe(1.2);
  // A text of the clipboard is a value, not a change of one.
  await paste(page, '5%');
  await expect(guesses(page)).toHaveText(['“5%” was read as a change of the amount.']);
  const meaning = page.getByRole('combobox', { name: 'Numbers with a percent sign' });
  await meaning.selectOption('Number: 10% is 0.1');
  await expect(guesses(page)).toHaveText(['“5%” was read as the number 0.05.']);
  await page.getByRole('button', { name: 'Write 1 number' }).click();
  await expect.poll(async () => (await stored(service)).Chairs?.sales).toBe(0.05);
  await paste(page, '+3');
  await expect.poll(async () => (await stored(service)).Chairs?.sales).toBe(3);
  expect(await entries(service)).toHaveLength(4);
});

test('a block is confirmed, read in another format and left with the keyboard', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = await stored(service);
  await pivot.click(cell('Bookcases'));
  await paste(page, '1.204\n\n2.408');
  await expect(guesses(page)).toHaveText([
    'The point in “1.204” was read as the decimal sign.',
    'Rounded to the decimals of the column: “1.204” to 1.2, and 1 more.',
    'Left as they are: 1 blank cell.',
  ]);
  await page.keyboard.press('Escape');
  await expect(preview(page)).toBeHidden();
  await expect(pivot.grid).toBeFocused();
  expect(await entries(service)).toEqual([]);

  await page.keyboard.press('Control+v');
  const format = preview(page).getByLabel('Numbers on the clipboard');
  await expect(preview(page).getByRole('button', { name: /^Write/ })).toBeFocused();
  for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+Tab');
  await expect(format).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(guesses(page).first()).toHaveText(
    'The point in “1.204” was read as a thousands separator.',
  );
  await expect(pasted(page).getByRole('cell', { name: '2,408.00' })).toBeVisible();
  for (let i = 0; i < 3; i++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => entries(service)).toEqual([{ edits: 2 }]);
  await expect(pivot.grid).toBeFocused();
  expect(await stored(service)).toEqual({
    ...before,
    Bookcases: { sales: 1204, units: before.Bookcases?.units },
    Furnishings: { sales: 2408, units: before.Furnishings?.units },
  });
});

test.describe('in a German browser', () => {
  test.use({ locale: 'de-DE' });

  test('an English block is recognized, and a point alone separates thousands', async ({
    page,
    service,
  }) => {
    const pivot = new PivotPage(page);
    await pivot.open(1);
    await pivot.click(cell('Bookcases'));
    await paste(page, '$1,204.50\n($500.00)');
    await expect(guesses(page)).toHaveText([
      'The numbers have a decimal point: “$1,204.50” is 1.204,5.',
    ]);
    await page.keyboard.press('Enter');
    await expect.poll(() => entries(service)).toHaveLength(1);
    const after = await stored(service);
    expect([after.Bookcases?.sales, after.Chairs?.sales]).toEqual([1204.5, -500]);

    await pivot.click(cell('Tables'));
    await paste(page, '1.204');
    await expect(
      page.getByText('The point in “1.204” was read as a thousands separator.'),
    ).toBeVisible();
    await expect.poll(async () => (await stored(service)).Tables?.sales).toBe(1204);
  });
});
