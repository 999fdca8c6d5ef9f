import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/e2e';
import { PivotPage } from './pivot-page';
import { loadYearBefore } from './year-before';
import { readWorkbook } from './workbook';

/** Sums that are shown in relation to others: shares, running totals and ranks. */

const TABLE = 'pf.fc_superstore_1';

/** Shows the columns of a measure in a way, by the menu of its header. */
async function showAs(page: Page, pivot: PivotPage, measure: string, way: string) {
  const head = pivot.grid.locator('thead th.pf-measure', { hasText: measure }).first();
  await head.click({ button: 'right' });
  await page.getByRole('menuitem', { name: `Show as ${way}`, exact: true }).click();
}

/** The text of the header of a measure. */
const SHARE = 'Sales % of parent';

const percent = new Intl.NumberFormat('en-US', {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

test('measures are shown as shares of parent rows and columns, as SQL has them, and a share is typed', async ({
  page,
  service,
}) => {
  await loadYearBefore(service);
  const pivot = new PivotPage(page);
  await pivot.open(1, '?measures=Sales,Sales:%20reference');
  /** The sums of the plan and the reference at every level; empty for a total. */
  const stored = async () => {
    const rows = await service.query<{ path: (string | null)[]; plan: number; reference: number }>(
      `SELECT ARRAY["Category", "Sub-Category", extract(year FROM "Order Date")::text] AS path,
              sum("Sales") FILTER (WHERE pf_iter <> 'reference')::float8 AS plan,
              sum("Sales") FILTER (WHERE pf_iter = 'reference')::float8 AS reference
         FROM ${TABLE}
        GROUP BY ROLLUP ("Category", "Sub-Category"), CUBE (extract(year FROM "Order Date"))`,
    );
    const sums = new Map(rows.map(({ path, ...each }) => [JSON.stringify(path), each]));
    return (row: readonly string[], year: string | null, of: 'plan' | 'reference') =>
      sums.get(JSON.stringify([row[0] ?? null, row[1] ?? null, year]))?.[of] ?? null;
  };
  const expected = (own: number | null, whole: number | null) =>
    whole ? percent.format((own ?? 0) / whole) : '';
  /** Returns the cells of the measures with their year, and which of their sums they show. */
  const cells = async () =>
    (await pivot.cells()).flatMap(({ row, column, text }) => {
      const [year = '', measure = ''] = column ?? [];
      const of = measure.includes('reference') ? ('reference' as const) : ('plan' as const);
      return column ? [{ row, year, of, text }] : [];
    });

  await showAs(page, pivot, 'Sales', '% of parent');
  await expect(page).toHaveURL(/amounts=Sales:::share_of_row/);
  const before = await stored();
  const inRow = async (sum: typeof before) => {
    for (const { row, year, of, text } of await cells()) {
      if (of === 'reference') continue;
      const wanted = expected(sum(row, year, of), sum(row.slice(0, -1), year, of));
      expect(text, `${row.join(' / ')} ${year}`).toBe(wanted);
    }
  };
  await expect.poll(() => pivot.text({ row: [], column: ['2028', SHARE] })).toBe('100.0%');
  await inRow(before);

  // A typed share is a total: the part of what its parent is now.
  const chairs = { row: ['Furniture', 'Chairs'], column: ['2028', SHARE] };
  await pivot.click(chairs);
  await page.keyboard.type('50%');
  await expect(page.locator('#cell-meaning')).toContainText('in full amounts');
  await page.keyboard.press('Enter');
  const half = Math.round((before(['Furniture'], '2028', 'plan') ?? 0) * 50) / 100;
  await expect.poll(async () => (await stored())(chairs.row, '2028', 'plan')).toBeCloseTo(half, 2);
  const after = await stored();
  const now = expected(half, after(['Furniture'], '2028', 'plan'));
  await expect.poll(() => pivot.text(chairs)).toBe(now);
  await inRow(after);

  // The reference is shown beside it as a share of the columns, and both in a link.
  await showAs(page, pivot, 'reference', '% of parent column');
  await expect
    .poll(async () => {
      const all = (await cells()).filter(({ of }) => of === 'reference');
      const isShare = ({ row, year, of, text }: (typeof all)[number]) =>
        text === expected(after(row, year, of), after(row, null, of));
      return all.length > 0 && all.every(isShare);
    })
    .toBe(true);
  await page.getByRole('button', { name: /^Layout/ }).click();
  await page.getByRole('menuitem', { name: 'Save as a new view …' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Shares');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\?view=\d+$/);
  await page.reload();
  await pivot.drawn();
  await expect.poll(() => pivot.text(chairs)).toBe(now);

  // A workbook has the shares as they are shown.
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: /Excel/ }).click();
  const sheets = await readWorkbook(page, await readFile(await (await download).path()));
  const rows = sheets.get('Pivot')?.rows ?? [];
  expect(rows.flatMap(({ cells }) => cells.map(({ value }) => value))).toContain(SHARE);
  const inBook = rows.find(({ cells }) => cells[0]?.value === 'Chairs')?.cells ?? [];
  expect(
    inBook.map(({ value }) => (typeof value === 'number' ? percent.format(value) : '')),
  ).toContain(now);

  // A running total cannot be typed into.
  await showAs(page, pivot, 'Sales', 'running total');
  const running = { ...chairs, column: ['2028', 'Sales running total'] };
  await expect.poll(() => pivot.text(running)).not.toBeNull();
  await pivot.click(running);
  await page.keyboard.type('1');
  await expect(page.locator('#cell-meaning')).toContainText('A running total adds up');
  await page.keyboard.press('Escape');
  await showAs(page, pivot, 'Sales', 'rank');
  const ranked = { ...chairs, column: ['2028', 'Sales rank'] };
  await expect.poll(() => pivot.text(ranked)).toBe('1');
});
