import type { Page } from '@playwright/test';
import { startServer, type Server } from '../../src/demo/server';
import { test, expect, visit } from '../support/e2e';
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

  // Long headers have two lines, which are not cut, and leave the height of the rows to the rows.
  const long = ann.grid.locator('thead .pf-head', { hasText: `Δ % to ${OTHER}` }).first();
  await expect(long.locator('.pf-line')).toHaveText(['Δ % to Plan:', 'cautious, 2']);
  const cut = (lines: Element[]) => lines.filter((line) => line.scrollWidth > line.clientWidth);
  expect(await ann.grid.locator('.pf-line').evaluateAll(cut)).toEqual([]);
  await expect(ann.grid.locator('tbody tr').last()).toContainText('Phones');

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
  // Long names have two lines.
  const columns = async () => (await ann.grid.locator('thead').innerText()).replaceAll(/\s+/g, ' ');
  expect(await columns()).toContain(`Δ % to ${OTHER}`);

  // Rows outside the other plan are missing, including their years, also after a reload.
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
  await visit(page, '/versions/1?compare=2');
  await ann.drawn();
  await expect(page.getByRole('status').filter({ hasText: 'There is no version 2' })).toBeVisible();
  expect(await shown(ann)).toBe(before);
  await expect.poll(() => search(page)).toBe('');
});

test('three other versions stand beside the plan, each follows its changes and leaves alone', async ({
  page,
  service,
}) => {
  const { api } = service;
  for (const [i, name] of ['Bold', 'Bleak', 'Fifth'].entries()) {
    await api.post('/versions/1/copy', { name, pf_user: 'bea' });
    const slice = { 'Sub-Category': 'Chairs' };
    await api.post(`/versions/${i + 3}/scale`, { slice, pct: 10 * (i + 1), pf_user: 'bea' });
  }
  // Room for the columns of one year.
  await page.setViewportSize({ width: 3000, height: 900 });
  const year = '&filter=Order+Date:%3E=:2028-01-01&filter=Order+Date:%3C=:2028-12-31';
  const compared = () => new URL(page.url()).searchParams.getAll('compare').join();
  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await visit(page, `/versions/1?compare=2&compare=3${year}`);
  await pivot.drawn();
  const showsOther = async (id: number, name: string, [row, where] = CELLS[0]!) => {
    const [plan, other] = [await total(service, 1, where), await total(service, id, where)];
    await expect.poll(() => pivot.number(cell(row, 'Sales'))).toBeCloseTo(plan, 1);
    await expect.poll(() => pivot.number(cell(row, `Sales: ${name}`))).toBeCloseTo(other, 1);
    const difference = await pivot.text(cell(row, `Sales: Δ to ${name}`));
    expect(Number(difference?.replace(/[,+]/g, ''))).toBeCloseTo(plan - other, 1);
  };
  await showsBoth(pivot, service);
  for (const each of CELLS) await showsOther(3, 'Bold', each);

  // A third one is added in the menu, which then offers no more.
  await compareWith(page, 'Bleak');
  await expect.poll(compared).toBe('2,3,4');
  await pivot.drawn();
  await page.getByRole('button', { name: /^Compared with/ }).click();
  await expect(page.getByText('A version can be compared with 3 others at once.')).toBeVisible();
  await expect(page.getByLabel('Find a version to compare with')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await showsOther(4, 'Bleak');

  // Changes of each of them arrive, and their undos.
  const before = await shown(pivot);
  const logids: number[] = [];
  for (const id of [2, 3, 4]) {
    const scale = { slice: { 'Sub-Category': 'Chairs' }, value_incr: 1000 * id, pf_user: 'bea' };
    logids.push((await api.post(`/versions/${id}/scale`, scale)).body[0].pf_logid);
  }
  await showsBoth(pivot, service);
  await showsOther(3, 'Bold');
  await showsOther(4, 'Bleak');
  for (const logid of logids) await api.del(`/log/${logid}`);
  await expect.poll(() => shown(pivot)).toBe(before);

  // A line of the chart for each of them, named after the versions.
  await page.getByRole('button', { name: 'Show as a chart' }).click();
  const lines = page.getByTestId('chart-table').locator('thead th');
  for (const name of ['Plan 2027', OTHER, 'Bold', 'Bleak'])
    await expect(lines.filter({ hasText: `Furniture, ${name}` })).toHaveCount(1);
  await page.getByRole('button', { name: 'Show as a grid' }).click();
  await pivot.drawn();

  // One leaves, and one is deleted; the others stay.
  await page.getByRole('button', { name: /^Compared with/ }).click();
  await page.getByRole('button', { name: 'Stop comparing with Bold' }).click();
  await expect.poll(compared).toBe('2,4');
  await pivot.drawn();
  expect(await pivot.grid.locator('thead').innerText()).not.toContain('Bold');
  await showsBoth(pivot, service);
  await showsOther(4, 'Bleak');
  await api.del('/versions/4');
  await expect(page.getByText(/“Bleak” was deleted, so the comparison has ended/)).toBeVisible();
  await expect.poll(compared).toBe('2');
  await pivot.drawn();
  await showsBoth(pivot, service);

  // Of an address with a version that is gone, the others are shown.
  await visit(page, `/versions/1?compare=4&compare=5&compare=2${year}`);
  await pivot.drawn();
  await expect(page.getByRole('status').filter({ hasText: 'There is no version 4' })).toBeVisible();
  await showsBoth(pivot, service);
  await showsOther(5, 'Fifth');
  await expect.poll(compared).toBe('5,2');
});

test.describe('at a display grain', () => {
  test.use({ template: 'grain' });

  test('entries of the other version come and go live', async ({ page, service }) => {
    const pivot = new PivotPage(page);
    await pivot.keepUser();
    await visit(page, '/versions/1?compare=2');
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
    await expect(
      page.getByText(/The rows that count as the plan of .* have changed/),
    ).toBeVisible();
    await page.getByRole('button', { name: 'Reload' }).click();
    await pivot.drawn();
    const [{ sales }] = await service.query(
      `SELECT sum("Sales")::float8 AS sales FROM pf.fc_superstore_2 WHERE pf_iter = 'reference'`,
    );
    const before = { row: [], column: ['(empty)', `Sales: ${OTHER}`] };
    await expect.poll(() => pivot.number(before)).toBeCloseTo(sales, 1);
  });
});
