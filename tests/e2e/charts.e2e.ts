import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { violations } from '../support/axe';
import { expect, test, visit } from '../support/e2e';
import { arrange, PivotPage } from './pivot-page';
import { loadYearBefore } from './year-before';

const TABLE = 'pf.fc_superstore_1';

/** The chart as people see it, and its numbers as screen readers read them. */
class ChartPage {
  readonly region;
  readonly plot;
  readonly table;

  constructor(readonly page: Page) {
    this.region = page.getByRole('region', { name: 'Chart', exact: true });
    this.plot = this.region.getByRole('slider');
    this.table = this.region.getByRole('table').filter({ has: page.locator('caption') });
  }

  headers = () => this.table.locator('thead th').allTextContents();
  places = () => this.table.locator('tbody th').allTextContents();

  /** Returns the numbers of a column; null for an empty one. */
  async column(name: string): Promise<(number | null)[]> {
    const at = (await this.headers()).indexOf(name);
    expect(at, `a series called ${name}`).toBeGreaterThan(0);
    const texts = await this.table.locator(`tbody td:nth-child(${at + 1})`).allTextContents();
    return texts.map((text) => (text === '' ? null : Number(text.replaceAll(',', ''))));
  }

  async kind(name: string): Promise<void> {
    await this.page.getByRole('button', { name: 'Chart type' }).click();
    await this.page.getByRole('menuitem', { name }).click();
  }
}

test('a chart has a time axis and the numbers of the grid, through changes and filters', async ({
  page,
  service,
}) => {
  await loadYearBefore(service);
  const sums = async (where = 'true') => {
    const rows = await service.query(
      `SELECT to_char(date_trunc('month', "Order Date"), 'Mon YYYY') AS month,
         sum("Sales") FILTER (WHERE pf_iter <> 'reference')::float8 AS plan,
         sum("Sales") FILTER (WHERE pf_iter = 'reference')::float8 AS reference
       FROM ${TABLE} WHERE ${where} GROUP BY date_trunc('month', "Order Date") ORDER BY date_trunc('month', "Order Date")`,
    );
    return rows as { month: string; plan: number | null; reference: number | null }[];
  };
  const pivot = new PivotPage(page);
  const chart = new ChartPage(page);
  await pivot.open(1);
  await arrange(page, {
    group_by: ['Category', 'Sub-Category'],
    split_by: ['month'],
    columns: ['Sales', 'Sales: reference', 'Quantity'],
    expressions: { month: `bucket("Order Date", 'M')` },
  });
  await page.getByRole('button', { name: 'Show as a chart' }).click();
  await expect(chart.plot).toBeVisible();
  await expect(pivot.grid).toBeHidden();
  // Time is drawn as lines, unless another kind is chosen.
  await expect(page).toHaveURL(/chart=Y\+Line/);
  await chart.kind('Stacked columns');
  await expect(page).toHaveURL(/chart=Y\+Bar/);

  const shows = async (where: string, name: string) => {
    const stored = await sums(where);
    await expect
      .poll(async () => {
        const [plan, reference, places] = await Promise.all([
          chart.column(`${name}, Plan 2027`),
          chart.column(`${name}, Reference`),
          chart.places(),
        ]);
        return stored.filter(({ month, ...both }) => {
          const x = places.indexOf(month);
          const isSame = (drawn?: number | null, wanted?: number | null) =>
            Math.abs((drawn ?? 0) - (wanted ?? 0)) < 0.00501;
          return !isSame(plan[x], both.plan) || !isSame(reference[x], both.reference);
        });
      })
      .toEqual([]);
    return stored;
  };
  const technology = `"Category" = 'Technology'`;
  const stored = await shows(technology, 'Technology');
  await expect(chart.table.locator('caption')).toHaveText('Sales by Category');
  expect(await chart.places()).toEqual((await sums()).map(({ month }) => month));
  expect((await chart.headers()).slice(1).sort()).toEqual(
    ['Furniture', 'Office Supplies', 'Technology'].flatMap((name) => [
      `${name}, Plan 2027`,
      `${name}, Reference`,
    ]),
  );

  // Changes by others, the user's own undo, and filters.
  await service.api.post('/versions/1/scale', {
    slice: { Category: 'Technology' },
    pct: 10,
    pf_user: 'bea',
  });
  expect((await shows(technology, 'Technology'))[5]?.plan).toBeCloseTo(
    1.1 * Number(stored[5]?.plan),
    1,
  );
  const log = await pivot.log();
  await log
    .getByRole('row')
    .filter({ hasText: 'bea' })
    .getByRole('button', { name: /^Undo/ })
    .click();
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  await shows(technology, 'Technology');
  await page.keyboard.press('l');
  await arrange(page, { filter: [['Segment', '==', 'Consumer']] });
  await shows(`${technology} AND "Segment" = 'Consumer'`, 'Technology');

  // Values by keyboard and by mouse, with months written as in the grid.
  await chart.plot.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  const second = (await chart.places())[1] ?? '';
  await expect(chart.plot).toHaveAttribute(
    'aria-valuetext',
    new RegExp(`^${second}\\. .*Technology, Plan 2027: .*; Total, Plan 2027: \\d`),
  );
  await expect(page.getByTestId('chart-values')).toContainText(second);
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('chart-values')).toHaveCount(0);
  await chart.plot.hover();
  await expect(page.getByTestId('chart-values')).toContainText('Technology');
  expect(await violations(page, { include: ['section.chart'] })).toEqual([]);

  // Another measure is stored in the address, and back returns to the previous one.
  await chart.region.getByLabel('Measure').selectOption({ label: 'Quantity' });
  await expect(page).toHaveURL(/draws=Quantity/);
  await expect(chart.table.locator('caption')).toHaveText('Quantity by Category');
  await page.reload();
  await expect(chart.table.locator('caption')).toHaveText('Quantity by Category');
  await page.goBack();
  await expect(chart.table.locator('caption')).toHaveText('Sales by Category');

  // The same chart saved as a picture.
  await chart.kind('Lines');
  await expect(page).toHaveURL(/chart=Y\+Line/);
  const saving = page.waitForEvent('download');
  await chart.region.getByRole('button', { name: 'Save as PNG' }).click();
  const file = await saving;
  expect(file.suggestedFilename()).toMatch(/Sales by Category\.png$/);
  const bytes = await readFile(await file.path());
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  expect(bytes.length).toBeGreaterThan(10_000);

  // Without values, the chart says so, and the grid does not change.
  await arrange(page, { filter: [['Segment', '==', 'nobody']] });
  await expect(chart.region.getByText('No values to draw')).toBeVisible();
  await arrange(page, { filter: [] });
  await page.getByRole('button', { name: 'Show as a grid' }).click();
  await pivot.drawn();
  await page.getByRole('button', { name: 'Copy the pivot' }).click();
  await expect(page.getByText(/^Copied the pivot/)).toBeVisible();
});

