import type { Page } from '@playwright/test';
import { test, expect, visit } from '../support/e2e';
import type { Service } from '../support/service';
import { arrange, PivotPage } from './pivot-page';

/** The user's own changes in a tab survive F5 and a visit to another page. */

const OF_2028 = `"Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`;
const cell = (...row: string[]) => ({ row, column: ['2028', 'Sales'] });
const BOOKCASES = cell('Furniture', 'Bookcases');
const CHAIRS = cell('Furniture', 'Chairs');

async function sales(service: Service, subCategory: string): Promise<number> {
  const [row] = await service.query<{ sales: number }>(
    `SELECT sum("Sales")::numeric(20,2)::float8 AS sales FROM pf.fc_superstore_1
      WHERE ${OF_2028} AND "Sub-Category" = '${subCategory}'`,
  );
  return row?.sales ?? NaN;
}

async function typeInto(pivot: PivotPage, at: typeof CHAIRS, text: string): Promise<void> {
  await pivot.click(at);
  await pivot.page.keyboard.type(text);
  await pivot.page.keyboard.press('Enter');
}

const toBaselineAndBack = async (page: Page) => {
  await page.getByRole('link', { name: 'Baseline' }).click();
  await expect(page.getByRole('region', { name: 'Preview of the load' })).toContainText('9,994');
  await page.getByRole('link', { name: 'Open the pivot' }).click();
};

test('Ctrl+Z and Ctrl+Y remember after F5 the changes and undos of this tab', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = {
    bookcases: await sales(service, 'Bookcases'),
    chairs: await sales(service, 'Chairs'),
  };
  await typeInto(pivot, BOOKCASES, '40000');
  await expect.poll(() => sales(service, 'Bookcases')).toBe(40_000);
  await expect.poll(() => pivot.number(BOOKCASES)).toBe(40_000);
  await typeInto(pivot, CHAIRS, '+500');
  await expect.poll(() => pivot.number(CHAIRS)).toBeCloseTo(before.chairs + 500, 2);
  // A later change by somebody else must not be undone.
  const { body } = await service.api.post('/versions/1/scale', {
    slice: { 'Sub-Category': 'Tables' },
    pct: 10,
    pf_user: 'bea',
  });
  const ofBea = body[0].pf_logid as number;
  const isThere = async (logid: number) =>
    (await service.query('SELECT FROM pf.log WHERE id = $1', [logid])).length === 1;

  // Immediately, while the rows are still loading.
  await page.reload();
  await page.getByRole('button', { name: 'Levels' }).waitFor();
  await page.keyboard.press('Control+z');
  await expect.poll(() => sales(service, 'Chairs')).toBeCloseTo(before.chairs, 2);
  await pivot.drawn();
  await expect.poll(() => pivot.number(CHAIRS)).toBeCloseTo(before.chairs, 2);
  expect(await sales(service, 'Bookcases')).toBe(40_000);

  // The undone change can be redone after the next F5, and undone after Baseline and back.
  await page.reload();
  await pivot.drawn();
  await page.keyboard.press('Control+y');
  await expect.poll(() => sales(service, 'Chairs')).toBeCloseTo(before.chairs + 500, 2);
  await expect.poll(() => pivot.number(CHAIRS)).toBeCloseTo(before.chairs + 500, 2);
  await toBaselineAndBack(page);
  await pivot.drawn();
  await page.keyboard.press('Control+z');
  await expect.poll(() => sales(service, 'Chairs')).toBeCloseTo(before.chairs, 2);
  await expect.poll(() => pivot.number(CHAIRS)).toBeCloseTo(before.chairs, 2);

  // A colleague undoes the last one meanwhile: nothing is left to undo, and bea's change stays.
  const [ofAna] = await service.query<{ id: number }>(
    `SELECT id FROM pf.log WHERE pf_user = 'ana' AND operation = 'scale'`,
  );
  await visit(page, '/');
  await service.api.del(`/log/${ofAna?.id}`);
  await pivot.open(1);
  await page.keyboard.press('Control+z');
  await expect(page.getByText('You have no changes to undo here')).toBeVisible();
  expect(await isThere(ofBea)).toBe(true);
  expect(await sales(service, 'Bookcases')).toBeCloseTo(before.bookcases, 2);
});

/**
 * Returns the rows on screen and the columns of 2028. The number of other visible columns depends on their
 * widths.
 */
async function drawn(pivot: PivotPage): Promise<{ rows: string[]; columns: string[] }> {
  const cells = await pivot.cells();
  const names = (paths: (string[] | undefined)[]) => [
    ...new Set(paths.flatMap((path) => path?.join(' / ') ?? [])),
  ];
  return {
    rows: names(cells.map(({ row }) => row)),
    columns: names(cells.map(({ column }) => (column?.[0] === '2028' ? column : undefined))),
  };
}

