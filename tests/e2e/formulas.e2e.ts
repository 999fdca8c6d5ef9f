import { readFile } from 'node:fs/promises';
import { expect, test, visit } from '../support/e2e';
import { arrange, PivotPage } from './pivot-page';
import { readWorkbook } from './workbook';
import { loadYearBefore } from './year-before';

/** Formulas of a source: shown at every level, compared, sorted by, drawn and exported. */

const TABLE = 'pf.fc_superstore_1';
const MARGIN = 'Margin %';
const at = (row: string[], measure: string) => ({ row, column: ['2028', measure] });
const percent = (share: number, sign = false) =>
  new Intl.NumberFormat('en-US', {
    ...{ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 },
    signDisplay: sign ? 'exceptZero' : 'auto',
  }).format(share);

/** The margin on which the plan is for 2028, if each piece costs 20: in all, by category and by sub-category. */
const margins = (iters: string) => `SELECT "Category" AS category, "Sub-Category" AS sub,
    ((sum("Sales") - 20 * sum("Quantity")) / sum("Sales"))::float8 AS margin
  FROM ${TABLE} WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31' AND pf_iter ${iters}
  GROUP BY GROUPING SETS ((), ("Category"), ("Category", "Sub-Category"))`;

test('a formula is evaluated on sums at every level, compared, sorted by, drawn and exported', async ({
  page,
  service,
}) => {
  await loadYearBefore(service);
  const formula = {
    ...{ name: MARGIN, expression: '(Sales - 20 * Quantity) / Sales' },
    ...{ format: { style: 'percent' }, pf_user: 'ana' },
  };
  expect((await service.api.post('/sources/1/formulas', formula)).status).toBe(201);
  const read = async (iters: string) => {
    const rows = await service.query<{ category: string; sub: string; margin: number }>(
      margins(iters),
    );
    return new Map(
      rows.map(({ category, sub, margin }) => [JSON.stringify([category, sub]), margin]),
    );
  };
  const [plan, reference] = await Promise.all([read("<> 'reference'"), read("= 'reference'")]);
  const of = (margins: Map<string, number>, row: string[]) =>
    margins.get(JSON.stringify([row[0] ?? null, row[1] ?? null])) ?? NaN;

  const pivot = new PivotPage(page);
  await pivot.keepUser();
  const shown = ['Sales', MARGIN, `${MARGIN}: Δ`, `${MARGIN}: Δ %`];
  await visit(page, `/versions/1?measures=${encodeURIComponent(shown.join(','))}`);
  await pivot.drawn();
  for (const row of [[], ['Furniture'], ['Furniture', 'Chairs']]) {
    const [now, before] = [of(plan, row), of(reference, row)];
    await expect.poll(() => pivot.text(at(row, MARGIN))).toBe(percent(now));
    expect(await pivot.text(at(row, `${MARGIN}: Δ`))).toBe(percent(now - before, true));
    const share = (now - before) / Math.abs(before);
    expect(await pivot.text(at(row, `${MARGIN}: Δ %`))).toBe(percent(share, true));
  }
  // The measures that the formula uses are loaded, but not shown.
  await expect(pivot.grid.locator('thead th', { hasText: /^Quantity/ })).toHaveCount(0);

  // A change of a measure changes the result.
  await pivot.click(at(['Furniture', 'Chairs'], 'Sales'));
  await pivot.scaleValue(10);
  const raised = (await read("<> 'reference'")).get(JSON.stringify(['Furniture', 'Chairs'])) ?? NaN;
  await expect.poll(() => pivot.text(at(['Furniture', 'Chairs'], MARGIN))).toBe(percent(raised));
  await pivot.undo();

  // The grid sorts by the result at every level.
  const sorted = await service.query<{ name: string }>(
    `SELECT "Category" AS name FROM ${TABLE} WHERE pf_iter <> 'reference' GROUP BY 1
      ORDER BY (sum("Sales") - 20 * sum("Quantity")) / sum("Sales") DESC`,
  );
  const rows = () => pivot.grid.locator('tbody th').allInnerTexts();
  await pivot.grid
    .locator('thead th', { hasText: /^Margin %/ })
    .first()
    .click();
  await expect(pivot.grid.locator('th[aria-sort=descending]').first()).toContainText(MARGIN);
  await expect
    .poll(async () => (await rows()).filter((row) => sorted.some(({ name }) => name === row)))
    .toEqual(sorted.map(({ name }) => name));

  // The workbook has the exact results with their format.
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'Excel workbook of the pivot', exact: true }).click();
  const file = await download;
  const sheets = await readWorkbook(page, await readFile(await file.path()));
  const cells = (sheets.get('Pivot')?.rows ?? [])
    .map((row) => row.cells)
    .find((row) => row.some(({ value }) => value === 'Chairs'));
  const found = cells?.find(
    ({ value }) => Math.abs(Number(value) - of(plan, ['Furniture', 'Chairs'])) < 1e-9,
  );
  expect(found?.format).toBe('#,##0.0%');

  // A chart draws plan and reference as results of sums.
  await page.getByRole('button', { name: 'Show as a chart' }).click();
  const chart = page.getByRole('region', { name: 'Chart' });
  await chart.getByLabel('Measure').selectOption(MARGIN);
  await expect(chart.getByRole('columnheader', { name: 'Furniture', exact: true })).toBeAttached();
  const series = await chart.getByRole('columnheader').allTextContents();
  await expect(
    chart
      .getByRole('row', { name: '2028' })
      .getByRole('cell')
      .nth(series.indexOf('Furniture') - 1),
  ).toHaveText(percent(of(plan, ['Furniture'])));
});

