import { readFile } from 'node:fs/promises';
import { test, expect } from '../support/e2e';
import { arrange, PivotPage } from './pivot-page';
import { MARGIN, planMargins, storedMargins } from './planned-margins';
import { readWorkbook } from './workbook';

/** Results typed into cells of formulas change a measure that the formula uses. */

test.use({ template: 'service' });

const at = (region: string, column: string) => ({ row: [region], column: [column] });

test('a margin is typed by changing its sales or its cost, and then sorted by, drawn and exported', async ({
  page,
  service,
}) => {
  const { versionId, table } = await planMargins(service);
  const stored = async (region: string) => {
    const [row] = await service.query(
      `SELECT sum(sales)::float8 AS sales, sum(cost)::float8 AS cost FROM ${table} WHERE region = '${region}'`,
    );
    return row as { sales: number; cost: number };
  };
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await arrange(page, {
    ...{ group_by: ['region'], split_by: [], columns: ['sales', 'cost', MARGIN] },
  });
  await expect.poll(() => pivot.text(at('North', MARGIN))).toBe('40.0%');
  const meaning = page.locator('#cell-meaning');
  const ways = page.getByRole('listbox', { name: 'Change this measure' });
  const begin = async (region: string, text: string) => {
    await pivot.click(at(region, MARGIN));
    await page.keyboard.type(text);
  };

  // The cell asks which measure changes. The announced total is the rounded one that is written.
  await begin('North', '35%');
  await expect(ways.getByRole('option')).toHaveText([
    /^Sales\s*150 → 138\.46$/,
    /^Cost\s*90 → 97\.50$/,
  ]);
  await expect(meaning).toHaveText(/^40\.0% → 35\.0%\s+Sales 150 → 138\.46\s*$/);
  await page.keyboard.press('ArrowDown');
  await expect(ways.getByRole('option', { selected: true })).toHaveText(/^Cost/);
  await expect(meaning).toHaveText(/^40\.0% → 35\.0%\s+Cost 90 → 97\.50\s*$/);
  await page.keyboard.press('Enter');
  await expect.poll(() => stored('North')).toEqual({ sales: 150, cost: 97.5 });
  await expect.poll(() => pivot.text(at('North', MARGIN))).toBe('35.0%');

  // The choice stays for the next cell; points are added to a share.
  await begin('West', '+5%');
  await expect(meaning).toHaveText(/^25\.0% → 30\.0%\s+Cost 60 → 56\s*$/);
  await page.keyboard.press('Enter');
  await expect.poll(() => stored('West')).toEqual({ sales: 80, cost: 56 });

  // No sales give a margin of 100 %: another measure can be chosen.
  await begin('North', '100%');
  await expect(meaning).toHaveText(/^35\.0% → 100\.0%\s+Cost 97\.50 → 0\s*$/);
  await page.keyboard.press('ArrowUp');
  await expect(meaning).toHaveText(
    /^No amount of Sales gives this result while the other measures stay\.\s*$/,
  );
  await page.keyboard.press('Escape');
  await begin('North', '0.3');
  await expect(meaning).toHaveText(/^35\.0% → 30\.0%\s+Sales 150 → 139\.29\s*$/);
  await page.keyboard.press('Enter');
  await expect.poll(() => stored('North')).toEqual({ sales: 139.29, cost: 97.5 });
  const [entry] = await service.query<{ params: object }>(
    `SELECT params FROM pf.log WHERE operation = 'scale' ORDER BY id DESC LIMIT 1`,
  );
  expect(entry?.params).toMatchObject({ value_total: 139.29 });

  // Several cells of a formula are one entry; beside a measure they are refused.
  await pivot.click(at('North', MARGIN));
  await pivot.click(at('West', MARGIN), { ctrl: true });
  await page.keyboard.type('20%');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => stored('North')).toEqual({ sales: 121.88, cost: 97.5 });
  await expect.poll(() => stored('West')).toEqual({ sales: 70, cost: 56 });
  await page.keyboard.press('Control+z');
  await expect.poll(() => stored('North')).toEqual({ sales: 139.29, cost: 97.5 });
  await pivot.click(at('North', 'cost'));
  await pivot.click(at('West', MARGIN), { ctrl: true });
  await page.keyboard.type('5');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/Select cells of one formula only, or none/)).toBeVisible();

  // The cell opens with its result as a share, and leaving it unchanged writes nothing.
  await pivot.click(at('West', MARGIN));
  await page.keyboard.press('F2');
  const field = page.getByRole('textbox', { name: 'New amount', exact: true });
  await expect(field).toHaveValue('30%');
  await page.keyboard.press('Escape');

  // Typed: 30.0 % of 139.29 and of 80. West is a little above.
  const margin = async (region: string) => {
    const { sales, cost } = await stored(region);
    return (sales - cost) / sales;
  };
  const [north, west] = [await margin('North'), await margin('West')];
  expect(Math.abs(north - 0.3)).toBeLessThan(0.0001);
  await pivot.grid
    .locator('thead th', { hasText: /^Margin %/ })
    .first()
    .click();
  const sorted = (north > west ? ['North', 'West'] : ['West', 'North']) as string[];
  const rows = () => pivot.grid.locator('tbody th').allInnerTexts();
  await expect
    .poll(async () => (await rows()).filter((row) => sorted.includes(row)))
    .toEqual(sorted);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'Excel workbook of the pivot', exact: true }).click();
  const file = await download;
  const sheets = await readWorkbook(page, await readFile(await file.path()));
  const cells = (sheets.get('Pivot')?.rows ?? [])
    .map((row) => row.cells)
    .find((row) => row.some(({ value }) => value === 'North'));
  const exported = cells?.find(({ value }) => Math.abs(Number(value) - north) < 1e-9);
  expect(exported?.format).toBe('#,##0.0%');

  await page.getByRole('button', { name: 'Show as a chart' }).click();
  const chart = page.getByRole('region', { name: 'Chart' });
  await chart.getByLabel('Measure').selectOption(MARGIN);
  const drawn = chart.getByRole('row', { name: 'North' }).getByRole('cell');
  await expect(drawn.first()).toHaveText('30.0%');
});

