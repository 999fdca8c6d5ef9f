import { test, expect } from '../support/e2e';
import { PivotPage } from './pivot-page';

/** The request has the amount and the cells of the moment of typing, despite later events. */

const TABLE = 'pf.fc_superstore_1';
const FURNITURE = { row: ['Furniture'], column: ['2028', 'Sales'] };
const PHONES = { row: ['Technology', 'Phones'], column: ['2028', 'Sales'] };

const field = (pivot: PivotPage, name: string) => pivot.panel.getByLabel(name, { exact: true });

test('amounts are read key by key, cleared and typed again', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(FURNITURE);
  await pivot.type('Percent', '12.5');
  await expect(field(pivot, 'Sales: Percent')).toHaveValue('12.5');
  await expect(field(pivot, 'Sales: New total')).toHaveValue('191,833.04');

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

test('a comma that is not a thousands separator is refused', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(FURNITURE);
  await pivot.type('Percent', '10,5');
  await expect(field(pivot, 'Sales: Percent')).toHaveAttribute('aria-invalid', 'true');
  await expect(field(pivot, 'Sales: Change')).toHaveValue('');
  await expect(pivot.panel.getByRole('button', { name: /^Scale/ })).toBeDisabled();
});

test('a total typed for one cell is not used for the next one, and waits for its sums', async ({
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
  // The sum is rounded to cents.
  expect(written).toBeCloseTo(wanted, 2);
});

test('a total that arrives in a focused field is replaced by typing', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/versions/1/slice', async (route) => {
    await held;
    await route.continue();
  });
  await pivot.click(FURNITURE);
  const total = field(pivot, 'Sales: New total');
  await total.focus();
  await expect(total).toHaveValue('');
  answer();
  await expect(total).toHaveValue(/\d/);
  await page.keyboard.type('180000');
  await expect(total).toHaveValue('180000');
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

test('the grid keeps its columns after a chart', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await page.getByRole('button', { name: 'Show as a chart' }).click();
  await expect(pivot.grid).toBeHidden();
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

test('an undo skips a change that someone else has undone, and says so', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.missEvents();
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

test('a selected cell is copied with its number after rows above it were closed', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const copied = { text: '' };
    Object.assign(window, { copied });
    navigator.clipboard.writeText = async (text) => void (copied.text = text);
  });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(PHONES);
  const furniture = pivot.grid.locator('tbody th', { hasText: /^Furniture$/ });
  await furniture.click({ position: { x: 8, y: 8 } });
  await expect.poll(() => pivot.find({ row: ['Furniture', 'Chairs'] })).toBeNull();
  await pivot.scaleValue(100);
  await pivot.grid.focus();
  await page.keyboard.press('Control+c');
  await expect
    .poll(() =>
      page.evaluate(() => (window as unknown as { copied: { text: string } }).copied.text),
    )
    .toMatch(/^136627\.36/);
  await page.keyboard.press('ArrowUp');
  await expect(pivot.slice).toContainText('Sub-Category = Machines');
});

test('a value typed in full is used as typed, even if the list offers others', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(PHONES);
  const state = await pivot.newValue('State');
  await state.click();
  await state.pressSequentially('Kansas', { delay: 20 });
  await expect(page.getByRole('option')).toHaveText(['Kansas', 'Arkansas']);
  await page.keyboard.press('Enter');
  await expect(state).toHaveValue('Kansas');

  // Escape restores the previous choice; without a choice in the list, Enter makes none.
  await state.pressSequentially(' City');
  await page.keyboard.press('Escape');
  await expect(state).toHaveValue('Kansas');
  const region = field(pivot, 'New Region');
  await region.click();
  await expect(page.getByRole('option').first()).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(region).toHaveValue('');

  // A choice by arrow keys is used, and so is typed text without leaving the field.
  await region.pressSequentially('e');
  await expect(page.getByRole('option', { name: 'West' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(region).toHaveValue(/^(Central|East|West)$/);
  const segment = field(pivot, 'New Segment');
  await segment.click();
  await segment.pressSequentially('Nonprofit');
  const chosen = await region.inputValue();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/^Recoded: /)).toBeVisible();
  const [{ params }] = await service.query(`SELECT params FROM pf.log WHERE operation = 'recode'`);
  expect(params.set).toEqual({ State: 'Kansas', Region: chosen, Segment: 'Nonprofit' });
});

test('an operation cannot be applied with a text that is not a number', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(FURNITURE);
  await pivot.type('Change', '12,5');
  await field(pivot, 'Quantity: Change').click();
  await field(pivot, 'Quantity: Change').pressSequentially('3');
  await expect(pivot.panel.getByText('One of the amounts is not a number.')).toBeVisible();
  await expect(pivot.panel.getByRole('button', { name: /^Scale/ })).toBeDisabled();
  // A percentage is a percentage in each of the three fields.
  await pivot.type('Change', '20%');
  await expect(field(pivot, 'Sales: Percent')).toHaveValue('20');
  await pivot.type('Percent', '10%');
  await expect(field(pivot, 'Sales: Change')).toHaveValue('17,051.83');
  await expect(pivot.apply).toBeEnabled();
});

test('a new total is reached although someone else wrote after it was typed', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(FURNITURE);
  await pivot.type('New total', '150000');
  await expect(pivot.apply).toBeEnabled();
  const between = `"Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`;
  const days = await service.query(
    `SELECT DISTINCT "Order Date"::text AS day FROM ${TABLE} WHERE ${between}`,
  );
  await service.api.post('/versions/1/scale', {
    slice: { Category: 'Furniture', 'Order Date': days.map(({ day }) => day) },
    value_incr: 1000,
    pf_user: 'bea',
  });
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const [{ sales }] = await service.query(
    `SELECT sum("Sales")::numeric(20,2)::text AS sales FROM ${TABLE}
     WHERE "Category" = 'Furniture' AND ${between}`,
  );
  expect(sales).toBe('150000.00');
});

test('text typed while a change is being written is kept', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(FURNITURE);
  await pivot.type('Percent', '10');
  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/versions/1/scale', async (route) => {
    await held;
    await route.continue();
  });
  await pivot.apply.click();
  const note = field(pivot, 'Note');
  await note.click();
  await note.pressSequentially('For the next one');
  answer();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  await expect(field(pivot, 'Sales: Percent')).toHaveValue('');
  await expect(note).toHaveValue('For the next one');
});

test('two quick clicks on a log entry show everything again', async ({ page, service }) => {
  await service.api.post('/versions/1/scale', {
    slice: { Category: 'Furniture' },
    pct: 10,
    pf_user: 'bea',
  });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = await pivot.number(FURNITURE);
  const entry = (await pivot.log()).getByRole('row').filter({ hasText: 'bea' });
  await entry.getByRole('cell', { name: 'bea', exact: true }).evaluate((cell: HTMLElement) => {
    cell.click();
    cell.click();
    cell.click();
  });
  await expect(page.getByText(/^Showing only the rows of entry/)).toBeVisible();
  await page.getByRole('button', { name: 'Show everything' }).first().click();
  await expect.poll(() => pivot.number(FURNITURE)).toBeCloseTo(before, 2);
});
