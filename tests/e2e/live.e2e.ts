import { startServer, type Server } from '../../src/demo/server';
import { aloneTest, test, expect } from '../support/e2e';
import type { Service } from '../support/service';
import { openAs, PivotPage } from './pivot-page';

/** Two people in one version, each on their own server. */

const TABLE = 'pf.fc_superstore_1';
const CHAIRS = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
const PHONES = { row: ['Technology', 'Phones'], column: ['2028', 'Sales'] };
const TOTAL = { row: [], column: ['2028', 'Sales'] };

/** Waits until a page shows the stored numbers. */
async function showsStored(pivot: PivotPage, service: Service): Promise<void> {
  for (const [cell, where] of [
    [CHAIRS, `"Sub-Category" = 'Chairs'`],
    [PHONES, `"Sub-Category" = 'Phones'`],
    [TOTAL, 'TRUE'],
  ] as const) {
    // A write may still be on its way, so the stored sum is read again, too.
    const difference = async () => {
      const [{ sales }] = await service.query(
        `SELECT sum("Sales")::float8 AS sales FROM ${TABLE}
          WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31' AND ${where}`,
      );
      return (await pivot.number(cell)) - sales;
    };
    await expect.poll(difference).toBeCloseTo(0, 1);
  }
}

test('a new name of the version is shown in the heading, the breadcrumbs and the title', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await page.keyboard.type('12');
  await service.api.patch('/versions/1', { name: 'Plan B' });
  await expect(page.getByRole('heading', { name: 'Plan B', exact: true })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Breadcrumbs' })).toContainText('Plan B');
  await expect(page).toHaveTitle(/^Plan B · /);
  await expect(page.getByLabel('New amount')).toHaveValue('12');
});

aloneTest(
  'changes by others arrive live and do not disturb typing',
  async ({ browser, service }) => {
    let second: Server | undefined;
    try {
      second = await startServer({ database: service.database });
      const ann = await openAs(browser, service.url, 'ann');
      const bea = await openAs(browser, second.url, 'bea');

      // Ann is typing while Bea changes the cell above, and undoes the change.
      await ann.click(PHONES);
      await ann.page.keyboard.type('12');
      await bea.click(CHAIRS);
      await bea.page.keyboard.type('+10%');
      // Both disappear after some seconds.
      await Promise.all([
        expect(ann.grid.locator('td.pf-glow').first()).toBeAttached(),
        expect(ann.page.getByText(/^bea: Scale \+10 % Sales, .*Chairs/)).toBeVisible(),
        bea.page.keyboard.press('Enter'),
      ]);
      await showsStored(ann, service);
      const editor = ann.page.getByLabel('New amount');
      await expect(editor).toHaveValue('12');
      await expect(editor).toBeFocused();
      await expect(ann.slice).toContainText('Sub-Category = Phones');
      await expect(ann.page.getByText(/numbers on screen are out of date/)).toHaveCount(0);
      await ann.page.keyboard.type('5k');
      // The hint for the typed amount follows the stored rows.
      const phones = await ann.number(PHONES);
      const year = { from: '2028-01-01', to: '2028-12-31' };
      const slice = { 'Sub-Category': 'Phones', 'Order Date': year };
      await service.api.post('/versions/1/scale', { slice, value_incr: 1000, pf_user: 'eve' });
      await expect.poll(() => ann.number(PHONES)).toBeCloseTo(phones + 1000, 2);
      const now = (phones + 1000).toLocaleString('en-US', { minimumFractionDigits: 2 });
      await expect(ann.page.getByRole('status').getByText(`${now} → 125,000`)).toBeVisible();
      await ann.page.keyboard.press('Enter');
      await expect(bea.page.getByText(/^ann: Scale .*Phones/)).toBeVisible();
      await showsStored(bea, service);
      expect(await bea.number(PHONES)).toBe(125_000);
      await bea.page.keyboard.press('Control+z');
      await showsStored(ann, service);
      await showsStored(bea, service);
      const undone = await ann.number(CHAIRS);
      await bea.page.keyboard.press('Control+y');
      await expect.poll(() => ann.number(CHAIRS)).toBeCloseTo(undone * 1.1, 1);
      await showsStored(ann, service);
      await showsStored(bea, service);

      // Rows that are lost on the way are requested again.
      await ann.page.route('**/api/versions/1/*?logid=*', (route) => route.abort(), { times: 2 });
      await bea.click(CHAIRS);
      await bea.page.keyboard.type('+1k');
      await bea.page.keyboard.press('Enter');
      const reload = ann.page.getByRole('button', { name: 'Reload' });
      await expect(reload).toBeVisible();
      await expect(reload).toHaveCount(0);
      await showsStored(ann, service);

      // Ann's server stops while Bea continues: the page says so, and catches up when it is back.
      const { port } = new URL(service.url);
      await service.server.stop();
      await expect(ann.page.getByText('Not live')).toBeVisible();
      await bea.click(CHAIRS);
      const chairs = await bea.number(CHAIRS);
      for (const text of ['*2', '+777']) {
        await bea.page.keyboard.press('F2');
        await bea.page.keyboard.press('Control+a');
        await bea.page.keyboard.type(text);
        await bea.page.keyboard.press('Enter');
        await expect(bea.page.getByText(/^Scaled: /).first()).toBeVisible();
        await bea.click(CHAIRS);
      }
      await expect.poll(() => bea.number(CHAIRS)).toBeCloseTo(chairs * 2 + 777, 1);
      await showsStored(bea, service);
      const again = await startServer({ database: service.database, port: Number(port) });
      try {
        await expect(ann.page.getByText('Not live')).toHaveCount(0);
        await showsStored(ann, service);

        // A reference adds columns for comparison, and does not change the plan's numbers.
        const plan = await ann.number(CHAIRS);
        await bea.page.request.post('/api/versions/1/reference', {
          data: { date_offset: '14 years', where_clause: 'TRUE', pf_user: 'bea' },
        });
        await expect(ann.page.getByText(/^Reference rows were loaded/)).toBeVisible();
        await ann.page.getByRole('button', { name: 'Reload' }).click();
        await ann.drawn();
        await expect.poll(() => ann.number(CHAIRS)).toBe(plan);

        // Changes of the version itself arrive too.
        await bea.page.request.post('/api/versions/1/close', { data: { pf_user: 'bea' } });
        await expect(ann.page.getByText(/This version was closed by bea/)).toBeVisible();
      } finally {
        await ann.page.context().close();
        await bea.page.context().close();
        await again.stop();
      }
    } finally {
      await second?.stop();
    }
  },
);

