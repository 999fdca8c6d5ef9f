import type { Page } from '@playwright/test';
import { cli } from '../support/cli';
import { expect, test } from '../support/e2e';
import type { Service } from '../support/service';
import { CountedPlanner } from './counted-planner';
import { addFamilies, ofFamily, sales } from './families';
import { PivotPage } from './pivot-page';
import { addressIn, drop, exportWorkbook, readWorkbook, withNumbers } from './workbook';

/** What else a pivot does with the attributes of lookups. Each test is one way over one page. */

const at = (...row: string[]) => ({ row, column: ['2028', 'Sales'] });
const SEATING = at('Seating');

const entries = (service: Service) =>
  service.query(
    `SELECT operation, slice, params FROM pf.log
      WHERE version_id = 1 AND operation NOT IN ('baseline', 'reference') ORDER BY id`,
  );

/** Adds up sales of 2028 in the rows of a family, also of those that a lookup has only now. */
const seating = (service: Service) => sales(service, ofFamily('Seating'));

test('a pivot of families can be filtered, searched, saved, charted, exported, read back and compared', async ({
  page,
  service,
}) => {
  await addFamilies(service);
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=Family,Sub-Category');
  const before = await seating(service);

  await test.step('a filter lists the families, with the empty one', async () => {
    await page.getByRole('button', { name: 'Add a filter' }).click();
    await page.getByLabel('Find a field to filter by').fill('Family');
    await page.keyboard.press('Enter');
    const popover = page.getByRole('dialog', { name: 'Filter by Family' });
    await expect(popover.getByRole('listitem')).toHaveText([
      ...[/empty/, /Storage/, /Seating/, /Devices/],
    ]);
    await popover.getByLabel('Search the values of Family').fill('st');
    await popover.getByRole('button', { name: 'Apply' }).click();
    const storage = await sales(service, ofFamily('Storage'));
    await expect.poll(() => pivot.number(at())).toBeCloseTo(storage, 1);
    // The slice of a cell has the filter of the pivot.
    await pivot.click({ row: [] });
    await expect(pivot.slice).toContainText('Family');
    await page.getByRole('button', { name: /^Remove the filter Family/ }).click();
    await expect.poll(() => pivot.find(at('Devices'))).not.toBeNull();
  });

  await test.step('Ctrl+F goes to a family', async () => {
    await page.keyboard.press('Control+f');
    await page.getByRole('searchbox', { name: 'Find a member' }).fill('seat');
    await expect(pivot.slice).toContainText('Family = Seating');
    await page.keyboard.press('Escape');
  });

  await test.step('a view with a filter on a family is saved and opened again', async () => {
    await page.getByRole('button', { name: /^Layout/ }).click();
    await page.getByRole('menuitem', { name: 'Save as a new view …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save as a new view' });
    await dialog.getByLabel('Name').fill('Families');
    await dialog.getByLabel('Name').press('Enter');
    await expect(page.getByText('Saved: “Families”', { exact: false })).toBeVisible();
    const [{ id, layout }] = await service.query('SELECT id, layout FROM pf.view');
    expect(layout.group_by).toEqual(['Family', 'Sub-Category']);
    await pivot.open(1, `?view=${id}`);
    expect(await pivot.number(SEATING)).toBeCloseTo(before, 1);
  });

  await test.step('a bar of a chart selects its family', async () => {
    await page.getByRole('button', { name: 'Show as a chart' }).click();
    const plot = page.getByRole('region', { name: 'Chart', exact: true }).getByRole('slider');
    await expect(plot).toBeVisible();
    await page.getByRole('button', { name: 'Chart type' }).click();
    await page.getByRole('menuitem', { name: 'Stacked columns' }).click();
    await plot.focus();
    await page.keyboard.press('Home');
    // Home is the first year; the arrows go through its families.
    for (const _ of ['(empty)', 'Devices', 'Storage', 'Seating']) {
      await page.keyboard.press('ArrowDown');
      const [, family] = ((await plot.getAttribute('aria-valuetext')) ?? '').split(/\. |: /);
      if (family === 'Storage') break;
    }
    await page.keyboard.press('Enter');
    await expect(pivot.slice).toContainText('Family = Storage');
    await page.getByRole('button', { name: 'Show as a grid' }).click();
    await pivot.drawn();
  });

  await test.step('a number of a workbook is written to its family', async () => {
    const exported = await exportWorkbook(page);
    const address = await addressIn(page, exported, 'Seating');
    const wanted = Number((before + 1000).toFixed(2));
    await drop(page, 'plan.xlsx', withNumbers(exported, { [address]: wanted }));
    const dialog = page.getByRole('dialog', { name: 'Read “plan.xlsx” back' });
    await dialog.getByRole('button', { name: 'Write 1 number' }).click();
    await expect(page.getByText(/^Imported: /)).toBeVisible();
    expect(await seating(service)).toBeCloseTo(wanted, 2);
    const [entry] = await entries(service);
    expect(JSON.stringify(entry)).toContain('"Family":"Seating"');
    await pivot.undo();
  });

  await test.step('another version has the families of its own rows', async () => {
    const copy = await service.api.post('/versions/1/copy', { name: 'Other', pf_user: 'eve' });
    expect(copy.status).toBe(201);
    await service.query(`INSERT INTO public.families VALUES ('Easels', 'Seating', 2)`);
    const recode = { slice: { 'Sub-Category': 'Art' }, set: { 'Sub-Category': 'Easels' } };
    const path = `/versions/${copy.body.id}/recode`;
    expect((await service.api.post(path, { ...recode, pf_user: 'eve' })).status).toBe(200);
    // The messages about the workbook would cover the button.
    await page.mouse.move(300, 600);
    await expect(page.getByRole('button', { name: 'Close toast', exact: true })).toHaveCount(0);
    await page.getByRole('button', { name: /^Compare/ }).click();
    await page.getByRole('button', { name: /^Other/ }).click();
    const art = await sales(service, `"Sub-Category" = 'Art'`);
    const other = { row: ['Seating'], column: ['2028', 'Sales: Other'] };
    await expect.poll(() => pivot.number(other)).toBeCloseTo(before + art, 1);
    expect(await pivot.number(SEATING)).toBeCloseTo(before, 1);
  });
});