test('rows and columns opened one by one stay open after F5 and after Baseline', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await arrange(page, {
    group_by: ['Region', 'Category', 'Segment'],
    split_by: ['year', 'Ship Mode'],
    columns: ['Sales'],
    expressions: { year: `bucket("Order Date", 'Y')` },
  });
  const arranged = '?rows=Region,Category,Segment';
  const levels = async (item: string) => {
    await page.getByRole('button', { name: 'Levels' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await levels('Only Region');
  await expect.poll(() => pivot.find({ row: ['East', 'Furniture'] })).toBeNull();
  await pivot.toggle('East');
  await expect.poll(() => pivot.find({ row: ['East', 'Furniture'] })).not.toBeNull();
  await pivot.toggle('East', 'Furniture');
  await expect.poll(() => pivot.find({ row: ['East', 'Furniture', 'Consumer'] })).not.toBeNull();
  await pivot.grid.getByRole('button', { name: 'Close 2028' }).click();
  const closed = { row: ['East', 'Furniture'], column: ['2028', 'Total', 'Sales'] };
  await expect.poll(() => pivot.find(closed)).not.toBeNull();
  const before = await drawn(pivot);
  expect(before.rows).not.toContain('West / Furniture');
  expect(before.columns).toEqual(['2028 / Total / Sales']);

  await page.reload();
  await pivot.drawn();
  expect(await drawn(pivot)).toEqual(before);
  // An open cell can still be typed into.
  await typeInto(pivot, { row: ['East', 'Furniture', 'Consumer'], column: closed.column }, '+500');
  await expect
    .poll(async () => (await service.query(`SELECT FROM pf.log WHERE operation = 'scale'`)).length)
    .toBe(1);

  await toBaselineAndBack(page);
  await pivot.drawn();
  expect(page.url()).toContain(arranged);
  expect(await drawn(pivot)).toEqual(before);
  await page.goBack();
  await page.goBack();
  await pivot.drawn();
  expect(await drawn(pivot)).toEqual(before);

  // Hidden rows do no harm, and reappear unchanged.
  const filtered = page.url().replace(arranged, `${arranged}&filter=Region:==:West`);
  await visit(page, filtered);
  await pivot.drawn();
  expect((await drawn(pivot)).rows).toEqual(['', 'West']);
  await page.goBack();
  await pivot.drawn();
  expect(await drawn(pivot)).toEqual(before);

  // With another grouping, the depth of the address applies.
  const { pathname, search } = new URL(page.url());
  await visit(page, pathname + search.replace(arranged, '?rows=Region,Segment,Category'));
  await pivot.drawn();
  expect(await pivot.find({ row: ['East'] })).not.toBeNull();
  expect(await pivot.find({ row: ['East', 'Consumer'] })).toBeNull();
  // Choosing levels opens and closes all rows again.
  await levels('Only Region');
  await page.reload();
  await pivot.drawn();
  expect(await pivot.find({ row: ['East', 'Consumer'] })).toBeNull();
});

test('a tab with empty or invalid stored data still works', async ({ page, service }) => {
  const { body } = await service.api.post('/versions/1/scale', {
    slice: {},
    pct: 10,
    pf_user: 'bea',
  });
  const ofBea = body[0].pf_logid as number;
  const [entry] = (await service.api.get('/versions/1/log')).body.entries;
  expect(entry.id).toBe(ofBea);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const keep = (text: string) =>
    page.evaluate((kept) => sessionStorage.setItem('pf.changes.1', kept), text);
  const forged = { logid: ofBea, stamp: entry.stamp, timeline: null, user: 'ana' };
  for (const text of ['{', '[[7]]', JSON.stringify({ written: [forged], undone: [] })]) {
    await keep(text);
    await page.reload();
    await pivot.drawn();
    await page.keyboard.press('Control+z');
    await expect(page.getByText('You have no changes to undo here')).toBeVisible();
  }
  expect(await service.query('SELECT FROM pf.log WHERE id = $1', [ofBea])).toHaveLength(1);

  await page.addInitScript(() =>
    Object.defineProperty(window, 'sessionStorage', {
      get: () => {
        throw new DOMException('Access is denied for this document.', 'SecurityError');
      },
    }),
  );
  await page.reload();
  await pivot.drawn();
  const before = await sales(service, 'Chairs');
  await typeInto(pivot, CHAIRS, '+500');
  await expect.poll(() => pivot.number(CHAIRS)).toBeCloseTo(before + 500, 2);
  await page.keyboard.press('Control+z');
  await expect.poll(() => sales(service, 'Chairs')).toBeCloseTo(before, 2);
});
