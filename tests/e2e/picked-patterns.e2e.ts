import type { Page } from '@playwright/test';
import { test, expect } from '../support/e2e';
import type { Service } from '../support/service';
import { Engine } from './engine';
import { arrange, PivotPage, type CellName } from './pivot-page';
import { CHAIRS, lastScale, months, parted, YEAR } from './shaped-months';
import { loadYearBefore } from './year-before';

/** The pattern of a shape may be a reference, another version, or a whole row. */

const TABLES = ['Furniture', 'Tables'];

/** Picks a pattern for the chairs of 2028 in the panel, and scales their sales to 500,000 with it. */
async function scaleLike(page: Page, pivot: PivotPage, pattern: CellName): Promise<void> {
  await pivot.click(CHAIRS);
  await expect(pivot.slice).toContainText('Sub-Category = Chairs');
  await pivot.panel.getByLabel('Spread', { exact: true }).selectOption('pick');
  await expect(page.getByText(/^Pick the cell or row whose months/)).toBeVisible();
  await pivot.press(pattern);
  await expect(page.getByText(/^Pick the cell or row whose months/)).toHaveCount(0);
  await pivot.type('New total', '500000');
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
}

/** Compares the months of the chairs with 500,000 parted like a measure of some rows. */
async function expectMonthsLike(
  service: Service,
  { version, measure = 'Sales', where }: { version: number; measure?: string; where: string },
): Promise<void> {
  const pattern = await service.query<{ month: number; cents: string }>(
    `SELECT extract(month FROM "Order Date")::int AS month, (100 * sum("${measure}"))::bigint::text AS cents
       FROM pf.fc_superstore_${version} WHERE ${where} GROUP BY 1`,
  );
  const found = await months(service);
  const weights = found.map(([month]) =>
    BigInt(pattern.find((each) => each.month === month)?.cents ?? 0),
  );
  expect(found.map(([, cents]) => cents)).toEqual(parted(50_000_000n, weights));
}

const tables = (year: string, origin = `pf_iter <> 'reference'`) =>
  `"Sub-Category" = 'Tables' AND ${year} AND ${origin}`;

test('a cell of the reference is picked as the pattern', async ({ page, service }) => {
  await loadYearBefore(service);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await arrange(page, { columns: ['Sales', 'Sales: reference'] });
  await scaleLike(page, pivot, { row: TABLES, column: ['2028', 'Sales: reference'] });
  expect(await lastScale(service)).toMatchObject({ spread: { like: { origins: ['reference'] } } });
  await expectMonthsLike(service, { version: 1, where: tables(YEAR, `pf_iter = 'reference'`) });
});

test('a cell of another version is picked as the pattern', async ({ page, service }) => {
  const { api } = service;
  await api.post('/versions/1/copy', { name: 'Cautious', pf_user: 'bea' });
  const slice = {
    'Sub-Category': 'Tables',
    'Order Date': { from: '2028-06-01', to: '2028-06-30' },
  };
  await api.post('/versions/2/scale', { slice, pct: 300, pf_user: 'bea' });
  const pivot = new PivotPage(page);
  await pivot.open(1, '?compare=2');
  await scaleLike(page, pivot, { row: TABLES, column: ['2028', 'Sales: Cautious'] });
  expect(await lastScale(service)).toMatchObject({ spread: { like: { version_id: 2 } } });
  await expectMonthsLike(service, { version: 2, where: tables(YEAR) });
});

test('a whole row is picked as the pattern, in the year of the target', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await scaleLike(page, pivot, { row: TABLES });
  const params = (await lastScale(service)) as { spread: { like: { slice: object } } };
  const rows = { Category: 'Furniture', 'Sub-Category': 'Tables' };
  const year = { from: '2028-01-01', to: '2028-12-31' };
  expect(params.spread.like.slice).toEqual({ ...rows, 'Order Date': year });
  await expectMonthsLike(service, { version: 1, where: tables(YEAR) });
});

test('a pattern is picked for the cell that was clicked last, even if it is still being read', async ({
  page,
  service,
}) => {
  const engine = await Engine.of(page);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click({ ...CHAIRS, row: ['Technology', 'Phones'] });
  await engine.hold();
  await pivot.press(CHAIRS);
  await pivot.panel.getByLabel('Spread', { exact: true }).selectOption('pick');
  await engine.release();
  await expect(page.getByText(/^Pick the cell or row whose months/)).toBeVisible();
  await pivot.press({ row: TABLES, column: ['2028', 'Sales'] });
  await expect(page.getByText(/^Pick the cell or row whose months/)).toHaveCount(0);
  await expect(pivot.slice).toContainText('Sub-Category = Chairs');
  await pivot.type('New total', '500000');
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  await expectMonthsLike(service, { version: 1, where: tables(YEAR) });
});
