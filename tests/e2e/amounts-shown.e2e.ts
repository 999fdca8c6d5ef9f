import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test, visit } from '../support/e2e';
import { planTable } from '../support/planned-table';
import type { Service } from '../support/service';
import { PivotPage } from './pivot-page';
import { readWorkbook } from './workbook';

/** Amounts are written with the decimals of their column, in full or in the unit of the view. */

test.use({ template: 'service' });

/** Creates a version of a table with one row for each amount; the first is in region A. */
async function planned(service: Service, type: string, amounts: string[], name = 'prices') {
  await service.query(`CREATE TABLE public.${name} AS
    SELECT chr(64 + i::int) AS region, amount::${type} AS amount
      FROM unnest('{${amounts.join(',')}}'::text[]) WITH ORDINALITY AS of (amount, i)`);
  return planTable(service, name, { region: 'dimension', amount: 'value' });
}

/** Exports the pivot as a workbook. Returns its sheets by name. */
async function exported(page: Page) {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: /Excel/ }).click();
  return readWorkbook(page, await readFile(await (await download).path()));
}

const at = (region: string) => ({ row: [region], column: ['amount'] });
const meaning = (page: Page) => page.locator('#cell-meaning');
const total = (page: Page) => page.getByTestId('value-total');

test('shows three decimals in the grid, the panel, the editor and the log', async ({
  page,
  service,
}) => {
  const { versionId } = await planned(service, 'numeric(12,3)', ['12.345', '0.004', '1000']);
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await expect.poll(() => pivot.text(at('B'))).toBe('0.004');
  expect(await pivot.text(at('C'))).toBe('1,000.000');
  await pivot.click(at('A'));
  await expect(total(page)).toHaveText('12.345');
  await page.keyboard.type('12.349');
  await expect(meaning(page)).toContainText('12.345 → 12.349 (+0.032 %)');
  await page.keyboard.press('Enter');
  await expect.poll(() => pivot.text(at('A'))).toBe('12.349');
  const log = await pivot.log();
  await expect(log.locator('tbody tr').first()).toContainText('0.004');
  await pivot.click(at('A'));
  await page.keyboard.press('Shift+ArrowDown');
  await expect(page.getByTestId('marked')).toContainText('Sum 12.353');

  const sheet = (await exported(page)).get('Pivot');
  const { value, format } =
    sheet?.rows.find(({ cells }) => cells[0]?.value === 'B')?.cells[1] ?? {};
  expect([value, format]).toEqual([0.004, expect.stringContaining('0.000')]);
  await page.getByRole('button', { name: 'Show as a chart' }).click();
  const chart = page.getByRole('region', { name: 'Chart', exact: true });
  await expect(chart.getByRole('table').getByText('0.004', { exact: true })).toBeAttached();
});

test('shows rates with six decimals and yen without decimals', async ({ page, service }) => {
  const rates = await planned(service, 'numeric(12,6)', ['0.000009', '0.5'], 'rates');
  const yen = await planned(service, 'bigint', ['1200', '34000'], 'yen');
  const pivot = new PivotPage(page);
  await pivot.open(rates.versionId);
  await expect.poll(() => pivot.text(at('A'))).toBe('0.000009');
  await pivot.open(yen.versionId);
  await expect.poll(() => pivot.text(at('A'))).toBe('1,200');
  await pivot.click(at('B'));
  await expect(total(page)).toHaveText('34,000');
  await visit(page, '/');
  await expect(page.getByRole('row', { name: /Plan/ }).filter({ hasText: '35,200' })).toBeVisible();
  await expect(
    page.getByRole('row', { name: /Plan/ }).filter({ hasText: '0.500009' }),
  ).toBeVisible();
});

test('shows thousands and stores that in the address; amounts are typed in full', async ({
  page,
  service,
}) => {
  const { versionId } = await planned(service, 'numeric(12,2)', ['1234567.89', '-1']);
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await page.getByRole('button', { name: 'Numbers: unit and decimals' }).click();
  await page.getByLabel('amount: unit').selectOption('thousands');
  await page.getByLabel('amount: decimals').selectOption('1');
  await page.keyboard.press('Escape');
  // The corner shows the unit that all amounts have.
  const corner = pivot.grid.locator('thead th').first();
  await expect(corner).toHaveAttribute('data-unit', 'in thousands');
  await expect.poll(() => pivot.text(at('A'))).toBe('1,234.6');
  // An amount that rounds to zero has no sign and no colour.
  expect(await pivot.text(at('B'))).toBe('0.0');
  await expect(pivot.grid.locator('td.pf-negative')).toHaveCount(0);
  await expect(page).toHaveURL(/amounts=amount:thousands:1/);
  await page.getByRole('button', { name: /^Layout/ }).click();
  await page.getByRole('menuitem', { name: 'Save as a new view …' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Thousands');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\?view=\d+$/);

  await page.reload();
  await pivot.drawn();
  await expect.poll(() => pivot.text(at('A'))).toBe('1,234.6');
  await expect(corner).toHaveAttribute('data-unit', 'in thousands');
  await pivot.click(at('A'));
  await expect(total(page)).toHaveText('1,234,567.89');
  await page.keyboard.type('2000000');
  await expect(meaning(page)).toContainText('1,234,567.89 → 2,000,000');
  await expect(meaning(page)).toContainText('in full amounts');
  await page.keyboard.press('Enter');
  await expect.poll(() => pivot.text(at('A'))).toBe('2,000.0');
});

test('a workbook contains exact decimals', async ({ page, service }) => {
  const { versionId } = await planned(service, 'numeric(12,2)', ['0.1', '0.2', '576820.54']);
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await expect.poll(() => pivot.text({ row: [], column: ['amount'] })).toBe('576,820.84');
  const rows = (await exported(page)).get('Pivot')?.rows ?? [];
  expect(rows.map(({ cells }) => cells[1]?.value)).toEqual([
    'amount',
    576820.84,
    0.1,
    0.2,
    576820.54,
  ]);
});

test('shows no difference for rows that net to zero, whatever their change in percent', async ({
  page,
  service,
}) => {
  await service.query(`CREATE TABLE public.net AS SELECT 'A' AS region, amount::numeric(12,2)
    FROM unnest(ARRAY[0.1, 0.2, -0.3, 0.7, 0.1, -0.8]) AS amount`);
  const { versionId } = await planTable(service, 'net', { region: 'dimension', amount: 'value' });
  const version = `/versions/${versionId}`;
  await service.api.post(`${version}/reference`, { pf_user: 'ana' });
  await service.api.post(`${version}/scale`, { pf_user: 'ana', slice: {}, pct: 5 });
  const pivot = new PivotPage(page);
  await pivot.open(
    versionId,
    '?measures=amount,amount:+reference,amount:+Δ,amount:+Δ+%25'.replaceAll(':', '~:'),
  );
  await expect.poll(() => pivot.find({ row: ['A'], column: ['amount: Δ %'] })).not.toBeNull();
  const texts = (await pivot.cells())
    .filter(({ row, column }) => row[0] === 'A' && column)
    .map(({ text }) => text);
  expect(texts).toEqual(['0.00', '0.00', '0.00', '']);
  await expect(pivot.grid.locator('td.pf-negative')).toHaveCount(0);
});

test('shows a sum of parts that net to zero without a sign', async ({ page, service }) => {
  const { versionId } = await planned(service, 'float8', ['-0.3', '0.1', '0.2'], 'parts');
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await pivot.click(at('A'));
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(page.getByTestId('marked')).toContainText(/Sum 0(\.00)?,/);
});
