import type { Page } from '@playwright/test';
import { expect, test } from '../support/e2e';
import { PivotPage } from './pivot-page';

/** Pages on paper: the pivot with all open rows, the log and the home page. */

/** Number of pages of a PDF. */
const pagesOf = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;

/** Prints with Ctrl+P, and returns the printed tables as texts, and the facts above them. */
async function print(page: Page) {
  await page.keyboard.press('Control+p');
  const table = page.locator('.printed table').first();
  await expect(table).toBeAttached();
  return page.evaluate(() => {
    const texts = (cells: Iterable<Element>) => [...cells].map((cell) => cell.textContent ?? '');
    const tables = [...document.querySelectorAll<HTMLTableElement>('.printed table')];
    return {
      facts: texts(document.querySelectorAll('.printed dl > div')),
      heads: tables.map(({ tHead }) => [...(tHead?.rows ?? [])].map(({ cells }) => texts(cells))),
      rows: tables.map(({ tBodies }) =>
        [...(tBodies[0]?.rows ?? [])].map(({ cells }) => texts(cells)),
      ),
    };
  });
}

test('the pivot is printed with all open rows, in the texts of the grid, on pages with headers', async ({
  page,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(
    1,
    '?rows=State,Sub-Category&columns=Order+Month&measures=Sales&filter=Order+Year:%3D%3D:2028&totals=end',
  );
  const cells = await pivot.cells();
  const { facts, heads, rows } = await print(page);
  expect(heads).toHaveLength(1);
  // More rows are printed than the grid draws.
  const drawn = new Map<string, (string | undefined)[]>();
  for (const { row, column, text } of cells) {
    const key = JSON.stringify(row);
    if (column) drawn.set(key, [...(drawn.get(key) ?? []), text]);
  }
  expect(rows[0]?.length).toBeGreaterThan(drawn.size);
  const places = [...drawn];
  for (const [i, [key, texts]] of places.entries())
    expect(rows[0]?.[i]?.slice(1, texts.length + 1), key).toEqual(texts);
  expect(facts.join('\n')).toMatch(/Rows\s*State \/ Sub-Category/);
  expect(facts.join('\n')).toMatch(/Filter\s*Order Year = 2028/);
  expect(facts.join('\n')).toMatch(/By\s*ana/);
  expect(heads[0]?.[0]).toHaveLength(14);

  // Twelve months and their total fit in the width of the paper.
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.setViewportSize({ width: 964, height: 700 });
  const layout = await page.evaluate(() => {
    const table = document.querySelector('.printed table');
    const { color } = getComputedStyle(document.querySelector('.printed td') ?? document.body);
    const isSeen = (selector: string) =>
      (document.querySelector(selector)?.getBoundingClientRect().height ?? 0) > 0;
    return {
      width: table?.getBoundingClientRect().width ?? Infinity,
      head: getComputedStyle(table?.querySelector('thead') ?? document.body).display,
      color,
      seen: ['.shell > header', '[data-testid=pivot]', '.printed table'].filter(isSeen),
    };
  });
  expect(layout.width).toBeLessThanOrEqual(964);
  expect(layout.head).toBe('table-header-group');
  expect(layout.color).toBe('rgb(24, 32, 42)');
  expect(layout.seen).toEqual(['.printed table']);
  await page.emulateMedia({ media: null });
  const pdf = await page.pdf({ preferCSSPageSize: true });
  if (process.env.LOOK) (await import('node:fs')).writeFileSync('/tmp/print-c.pdf', pdf);
  expect(pagesOf(pdf)).toBeGreaterThan(1);
});

/** Returns which of some parts of a page on paper can be seen. */
async function seenOnPaper(page: Page, selectors: readonly string[]) {
  await page.emulateMedia({ media: 'print' });
  const seen: string[] = [];
  for (const selector of selectors)
    if (await page.locator(selector).first().isVisible()) seen.push(selector);
  return seen;
}

test('an open log is printed after the pivot, and the home page without its buttons', async ({
  page,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=Region&columns=&measures=Sales');
  await page.keyboard.press('l');
  await expect(page.getByRole('region', { name: 'Log entries' })).toBeVisible();
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'Print …' }).click();
  await expect(page.locator('.printed table')).toBeAttached();
  const log = '#log-drawer tbody tr';
  const tools = [
    '.shell > header',
    '#log-drawer [role=search]',
    '#log-drawer header button',
    `${log} .actions`,
  ];
  expect(await seenOnPaper(page, ['.printed table', log, ...tools])).toEqual([
    '.printed table',
    log,
  ]);
  await page.emulateMedia({ media: null });
  expect(pagesOf(await page.pdf({ preferCSSPageSize: true }))).toBe(2);
  // After the next action, nothing prints old numbers.
  await page.keyboard.press('l');
  await expect(page.locator('.printed table')).toHaveCount(0);

  await page.getByRole('link', { name: 'Forecast Pivot, home' }).click();
  const card = page.getByRole('heading', { name: 'Superstore' });
  await expect(card).toBeVisible();
  expect(await seenOnPaper(page, ['h1', 'main li h2', '.shell > header', 'main button'])).toEqual([
    'h1',
    'main li h2',
  ]);
});