test('a plan that is emptied is reloaded once, whoever empties it', async ({ page, service }) => {
  const ann = new PivotPage(page, 'ann');
  await ann.open(1);
  const asked: string[] = [];
  ann.page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (/^\/api\/versions\/1\/(data|agg)$/.test(pathname)) asked.push(pathname + search);
  });
  const by = { pf_user: 'bea' };
  const entries = async () =>
    (await service.api.get('/versions/1/log')).body.entries as { id: number }[];
  const [baseline] = await entries();

  // While Ann's page sends a change, everything is undone and the baseline is loaded again.
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await ann.page.route('**/api/versions/1/data?logid=*', async (route) => {
    await held;
    await route.continue();
  });
  const scaled = { ...by, slice: { 'Sub-Category': 'Chairs' }, pct: 10 };
  expect((await service.api.post('/versions/1/scale', scaled)).status).toBe(200);
  await expect.poll(() => asked).toHaveLength(1);
  for (const { id } of await entries()) {
    expect((await service.api.del(`/log/${id}`)).status).toBe(200);
  }
  expect((await service.api.post(`/versions/1/redo/${baseline!.id}`, by)).status).toBe(200);
  release();
  await expect.poll(() => asked).toContain('/api/versions/1/data');
  await ann.drawn();
  await showsStored(ann, service);
  expect(asked.slice(1)).toEqual(['/api/versions/1/data']);

  // Her page is notified late of her own undo: it is still reading an earlier lock.
  let reading = false;
  await ann.page.route('**/api/versions/1/locks', () => (reading = true), { times: 1 });
  const lock = { ...by, slice: { 'Sub-Category': 'Chairs' } };
  const { body } = await service.api.post('/versions/1/locks', lock);
  await expect.poll(() => reading).toBe(true);
  expect((await service.api.del(`/locks/${body.id}`)).status).toBe(204);
  asked.length = 0;
  await (await ann.log()).getByRole('button', { name: /^Undo entry/ }).click();
  await ann.page.getByRole('button', { name: 'Undo the baseline' }).click();
  await expect(
    ann.page.getByRole('heading', { name: 'This version has no rows yet' }),
  ).toBeVisible();
  const [{ logid }] = (await service.api.get('/versions/1/undone')).body;
  expect((await service.api.post(`/versions/1/redo/${logid}`, by)).status).toBe(200);
  await ann.drawn();
  expect(asked).toEqual(['/api/versions/1/data', '/api/versions/1/data']);
});