test('a formula is written with names offered and results on real rows, and a pivot opens without formulas that cannot be read', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await page.getByRole('button', { name: 'Arrange', exact: true }).click();
  await page.getByRole('button', { name: 'Formulas …', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Formulas', exact: true });
  await dialog.getByLabel('Name', { exact: true }).fill('Per piece');
  const expression = dialog.getByRole('combobox', { name: 'Expression', exact: true });
  await expression.fill('Sales / qu');
  await expect(dialog.getByRole('option', { name: 'Quantity', exact: true })).toBeVisible();
  await expression.press('Enter');
  await expect(expression).toHaveValue('Sales / Quantity');
  const [row] = await service.query<{ price: number }>(
    `SELECT (sum("Sales") / sum("Quantity"))::float8 AS price FROM ${TABLE}`,
  );
  const price = new Intl.NumberFormat('en-US', {
    ...{ minimumFractionDigits: 2, maximumFractionDigits: 2 },
  }).format(row!.price);
  await expect(dialog.getByRole('row', { name: `Total ${price}`, exact: true })).toBeVisible();
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Saved: formula Per piece.', { exact: true })).toBeVisible();
  const head = pivot.grid.locator('thead th', { hasText: /^Per piece/ }).first();
  await expect(head).toBeVisible();
  // The address names the column shortly after the grid shows it.
  await expect(page).toHaveURL(/measures=[^&]*Per\+piece/);

  const isFormulas = (url: URL) => url.pathname === '/api/sources/1/formulas';
  await page.route(isFormulas, (route) =>
    route.fulfill({ status: 500, json: { error: 'The formulas are broken.' } }),
  );
  await page.reload();
  await pivot.drawn();
  await expect(head).toHaveCount(0);
  await expect(
    page.getByText('The formulas could not be read, so the pivot shows none.'),
  ).toContainText('The formulas are broken.');
  // The address names the column while the pivot lacks it, also after another change.
  await arrange(page, { group_by: ['Region', 'Segment'] });
  await expect(page).toHaveURL(/rows=Region,Segment&measures=[^&]*Per\+piece/);
  await page.unroute(isFormulas);
  await page.getByRole('button', { name: 'Try again', exact: true }).click();
  await expect(page.getByText('The formulas could not be read')).toHaveCount(0);
  await pivot.drawn();
  // The column is where it was, and the change stays.
  await expect(head).toBeVisible();
  await expect.poll(() => pivot.find({ row: ['West', 'Consumer'] })).not.toBeNull();
  await page.getByRole('button', { name: 'Arrange', exact: true }).click();
  const panel = page.getByRole('complementary', { name: 'Arrange' });
  await expect(panel.locator('[data-field="Per piece"]')).toBeVisible();
});
