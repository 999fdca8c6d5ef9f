import type { Locator, Page } from '@playwright/test';
import { COLOURS, violations } from '../support/axe';
import { test, expect } from '../support/e2e';
import { planTable } from '../support/planned-table';
import { arrange, PivotPage } from './pivot-page';

/** Very large grids, and very long labels of several languages. */

test.use({ template: 'service' });

/** Returns whether the page scrolls sideways; only the grid inside it may. */
const overflows = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

test('a grid of 240 months and 2,000 products can be scrolled, read and typed into', async ({
  page,
  service,
}) => {
  const { query } = service;
  await query(`CREATE TABLE public.assortment AS
    SELECT 'Product ' || to_char(p, 'FM0000') AS product, DATE '2012-01-01' + make_interval(months => m) AS day,
           (p * 7 + m * 13) % 997 / 4.0 AS amount
      FROM generate_series(1, 2000) AS p, generate_series(0, 239) AS m
     WHERE (p + m) % 6 = 0 OR p = 2000`);
  await query(`ALTER TABLE public.assortment ALTER day TYPE date, ALTER amount TYPE numeric(12,2)`);
  const { versionId, table } = await planTable(service, 'assortment', {
    product: 'dimension',
    day: 'date',
    amount: 'value',
  });
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await arrange(page, {
    group_by: ['product'],
    split_by: ['month'],
    columns: ['amount'],
    expressions: { month: `bucket("day", 'M')` },
  });
  const [first, last] = [
    { row: ['Product 0001'], column: ['Jan 2012', 'amount'] },
    { row: ['Product 2000'], column: ['Dec 2031', 'amount'] },
  ];
  await expect.poll(() => pivot.find(first)).not.toBeNull();

  // By keyboard to the opposite corner and back. Only visible cells are drawn.
  await pivot.click(first);
  await page.keyboard.press('Control+End');
  await expect.poll(() => pivot.find(last)).not.toBeNull();
  await expect(pivot.slice).toContainText('product = Product 2000');
  await expect(pivot.slice).toContainText('day in Dec 2031');
  await page.keyboard.press('Control+Home');
  await expect(pivot.slice).not.toContainText('product');
  await expect(pivot.slice).toContainText('day in Jan 2012');
  await page.keyboard.press('End');
  await expect(pivot.slice).toContainText('day in Dec 2031');
  await page.keyboard.press('Control+ArrowDown');
  await expect(pivot.slice).toContainText('product = Product 2000');
  expect(await pivot.grid.locator('td').count()).toBeLessThan(2_000);
  const stored = async () => {
    const [row] = await query(
      `SELECT sum(amount)::float8 AS amount FROM ${table}
        WHERE product = 'Product 2000' AND day = '2031-12-01'`,
    );
    return row.amount as number;
  };
  expect(await pivot.number(last)).toBe(await stored());
  await page.keyboard.type('1234.5');
  await page.keyboard.press('Enter');
  await expect.poll(stored).toBe(1234.5);
  await expect.poll(() => pivot.number(last)).toBe(1234.5);
  const [{ total }] = await query(
    `SELECT sum(amount)::float8 AS total FROM ${table} WHERE day = '2031-12-01'`,
  );
  await expect.poll(() => pivot.number({ row: [], column: last.column })).toBeCloseTo(total, 2);
});

const LANGUAGES = {
  'de-DE': {
    category: 'Warengruppenbezeichnung',
    product: 'Erzeugnis einschließlich Größe und Verpackungseinheit',
    amount: 'Umsatzerlöse abzüglich Rabatten',
    pieces: 'Verkaufte Verpackungseinheiten',
    values: ['Geschirrspülmaschinenzubehör', 'Straßenschuhe für Größen über 46'],
    month: 'Jan. 2027',
    days: 'from 05.01.2027 to 20.02.2027',
    typed: '1.234,56',
    shown: '1.234,56',
  },
  'ja-JP': {
    category: '商品カテゴリー',
    product: '商品名（サイズと包装単位を含む）',
    amount: '割引後の純売上高',
    pieces: '販売数量',
    values: ['食器洗い機用品', '大きいサイズの靴'],
    month: '2027年1月',
    days: 'from 2027/01/05 to 2027/02/20',
    typed: '１２３４．５６',
    shown: '1,234.56',
  },
};
for (const [locale, words] of Object.entries(LANGUAGES))
  test.describe(`labels of ${locale}`, () => {
    test.use({ locale });

    test('can be read in full and planned with', async ({ page, service }) => {
      const { query } = service;
      const [dishes, shoes] = words.values;
      await query(
        `CREATE TABLE public.assortment (category text, product text, day date, amount numeric(12,2), pieces int)`,
      );
      await query(
        `INSERT INTO public.assortment
         SELECT c, c || ' ' || p, DATE '2027-01-15' + make_interval(months => m), 1000 + p * 7.25 + m, p
           FROM unnest($1::text[]) AS c, generate_series(1, 4) AS p, generate_series(0, 23) AS m`,
        [words.values],
      );
      const { versionId, table } = await planTable(service, 'assortment', {
        category: { role: 'dimension', label: words.category },
        product: { role: 'dimension', label: words.product },
        day: 'date',
        amount: { role: 'value', label: words.amount },
        pieces: { role: 'units', label: words.pieces },
      });
      const pivot = new PivotPage(page);
      await pivot.open(versionId);
      const cell = { row: [shoes!, `${shoes} 2`], column: [words.month, 'amount'] };
      await expect.poll(() => pivot.find(cell)).not.toBeNull();
      for (const width of [1440, 1024]) {
        await page.setViewportSize({ width, height: 768 });
        await expect.poll(() => overflows(page)).toBe(false);
      }
      await pivot.click(cell);
      await expect(pivot.slice).toContainText(`${words.product} = ${shoes} 2`);
      await expect(pivot.slice).toContainText(`day in ${words.month}`);
      await page.keyboard.press('F2');
      await page.keyboard.press('Control+a');
      await page.keyboard.type(words.typed);
      // Enter that ends the text of an input method does not write the amount.
      const field = page.getByRole('textbox', { name: 'New amount' });
      await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
      await expect(field).toHaveValue(words.typed);
      await page.keyboard.press('Enter');
      await expect.poll(() => pivot.text(cell)).toBe(words.shown);
      const [{ amount }] = await query(
        `SELECT sum(amount)::float8 AS amount FROM ${table}
          WHERE category = $1 AND product = $1 || ' 2' AND day = '2027-01-15'`,
        [shoes],
      );
      expect(amount).toBe(1234.56);
      expect(await pivot.find({ row: [dishes!], column: cell.column })).not.toBeNull();

      const slice = { day: { from: '2027-01-05', to: '2027-02-20' } };
      await service.api.post(`/versions/${versionId}/locks`, { slice, pf_user: 'eve' });
      await page.getByRole('button', { name: /^Locks/ }).click();
      const unlock = page.getByRole('button', { name: `Unlock day ${words.days}`, exact: true });
      await expect(unlock).toBeVisible();
    });
  });