test('the panel shows the totals of a further measure, changes it, and lets it follow the value', async ({
  page,
  service,
}) => {
  const { versionId, table } = await planMargins(service);
  const leaves = () => storedMargins(service, table);
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await arrange(page, { group_by: ['region'], split_by: [], columns: ['sales', 'cost'] });
  await pivot.click(at('North', 'sales'));
  await expect(pivot.panel.getByTestId('further-total')).toHaveText('90.00');

  // A total of the cost alone.
  const field = (name: string) => pivot.panel.getByLabel(name, { exact: true });
  await field('Cost: New total').fill('99');
  await expect(page.getByTestId('extent')).toHaveText('Cost +9, from 2 rows.');
  await pivot.apply.click();
  await expect.poll(leaves).toEqual([
    [100, 66],
    [50, 33],
    [80, 60],
  ]);
  await expect(pivot.panel.getByTestId('further-total')).toHaveText('99.00');

  // The cost follows the percentage of the sales, and both are announced.
  await field('Cost follows the percentage of Sales').check();
  await field('Sales: Percent').fill('10');
  await expect(page.getByTestId('extent')).toContainText('Sales +15, Cost +9.90, from');
  await expect(field('Cost: New total')).toHaveValue(/^108\.90?$/);
  await pivot.apply.click();
  await expect.poll(leaves).toEqual([
    [110, 72.6],
    [55, 36.3],
    [80, 60],
  ]);
  await expect(field('Sales: Percent')).toHaveValue('');

  // The same percentage for sales and pieces does not change the cost, unless it is also entered for the cost.
  await field('Cost follows the percentage of Sales').uncheck();
  await field('Sales: Percent').fill('-50');
  await field('pieces: Percent').fill('-50');
  await expect(page.getByTestId('extent')).toHaveText(/Sales -82\.50, pieces -[23], from/);
  await pivot.apply.click();
  await expect.poll(leaves).toEqual([
    [55, 72.6],
    [27.5, 36.3],
    [80, 60],
  ]);
});

test('a block of further measures is pasted and filled', async ({ page, service, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { versionId, table } = await planMargins(service);
  const costs = async () =>
    (
      await service.query<{ cost: number }>(
        `SELECT sum(cost)::float8 AS cost FROM ${table} GROUP BY region ORDER BY region`,
      )
    ).map(({ cost }) => cost);
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await arrange(page, { group_by: ['region'], split_by: [], columns: ['sales', 'cost'] });
  await pivot.click(at('North', 'sales'));
  await page.evaluate((text) => navigator.clipboard.writeText(text), '160\t91.5\n81\t61.25\n');
  await page.keyboard.press('Control+v');
  await expect.poll(costs).toEqual([91.5, 61.25]);
  const entries = await service.query(`SELECT FROM pf.log WHERE operation = 'scale'`);
  expect(entries).toHaveLength(1);
  expect(await pivot.text(at('West', 'sales'))).toBe('81.00');

  await pivot.click(at('North', 'cost'));
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Control+d');
  await expect.poll(costs).toEqual([91.5, 91.5]);
});
