import { expect, test as base, visit } from '../support/e2e';
import type { Service } from '../support/service';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy';
import { PivotPage } from './pivot-page';

/** The page while the network between it and the server is down. */

const CHAIRS = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
const YEAR = { from: '2028-01-01', to: '2028-12-31' };
const SLICE = { 'Sub-Category': 'Chairs', 'Order Date': YEAR };

const test = base.extend<{ network: TcpProxy; ann: PivotPage }>({
  // A page is kept only for the address that it was opened at.
  network: async ({ service, kept: { networks } }, use) => {
    const network = networks.get(service.url) ?? (await startTcpProxy(service.url));
    networks.set(service.url, network);
    await use(network);
  },
  baseURL: async ({ network }, use) => use(network.url),
  ann: async ({ page, network }, use) => {
    const ann = new PivotPage(page);
    await ann.keepUser('ann');
    await visit(page, '/versions/1');
    await ann.drawn();
    await use(ann);
    await network.pass();
  },
});

test.use({ env: { PF_HEARTBEAT: '1s' } });

/** The ways in which a network fails and recovers. */
const WAYS: Record<
  string,
  (ann: PivotPage, network: TcpProxy) => [away: () => unknown, back: () => unknown]
> = {
  'carries nothing any more': (_, network) => [network.swallow, network.pass],
  'refuses connections': (_, network) => [network.refuse, network.pass],
  'is off in the browser': ({ page }) => [
    () => page.context().setOffline(true),
    () => page.context().setOffline(false),
  ],
};

for (const [way, switches] of Object.entries(WAYS)) {
  test(`a page whose network ${way} says so, and is right by itself afterwards`, async ({
    service,
    network,
    ann,
  }) => {
    const notLive = ann.page.getByText('Not live');
    const [away, back] = switches(ann, network);
    const before = await ann.number(CHAIRS);
    await expect(notLive).toHaveCount(0);

    await away();
    await expect(notLive).toBeVisible();
    const body = { slice: SLICE, value_incr: 1000, pf_user: 'bea' };
    expect((await service.api.post('/versions/1/scale', body)).status).toBe(200);
    expect(await ann.number(CHAIRS)).toBe(before);

    await back();
    await expect(notLive).toHaveCount(0);
    await expect.poll(() => ann.number(CHAIRS)).toBeCloseTo(before + 1000, 2);
    await expect(ann.page.getByRole('button', { name: 'Reload' })).toHaveCount(0);

    // Later changes arrive live again.
    expect((await service.api.post('/versions/1/scale', body)).status).toBe(200);
    await expect.poll(() => ann.number(CHAIRS)).toBeCloseTo(before + 2000, 2);
  });
}

test('a page whose event stream goes silent, while everything else passes, is right by itself', async ({
  service,
  network,
  ann,
}) => {
  const before = await ann.number(CHAIRS);
  network.silenceStreams();
  const body = { slice: SLICE, value_incr: 1000, pf_user: 'bea' };
  expect((await service.api.post('/versions/1/scale', body)).status).toBe(200);
  await expect.poll(() => ann.number(CHAIRS)).toBeCloseTo(before + 1000, 2);
  await expect(ann.page.getByText('Not live')).toHaveCount(0);
});

test('a comparison without an answer does not say that somebody has changed the plan', async ({
  service,
  network,
  ann,
}) => {
  const { page } = ann;
  const before = await ann.number(CHAIRS);
  let asked = 0;
  await page.route('**/api/versions/1/log', async (route) => {
    asked += 1;
    await route.abort();
  });
  network.refuse();
  await expect(page.getByText('Not live')).toBeVisible();
  await network.pass();
  await expect.poll(() => asked).toBeGreaterThan(1);
  await expect(page.getByText(/^Someone else has changed/)).toHaveCount(0);

  await page.unroute('**/api/versions/1/log');
  const body = { slice: SLICE, value_incr: 1000, pf_user: 'bea' };
  expect((await service.api.post('/versions/1/scale', body)).status).toBe(200);
  await expect.poll(() => ann.number(CHAIRS)).toBeCloseTo(before + 1000, 2);
});

const TABLE = 'pf.fc_superstore_1';
const TABLES = { row: ['Furniture', 'Tables'], column: ['2028', 'Sales'] };

const unsaved = (ann: PivotPage) => ann.grid.locator('td.pf-unsaved');
const waiting = (ann: PivotPage) => ann.page.getByText(/^Not saved yet/);

const scales = (service: Service, pf_user: string) =>
  service.query(`SELECT FROM pf.log WHERE operation = 'scale' AND pf_user = $1`, [pf_user]);

async function stored(service: Service, subCategory = 'Chairs'): Promise<number> {
  const [row] = await service.query<{ sales: number }>(
    `SELECT sum("Sales")::numeric(20, 2)::float8 AS sales FROM ${TABLE}
      WHERE "Order Date" BETWEEN $1 AND $2 AND "Sub-Category" = $3`,
    [YEAR.from, YEAR.to, subCategory],
  );
  return row?.sales ?? NaN;
}