test('rows of new keys have their family while they are tried, and after any order of reads', async ({
  page,
  service,
}) => {
  await addFamilies(service);
  await service.query(`INSERT INTO public.families VALUES ('Easels', 'Seating', 2)`);
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=Family,Sub-Category');
  const before = await seating(service);
  const art = await sales(service, `"Sub-Category" = 'Art'`);

  await pivot.click(at('(empty)', 'Art'));
  await pivot.click({ row: ['(empty)', 'Art'] });
  await (await pivot.newValue('Sub-Category')).fill('Easels');
  await page.keyboard.press('Tab');
  await pivot.panel.getByRole('button', { name: 'Try', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Tried', exact: true })).toBeVisible();
  await expect.poll(() => pivot.number(SEATING)).toBeCloseTo(before + art, 1);
  expect(await pivot.find(at('Seating', 'Easels'))).not.toBeNull();
  await page.keyboard.press('Escape');
  await expect.poll(() => pivot.number(SEATING)).toBeCloseTo(before, 1);

  // The lookup is read before somebody recodes, the rows afterwards.
  const held = await holdRows(page);
  await page.reload();
  await held.lookup;
  const recode = { slice: { 'Sub-Category': 'Art' }, set: { 'Sub-Category': 'Easels' } };
  const { status } = await service.api.post('/versions/1/recode', { ...recode, pf_user: 'eve' });
  expect(status).toBe(200);
  held.release();
  await pivot.drawn();
  await page.unroute(ROWS);
  expect(await pivot.number(SEATING)).toBeCloseTo(before + art, 1);
});

const ROWS = '**/api/versions/1/data*';

/** Delays the rows of the version until they are released. `lookup` ends when a lookup has been read. */
async function holdRows(page: Page) {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(ROWS, async (route) => {
    await held;
    await route.continue();
  });
  const lookup = page
    .waitForResponse(/\/api\/lookups\/\d+\/rows/)
    .then((answer) => answer.finished());
  return { lookup, release };
}

test('a family is typed into and moved: comment, review, view and lock follow, without an entry', async ({
  page,
  service,
}) => {
  await addFamilies(service);
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=Family,Sub-Category');
  const typed = Math.round(await seating(service)) + 500;
  await pivot.click(SEATING);
  await page.keyboard.type(String(typed));
  await page.keyboard.press('Enter');
  await expect.poll(() => seating(service)).toBeCloseTo(typed, 2);
  expect(await entries(service)).toMatchObject([
    { operation: 'scale', slice: { Family: 'Seating' } },
  ]);

  await pivot.click({ row: ['Seating'] });
  await page.keyboard.press('m');
  await pivot.panel.getByLabel('New comment').fill('Enough chairs?');
  await page.keyboard.press('Control+Enter');
  await expect(pivot.panel.getByRole('article')).toContainText('Enough chairs?');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  const slice = { Family: 'Seating' };
  const written = [
    await service.api.post('/versions/1/reviews', { slice, reviewers: ['bea'], pf_user: 'eve' }),
    await service.api.post('/versions/1/locks', { slice, note: 'agreed', pf_user: 'eve' }),
  ];
  expect(written.map(({ status }) => status)).toEqual([201, 201]);
  const logged = await entries(service);

  await service.query(
    `UPDATE public.families SET family = 'Seating', rank = 2 WHERE sub = 'Copiers'`,
  );
  await page.reload();
  await pivot.drawn();
  const moved = await seating(service);
  expect(moved).toBeGreaterThan(typed + 1);
  expect(await pivot.number(SEATING)).toBeCloseTo(moved, 1);
  expect(await pivot.number(at('Devices'))).toBeCloseTo(
    await sales(service, ofFamily('Devices')),
    1,
  );
  expect(await entries(service)).toEqual(logged);

  await pivot.click({ row: ['Seating', 'Copiers'] });
  await expect(pivot.panel.getByText('Locked by eve: agreed.').first()).toBeVisible();
  await expect(pivot.grid.locator('tbody th[data-review="open"]').first()).toHaveText(/Seating/);
  await pivot.click({ row: ['Seating'] });
  await page.keyboard.press('m');
  await expect(pivot.panel.getByText('Enough chairs?')).toBeVisible();
});

test('a fiscal year is a field after six actions from the pivot', async ({ page, service }) => {
  await addFamilies(service);
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=Category&columns=');
  const planner = new CountedPlanner(page, pivot);
  const dialog = page.getByRole('dialog');
  const arrange = page.getByRole('complementary', { name: 'Arrange' });
  await planner.press('a');
  await planner.click(arrange.getByRole('link', { name: 'Lookups …' }));
  await planner.click(page.getByRole('button', { name: 'Add the fiscal year' }).first());
  await planner.click(dialog.getByRole('button', { name: 'Add', exact: true }));
  await expect(page.getByText(/^Lookup .* saved/)).toBeVisible();
  planner.actions += 1;
  await page.goBack();
  await pivot.drawn();
  for (const label of ['Fiscal year', 'Fiscal quarter', 'Fiscal period']) {
    await expect(arrange.locator(`[data-field="${label}"]`)).toHaveCount(1);
  }
  planner.actions += 1;
  await arrange
    .locator('[data-field="Fiscal year"]')
    .dragTo(arrange.getByRole('list', { name: 'Columns', exact: true }));
  expect(planner.actions).toBeLessThanOrEqual(6);
  // The fiscal year of the tests begins in July.
  const [{ sum }] = await service.query(
    `SELECT sum("Sales")::float8 AS sum FROM pf.fc_superstore_1
      WHERE "Order Date" BETWEEN '2027-07-01' AND '2028-06-30'`,
  );
  await expect
    .poll(async () =>
      (await pivot.cells()).filter(({ row }) => row.length === 0).map(({ text }) => text),
    )
    .toContain(
      Number(sum).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
    );
});

test('a 4-4-5 year of weeks is forecast, shown across, typed into, exported, read back and closed', async ({
  page,
  service,
}) => {
  const { api, query } = service;
  const made = await cli('periods', ['--weeks=4-4-5'], { database: service.database });
  expect(made, made.stderr).toMatchObject({ code: 0 });
  const lookup = await api.post('/sources/1/lookups', {
    ...{ name: 'Weeks', schema: 'pf_lookups', tname: 'weeks', pf_user: 'ana' },
    range: { column: 'Order Date', from: 'sdat', through: 'edat' },
    attributes: [
      { cname: 'year', label: 'Retail year' },
      { cname: 'period', label: 'Period' },
      { cname: 'week', label: 'Week' },
    ],
  });
  expect(lookup.status, JSON.stringify(lookup.body)).toBe(201);

  // The retail year 2018 is forecast by week, from the years before it. The source already has its first weeks.
  await query(`INSERT INTO public.superstore
    SELECT (jsonb_populate_record(s, jsonb_build_object('Order Date', s."Order Date" + 364))).*
    FROM public.superstore s WHERE "Order Date" BETWEEN '2017-01-02' AND '2017-01-22'`);
  const { id } = (await api.post('/sources/1/versions', { name: 'Weeks', pf_user: 'ana' })).body;
  const path = `/versions/${id}`;
  const loads = [
    await api.post(`${path}/baseline`, {
      raw_where: `"Order Date" < '2018-01-01'`,
      pf_user: 'ana',
    }),
    await api.post(`${path}/forecast`, {
      history: { through: '2017-12-31' },
      horizon: { from: '2018-01-01', through: '2018-12-30' },
      ...{ unit: 'week', by: ['Category'], missing: 'leave_out', pf_user: 'ana' },
    }),
  ];
  expect(loads.map(({ status, body }) => [status, body.error])).toEqual([
    ...[
      [200, undefined],
      [200, undefined],
    ],
  ]);
  const inWeek = async (week: string) => {
    const [row] = await query(
      `SELECT sum("Sales")::float8 AS sales FROM pf.fc_superstore_${id}
        JOIN pf_lookups.weeks w ON "Order Date" BETWEEN w.sdat AND w.edat
        WHERE w.week = '${week}' AND "Category" = 'Furniture'`,
    );
    return Number(row?.sales);
  };
  const pivot = new PivotPage(page);
  await pivot.open(
    id,
    '?rows=Category&columns=Period,Week&measures=Sales&filter=Retail+year:%3D%3D:2018',
  );
  const cell = (week: string) => ({
    row: ['Furniture'],
    column: [`2018-P0${Number(week) > 4 ? 2 : 1}`, `2018-W${week}`, 'Sales'],
  });
  expect(await pivot.number(cell('05'))).toBeCloseTo(await inWeek('2018-W05'), 1);

  const before = await inWeek('2018-W06');
  await pivot.click(cell('05'));
  await expect(pivot.slice).toContainText('Week = 2018-W05');
  await page.keyboard.type('4321');
  await page.keyboard.press('Enter');
  await expect.poll(() => inWeek('2018-W05')).toBeCloseTo(4321, 2);
  expect(await inWeek('2018-W06')).toBeCloseTo(before, 6);

  await pivot.open(id, '?rows=Category&columns=Week&measures=Sales&filter=Retail+year:%3D%3D:2018');
  const exported = await exportWorkbook(page);
  const { rows = [] } = (await readWorkbook(page, exported)).get('Pivot') ?? {};
  const x = rows[0]?.cells.findIndex(({ value }) => value === '2018-W06') ?? -1;
  const y = rows.findIndex(({ cells }) => cells[0]?.value === 'Furniture');
  const address = `${String.fromCharCode(65 + x)}${y + 1}`;
  await drop(page, 'weeks.xlsx', withNumbers(exported, { [address]: 1234.5 }));
  const dialog = page.getByRole('dialog', { name: 'Read “weeks.xlsx” back' });
  await dialog.getByRole('button', { name: 'Write 1 number' }).click();
  await expect.poll(() => inWeek('2018-W06')).toBeCloseTo(1234.5, 2);
  expect(await inWeek('2018-W05')).toBeCloseTo(4321, 2);

  // The closed days end with a week, in the middle of a month.
  const closed = await api.post(`${path}/actuals`, { through: '2018-01-14', pf_user: 'ana' });
  expect([closed.status, closed.body.error]).toEqual([200, undefined]);
  const actual = await query(
    `SELECT sum("Sales")::float8 AS sales FROM public.superstore
      WHERE "Category" = 'Furniture' AND "Order Date" BETWEEN '2018-01-08' AND '2018-01-14'`,
  );
  await expect
    .poll(async () =>
      Number(
        (await pivot.text({ row: ['Furniture'], column: ['2018-W02', 'Sales'] }))?.replaceAll(
          ',',
          '',
        ),
      ),
    )
    .toBeCloseTo(actual[0]?.sales ?? NaN, 1);
  // The banner moves the grid down.
  await page.getByText(/^Months were closed/).waitFor();
  await pivot.click({ row: ['Furniture'], column: ['2018-W02', 'Sales'] });
  await page.keyboard.type('5');
  await expect(
    page
      .getByRole('status')
      .getByText(/^Closed by ana/)
      .first(),
  ).toBeVisible();
  await page.keyboard.press('Escape');
});
