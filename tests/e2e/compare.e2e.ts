import type { Page } from '@playwright/test';
import { startServer, type Server } from '../../src/demo/server';
import { expect, test } from '../support/e2e';
import type { Service } from '../support/service';
import { PivotPage, type CellName } from './pivot-page';

/** Two versions in one pivot. */

/** A name with the characters that separate a measure from its parts. */
const OTHER = 'Plan: cautious, 2';
const CHAIRS = `"Sub-Category" = 'Chairs'`;
const CELLS: [row: string[], where: string][] = [
  [['Furniture', 'Chairs'], CHAIRS],
  [['Furniture'], `"Category" = 'Furniture'`],
  [[], 'TRUE'],
];
const cell = (row: string[], measure: string): CellName => ({ row, column: ['2028', measure] });

async function total(service: Service, version: number, where: string): Promise<number> {
  const [{ sales }] = await service.query(
    `SELECT sum("Sales")::float8 AS sales FROM pf.fc_superstore_${version}
      WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31' AND pf_iter <> 'reference' AND ${where}`,
  );
  return sales;
}

/** Waits until a page shows both versions as stored, and their differences. */
async function showsBoth(pivot: PivotPage, service: Service): Promise<void> {
  for (const [row, where] of CELLS) {
    const plan = await total(service, 1, where);
    const other = await total(service, 2, where);
    await expect.poll(() => pivot.number(cell(row, 'Sales'))).toBeCloseTo(plan, 1);
    await expect.poll(() => pivot.number(cell(row, `Sales: ${OTHER}`))).toBeCloseTo(other, 1);
    const difference = await pivot.text(cell(row, `Sales: Δ to ${OTHER}`));
    expect(Number(difference?.replace(/[,+]/g, ''))).toBeCloseTo(plan - other, 1);
    const percent = (100 * (plan - other)) / other;
    const sign = Math.abs(percent) < 0.05 ? '' : percent > 0 ? '+' : '-';
    expect(await pivot.text(cell(row, `Sales: Δ % to ${OTHER}`))).toBe(
      `${sign}${Math.abs(percent).toFixed(1)}%`,
    );
  }
}

async function compareWith(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Compare/ }).click();
  await page.getByLabel('Find a version to compare with').fill(name.slice(0, 6));
  await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
}

/** Delays the rows of the other version. @returns a function that releases them */
async function holdRows(page: Page): Promise<() => Promise<void>> {
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/versions/2/data', async (route) => {
    await held;
    await route.continue().catch(() => undefined);
  });
  return () => {
    answer();
    return page.unroute('**/api/versions/2/data');
  };
}

const search = (page: Page) => new URL(page.url()).search;
const shown = (pivot: PivotPage) => pivot.grid.locator('table').innerText();

const rowsOf = (page: Page) => page.getByRole('toolbar').getByText(/^[\d,]+ rows$/);

test.beforeEach(async ({ service: { api } }) => {
  await api.post('/versions/1/copy', { name: OTHER, pf_user: 'bea' });
  const slice = { 'Sub-Category': 'Chairs' };
  await api.post('/versions/2/scale', { slice, pct: -10, pf_user: 'bea' });
});

test('another version appears beside the plan and follows changes of both', async ({
  browser,
  page,
  service,
}) => {
  const ann = new PivotPage(page);
  await ann.open(1);
  await ann.click(cell(['Furniture', 'Chairs'], 'Sales'));
  await compareWith(page, OTHER);
  await expect.poll(() => search(page)).toBe('?compare=2');
  await ann.drawn();
  await showsBoth(ann, service);
  await expect(ann.slice).toContainText('Sub-Category = Chairs');

  // Cells of the other version cannot be changed.
  await ann.click(cell(['Furniture'], `Sales: ${OTHER}`));
  await expect(ann.panel).toContainText('This cell shows another version.');
  await page.keyboard.type('5');
  await expect(page.getByLabel('New amount')).toHaveCount(0);
  await ann.click({ row: ['Furniture'], column: ['2027', `Sales: Δ % to ${OTHER}`] });
  await expect(ann.panel).toContainText('This cell compares two versions.');

  let second: Server | undefined;
  try {
    second = await startServer({ database: service.database });
    const context = await browser.newContext({ baseURL: second.url });
    const bea = new PivotPage(await context.newPage());
    await bea.keepUser('bea');
    await bea.page.goto('/versions/2');
    await bea.drawn();
    await bea.click(cell(['Furniture', 'Chairs'], 'Sales'));
    await bea.page.keyboard.type('+25%');
    await bea.page.keyboard.press('Enter');
    await expect(bea.page.getByText(/^Scaled: /)).toBeVisible();
    await showsBoth(ann, service);

    // A tried change appears beside the other version, whose numbers do not change.
    const stored = await shown(ann);
    await ann.click(cell(['Furniture', 'Chairs'], 'Sales'));
    const plan = await ann.number(cell(['Furniture', 'Chairs'], 'Sales'));
    const beside = await ann.number(cell(['Furniture', 'Chairs'], `Sales: ${OTHER}`));
    await page.keyboard.type('+1000');
    await page.keyboard.press('Shift+Enter');
    await expect(page.getByRole('region', { name: 'Tried', exact: true })).toBeVisible();
    await expect
      .poll(() => ann.number(cell(['Furniture', 'Chairs'], `Sales: Δ to ${OTHER}`)))
      .toBeCloseTo(plan + 1000 - beside, 1);
    expect(await ann.number(cell(['Furniture', 'Chairs'], `Sales: ${OTHER}`))).toBe(beside);
    await page.keyboard.press('Escape');
    await expect.poll(() => shown(ann)).toBe(stored);

    const other = await total(service, 2, CHAIRS);
    await ann.click(cell(['Furniture', 'Chairs'], 'Sales'));
    await ann.scaleValue(40);
    await showsBoth(ann, service);
    expect(await total(service, 2, CHAIRS)).toBe(other);
    await ann.undo();
    await bea.page.keyboard.press('Control+z');
    await expect(bea.page.getByText(/^Undone: /)).toBeVisible();
    await showsBoth(ann, service);
    expect(await total(service, 1, CHAIRS)).toBeGreaterThan(await total(service, 2, CHAIRS));
    await expect(page.getByText(/out of date|someone else/i)).toHaveCount(0);
    await context.close();
  } finally {
    await second?.stop();
  }
});

