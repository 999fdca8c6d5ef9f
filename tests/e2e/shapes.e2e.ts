import type { Page } from '@playwright/test';
import { violations } from '../support/axe';
import { test, expect } from '../support/e2e';
import { CountedPlanner } from './counted-planner';
import { PivotPage } from './pivot-page';
import { CHAIRS, lastScale, months, parted, TABLE, YEAR } from './shaped-months';
import { loadYearBefore } from './year-before';

/** Amounts are spread over the months of a selection by a profile, or like other rows. */

const spread = (page: Page) => page.getByLabel('Spread of this amount');
const shape = (pivot: PivotPage) => pivot.panel.getByLabel('Spread', { exact: true });

test('phasing a year like the months of last year takes at most 5 actions', async ({
  page,
  service,
}) => {
  await loadYearBefore(service);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const reference = await months(service, `pf_iter = 'reference'`);
  const planner = new CountedPlanner(page, pivot);
  await planner.select(CHAIRS);
  await planner.press('d');
  await expect(page.getByText('Amounts are spread like the reference.')).toBeVisible();
  await planner.type('1200000');
  await expect(spread(page)).toHaveValue('reference');
  await expect(page.locator('#cell-meaning')).toContainText('1,200,000');
  await planner.press('Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  expect(planner.actions).toBeLessThanOrEqual(5);
  const wanted = parted(
    120_000_000n,
    reference.map(([, cents]) => cents),
  );
  expect(await months(service)).toEqual(reference.map(([month], i) => [month, wanted[i]]));
  const like = { by: ['Order Date'], unit: 'month', origins: ['reference'] };
  expect(await lastScale(service)).toMatchObject({ value_total: 1_200_000, spread: { like } });
});

test('a chosen spread is shown below the grid and before a paste', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const shown = page.getByTestId('spread');
  await expect(shown).toBeEmpty();
  await pivot.click(CHAIRS);
  await shape(pivot).selectOption('evenly by month');
  await expect(shown).toHaveText('Amounts are spread evenly by month.');
  await page.evaluate(() => navigator.clipboard.writeText('120.000,50'));
  await pivot.click(CHAIRS);
  await page.keyboard.press('Control+v');
  const dialog = page.getByRole('dialog', { name: 'Paste 1 number?' });
  await expect(dialog.getByText('Amounts are spread evenly by month.')).toBeVisible();
  await page.keyboard.press('Escape');
  await shape(pivot).selectOption('equally');
  await expect(shown).toHaveText('Amounts are spread equally.');
  await shape(pivot).selectOption('in proportion');
  await expect(shown).toBeEmpty();
});

test('a total is spread by 4-4-5 from the panel, and the present one is reshaped', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await shape(pivot).selectOption('4-4-5');
  await pivot.type('New total', '1200000');
  // The table below the chart has the amounts that the service would write.
  await pivot.panel.getByText('Sales by month as a table').click();
  const rows = page.getByTestId('shape-months').getByRole('row');
  const cents = (text: string | undefined) => BigInt((text ?? '').replace(/[,.]/g, ''));
  const before = await months(service);
  const shown = () =>
    Promise.all(
      before.map((_, i) =>
        rows
          .nth(i + 1)
          .getByRole('cell')
          .allInnerTexts(),
      ),
    );
  await expect
    .poll(async () => (await shown()).reduce((sum, [, , after]) => sum + cents(after), 0n))
    .toBe(120_000_000n);
  const announced = await shown();
  expect(announced.map(([was]) => cents(was))).toEqual(before.map(([, each]) => each));
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page, { include: ['aside.panel'] })).toEqual([]);
  }
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const weekly = (await months(service)).map(([month]) => (month % 3 === 0 ? 5n : 4n));
  const sums = async () => (await months(service)).map(([, cents]) => cents);
  expect(await sums()).toEqual(parted(120_000_000n, weekly));
  expect(announced.map(([, , after]) => cents(after))).toEqual(await sums());

  // A percentage and a held price are refused, with the reason. The shape was for the next change only.
  await expect(shape(pivot)).toHaveValue('proportional');
  await shape(pivot).selectOption('4-4-5');
  await pivot.type('Percent', '5');
  await expect(pivot.panel).toContainText('A percentage applies to each row');
  await pivot.type('Change', '100');
  await expect(pivot.apply).toBeEnabled();
  // The chart above the checkbox moves it.
  await expect(page.getByTestId('shape-months')).toHaveAttribute('aria-busy', 'false');
  await pivot.panel.getByLabel('Hold price').check();
  await expect(pivot.panel).toContainText('it cannot hold the price');
  await pivot.panel.getByLabel('Hold price').uncheck();
  await pivot.type('Change', ' ');

  await shape(pivot).selectOption('evenly by month');
  await pivot.panel.getByLabel('Keep the total of Sales, change its shape').check();
  await expect(page.getByTestId('extent')).toContainText('reshapes Sales, total kept');
  await pivot.apply.click();
  await expect.poll(sums).toEqual(
    parted(
      120_000_000n,
      weekly.map(() => 1n),
    ),
  );
  expect(await lastScale(service)).toMatchObject({ value_total: 'keep' });
});

