import { test, expect } from '../support/e2e';
import { PivotPage } from './pivot-page';
import { loadYearBefore } from './year-before';

const TABLE = 'pf.fc_superstore_1';
const YEAR = `"Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`;
const at = (measure: string) => ({ row: ['Furniture'], column: ['2028', measure] });

test('plan and reference appear side by side and are never summed together', async ({
  page,
  service,
}) => {
  await loadYearBefore(service);
  const sums = async () => {
    const [row] = await service.query(
      `SELECT sum("Sales") FILTER (WHERE pf_iter <> 'reference')::float8 AS plan,
         sum("Sales") FILTER (WHERE pf_iter = 'reference')::float8 AS reference
       FROM ${TABLE} WHERE "Category" = 'Furniture' AND ${YEAR}`,
    );
    return row as { plan: number; reference: number };
  };
  const pivot = new PivotPage(page);
  const shows = async ({ plan, reference }: { plan: number; reference: number }) => {
    await expect.poll(() => pivot.number(at('Sales'))).toBeCloseTo(plan, 2);
    expect(await pivot.number(at('Sales: reference'))).toBeCloseTo(reference, 2);
    expect(await pivot.number(at('Sales: Δ'))).toBeCloseTo(plan - reference, 2);
    const percent = (100 * (plan - reference)) / reference;
    expect(await pivot.text(at('Sales: Δ %'))).toBe(
      `${percent > 0 ? '+' : '-'}${Math.abs(percent).toFixed(1)}%`,
    );
  };
  await pivot.open(1);
  const before = await sums();
  await shows(before);

  await pivot.click(at('Sales: Δ %'));
  await expect(pivot.panel).toContainText('To change the plan, select a cell of the plan.');
  await pivot.click(at('Sales'));
  await expect(page.getByTestId('value-total')).toContainText(
    before.plan.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
  );
  await pivot.scaleValue(10);
  const after = await sums();
  expect(after.plan).toBeCloseTo(before.plan * 1.1, 2);
  expect(after.reference).toBe(before.reference);
  await shows(after);
  await pivot.undo();
  await shows(before);
  await expect(page.getByText(/someone else/i)).toHaveCount(0);

  // The grid sorts by the share, of which the engine has no sums, and a chart draws it as in the grid.
  const header = pivot.grid.locator('thead th', { hasText: 'Δ %' }).first();
  const rows = () => pivot.grid.locator('tbody th').allInnerTexts();
  await header.click();
  await expect(pivot.grid.locator('th[aria-sort=descending]').first()).toContainText('Δ %');
  const sorted = await service.query<{ name: string }>(
    `SELECT "Category" AS name FROM ${TABLE} GROUP BY 1
      ORDER BY sum("Sales") FILTER (WHERE pf_iter <> 'reference')
             / sum("Sales") FILTER (WHERE pf_iter = 'reference') DESC`,
  );
  const categories = async () =>
    (await rows()).filter((row) => sorted.some(({ name }) => name === row));
  await expect.poll(categories).toEqual(sorted.map(({ name }) => name));
  const order = await rows();
  await page.getByRole('button', { name: 'Show as a chart' }).click();
  const chart = page.getByRole('region', { name: 'Chart' });
  await expect(chart.getByRole('columnheader', { name: 'Furniture, Plan 2027' })).toBeAttached();
  await expect(chart.getByRole('table')).not.toContainText('%');
  await chart.getByLabel('Measure').selectOption('Sales: Δ %');
  await expect(chart.getByRole('columnheader', { name: 'Furniture', exact: true })).toBeAttached();
  const series = await chart.getByRole('columnheader').allTextContents();
  const share = chart.getByRole('row', { name: '2028' }).getByRole('cell');
  const furniture = 100 * (before.plan / before.reference - 1);
  await expect(share.nth(series.indexOf('Furniture') - 1)).toHaveText(
    `${furniture > 0 ? '+' : '-'}${Math.abs(furniture).toFixed(1)}%`,
  );
  await page.getByRole('button', { name: 'Show as a grid' }).click();
  await shows(before);
  expect(await rows()).toEqual(order);
});
