import { test, expect, visit } from '../support/e2e';
import { planTable } from '../support/planned-table';
import { PivotPage } from './pivot-page';

const ROWS = 500_000;

test.use({ template: 'service' });

test('half a million rows show a banner that blocks nothing', async ({ page, service }) => {
  const { query } = service;
  await query(`CREATE TABLE public.sales AS
    SELECT (ARRAY['North', 'East', 'South', 'West'])[1 + i % 4] AS region, 'P' || i % 97 AS product,
      DATE '2027-01-01' + i % 700 AS day, (i % 1000 / 100.0)::numeric(12,2) AS amount, i % 5 AS pieces
    FROM generate_series(1, ${ROWS}) AS i`);
  const { versionId, table, rowCount } = await planTable(service, 'sales', {
    region: 'dimension',
    product: 'dimension',
    day: 'date',
    amount: 'value',
    pieces: 'units',
  });
  expect(rowCount).toBe(ROWS);

  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await visit(page, `/versions/${versionId}`);
  const banner = page.getByText(/This version has 50\d,\d{3} rows/);
  await expect(banner).toBeVisible({ timeout: 120_000 });
  await expect(pivot.grid.getByText('TOTAL')).toBeVisible({ timeout: 120_000 });

  const cell = { row: ['West'], column: ['Mar 2027', 'amount'] };
  const [{ amount }] = await query(
    `SELECT sum(amount)::float8 AS amount FROM ${table}
     WHERE region = 'West' AND to_char(day, 'YYYY-MM') = '2027-03'`,
  );
  await expect.poll(() => pivot.number(cell)).toBeCloseTo(amount, 2);

  await pivot.click(cell);
  await pivot.panel
    .getByLabel(/: Percent$/)
    .first()
    .fill('10');
  await expect(pivot.apply).toBeEnabled();
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  await expect.poll(() => pivot.number(cell)).toBeCloseTo(amount * 1.1, 1);
  await expect(banner).toBeVisible();
  await expect(page.getByText(/someone else has changed/)).toHaveCount(0);

  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(banner).toHaveCount(0);
});
