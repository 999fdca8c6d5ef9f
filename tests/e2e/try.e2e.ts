import type { Page } from '@playwright/test';
import { test, expect } from '../support/e2e';
import type { Service } from '../support/service';
import { PivotPage } from './pivot-page';

/** A tried change is visible only on screen until it is kept or discarded. */

const TABLE = 'pf.fc_superstore_1';
const at = (row: string[], measure = 'Sales') => ({ row, column: ['2028', measure] });
const CHAIRS = at(['Furniture', 'Chairs']);
const TABLES = at(['Furniture', 'Tables']);
const FURNITURE = at(['Furniture']);
const TOTAL = at([]);

const LOCKED = /^Every row of this cell is locked/;
const HELD = /^Every row of the slice is held or locked/;
const tried = (page: Page) => page.getByRole('region', { name: 'Tried', exact: true });
/** A preview runs the whole operation, which may be slow on a busy machine. */
const isTried = (page: Page) => expect(tried(page)).toBeVisible();
const rowCount = (page: Page) => page.locator('.toolbar .rows');

/** Returns everything that the database stores of the version. */
async function stored(service: Service): Promise<string> {
  const found = await service.query(
    `SELECT count(*)::int AS rows, sum("Sales")::text AS sales, sum("Quantity")::text AS units,
       (SELECT count(*)::int FROM pf.log) AS entries, (SELECT count(*)::int FROM pf.undone) AS undone
     FROM ${TABLE}`,
  );
  return JSON.stringify(found);
}

/** Returns all numbers on screen with their headers. */
const shown = async (pivot: PivotPage) =>
  (await pivot.cells()).map(({ row, column, text }) => ({ row, column, text }));

async function sales(service: Service, where: string): Promise<number> {
  const [row] = await service.query(
    `SELECT sum("Sales")::float8 AS sales FROM ${TABLE}
      WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31' AND ${where}`,
  );
  return (row as { sales: number }).sales;
}

test('a typed amount is tried with Shift+Enter, and kept or discarded without a trace', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.showTechnical();
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await expect(page.getByTestId('value-total')).toBeVisible();
  const before = await shown(pivot);
  const database = await stored(service);
  const rows = await rowCount(page).innerText();
  const address = page.url();
  const chairs = await pivot.number(CHAIRS);
  const total = await pivot.number(TOTAL);

  await page.keyboard.type('+10%');
  await page.keyboard.press('Shift+Enter');
  await isTried(page);
  await expect.poll(() => pivot.number(CHAIRS)).toBeCloseTo(chairs * 1.1, 1);
  const after = await shown(pivot);
  const added = (await pivot.number(CHAIRS)) - chairs;
  expect(await pivot.number(TOTAL)).toBeCloseTo(total + added, 2);

  // The panel does not keep the stored total beside the tried one.
  await expect(page.getByTestId('value-total')).toHaveCount(0);

  // Only the changed cells are marked, with their numbers before and after.
  const marked = pivot.grid.locator('td.pf-tried');
  await expect(marked).toHaveCount(3);
  await expect(marked.last()).toHaveAttribute(
    'title',
    `${chairs.toLocaleString('en-US', { minimumFractionDigits: 2 })} → ${(await pivot.number(CHAIRS)).toLocaleString('en-US', { minimumFractionDigits: 2 })}`,
  );
  await expect(page.getByTestId('tried-on-screen').getByRole('listitem')).toHaveText([
    new RegExp(`^Total\\s+${total.toLocaleString('en-US', { minimumFractionDigits: 2 })} → `),
    /^Furniture\s/,
  ]);
  await expect(page.getByTestId('tried-biggest').getByRole('listitem')).toHaveCount(10);
  await tried(page).getByText('SQL of this change').click();
  await expect(tried(page).getByRole('region', { name: /^SQL/ })).toContainText('INSERT INTO');

  // The trial changes neither the database nor the row count nor the address.
  expect(await stored(service)).toBe(database);
  expect(await rowCount(page).innerText()).toBe(rows);
  expect(page.url()).toBe(address);
  await expect(page.getByText(/numbers on screen are out of date/)).toHaveCount(0);
  // An amount that is typed now would be added to the trial.
  await page.keyboard.press('g');
  await page.keyboard.type('7');
  await expect(page.locator('#cell-meaning')).toContainText('→ 7 (');
  await page.keyboard.press('Escape');

  // Esc discards it: every number is restored.
  await page.keyboard.press('Escape');
  await expect(tried(page)).toHaveCount(0);
  await expect(marked).toHaveCount(0);
  await expect.poll(() => shown(pivot)).toEqual(before);
  expect(await stored(service)).toBe(database);
  expect(await rowCount(page).innerText()).toBe(rows);
  await expect(page.getByText(/numbers on screen are out of date/)).toHaveCount(0);

  // A kept change equals the tried one.
  await page.keyboard.type('+10%');
  await page.keyboard.press('Shift+Enter');
  await isTried(page);
  await expect.poll(() => shown(pivot)).toEqual(after);
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  await expect(tried(page)).toHaveCount(0);
  await expect(marked).toHaveCount(0);
  await expect.poll(() => shown(pivot)).toEqual(after);
  expect(await sales(service, `"Sub-Category" = 'Chairs'`)).toBeCloseTo(chairs + added, 2);
  expect(await rowCount(page).innerText()).not.toBe(rows);
  await page.keyboard.press('Control+z');
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  await expect.poll(() => shown(pivot)).toEqual(before);
});

