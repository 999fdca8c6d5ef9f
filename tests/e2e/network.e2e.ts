import { expect, test as base } from '../support/e2e';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy';
import { PivotPage } from './pivot-page';

/** The page while the network between it and the server is down. */

const CHAIRS = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
const YEAR = { from: '2028-01-01', to: '2028-12-31' };
const SLICE = { 'Sub-Category': 'Chairs', 'Order Date': YEAR };

const test = base.extend<{ network: TcpProxy; ann: PivotPage }>({
  network: async ({ service }, use) => {
    const network = await startTcpProxy(service.url);
    await use(network);
    await network.stop();
  },
  ann: async ({ page, network }, use) => {
    const ann = new PivotPage(page);
    await ann.keepUser('ann');
    await page.goto(`${network.url}/versions/1`);
    await ann.drawn();
    await use(ann);
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
