import { expect, test } from '../support/e2e';
import { arrange, PivotPage } from './pivot-page';
import { loadYearBefore } from './year-before';

/** Columns form a tree like rows: groups open and close, and their totals are ordinary cells. */

const TABLE = 'pf.fc_superstore_1';
const BY_YEAR_AND_SEGMENT = {
  group_by: ['Category', 'Sub-Category'],
  split_by: ['year', 'Segment'],
  columns: ['Sales', 'Quantity'],
  expressions: { year: `bucket("Order Date", 'Y')` },
};
const chairs = (...column: string[]) => ({ row: ['Furniture', 'Chairs'], column });
const CLOSED = chairs('2028', 'Total', 'Sales');
const HOME = chairs('2028', 'Home Office', 'Sales');
const ALL = chairs('Total', '', 'Sales');
const OF_2028 = `"Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`;

test('a total of columns is tried, explained, locked and compared like its cells', async ({
  page,
  service,
}) => {
  await loadYearBefore(service);
  await service.api.post('/versions/1/locks', {
    slice: { 'Sub-Category': 'Chairs', Segment: 'Consumer' },
    note: 'settled',
    pf_user: 'eve',
  });
  const sums = async (where = 'TRUE') => {
    const [row] = await service.query<{ plan: number; reference: number }>(
      `SELECT sum("Sales") FILTER (WHERE pf_iter <> 'reference')::numeric(20,2)::float8 AS plan,
         sum("Sales") FILTER (WHERE pf_iter = 'reference')::numeric(20,2)::float8 AS reference
       FROM ${TABLE} WHERE "Sub-Category" = 'Chairs' AND ${OF_2028} AND ${where}`,
    );
    return row ?? { plan: NaN, reference: NaN };
  };
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await arrange(page, {
    ...BY_YEAR_AND_SEGMENT,
    columns: ['Sales', 'Sales: reference', 'Sales: Δ %'],
  });
  for (const year of ['2027', '2028'])
    await pivot.grid.getByRole('button', { name: `Close ${year}` }).click();

  // The share of a total is computed from its sums, not the sum of shares.
  const before = await sums();
  const share = 100 * (before.plan / before.reference - 1);
  await expect
    .poll(() => pivot.text(chairs('2028', 'Total', 'Sales: Δ %')))
    .toBe(`${share > 0 ? '+' : '-'}${Math.abs(share).toFixed(1)}%`);

  // Explained: the waterfall ends at the number of the cell.
  await pivot.click(CLOSED);
  await page.keyboard.press('w');
  const why = page.getByRole('region', { name: 'Why', exact: true });
  await expect(why.getByRole('listitem').filter({ hasText: /^Now/ })).toContainText(
    before.plan.toLocaleString('en-US', { minimumFractionDigits: 2 }),
  );
  await page.keyboard.press('w');

  // Tried and kept: locked rows do not change, and the rest takes the whole change.
  const locked = await sums(`"Segment" = 'Consumer'`);
  await page.keyboard.type('+1000');
  await page.keyboard.press('Shift+Enter');
  await expect(page.getByText('Tried, not saved')).toBeVisible();
  await expect.poll(() => pivot.number(CLOSED)).toBeCloseTo(before.plan + 1000, 2);
  expect((await sums()).plan).toBe(before.plan);
  await page.getByRole('button', { name: 'Keep' }).click();
  await expect.poll(async () => (await sums()).plan).toBeCloseTo(before.plan + 1000, 2);
  expect(await sums(`"Segment" = 'Consumer'`)).toEqual(locked);
  await expect.poll(() => pivot.number(CLOSED)).toBeCloseTo(before.plan + 1000, 2);
});