test('the panel tries too, and somebody’s change recalculates the trial', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await service.api.post('/versions/1/locks', {
    slice: { 'Sub-Category': 'Tables' },
    pf_user: 'eve',
  });
  await pivot.open(1);
  const before = await shown(pivot);
  const database = await stored(service);
  const tryOut = pivot.panel.getByRole('button', { name: 'Try', exact: true });

  // Locked rows do not change, and the panel says so.
  await pivot.click(FURNITURE);
  await pivot.type('Change', '1000');
  await tryOut.click();
  await expect(tried(page)).toContainText(/Held: [\d,]+ rows keep their amounts/);
  expect(await pivot.text(TABLES)).toBe(
    before.find((cell) => cell.row[1] === 'Tables' && cell.column?.join() === '2028,Sales')?.text,
  );

  // Selecting another cell keeps the trial.
  const furniture = await pivot.number(FURNITURE);
  await pivot.click(CHAIRS);
  await isTried(page);
  expect(await pivot.number(FURNITURE)).toBe(furniture);
  await page.keyboard.press('Escape');
  await expect(tried(page)).toHaveCount(0);
  await expect.poll(() => shown(pivot)).toEqual(before);

  // New groups appear and disappear with a tried recode.
  await (await pivot.newValue('Category')).fill('Seats');
  await page.keyboard.press('Tab');
  await tryOut.click();
  await isTried(page);
  await expect.poll(() => pivot.number(at(['Seats', 'Chairs']))).toBeGreaterThan(0);
  await expect.poll(() => pivot.number(CHAIRS)).toBe(0);
  await tried(page).getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => shown(pivot)).toEqual(before);
  expect(await stored(service)).toBe(database);

  // After a change by somebody else, the trial shows its effect on the new numbers.
  await pivot.panel.getByRole('tab', { name: 'Scale' }).click();
  await pivot.type('Change', '500');
  await page.keyboard.press('Control+Shift+Enter');
  await isTried(page);
  const chairs = await sales(service, `"Sub-Category" = 'Chairs'`);
  const slice = { 'Sub-Category': 'Chairs' };
  await service.api.post('/versions/1/scale', { slice, pct: -50, pf_user: 'bea' });
  await expect(page.getByText(/^Someone else has changed the plan/)).toBeVisible();
  await expect.poll(() => pivot.number(CHAIRS)).toBeCloseTo(chairs / 2 + 500, 1);
  await isTried(page);
  await expect(page.getByText(/numbers on screen are out of date/)).toHaveCount(0);
  await tried(page).getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => pivot.number(CHAIRS)).toBeCloseTo(chairs / 2, 1);

  // Leaving the page also discards the trial.
  const left = await stored(service);
  await pivot.type('Change', '500');
  await page.keyboard.press('Control+Shift+Enter');
  await isTried(page);
  await page.getByRole('link', { name: 'Superstore' }).click();
  await expect(
    page.getByText(/^You left the plan, so the change you tried was discarded/),
  ).toBeVisible();
  await page.goBack();
  await pivot.drawn();
  await expect(tried(page)).toHaveCount(0);
  await expect.poll(() => pivot.number(CHAIRS)).toBeCloseTo(chairs / 2, 1);
  expect(await stored(service)).toBe(left);
});