const byBea = { slice: SLICE, value_incr: 1000, pf_user: 'bea' };

for (const [way, switches] of Object.entries(WAYS)) {
  test(`amounts that are typed while the network ${way} stay in their cells until they are written`, async ({
    service,
    network,
    ann,
  }) => {
    const [away, back] = switches(ann, network);
    const { keyboard } = ann.page;
    const before = await stored(service);
    await ann.click(CHAIRS);
    await away();
    await keyboard.type('40k');
    await keyboard.press('Enter');
    // This notice moves the cells.
    await expect(waiting(ann)).toBeVisible();
    await ann.press(TABLES);
    await keyboard.type('+500');
    await keyboard.press('Enter');
    await expect(unsaved(ann)).toHaveCount(2);
    await expect(unsaved(ann).first()).toHaveAttribute('title', 'Not saved yet: 40k');
    await expect(unsaved(ann).last()).toHaveAttribute('title', 'Not saved yet: +500');
    await expect(waiting(ann)).toContainText('Chairs, 2028 / Sales: 40k');
    await expect(ann.page.getByText('Not live')).toBeVisible();
    // Bea changes the stored total before the typed total is sent.
    expect((await service.api.post('/versions/1/scale', byBea)).status).toBe(200);
    const tables = await stored(service, 'Tables');
    expect(await stored(service)).toBeCloseTo(before + 1000, 2);

    await back();
    await expect(unsaved(ann)).toHaveCount(0);
    await expect(waiting(ann)).toHaveCount(0);
    expect(await stored(service)).toBe(40_000);
    expect(await stored(service, 'Tables')).toBeCloseTo(tables + 500, 2);
    expect(await scales(service, 'ann')).toHaveLength(2);
    await expect.poll(() => ann.number(CHAIRS)).toBe(40_000);
    await expect.poll(() => ann.number(TABLES)).toBeCloseTo(tables + 500, 2);
  });
}

/** The number of rows that the page says it has. */
const rowsOn = async ({ page }: PivotPage) =>
  Number(
    (
      await page
        .getByText(/^[\d,]+ rows$/)
        .first()
        .innerText()
    ).replace(/\D/g, ''),
  );

/** Lets writes through to the service, and loses their answers. */
async function loseAnswers({ page }: PivotPage, alsoAfter: () => unknown): Promise<void> {
  await page.route(
    '**/api/versions/1/scale',
    async (route) => {
      await route.fetch();
      await alsoAfter();
      await route.abort();
    },
    { times: 1 },
  );
}

for (const text of ['40k', '+500', '10%']) {
  test(`${text}, whose answer was lost with the network, is written once`, async ({
    service,
    ann,
  }) => {
    const { page } = ann;
    const rows = await rowsOn(ann);
    const before = await stored(service);
    await ann.click(CHAIRS);
    await loseAnswers(ann, () => page.context().setOffline(true));
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await expect(unsaved(ann)).toHaveCount(1);
    const written = await stored(service);
    expect(written).not.toBe(before);
    expect((await service.api.post('/versions/1/scale', byBea)).status).toBe(200);

    await page.context().setOffline(false);
    await expect(page.getByText(/^Scaled: /)).toBeVisible();
    await expect(unsaved(ann)).toHaveCount(0);
    expect(await scales(service, 'ann')).toHaveLength(1);
    expect(await stored(service)).toBeCloseTo(written + 1000, 2);
    await expect.poll(() => ann.number(CHAIRS)).toBeCloseTo(written + 1000, 2);
    const [count] = await service.query<{ rows: number }>(
      `SELECT count(*)::int AS rows FROM ${TABLE}`,
    );
    await expect.poll(() => rowsOn(ann)).toBe(count?.rows);
    expect(count?.rows).toBeGreaterThan(rows);

    // It is a change of this page like any other.
    await page.keyboard.press('Control+z');
    await expect(page.getByText(/^Undone: /)).toBeVisible();
    expect(await scales(service, 'ann')).toHaveLength(0);
    await expect.poll(() => ann.number(CHAIRS)).toBeCloseTo(before + 1000, 2);
  });
}

test('an amount that was written and undone by somebody else while the network was off is not shown', async ({
  service,
  ann,
}) => {
  const { page } = ann;
  const before = await stored(service);
  await ann.click(CHAIRS);
  await loseAnswers(ann, () => page.context().setOffline(true));
  await page.keyboard.type('40k');
  await page.keyboard.press('Enter');
  await expect(unsaved(ann)).toHaveCount(1);
  const [entry] = (await service.api.get('/versions/1/log')).body.entries;
  expect((await service.api.del(`/log/${entry.id}`)).status).toBe(200);

  await page.context().setOffline(false);
  await expect(page.getByText(/40k\. It was written, and somebody has undone it/)).toBeVisible();
  await expect(unsaved(ann)).toHaveCount(0);
  expect(await stored(service)).toBe(before);
  await expect.poll(() => ann.number(CHAIRS)).toBeCloseTo(before, 2);
});

