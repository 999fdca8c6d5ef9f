import { expect, test } from '../support/e2e';
import { PivotPage } from './pivot-page';

/** What is asked for is what was typed, for the cells that are selected, whatever happened between. */

const TABLE = 'pf.fc_superstore_1';
const FURNITURE = { row: ['Furniture'], column: ['2028', 'Sales'] };
const PHONES = { row: ['Technology', 'Phones'], column: ['2028', 'Sales'] };

const field = (pivot: PivotPage, name: string) => pivot.panel.getByLabel(name, { exact: true });

test('amounts are taken key by key, and emptied and typed again', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(FURNITURE);
  await pivot.type('Percent', '12.5');
  await expect(field(pivot, 'Sales: Percent')).toHaveValue('12.5');
  await expect(field(pivot, 'Sales: New total')).toHaveValue('191,833.02');

  const total = field(pivot, 'Sales: New total');
  await total.click();
  await page.keyboard.press('End');
  for (let i = 0; i < 12; i++) await page.keyboard.press('Backspace');
  await total.pressSequentially('180000.5');
  await expect(total).toHaveValue('180000.5');
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const [{ sales }] = await service.query(
    `SELECT sum("Sales")::numeric(20,2)::text AS sales FROM ${TABLE}
     WHERE "Category" = 'Furniture' AND "Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`,
  );
  expect(sales).toBe('180000.50');
});

test('a comma that is no thousands separator is refused', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(FURNITURE);
  await pivot.type('Percent', '10,5');
  await expect(field(pivot, 'Sales: Percent')).toHaveAttribute('aria-invalid', 'true');
  await expect(field(pivot, 'Sales: Change')).toHaveValue('');
  await expect(pivot.panel.getByRole('button', { name: /^Scale/ })).toBeDisabled();
});

test('a total typed for one cell is not taken for the next, and waits for its sums', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(FURNITURE);
  await pivot.type('New total', '200000');
  await expect(pivot.apply).toBeEnabled();

  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/versions/1/slice', async (route) => {
    await held;
    await route.continue();
  });
  await pivot.click(PHONES);
  await expect(field(pivot, 'Sales: New total')).toHaveValue('');
  await expect(page.getByTestId('value-total')).toHaveCount(0);
  await field(pivot, 'Sales: Percent').focus();
  await page.keyboard.type('10');
  await page.keyboard.press('Control+Enter');
  expect(await service.query(`SELECT FROM pf.log WHERE operation = 'scale'`)).toHaveLength(0);
  answer();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const [{ written, wanted }] = await service.query(
    `SELECT sum("Sales") FILTER (WHERE pf_iter = 'scale')::float8 AS written,
       sum("Sales") FILTER (WHERE pf_iter = 'baseline' AND "Sub-Category" = 'Phones'
         AND "Order Date" BETWEEN '2028-01-01' AND '2028-12-31')::float8 / 10 AS wanted
     FROM ${TABLE}`,
  );
  expect(written).toBeCloseTo(wanted, 3);
});

test('a filter set after a selection ends it', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(FURNITURE);
  await expect(page.getByTestId('value-total')).toBeVisible();
  await page.locator('perspective-viewer').evaluate((viewer) =>
    (viewer as unknown as { restore(config: object): Promise<void> }).restore({
      filter: [['Segment', '==', 'Consumer']],
    }),
  );
  await expect(pivot.panel.getByText('Nothing selected')).toBeVisible();
  await expect(pivot.grid.locator('.pf-selected')).toHaveCount(0);
});

test('a chart in between leaves the grid its columns', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await page.getByRole('button', { name: 'Show as a chart' }).click();
  await expect(pivot.grid).toHaveCount(0);
  await page.getByRole('button', { name: 'Layout' }).click();
  await page.getByRole('menuitem', { name: 'Save as the default of this source' }).click();
  await expect(page.getByText(/^Saved: /)).toBeVisible();
  const [{ columns }] = await service.query(
    `SELECT default_layout -> 'columns' AS columns FROM pf.source`,
  );
  expect(columns).toEqual(['Sales', 'Quantity']);
  await page.getByRole('button', { name: 'Show as a grid' }).click();
  await pivot.drawn();
  expect(await pivot.find({ row: ['Furniture'], column: ['2028', 'Quantity'] })).not.toBeNull();
});

test('what someone else has undone is passed over, and said', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(FURNITURE);
  await pivot.scaleValue(10);
  await expect(page.getByText(/^Scaled: /)).toHaveCount(1);
  await pivot.click(PHONES);
  await pivot.type('Percent', '20');
  await pivot.apply.click();
  await expect
    .poll(async () => (await service.query(`SELECT FROM pf.log WHERE operation = 'scale'`)).length)
    .toBe(2);
  await expect(field(pivot, 'Sales: Percent')).toHaveValue('');
  const [{ newest }] = await service.query('SELECT max(id)::int AS newest FROM pf.log');
  await service.api.del(`/log/${newest}`);

  await page.keyboard.press('Escape');
  await pivot.grid.focus();
  await page.keyboard.press('Control+z');
  await expect(page.getByText('Someone else has already undone this change.')).toBeVisible();
  await expect(page.getByText(/a change that is still on screen/)).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  expect(await service.query(`SELECT FROM pf.log WHERE operation = 'scale'`)).toHaveLength(0);
});

test('a selected cell is copied with its number after rows above it closed', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(PHONES);
  const furniture = pivot.grid.locator('tbody th', { hasText: /^Furniture$/ });
  await furniture.click({ position: { x: 8, y: 8 } });
  await expect.poll(() => pivot.find({ row: ['Furniture', 'Chairs'] })).toBeNull();
  await pivot.scaleValue(100);
  await page.evaluate(() => {
    const copied = { text: '' };
    Object.assign(window, { copied });
    navigator.clipboard.writeText = async (text) => void (copied.text = text);
  });
  await pivot.grid.focus();
  await page.keyboard.press('Control+c');
  await expect
    .poll(() =>
      page.evaluate(() => (window as unknown as { copied: { text: string } }).copied.text),
    )
    .toMatch(/Technology \/ Phones\t136627\.4/);
  await page.keyboard.press('ArrowUp');
  await expect(pivot.slice).toContainText('Sub-Category = Machines');
});