test('a failed preview shows the reason and leaves no trace', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.missEvents();
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await expect(page.getByTestId('value-total')).toBeVisible();
  const before = await shown(pivot);
  const tryTyped = async () => {
    await page.keyboard.type('+10%');
    await page.keyboard.press('Shift+Enter');
  };
  await page.route('**/preview', (route) => route.abort());
  await tryTyped();
  await expect(page.getByText(/^The server does not answer/)).toBeVisible();
  await page.unroute('**/preview');

  // A lock that the page does not know yet.
  const slice = { 'Sub-Category': 'Chairs' };
  const body = { slice, pf_user: 'eve' };
  const lock = await service.api.post('/versions/1/locks', body);
  await tryTyped();
  await expect(page.getByText(LOCKED)).toBeVisible();
  await expect(tried(page)).toHaveCount(0);
  await expect(pivot.grid.locator('td.pf-tried')).toHaveCount(0);
  expect(await shown(pivot)).toEqual(before);

  // A trial that cannot be kept stays until it is discarded.
  await service.api.del(`/locks/${lock.body.id}`);
  // The refused text stays in its field if the page has read the lock in time.
  await page.keyboard.press('Escape');
  await pivot.click(CHAIRS);
  await tryTyped();
  await isTried(page);
  await service.api.post('/versions/1/locks', body);
  // The previous message has disappeared.
  await expect(page.getByText(LOCKED)).toHaveCount(0);
  await tried(page).getByRole('button', { name: 'Keep' }).click();
  await expect(page.getByText(HELD)).toBeVisible();
  await isTried(page);
  await tried(page).getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => shown(pivot)).toEqual(before);
});

test('an amount is spread equally if the planner chooses so, a percentage never', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  const spread = () => pivot.panel.getByLabel('Spread', { exact: true });
  const last = async () => {
    const [entry] = await service.query(
      `SELECT params, (SELECT max("Sales") - min("Sales") FROM ${TABLE} WHERE pf_logid = id)::float8 AS apart
         FROM pf.log ORDER BY id DESC LIMIT 1`,
    );
    return entry as { params: object; apart: number };
  };
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await spread().selectOption('equally');
  await pivot.panel.getByRole('button', { name: 'Pin' }).click();
  await pivot.type('Change', '1000');
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  expect(await last()).toMatchObject({ params: { spread: 'equal', value_incr: 1000 } });
  expect((await last()).apart).toBeLessThan(0.011);

  // The pinned choice is stored, and applies to amounts typed into a cell.
  await page.reload();
  await pivot.drawn();
  await pivot.click(TABLES);
  await expect(spread()).toHaveValue('equal');
  await page.keyboard.type('+500');
  await expect(page.locator('#cell-meaning')).toContainText('in equal parts');
  await page.keyboard.press('Enter');
  await expect
    .poll(async () => (await last()).params)
    .toMatchObject({ spread: 'equal', value_incr: 500 });

  // A percentage applies to each row, and the panel says so.
  await pivot.click(CHAIRS);
  await pivot.type('Percent', '10');
  await expect(pivot.panel).toContainText('A percentage applies to each row');
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /).last()).toBeVisible();
  await expect.poll(async () => (await last()).params).not.toHaveProperty('spread');
  await pivot.click(TABLES);
  await page.keyboard.type('5%');
  await expect(page.locator('#cell-meaning')).not.toContainText('in equal parts');
  await page.keyboard.press('Escape');
});