test('groups of columns open and close, and amounts are typed into their totals', async ({
  page,
  service,
}) => {
  const sales = async (where: string) => {
    const [row] = await service.query<{ sales: number }>(
      `SELECT sum("Sales")::numeric(20,2)::float8 AS sales FROM ${TABLE}
        WHERE "Sub-Category" = 'Chairs' AND ${where}`,
    );
    return row?.sales ?? NaN;
  };
  const panelAgrees = (sum: number) =>
    expect(page.getByTestId('value-total')).toContainText(
      sum.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
    );
  const search = () => new URL(page.url()).search;
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await arrange(page, BY_YEAR_AND_SEGMENT);
  await expect.poll(() => pivot.find(HOME)).not.toBeNull();

  // By mouse: the group closes and shows the sum of its columns.
  const before = await sales(OF_2028);
  await pivot.grid.getByRole('button', { name: 'Close 2028' }).click();
  await expect.poll(() => pivot.number(CLOSED)).toBeCloseTo(before, 2);
  expect(await pivot.find(HOME)).toBeNull();
  await pivot.click(CLOSED);
  await expect(pivot.slice).toContainText('Sub-Category = Chairs');
  await expect(pivot.slice).not.toContainText('Segment');
  await panelAgrees(before);

  // An amount typed into a total changes all rows of the total and no others.
  const others = await sales(`NOT (${OF_2028})`);
  await page.keyboard.type('+1000');
  await page.keyboard.press('Enter');
  await expect.poll(() => sales(OF_2028)).toBeCloseTo(before + 1000, 2);
  expect(await sales(`NOT (${OF_2028})`)).toBe(others);
  await expect.poll(() => pivot.number(CLOSED)).toBeCloseTo(before + 1000, 2);
  // The slice of a year is the whole year, whichever of its days have rows: a replay also finds rows of other
  // days.
  const { body } = await service.api.get('/versions/1/log');
  expect(body.entries[0].slice).toEqual({
    Category: 'Furniture',
    'Sub-Category': 'Chairs',
    'Order Date': { from: '2028-01-01', to: '2028-12-31' },
  });
  await expect(await pivot.log()).toContainText('Order Date in 2028');
  await page.getByRole('button', { name: 'Close the log' }).click();
  // The update has opened no group.
  expect(await pivot.find(HOME)).toBeNull();

  // By keyboard: the group opens, and closes again from a cell inside.
  await pivot.click(CLOSED);
  await page.keyboard.press('Shift+Space');
  await expect.poll(() => pivot.find(HOME)).not.toBeNull();
  await pivot.click(HOME);
  await page.keyboard.press('Shift+Space');
  await expect.poll(() => pivot.find(HOME)).toBeNull();
  await expect(pivot.slice).toHaveCount(0);

  // The total of all columns and those of open groups; the address stores which are shown.
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'Levels' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose('Total column first');
  await expect.poll(search).toContain('totals=start');
  await expect.poll(() => pivot.number(ALL)).toBeCloseTo(before + 1000 + others, 2);
  await pivot.click(ALL);
  await panelAgrees(before + 1000 + others);
  await expect(pivot.slice).not.toContainText('Order Date');
  await page.keyboard.type('-10%');
  await page.keyboard.press('Enter');
  const less = (before + 1000 + others) * 0.9;
  await expect.poll(() => sales('TRUE')).toBeCloseTo(less, 2);
  await expect.poll(() => pivot.number(ALL)).toBeCloseTo(less, 2);
  await choose('Only year');
  await expect.poll(search).toContain('across=0');
  await page.reload();
  await pivot.drawn();
  await expect.poll(() => pivot.number(ALL)).toBeCloseTo(less, 2);
  expect(await pivot.find(HOME)).toBeNull();

  // The total row stays visible while the rows below it scroll.
  await page.setViewportSize({ width: 1280, height: 420 });
  await pivot.grid.hover();
  await page.mouse.wheel(0, 5000);
  await expect.poll(() => pivot.find({ row: ['Furniture'] })).toBeNull();
  const total = { row: [], column: ['Total', '', 'Sales'] };
  expect(await pivot.number(total)).toBeGreaterThan(0);
  const firstRow = await pivot.grid.locator('tbody td').first().boundingBox();
  const heads = await pivot.grid.locator('thead').boundingBox();
  expect(Math.abs((firstRow?.y ?? 0) - (heads?.y ?? 0) - (heads?.height ?? 0))).toBeLessThan(3);
  await pivot.click(total);
  const [everything] = await service.query<{ sales: number }>(
    `SELECT sum("Sales")::numeric(20,2)::float8 AS sales FROM ${TABLE}`,
  );
  await panelAgrees(everything?.sales ?? NaN);
});

test('years open to quarters and months, and an amount is typed into a quarter', async ({
  page,
  service,
}) => {
  const sales = async (where: string) => {
    const [row] = await service.query<{ sales: number }>(
      `SELECT sum("Sales")::numeric(20,2)::float8 AS sales FROM ${TABLE} WHERE ${where}`,
    );
    return row?.sales ?? NaN;
  };
  const QUARTER = `"Order Date" BETWEEN '2027-04-01' AND '2027-06-30'`;
  const of = (...column: string[]) => ({ row: ['Furniture'], column: [...column, 'Sales'] });
  const shown = (where: string) => sales(`"Category" = 'Furniture' AND ${where}`);
  const pivot = new PivotPage(page);
  await pivot.open(1);

  // By keyboard: quarters and months beside the years.
  await page.keyboard.press('a');
  const panel = page.getByRole('complementary', { name: 'Arrange' });
  const choose = async (field: string, item: string) => {
    await panel.getByRole('button', { name: `Arrange ${field}`, exact: true }).press('Enter');
    await page.getByRole('menuitem', { name: item, exact: true }).press('Enter');
  };
  const columns = panel.getByRole('list', { name: 'Columns' }).getByRole('listitem');
  await choose('Order Date', 'Move to columns');
  await expect(columns).toHaveText([/Order Date \(year\)/, /Order Date \(quarter\)/]);
  await choose('Order Date', 'Move to columns');
  await expect(columns).toHaveText([/\(year\)/, /\(quarter\)/, /Order Date \(month\)/]);
  await page.keyboard.press('Escape');
  await expect
    .poll(() => pivot.number(of('2027', 'Q2 2027', 'May 2027')))
    .toBeCloseTo(await shown(`"Order Date" BETWEEN '2027-05-01' AND '2027-05-31'`), 2);

  // A closed quarter shows its sum; a change of it changes its rows and no others.
  await pivot.grid.getByRole('button', { name: 'Close Q2 2027' }).click();
  await expect
    .poll(() => pivot.number(of('2027', 'Q2 2027', 'Total')))
    .toBeCloseTo(await shown(QUARTER), 2);
  const others = await sales(`NOT ("Category" = 'Furniture' AND ${QUARTER})`);
  await pivot.click(of('2027', 'Q2 2027', 'Total'));
  await expect(pivot.slice).toContainText('Order Date in Apr 2027 to Jun 2027');
  await page.keyboard.type('40k');
  await page.keyboard.press('Enter');
  await expect.poll(() => shown(QUARTER)).toBe(40_000);
  expect(await sales(`NOT ("Category" = 'Furniture' AND ${QUARTER})`)).toBe(others);
  await expect.poll(() => pivot.number(of('2027', 'Q2 2027', 'Total'))).toBe(40_000);
  await page.reload();
  await pivot.drawn();
  await expect.poll(() => pivot.number(of('2027', 'Q1 2027', 'Mar 2027'))).toBeGreaterThan(0);
});