test('the fields below the chart of a shape stay in place when it is drawn', async ({ page }) => {
  let release = () => {};
  const held = new Promise<void>((done) => (release = done));
  await page.route('**/preview', async (route) => {
    await held;
    await route.continue();
  });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await shape(pivot).selectOption('4-4-5');
  await pivot.type('New total', '1200000');
  const chart = page.getByTestId('shape-months');
  await expect(chart).toHaveAttribute('aria-busy', 'true');
  await expect(chart.locator('figure')).toHaveCount(0);
  const top = async () => (await pivot.panel.getByText('Hold price').boundingBox())?.y ?? NaN;
  const before = await top();
  release();
  await expect(chart.locator('figure')).toBeVisible();
  // Heights of lines are no whole pixels.
  expect(Math.abs((await top()) - before)).toBeLessThan(1);
});

test('a profile of the source applies to a block of cells', async ({ page, service }) => {
  const weights = [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2];
  await service.api.post('/sources/1/profiles', { name: 'Second half', weights, pf_user: 'ana' });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await shape(pivot).selectOption('Second half');
  await pivot.panel.getByRole('button', { name: 'Pin' }).click();
  await pivot.click(CHAIRS);
  await pivot.click({ ...CHAIRS, row: ['Furniture', 'Tables'] }, { ctrl: true });
  await page.keyboard.type('600000');
  await expect(spread(page).locator('option:checked')).toHaveText('Second half');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const found = await months(service);
  const own = found.map(([month]) => BigInt(weights[month - 1] ?? 0));
  expect(found.map(([, cents]) => cents)).toEqual(parted(60_000_000n, own));

  // Removed beside a cell, it is gone from the panel too.
  await pivot.click(CHAIRS);
  await page.keyboard.type('+10');
  await spread(page).selectOption('in proportion');
  await page.keyboard.press('Escape');
  await expect(shape(pivot)).toHaveValue('proportional');
});

test('an own profile is copied from the selection, edited, saved, used and deleted', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await pivot.panel.getByRole('button', { name: 'Edit profiles' }).click();
  const dialog = page.getByRole('dialog', { name: 'Profiles' });
  const field = (label: string) => dialog.getByRole('textbox', { name: label, exact: true });
  await dialog.getByRole('button', { name: 'Copy Sales of the selection' }).click();
  await expect(field('January')).not.toHaveValue('1');
  const before = await months(service);
  await field('December').fill('0');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toContainText('Enter a name.');
  await field('Name').fill('As the chairs');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(shape(pivot).locator('option:checked')).toHaveText('As the chairs');

  const sums = async () => (await months(service)).map(([, cents]) => cents);
  await pivot.type('New total', '600000');
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const weights = before.map(([month, cents]) => (month === 12 ? 0n : cents));
  expect(await sums()).toEqual(parted(60_000_000n, weights));

  await shape(pivot).selectOption('As the chairs');
  await pivot.panel.getByRole('button', { name: 'Edit profiles' }).click();
  await expect(field('Name')).toHaveValue('As the chairs');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(field('Name')).toHaveValue('');
  await page.keyboard.press('Escape');
  await expect(shape(pivot)).toHaveValue('proportional');
  expect((await service.api.get('/sources/1/profiles')).body).toEqual([]);
});

