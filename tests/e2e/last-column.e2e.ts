import type { Page } from '@playwright/test';
import fc from 'fast-check';
import { expect, test } from '../support/e2e';
import { PivotPage } from './pivot-page';
import { loadYearBefore } from './year-before';

/** The last column of the grid can be reached and typed into after every change of the arrangement. */

/** Number of changes. */
const STEPS = 30;
/** The version that is compared with. */
const OTHER = 'Cautious';
const MARGIN = 'Margin %';
const PLAIN = ['Sales', 'Quantity'];
const COMPUTED = [MARGIN, 'Sales: Δ', 'Sales: Δ %', `Sales: ${OTHER}`, `Sales: Δ to ${OTHER}`];

interface Arrangement {
  rows: readonly string[];
  columns: readonly string[];
  measures: readonly string[];
  filter: string | null;
  totals: string;
  /** Number of open levels of rows and of columns; null for all. */
  depth: number | null;
  across: number | null;
  pinned: number;
  amounts: string;
  width: number;
  height: number;
}

const some = (values: readonly string[], minLength = 0, maxLength = 3) =>
  fc.shuffledSubarray([...values], { minLength, maxLength: Math.min(maxLength, values.length) });

const arrangements: fc.Arbitrary<Arrangement[]> = fc.array(
  fc
    .record({
      fields: some(['Region', 'Category', 'Sub-Category', 'Segment'], 2, 4),
      rowCount: fc.integer({ min: 1, max: 2 }),
      time: fc.constantFrom('Order Year', 'Order Month', null),
      plain: some(PLAIN, 1),
      computed: some(COMPUTED, 0, 2),
      filter: fc.constantFrom(
        null,
        'Region:in:East',
        'Order+Year:%3D%3D:2028',
        'Segment:in:Consumer',
      ),
      totals: fc.constantFrom('', 'start', 'end', 'end,groups'),
      depth: fc.constantFrom(null, 0, 1),
      across: fc.constantFrom(null, null, 0),
      pinned: fc.constantFrom(0, 0, 1, 3),
      amounts: fc.constantFrom('', 'Sales:thousands:0', 'Sales::4'),
      width: fc.integer({ min: 900, max: 1900 }),
      height: fc.integer({ min: 420, max: 1000 }),
    })
    .map(({ fields, rowCount, time, plain, computed, ...rest }) => ({
      ...rest,
      rows: fields.slice(0, rowCount),
      columns: [...(time === null ? [] : [time]), ...fields.slice(rowCount, 3)],
      measures: [...plain, ...computed],
    })),
  { minLength: STEPS, maxLength: STEPS },
);

function addressOf({
  rows,
  columns,
  measures,
  filter,
  totals,
  depth,
  across,
  ...rest
}: Arrangement) {
  const list = (names: readonly string[]) => encodeURIComponent(names.join(','));
  return [
    `?compare=2&rows=${list(rows)}&columns=${list(columns)}&measures=${list(measures)}`,
    ...(filter === null ? ['&filter='] : [`&filter=${filter}`]),
    `&totals=${totals}&depth=${depth ?? 'all'}&across=${across ?? 'all'}`,
    `&pinned=${rest.pinned || ''}&amounts=${rest.amounts}`,
  ].join('');
}

/** Follows a link inside the page. */
const follow = (page: Page, address: string) =>
  page.evaluate((href) => {
    const link = document.createElement('a');
    link.href = location.pathname + href;
    document.body.append(link);
    link.click();
    link.remove();
  }, address);

/** The part of the grid that knows what is shown. */
interface Host {
  extent(): Promise<{ columns: number }>;
  shown: {
    columns: { measure: string }[];
    reader: { config: { filter: unknown[] } } | null;
    open: object;
  };
}

/** Returns the measures of the view on screen, the number of its filters, and its open levels, totals and pinned columns. */
const arranged = (pivot: PivotPage) =>
  pivot.grid.evaluate((grid) => {
    const { host } = (grid.getRootNode() as ShadowRoot).host as HTMLElement & { host: Host };
    const { columns, reader, open } = host.shown;
    const measures = [...new Set(columns.map(({ measure }) => measure))];
    return { measures, filters: reader?.config.filter.length, open };
  });

