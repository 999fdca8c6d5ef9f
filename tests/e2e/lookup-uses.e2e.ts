import type { Page } from '@playwright/test';
import { expect, test } from '../support/e2e';
import type { Service } from '../support/service';
import { CountedPlanner } from './counted-planner';
import { addFamilies, ofFamily, sales } from './families';
import { PivotPage } from './pivot-page';

/** What else a pivot does with the attributes of lookups. Each test is one way over one page. */

const at = (...row: string[]) => ({ row, column: ['2028', 'Sales'] });
const SEATING = at('Seating');

const entries = (service: Service) =>
  service.query(
    `SELECT operation, slice, params FROM pf.log
      WHERE version_id = 1 AND operation NOT IN ('baseline', 'reference') ORDER BY id`,
  );

/** Adds up sales of 2028 in the rows of a family, also of those that a lookup has only now. */
const seating = (service: Service) => sales(service, ofFamily('Seating'));

test('rows of new keys have their family while they are tried, and after any order of reads', async ({
  page,
  service,
}) => {
  await addFamilies(service);
  await service.query(`INSERT INTO public.families VALUES ('Easels', 'Seating', 2)`);
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=Family,Sub-Category');
  const before = await seating(service);
  const art = await sales(service, `"Sub-Category" = 'Art'`);

  await pivot.click(at('(empty)', 'Art'));
  await pivot.click({ row: ['(empty)', 'Art'] });
  await (await pivot.newValue('Sub-Category')).fill('Easels');
  await page.keyboard.press('Tab');
  await pivot.panel.getByRole('button', { name: 'Try', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Tried', exact: true })).toBeVisible();
  await expect.poll(() => pivot.number(SEATING)).toBeCloseTo(before + art, 1);
  expect(await pivot.find(at('Seating', 'Easels'))).not.toBeNull();
  await page.keyboard.press('Escape');
  await expect.poll(() => pivot.number(SEATING)).toBeCloseTo(before, 1);

  // The lookup is read before somebody recodes, the rows afterwards.
  const held = await holdRows(page);
  await page.reload();
  await held.lookup;
  const recode = { slice: { 'Sub-Category': 'Art' }, set: { 'Sub-Category': 'Easels' } };
  const { status } = await service.api.post('/versions/1/recode', { ...recode, pf_user: 'eve' });
  expect(status).toBe(200);
  held.release();
  await pivot.drawn();
  await page.unroute(ROWS);
  expect(await pivot.number(SEATING)).toBeCloseTo(before + art, 1);
});

const ROWS = '**/api/versions/1/data*';

/** Delays the rows of the version until they are released. `lookup` ends when a lookup has been read. */
async function holdRows(page: Page) {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(ROWS, async (route) => {
    await held;
    await route.continue();
  });
  const lookup = page
    .waitForResponse(/\/api\/lookups\/\d+\/rows/)
    .then((answer) => answer.finished());
  return { lookup, release };
}

test('a family is typed into and moved: comment, review, view and lock follow, without an entry', async ({
  page,
  service,
}) => {
  test.slow();
  await addFamilies(service);
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=Family,Sub-Category');
  const typed = Math.round(await seating(service)) + 500;
  await pivot.click(SEATING);
  await page.keyboard.type(String(typed));
  await page.keyboard.press('Enter');
  await expect.poll(() => seating(service)).toBeCloseTo(typed, 2);
  expect(await entries(service)).toMatchObject([
    { operation: 'scale', slice: { Family: 'Seating' } },
  ]);

  await pivot.click({ row: ['Seating'] });
  await page.keyboard.press('m');
  await pivot.panel.getByLabel('New comment').fill('Enough chairs?');
  await page.keyboard.press('Control+Enter');
  await expect(pivot.panel.getByRole('article')).toContainText('Enough chairs?');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  const slice = { Family: 'Seating' };
  const written = [
    await service.api.post('/versions/1/reviews', { slice, reviewers: ['bea'], pf_user: 'eve' }),
    await service.api.post('/versions/1/locks', { slice, note: 'agreed', pf_user: 'eve' }),
  ];
  expect(written.map(({ status }) => status)).toEqual([201, 201]);
  const logged = await entries(service);

  await service.query(
    `UPDATE public.families SET family = 'Seating', rank = 2 WHERE sub = 'Copiers'`,
  );
  await page.reload();
  await pivot.drawn();
  const moved = await seating(service);
  expect(moved).toBeGreaterThan(typed + 1);
  expect(await pivot.number(SEATING)).toBeCloseTo(moved, 1);
  expect(await pivot.number(at('Devices'))).toBeCloseTo(
    await sales(service, ofFamily('Devices')),
    1,
  );
  expect(await entries(service)).toEqual(logged);

  await pivot.click({ row: ['Seating', 'Copiers'] });
  await expect(pivot.panel.getByText('Locked by eve: agreed.').first()).toBeVisible();
  await expect(pivot.grid.locator('tbody th[data-review="open"]').first()).toHaveText(/Seating/);
  await pivot.click({ row: ['Seating'] });
  await page.keyboard.press('m');
  await expect(pivot.panel.getByText('Enough chairs?')).toBeVisible();
});

test('a fiscal year is a field after six actions from the pivot', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=Category&columns=');
  const planner = new CountedPlanner(page, pivot);
  const dialog = page.getByRole('dialog');
  const arrange = page.getByRole('complementary', { name: 'Arrange' });
  await planner.press('a');
  await planner.click(arrange.getByRole('link', { name: 'Lookups …' }));
  await planner.click(page.getByRole('button', { name: 'Add the fiscal year' }).first());
  await planner.click(dialog.getByRole('button', { name: 'Add', exact: true }));
  await expect(page.getByText(/^Lookup .* saved/)).toBeVisible();
  planner.actions += 1;
  await page.goBack();
  await pivot.drawn();
  for (const label of ['Fiscal year', 'Fiscal quarter', 'Fiscal period']) {
    await expect(arrange.locator(`[data-field="${label}"]`)).toHaveCount(1);
  }
  planner.actions += 1;
  await arrange
    .locator('[data-field="Fiscal year"]')
    .dragTo(arrange.getByRole('list', { name: 'Columns', exact: true }));
  expect(planner.actions).toBeLessThanOrEqual(6);
  // The fiscal year of the tests begins in July.
  const [{ sum }] = await service.query(
    `SELECT sum("Sales")::float8 AS sum FROM pf.fc_superstore_1
      WHERE "Order Date" BETWEEN '2027-07-01' AND '2028-06-30'`,
  );
  await expect
    .poll(async () =>
      (await pivot.cells()).filter(({ row }) => row.length === 0).map(({ text }) => text),
    )
    .toContain(
      Number(sum).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
    );
});