test('the log lists an entry that was written and undone while the network was off', async ({
  service,
  ann,
}) => {
  const log = await ann.log();
  await expect(log.locator('tbody tr').first()).toBeVisible();
  await ann.page.context().setOffline(true);
  const { body } = await service.api.post('/versions/1/scale', byBea);
  expect((await service.api.del(`/log/${body[0].pf_logid}`)).status).toBe(200);
  await ann.page.context().setOffline(false);
  await expect(log.getByText('Undone (1)')).toBeVisible();
});

test('an amount that waits for the network can be dropped, and is then not written', async ({
  service,
  ann,
}) => {
  const { page } = ann;
  const before = await ann.number(CHAIRS);
  await ann.click(CHAIRS);
  await page.context().setOffline(true);
  for (const text of ['40k', '50k']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await expect(
      page.getByRole('button', { name: new RegExp(`^Do not save .*${text}`) }),
    ).toBeVisible();
    await ann.press(CHAIRS);
  }
  await page.getByRole('button', { name: /^Do not save .*40k/ }).click();
  await expect(waiting(ann)).not.toContainText('40k');
  await ann.grid.focus();
  await page.keyboard.press('Control+z');
  await expect(waiting(ann)).toHaveCount(0);
  await expect(unsaved(ann)).toHaveCount(0);
  await expect(page.getByText(/^Not saved: .*50k/)).toBeVisible();

  await page.context().setOffline(false);
  await expect(page.getByText('Not live')).toHaveCount(0);
  // Amounts are written in the order in which they were typed.
  await ann.press(TABLES);
  await page.keyboard.type('+1');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  expect(await scales(service, 'ann')).toHaveLength(1);
  expect(await ann.number(CHAIRS)).toBe(before);
});

test('an amount that is refused once the network is back is named', async ({ service, ann }) => {
  const { page } = ann;
  await ann.click(CHAIRS);
  await page.context().setOffline(true);
  await page.keyboard.type('40k');
  await page.keyboard.press('Enter');
  await expect(unsaved(ann)).toHaveCount(1);
  await service.api.post('/versions/1/close', { pf_user: 'bea' });

  await page.context().setOffline(false);
  await expect(page.getByText(/Chairs, 2028 \/ Sales: 40k\. .*closed/)).toBeVisible();
  await expect(unsaved(ann)).toHaveCount(0);
  expect(await scales(service, 'ann')).toHaveLength(0);
});

test('a block that is pasted while the network is off is written as one entry', async ({
  service,
  network,
  ann,
}) => {
  const { page } = ann;
  await page
    .context()
    .grantPermissions(['clipboard-read', 'clipboard-write'], { origin: network.url });
  await page.evaluate(() => navigator.clipboard.writeText('40000\n7000\n90000'));
  await ann.click(CHAIRS);
  await network.refuse();
  await page.keyboard.press('Control+v');
  await expect(unsaved(ann)).toHaveCount(3);
  await expect(unsaved(ann).last()).toHaveAttribute('title', 'Not saved yet: 90000');
  await expect(waiting(ann)).toContainText('3 cells');

  await network.pass();
  await expect(unsaved(ann)).toHaveCount(0);
  expect(await stored(service)).toBe(40_000);
  expect(await stored(service, 'Tables')).toBe(90_000);
  expect(await scales(service, 'ann')).toHaveLength(1);
});

test('leaving the page with amounts that are not saved says so', async ({ ann }) => {
  const { page } = ann;
  await ann.click(CHAIRS);
  await page.context().setOffline(true);
  await page.keyboard.type('40k');
  await page.keyboard.press('Enter');
  await expect(unsaved(ann)).toHaveCount(1);
  const asked = page.waitForEvent('dialog');
  const reloaded = page.reload().catch(() => null);
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  await page.context().setOffline(false);
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  void reloaded;
});

test('panel and explanation are read again by themselves once the network is back', async ({
  network,
  ann,
}) => {
  const { page, panel } = ann;
  const silent = /The server does not answer/;
  await ann.click(CHAIRS);
  await network.refuse();
  await ann.press(TABLES);
  await expect(panel.getByText(silent).first()).toBeVisible();
  const why = page.getByRole('region', { name: 'Why', exact: true });
  await page.keyboard.press('w');
  await expect(why.getByRole('alert')).toContainText(silent);

  await network.pass();
  await expect(page.getByText(silent)).toHaveCount(0);
  await expect(why.getByRole('listitem').filter({ hasText: /^Now/ })).toBeVisible();
  await page.keyboard.press('w');
  await expect(page.getByTestId('row-count')).toBeVisible();
});

test('a single request without an answer marks the page until the server answers', async ({
  ann,
}) => {
  const { page } = ann;
  const notLive = page.getByText('Not live');
  await page.route('**/slice', (route) => route.abort());
  await page.route('**/api/me', (route) => route.abort());
  await ann.press(CHAIRS);
  await expect(notLive).toBeVisible();
  await page.unroute('**/slice');
  await page.unroute('**/api/me');
  await expect(notLive).toHaveCount(0);
  await expect(page.getByTestId('row-count')).toBeVisible();
});