/** Scrolls as far to the right as the grid goes. @returns what is hidden of its last column; null if nothing is */
const hiddenOfLast = (pivot: PivotPage) =>
  pivot.grid.evaluate(async (grid) => {
    const { host } = (grid.getRootNode() as ShadowRoot).host as HTMLElement & { host: Host };
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const extent = await host.extent().catch(() => null);
    if (!extent) return 'the pivot is being arranged';
    const last = extent.columns - 1;
    const hidden = () => {
      const box = grid.querySelector(`tbody td[data-x="${last}"]`)?.getBoundingClientRect();
      if (!box) return `column ${last} is not drawn`;
      const past = box.right - grid.getBoundingClientRect().left - grid.clientWidth;
      return past < 1 ? null : `${past.toFixed(0)} pixels of column ${last} are hidden`;
    };
    for (let tries = 0; tries < 30 && hidden() !== null; tries++) {
      grid.scrollLeft = grid.scrollWidth;
      await frame();
      await frame();
    }
    return hidden();
  });

const reachesLast = (pivot: PivotPage, what: string) =>
  expect.poll(() => hiddenOfLast(pivot), { message: what }).toBe(null);

/** Types into the last cell of the total row, and expects the field over that cell. */
async function typesIntoLast(pivot: PivotPage, what: string): Promise<void> {
  const { page, grid } = pivot;
  const lastNow = () =>
    grid.evaluate((element) => {
      const { host } = (element.getRootNode() as ShadowRoot).host as HTMLElement & { host: Host };
      return host.shown.columns.length - 1;
    });
  let cell = grid;
  await expect(async () => {
    // While cells are being arranged, their number changes, and a selection ends.
    await reachesLast(pivot, what);
    cell = grid.locator(`tbody tr:first-child td[data-x="${await lastNow()}"]`);
    await cell.click({ timeout: 2000 });
    // Reading a cell among hundreds of columns can take seconds.
    await expect(pivot.panel).not.toHaveAttribute('aria-busy', 'true');
    await expect(pivot.slice).toBeVisible({ timeout: 2000 });
  }, what).toPass();
  await page.keyboard.press('7');
  const field = page.getByLabel('New amount');
  await expect(field, what).toHaveValue('7');
  const isOver = async () => {
    const [over, under] = [await field.boundingBox(), await cell.boundingBox()];
    return Math.abs((over?.x ?? NaN) - (under?.x ?? NaN)) < 3;
  };
  await expect.poll(isOver, { message: what }).toBe(true);
  await page.keyboard.press('Escape');
  await expect(field).toHaveCount(0);
}

test('the last column is reached and typed into after a measure is removed', async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 700 });
  const pivot = new PivotPage(page);
  await pivot.open(1, '?columns=Order+Month&filter=Order+Year:%3D%3D:2028');
  await reachesLast(pivot, 'both measures');
  await page.keyboard.press('a');
  await page.getByRole('button', { name: 'Arrange Quantity', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: 'Remove' }).press('Enter');
  await expect.poll(async () => (await arranged(pivot)).measures).toEqual(['Sales']);
  await reachesLast(pivot, 'one measure');
  await typesIntoLast(pivot, 'one measure');
});

test('the last column is reached and typed into after random changes of the arrangement and the window', async ({
  page,
  service,
}) => {
  await loadYearBefore(service);
  await service.api.post('/versions/1/copy', { name: OTHER, pf_user: 'bea' });
  const formula = { name: MARGIN, expression: '(Sales - 20 * Quantity) / Sales', pf_user: 'ana' };
  await service.api.post('/sources/1/formulas', { ...formula, format: { style: 'percent' } });
  const pivot = new PivotPage(page);
  await pivot.open(1, '?compare=2');
  const seed = Number(process.env.FAST_CHECK_SEED ?? 57);
  const [walk] = fc.sample(arrangements, { numRuns: 1, seed });
  for (const [i, step] of walk!.entries()) {
    const { measures, columns, filter, totals, depth, across, pinned, width, height } = step;
    const address = addressOf(step);
    const what = `step ${i}: ${address} at ${width} × ${height}`;
    await page.setViewportSize({ width, height });
    await follow(page, address);
    await expect
      .poll(() => arranged(pivot), { message: what })
      .toEqual({
        measures,
        filters: filter === null ? 0 : 1,
        open: {
          ...(depth !== null && { depth }),
          ...(across !== null && { columns_depth: across }),
          ...(totals !== '' && { total_column: totals.split(',')[0] }),
          ...(totals.endsWith(',groups') && { subtotals: true }),
          ...(pinned > 0 && { pinned_columns: pinned }),
        },
      });
    await reachesLast(pivot, what);
    const last = measures.at(-1) ?? '';
    if (PLAIN.includes(last) && columns.length > 0) await typesIntoLast(pivot, what);
  }
});