test('a cell picked with the mouse is the pattern, with its months matched by date', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await shape(pivot).selectOption('like a cell or row …');
  const hint = page.getByText(/^Pick the cell or row whose months .*Chairs.* should follow/);
  await expect(hint).toBeVisible();

  // Esc leaves, and so does the button. The selection and the choice stay as they were.
  await page.keyboard.press('ArrowDown');
  await expect(pivot.slice).not.toContainText('Chairs');
  await page.keyboard.press('Escape');
  await expect(hint).toHaveCount(0);
  await expect(pivot.slice).toContainText('Sub-Category = Chairs');
  await expect(shape(pivot)).toHaveValue('proportional');

  await shape(pivot).selectOption('like a cell or row …');
  await expect(hint).toBeVisible();
  // Nothing is written or typed meanwhile.
  await page.keyboard.type('7');
  await page.keyboard.press('Control+Enter');
  await expect(hint).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'New amount' })).toHaveCount(0);
  await pivot.press({ ...CHAIRS, row: ['Furniture', 'Tables'] });
  await expect(hint).toHaveCount(0);
  await expect(pivot.slice).toContainText('Sub-Category = Chairs');
  await expect(shape(pivot).locator('option:checked')).toHaveText(/^like .*Tables/);
  const match = pivot.panel.getByLabel('Months', { exact: true });
  await expect(match).toHaveValue('date');

  const tables = await service.query<{ month: number; cents: string }>(
    `SELECT extract(month FROM "Order Date")::int AS month, (100 * sum("Sales"))::bigint::text AS cents
       FROM ${TABLE} WHERE "Sub-Category" = 'Tables' AND ${YEAR} GROUP BY 1 ORDER BY 1`,
  );
  const weightOf = (month: number) =>
    BigInt(tables.find((each) => each.month === month)?.cents ?? 0);
  await pivot.type('New total', '500000');
  await expect(page.getByTestId('shape-months').getByRole('figure')).toBeVisible();
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const found = await months(service);
  expect(found.map(([, cents]) => cents)).toEqual(
    parted(
      50_000_000n,
      found.map(([month]) => weightOf(month)),
    ),
  );
  expect(await lastScale(service)).toMatchObject({ spread: { like: { measure: 'value' } } });
});

test('a cell of another year is picked with the keyboard, and its months matched by position', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await shape(pivot).selectOption('like a cell or row …');
  const hint = page.getByText(/^Pick the cell or row whose months/);
  await expect(hint).toBeVisible();
  await expect(async () => {
    await page.keyboard.press('ArrowRight');
    await expect(pivot.slice).toContainText('2029', { timeout: 2000 });
  }).toPass();
  await page.keyboard.press('Enter');
  await expect(hint).toHaveCount(0);
  await expect(pivot.slice).toContainText('2028');
  await expect(pivot.panel.getByLabel('Months', { exact: true })).toHaveValue('position');
  await pivot.type('New total', '500000');
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();

  const { spread } = (await lastScale(service)) as {
    spread: { like: { measure: string; date_offset: string } };
  };
  expect(spread.like.date_offset).toBe('-12 months');
  const measure = spread.like.measure === 'units' ? 'Quantity' : 'Sales';
  const pattern = await service.query<{ month: number; cents: string }>(
    `SELECT extract(month FROM "Order Date")::int AS month, (100 * sum("${measure}"))::bigint::text AS cents
       FROM ${TABLE} WHERE "Sub-Category" = 'Chairs'
        AND "Order Date" BETWEEN '2029-01-01' AND '2029-12-31' GROUP BY 1 ORDER BY 1`,
  );
  const found = await months(service);
  const weights = found.map(([month]) =>
    BigInt(pattern.find((each) => each.month === month)?.cents ?? 0),
  );
  expect(found.map(([, cents]) => cents)).toEqual(parted(50_000_000n, weights));
});

test('“=keep like ref” gives the months of a cell the shape of the reference, and keeps its total', async ({
  page,
  service,
}) => {
  await loadYearBefore(service);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const reference = await months(service, `pf_iter = 'reference'`);
  const total = (await months(service)).reduce((sum, [, cents]) => sum + cents, 0n);
  const meaning = page.locator('#cell-meaning');
  await pivot.click(CHAIRS);
  await page.keyboard.type('=ke');
  await expect(meaning).toContainText('=keep: the total stays');
  await page.keyboard.type('ep');
  await expect(meaning).toContainText('no shape is chosen');
  await page.keyboard.type(' like ref');
  await expect(meaning).toContainText('like the reference');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const wanted = parted(
    total,
    reference.map(([, cents]) => cents),
  );
  expect(await months(service)).toEqual(reference.map(([month], i) => [month, wanted[i]]));
  expect(await lastScale(service)).toMatchObject({ value_total: 'keep' });
  await pivot.click(CHAIRS);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('=keep like ref');
});