test('hidden tabs release their connections to visible ones, and catch up', async ({
  browser,
  service,
}) => {
  const context = await browser.newContext();
  // This browser treats every tab as visible.
  await context.addInitScript(() => {
    const isHidden = () => window.name !== 'seen';
    Object.defineProperty(document, 'hidden', { configurable: true, get: isHidden });
  });
  const open = async (isSeen: boolean): Promise<PivotPage> => {
    const pivot = new PivotPage(await context.newPage());
    await pivot.keepUser('ann');
    if (isSeen) await pivot.page.addInitScript(() => (window.name = 'seen'));
    await pivot.page.goto(`${service.url}/versions/1`);
    await pivot.drawn();
    return pivot;
  };
  // A browser opens six connections to a server, and each tab would use one for its event stream.
  const hidden: PivotPage[] = [];
  for (let tab = 0; tab < 6; tab++) hidden.push(await open(false));
  const seen = await open(true);
  await seen.click(CHAIRS);
  await seen.page.keyboard.type('+10%');
  await seen.page.keyboard.press('Enter');
  await expect(seen.page.getByText(/^Scaled: /).first()).toBeVisible();
  await showsStored(seen, service);

  const [first] = hidden;
  const after = await seen.number(CHAIRS);
  expect(await first!.number(CHAIRS)).toBeCloseTo(after / 1.1, 1);
  const show = (isSeen: boolean) =>
    first!.page.evaluate((seen) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => !seen });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isSeen);
  await show(true);
  await showsStored(first!, service);
  // A tab that was visible before soon closes its stream.
  const ended = first!.page.waitForEvent('requestfailed', (request) =>
    request.url().endsWith('/versions/1/events'),
  );
  await show(false);
  await ended;
  await seen.page.keyboard.press('Control+z');
  await expect.poll(() => seen.number(CHAIRS)).toBeCloseTo(after / 1.1, 1);
  expect(await first!.number(CHAIRS)).toBeCloseTo(after, 1);
  await show(true);
  await showsStored(first!, service);
  await expect(first!.page.getByText('Not live')).toHaveCount(0);
  await context.close();
});

test('rows changed by SQL are reloaded by every open page', async ({ page, service }) => {
  const ann = new PivotPage(page, 'ann');
  await ann.open(1);
  const before = await ann.number(CHAIRS);
  await service.query(`UPDATE ${TABLE} SET "Sales" = "Sales" * 2 WHERE "Sub-Category" = 'Chairs'`);
  await expect.poll(() => ann.number(CHAIRS)).toBeCloseTo(2 * before, 1);
  await showsStored(ann, service);

  // The next write starts from the new rows, and its undo does not remove them.
  await ann.click(CHAIRS);
  await ann.page.keyboard.type('+1k');
  await ann.page.keyboard.press('Enter');
  await expect.poll(() => ann.number(CHAIRS)).toBeCloseTo(2 * before + 1000, 1);
  await ann.page.keyboard.press('Control+z');
  await expect.poll(() => ann.number(CHAIRS)).toBeCloseTo(2 * before, 1);
  await showsStored(ann, service);
});

test('the log lists an entry that was undone before its rows were asked for', async ({
  page,
  service,
}) => {
  const { api } = service;
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const log = await pivot.log();
  await expect(log.locator('tbody tr').first()).toBeVisible();
  // The page is still busy with the event of a comment.
  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/versions/1/comments*', async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest('**/versions/1/comments*');
  await api.post('/versions/1/comments', { slice: {}, text: 'Too low?', pf_user: 'bea' });
  await asked;
  const { body } = await api.post('/versions/1/scale', { slice: {}, pct: 10, pf_user: 'bea' });
  expect((await api.del(`/log/${body[0].pf_logid}`)).status).toBe(200);
  answer();
  await expect(log.getByText('Undone (1)')).toBeVisible();
});