test('a comparison starts and ends without changing anything else, and stays in the address', async ({
  page,
  service,
}) => {
  const { api } = service;
  const ann = new PivotPage(page);
  await ann.open(1);
  const before = await shown(ann);
  const count = await rowsOf(page).innerText();

  // While the other version loads, the page does not change, and loading can be cancelled.
  let answer = await holdRows(page);
  const waiting = page.getByText(`Loading “${OTHER}” to compare with`);
  await compareWith(page, OTHER);
  await expect(waiting).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(waiting).toHaveCount(0);
  await answer();
  expect(await shown(ann)).toBe(before);
  expect(search(page)).toBe('');

  await compareWith(page, OTHER);
  await expect.poll(() => search(page)).toBe('?compare=2');
  await ann.drawn();
  await expect(rowsOf(page)).toHaveText(count);
  expect(await ann.grid.locator('thead').innerText()).toContain(`Δ % to ${OTHER}`);

  // Rows outside the other plan are missing, including their years, also after a reload.
  const columns = () => ann.grid.locator('thead').innerText();
  const headed = await columns();
  await api.post('/versions/2/reference', { where_clause: 'TRUE', pf_user: 'bea' });
  await page.reload();
  await ann.drawn();
  await showsBoth(ann, service);
  expect(await columns()).toBe(headed);
  expect(search(page)).toBe('?compare=2');
  await expect(rowsOf(page)).toHaveText(count);

  await page.getByRole('button', { name: `Compared with ${OTHER}` }).click();
  await page.getByRole('button', { name: 'Stop comparing' }).click();
  await expect.poll(() => search(page)).toBe('');
  await ann.drawn();
  expect(await shown(ann)).toBe(before);

  // A version that is still loading is dropped by an address that does not name it.
  answer = await holdRows(page);
  await page.goBack();
  await expect(waiting).toBeVisible();
  await page.goForward();
  await expect(waiting).toHaveCount(0);
  await answer();
  expect(await shown(ann)).toBe(before);
  expect(search(page)).toBe('');

  // Back and forward change between the two; the deletion of a version is reported.
  await page.goBack();
  await expect(ann.grid.getByText(`Δ to ${OTHER}`).first()).toBeVisible();
  await ann.drawn();
  await showsBoth(ann, service);
  await api.del('/versions/2');
  await expect(page.getByText(/was deleted, so the comparison has ended/)).toBeVisible();
  await ann.drawn();
  await expect.poll(() => shown(ann)).toBe(before);
  await page.goto('/versions/1?compare=2');
  await ann.drawn();
  await expect(page.getByRole('status').filter({ hasText: 'There is no version 2' })).toBeVisible();
  expect(await shown(ann)).toBe(before);
  await expect.poll(() => search(page)).toBe('');
});

test.describe('at a display grain', () => {
  test.use({ template: 'grain' });

  test('entries of the other version come and go live', async ({ page, service }) => {
    const pivot = new PivotPage(page);
    await pivot.keepUser();
    await page.goto('/versions/1?compare=2');
    await pivot.drawn();
    await showsBoth(pivot, service);
    const slice = { 'Sub-Category': 'Chairs' };
    const { body } = await service.api.post('/versions/2/scale', {
      slice,
      pct: 30,
      pf_user: 'bea',
    });
    await showsBoth(pivot, service);
    await service.api.del(`/log/${body[0].pf_logid}`);
    await showsBoth(pivot, service);

    // A default layout contains nothing that exists only in a comparison.
    await page.getByRole('button', { name: /^Layout/ }).click();
    await page.getByRole('menuitem', { name: 'Save as the default of this source' }).click();
    await expect(page.getByText(/^Saved: /)).toBeVisible();
    const { body: source } = await service.api.get('/sources/1');
    expect(source.default_layout.columns).toEqual(['Sales']);

    // If the page missed a change of the rows that count as the other plan, it detects it, and a reload shows
    // it.
    await service.api.post('/versions/2/reference', { where_clause: 'TRUE', pf_user: 'bea' });
    await pivot.missEvents();
    await page.reload();
    await pivot.drawn();
    await showsBoth(pivot, service);
    await service.api.patch('/versions/2', { exclude_iters: [] });
    await page.unroute('**/api/versions/*/events');
    await expect(page.getByText(/The rows that count as the plan of .* have changed/)).toBeVisible({
      timeout: 30_000,
    });
    await page.getByRole('button', { name: 'Reload' }).click();
    await pivot.drawn();
    const [{ sales }] = await service.query(
      `SELECT sum("Sales")::float8 AS sales FROM pf.fc_superstore_2 WHERE pf_iter = 'reference'`,
    );
    const before = { row: [], column: ['(empty)', `Sales: ${OTHER}`] };
    await expect.poll(() => pivot.number(before)).toBeCloseTo(sales, 1);
  });
});