test.describe('the dialogs of the pivot in a German browser', () => {
  test.use({ locale: 'de-DE', template: 'raw' });

  /** 1366, 1920 and, as at 200 %, 1440 pixels. */
  const SIZES = [
    { width: 1366, height: 768 },
    { width: 1920, height: 1080 },
    { width: 720, height: 450 },
  ];

  const MENU = '[role=menu]';

  /** Checks an open dialog, menu or list in each size, and its colours in both themes. */
  async function fits(page: Page, part: Locator, include: string) {
    await expect(part).toBeVisible();
    for (const size of SIZES) {
      await page.setViewportSize(size);
      expect(await overflows(page)).toBe(false);
      await expect
        .poll(async () => {
          const box = await part.boundingBox();
          return box && [box.x >= 0, box.y >= 0, box.x + box.width <= size.width];
        })
        .toEqual([true, true, true]);
      // The arrow keys scroll a menu, which axe does not know.
      const without = ['region', ...(include === MENU ? ['scrollable-region-focusable'] : [])];
      const found = await violations(page, { include: [include], without });
      expect(found.map(({ id, nodes }) => `${size.width}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: 'dark' });
    const found = await violations(page, { include: [include], ...COLOURS });
    expect(found.map(({ id, nodes }) => `dark: ${id}: ${nodes[0]?.html}`)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1366, height: 768 });
  }

  test('pass axe at three sizes in both themes, opened with the keyboard', async ({ page }) => {
    const pivot = new PivotPage(page);
    await pivot.open(1, '?rows=Category,Sub-Category&columns=Order+Year&measures=Sales');
    const dialog = page.getByRole('dialog');
    /** Chooses an item in the menu of a field. */
    const choose = async (field: string, item: string) => {
      await page.getByRole('button', { name: `Arrange ${field}`, exact: true }).press('Enter');
      await page.getByRole('menuitem', { name: item }).press('Enter');
    };

    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Arrange Sales', exact: true }).press('Enter');
    await fits(page, page.getByRole('menu'), MENU);
    await page.getByRole('menuitem', { name: 'Show as % of parent column' }).press('Enter');
    await expect(page).toHaveURL(/amounts=Sales:::share_of_column/);

    await choose('Category', 'Top, bottom or threshold …');
    await dialog.getByLabel('Show', { exact: true }).selectOption('above');
    await dialog.getByLabel('Number', { exact: true }).fill('0,5');
    await fits(page, dialog, '[role=dialog]');
    await dialog.getByLabel('Number', { exact: true }).press('Enter');
    await expect(page.getByTestId('limit')).toContainText('Category: Sales above 0,5');

    await choose('Category', 'Order of its values …');
    await fits(page, dialog, '[role=dialog]');
    await page.keyboard.press('Escape');

    await choose('Sales', 'Mark cells …');
    await dialog.getByLabel('Mark', { exact: true }).selectOption('between');
    await fits(page, dialog, '[role=dialog]');
    // The first press warns that the rule is not saved.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);

    const alerts = page.getByRole('button', { name: 'Alerts', exact: true });
    await alerts.press('Enter');
    await page.getByRole('button', { name: 'Make an alert …' }).press('Enter');
    await dialog.getByLabel('Amount, in full').fill('1.000,5');
    await fits(page, dialog, '[role=dialog]');
    await dialog.getByLabel('Name').press('Enter');
    await expect(dialog).toHaveCount(0);
    await alerts.press('Enter');
    await expect(page.getByRole('article', { name: 'Alert Sales above 1.000,5' })).toBeVisible();
    await fits(page, dialog, '[role=dialog]');
    await page.keyboard.press('Escape');

    await pivot.click({ row: ['Furniture'] });
    await page.keyboard.press('b');
    await expect(dialog.getByTestId('rows-behind')).toContainText('baseline');
    await fits(page, dialog, '[role=dialog]');
  });
});
