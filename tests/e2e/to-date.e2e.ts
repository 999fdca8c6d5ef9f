import type { Page } from '@playwright/test';
import { test, expect } from '../support/e2e';
import type { Service } from '../support/service';
import { PivotPage } from './pivot-page';

/** YTD and YTG as columns of a year: the days through the newest close, and those after it. */

const TABLE = 'pf.fc_superstore_1';

/** The sales of the plan on some days of 2027, by the rows of the table. */
const planned = async (service: Service, from: string, to: string): Promise<number> => {
  const [row] = await service.query(
    `SELECT coalesce(sum("Sales"), 0)::float8 AS sales FROM ${TABLE}
     WHERE "Order Date" BETWEEN '${from}' AND '${to}'`,
  );
  return row.sales;
};

const close = async (service: Service, through: string): Promise<number> => {
  const request = { date_offset: '12 years', through, pf_user: 'eve' };
  const { body } = await service.api.post('/versions/1/actuals', request);
  expect(body.error).toBeUndefined();
  return body.logid;
};

const TOTAL = (value: string) => ({ row: [], column: ['2027', value, 'Sales'] });

async function arrange(page: Page, field: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Arrange ${field}`, exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: item }).press('Enter');
}

test('a year is split into YTD and YTG, which follow a close and its undo, and select their days', async ({
  page,
  service,
}) => {
  await close(service, '2027-03-31');
  const pivot = new PivotPage(page);
  await pivot.keepUser('ann');
  await pivot.open(1);
  await page.getByRole('button', { name: 'Arrange', exact: true }).click();
  await arrange(page, 'Order Date (YTD, YTG)', 'Move to columns');
  await page.keyboard.press('Escape');

  const splitsAt = async (through: string, after: string) => {
    const toDate = await planned(service, '2027-01-01', through);
    const toGo = await planned(service, after, '2027-12-31');
    await expect.poll(() => pivot.number(TOTAL('YTD'))).toBeCloseTo(toDate, 1);
    await expect.poll(() => pivot.number(TOTAL('YTG'))).toBeCloseTo(toGo, 1);
  };
  await splitsAt('2027-03-31', '2027-04-01');
  // A year after the newest close has nothing to date.
  expect(await pivot.find({ row: [], column: ['2028', 'YTD', 'Sales'] })).toBeNull();
  expect(await pivot.find({ row: [], column: ['2028', 'YTG', 'Sales'] })).not.toBeNull();

  // A saved view follows the closes, and does not count as changed by them.
  const layout = page.getByRole('button', { name: /^Layout/ });
  await layout.click();
  await page.getByRole('menuitem', { name: 'Save as a new view …' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('To date');
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await expect(layout).toHaveAccessibleName('Layout: To date');

  const logid = await close(service, '2027-06-30');
  await splitsAt('2027-06-30', '2027-07-01');
  await expect(layout).toHaveAccessibleName('Layout: To date');
  await expect(pivot.grid.locator('thead th.pf-closed')).toHaveText(['YTD']);

  // What is to go is a range of days, also of those without rows.
  await pivot.click(TOTAL('YTG'));
  await pivot.scaleValue(10);
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const [{ slice }] = await service.query(
    `SELECT slice FROM pf.log WHERE operation = 'scale' ORDER BY id DESC LIMIT 1`,
  );
  expect(slice).toEqual({ 'Order Date': { from: '2027-07-01', to: '2027-12-31' } });
  await splitsAt('2027-06-30', '2027-07-01');

  // An address with an older close shows the newest one, too.
  await page.reload();
  await pivot.drawn();
  await splitsAt('2027-06-30', '2027-07-01');

  await service.api.del(`/log/${logid}`);
  await splitsAt('2027-03-31', '2027-04-01');
});