test('a layout with a chart of an earlier build shows the nearest kind', async ({
  page,
  service,
}) => {
  await service.query(`UPDATE pf.source SET default_layout = $1`, [
    JSON.stringify({
      plugin: 'Treemap',
      group_by: ['Sub-Category', 'Region'],
      columns: ['Quantity'],
    }),
  ]);
  await visit(page, '/versions/1');
  const chart = new ChartPage(page);
  await expect(chart.plot).toBeVisible();
  // Without time, the first level is the axis and the second makes the series.
  expect(await chart.headers()).toHaveLength(5);
  const places = await chart.places();
  expect(places).toHaveLength(17);
  const drawn = await Promise.all(
    (await chart.headers()).slice(1).map((name) => chart.column(name)),
  );
  const [{ paper }] = await service.query(
    `SELECT sum("Quantity")::float8 AS paper FROM ${TABLE} WHERE "Sub-Category" = 'Paper'`,
  );
  const at = places.indexOf('Paper');
  expect(drawn.reduce((all, column) => all + (column[at] ?? 0), 0)).toBe(paper);
  await page.getByRole('button', { name: 'Chart type' }).click();
  await expect(page.getByRole('menuitem', { name: /^Stacked columns.*chosen$/ })).toBeVisible();
  await page.keyboard.press('Escape');
  expect(new URL(page.url()).search).toBe('');
});

test.describe('with animations', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } });

  test('a chart has its colours', async ({ page }) => {
    await new PivotPage(page).open(1);
    await page.getByRole('button', { name: 'Show as a chart' }).click();
    const chart = new ChartPage(page);
    await chart.kind('Stacked columns');
    const canvas = chart.region.locator('canvas');
    // The background is white, and the lowest bar in the middle is not.
    const colour = (x: number, y: number) =>
      canvas.evaluate(
        (element: HTMLCanvasElement, [x, y]) => {
          const { width, height } = element;
          const pixel = element.getContext('2d')?.getImageData(width * x, height * y, 1, 1).data;
          return pixel && [...pixel.slice(0, 3)].join();
        },
        [x, y] as const,
      );
    await expect.poll(() => colour(0.001, 0.001)).toBe('255,255,255');
    await expect.poll(() => colour(0.4, 0.9)).not.toBe('255,255,255');
  });
});
