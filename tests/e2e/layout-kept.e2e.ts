import type { Page } from '@playwright/test';
import { test, expect } from '../support/e2e';
import { Engine } from './engine';
import { arrange, PivotPage } from './pivot-page';

/** The planner's arrangement is kept, or the page says that it is not. */

const FURNITURE = { row: ['Furniture'], column: ['2028', 'Sales'] };

async function reloadFails(page: Page): Promise<void> {
  await page.route('**/api/versions/1/data', (route) => route.abort());
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect(page.getByText('The version could not be loaded')).toBeVisible();
  await page.unroute('**/api/versions/1/data');
  await page.getByRole('button', { name: 'Try again' }).click();
}

test('a failed reload keeps the arrangement', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.missEvents();
  await pivot.open(1);
  await arrange(page, { group_by: ['Segment'] });
  const consumer = { row: ['Consumer'], column: ['2028', 'Sales'] };
  await service.api.post('/versions/1/scale', { slice: {}, pct: 10, pf_user: 'bea' });
  await pivot.click(consumer);
  await expect(page.getByText(/someone else has changed this version/)).toBeVisible();
  await reloadFails(page);
  await pivot.drawn();
  expect(await pivot.find(consumer)).not.toBeNull();
});

test('a failed reload keeps the single entry on screen', async ({ page, service }) => {
  for (const pf_user of ['bea', 'cem']) {
    await service.api.post('/versions/1/scale', { slice: {}, value_incr: 1000, pf_user });
  }
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const all = await pivot.number(FURNITURE);
  const log = await pivot.log();
  await log.getByRole('cell', { name: 'bea', exact: true }).click();
  await expect(page.getByText(/^Showing only the rows of entry/)).toBeVisible();
  const alone = await pivot.number(FURNITURE);
  expect(alone).toBeLessThan(1000);
  const undone = log.getByRole('row').filter({ hasText: 'cem' });
  await service.api.del(`/log/${await undone.getAttribute('data-logid')}`);
  await undone.getByRole('button', { name: /^Undo entry/ }).click();
  await expect(page.getByText(/a change that is still on screen/)).toBeVisible();
  await reloadFails(page);
  await pivot.drawn();
  await expect(page.getByText(/^Showing only the rows of entry/)).toBeVisible();
  expect(await pivot.number(FURNITURE)).toBeCloseTo(alone, 2);
  await page.getByRole('button', { name: 'Show everything' }).first().click();
  await expect.poll(() => pivot.number(FURNITURE)).toBeCloseTo(all - alone, 1);
});

test('going back to the default while entries are being filtered shows everything', async ({
  page,
  service,
}) => {
  for (const pf_user of ['bea', 'cem']) {
    await service.api.post('/versions/1/scale', { slice: {}, pct: 10, pf_user });
  }
  const engine = await Engine.of(page);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const all = await pivot.number(FURNITURE);
  const log = await pivot.log();
  await engine.hold();
  await log.getByRole('cell', { name: 'bea', exact: true }).click();
  await log.getByRole('cell', { name: 'cem', exact: true }).click();
  await page.getByRole('button', { name: 'Layout' }).click();
  await page.getByRole('menuitem', { name: 'Back to the default' }).click();
  await engine.release();
  await expect.poll(() => pivot.number(FURNITURE)).toBeCloseTo(all, 2);
  await expect(page.getByText(/^Showing only the rows of entry/)).toHaveCount(0);
  await page.getByRole('button', { name: 'Layout' }).click();
  await page.getByRole('menuitem', { name: 'Save as the default of this source' }).click();
  await expect(page.getByText(/^Saved: /)).toBeVisible();
  const [{ filter }] = await service.query(
    `SELECT default_layout -> 'filter' AS filter FROM pf.source`,
  );
  expect(filter).toEqual([]);
});

for (const [what, default_layout] of [
  ['that the engine refuses', { group_by: ['Segment'], filter: [['Segment', 'sounds like', 'x']] }],
  ['that is none', { group_by: 'Segment' }],
] as const) {
  test(`a saved layout ${what} is not replaced in silence`, async ({ page, service }) => {
    await service.api.patch('/sources/1', { default_layout });
    const pivot = new PivotPage(page);
    await pivot.open(1);
    expect(await pivot.find(FURNITURE)).not.toBeNull();
    await expect(page.getByText(/layout could not be shown/)).toBeVisible();
  });
}

test('an undo without SQL for the grain is shown without blaming anybody', async ({
  page,
  service,
}) => {
  await service.api.put('/sources/1/columns', [{ cname: 'Category', in_grain: true }]);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = await pivot.number(FURNITURE);
  await pivot.click(FURNITURE);
  await pivot.scaleValue(10);
  await expect.poll(() => pivot.number(FURNITURE)).toBeGreaterThan(before + 1);
  await pivot.undo();
  await expect.poll(() => pivot.number(FURNITURE)).toBeCloseTo(before, 2);
  await expect(page.getByRole('button', { name: 'Reload' })).toHaveCount(0);
});

test.describe('at a grain', () => {
  test.use({ template: 'grain' });

  test('an undo is shown although the grain has changed', async ({ page, service }) => {
    const pivot = new PivotPage(page);
    await pivot.open(1);
    const before = await pivot.number(FURNITURE);
    await pivot.click(FURNITURE);
    await pivot.scaleValue(10);
    await expect.poll(() => pivot.number(FURNITURE)).toBeGreaterThan(before + 1);
    const grain = [{ cname: 'City', in_grain: true }];
    expect((await service.api.put('/sources/1/columns', grain)).status).toBe(200);
    expect((await service.api.post('/sources/1/sql')).status).toBe(200);
    await pivot.undo();
    await expect.poll(() => pivot.number(FURNITURE)).toBeCloseTo(before, 2);
  });
});
