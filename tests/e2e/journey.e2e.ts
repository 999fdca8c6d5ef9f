import type { Page } from '@playwright/test';
import { test, expect, visit } from '../support/e2e';
import { openAs, PivotPage } from './pivot-page';

/** From a table to a plan that is compared, explained and shared, with every action counted. */

test.use({ template: 'service' });

/** Counts mouse presses and keys that act by themselves; typed characters do not count. */
async function counted(page: Page): Promise<{ actions(): Promise<number> }> {
  await page.addInitScript(() => {
    const count = () =>
      sessionStorage.setItem('actions', String(Number(sessionStorage.getItem('actions')) + 1));
    addEventListener('pointerdown', count, true);
    addEventListener(
      'keydown',
      ({ key, ctrlKey }) => {
        if (key !== 'Control' && (ctrlKey || key.length > 1)) count();
      },
      true,
    );
  });
  return {
    actions: () => page.evaluate(() => Number(sessionStorage.getItem('actions'))),
  };
}

test('a registered table is planned with, compared, explained and shared', async ({
  page,
  browser,
  service,
}) => {
  await service.api.post('/sources', { schema: 'public', tname: 'superstore' });
  const pivot = new PivotPage(page);
  await pivot.keepUser('Ann');
  const { actions } = await counted(page);
  const button = (name: string | RegExp) => page.getByRole('button', { name });

  await visit(page, '/sources/1');
  await button('Suggest roles').click();
  await button('Save columns').click();
  await page.getByRole('tab', { name: /Versions/ }).click();
  await button('Create the first version').click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('Plan');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Load the baseline' }).click();
  // The orders are from 2014 to 2017; the plan is for 2027 to 2030.
  await page.getByLabel('Years').click();
  await page.keyboard.type('13');
  await button('Load baseline').click();
  await expect(page.getByText(/rows? loaded as baseline/)).toBeVisible();
  await page.getByRole('link', { name: 'Open the pivot' }).click();
  await pivot.drawn();

  const cell = (...row: string[]) => ({ row, column: ['2028', 'Sales'] });
  const sales = async (where = 'TRUE', reference = false) =>
    (
      await service.query(
        `SELECT sum("Sales")::numeric(20,2)::float8 AS sales FROM pf.fc_superstore_1
         WHERE (pf_iter = 'reference') = ${reference} AND "Order Year" = 2028 AND ${where}`,
      )
    )[0].sales as number;
  const SAME_DAY = `"Ship Mode" = 'Same Day'`;

  await pivot.click(cell());
  await page.keyboard.type('500000');
  await page.keyboard.press('Enter');
  await expect.poll(() => pivot.number(cell())).toBe(500_000);
  expect(await sales()).toBe(500_000);
  expect(await actions()).toBeLessThanOrEqual(13);

  // 5 % more: a click and Enter.
  const [before, soFar] = [await sales(SAME_DAY), await actions()];
  await pivot.click(cell('Same Day'));
  await page.keyboard.type('+5%');
  await page.keyboard.press('Enter');
  const raised = before * 1.05;
  await expect.poll(() => pivot.number(cell('Same Day'))).toBeCloseTo(raised, 1);
  expect(await actions()).toBe(soFar + 2);
  expect(await sales(SAME_DAY)).toBeCloseTo(raised, 1);

  // Compared: the previous year beside the plan.
  await page.getByRole('link', { name: 'Baseline' }).click();
  await page.getByText('Rows to compare with').click();
  await page.getByLabel('Years').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('14');
  await button('Load reference').click();
  await expect(page.getByText(/rows? loaded as reference/)).toBeVisible();
  await page.getByRole('link', { name: 'Open the pivot' }).click();
  await pivot.drawn();
  const part = (of: string) => ({ row: ['Same Day'], column: ['2028', `Sales: ${of}`] });
  const reference = await sales(SAME_DAY, true);
  expect(await pivot.number(part('reference'))).toBeCloseTo(reference, 2);
  expect(await pivot.number(part('Δ'))).toBeCloseTo(raised - reference, 1);

  // Explained: the amounts of each entry.
  await pivot.click(cell('Same Day'));
  await page.keyboard.press('w');
  const why = page.getByRole('region', { name: 'Why', exact: true });
  const entries = why.locator('[data-logid]');
  await expect(entries).toHaveText([/baseline/, /Ann/, /\+5 % Sales.*\+1,467\.\d\d/, /reference/]);
  await expect(why.getByText('Not in this number')).toBeVisible();

  // Shared: the address shows a colleague the same pivot.
  await button('Add a filter').click();
  await page.keyboard.type('Ship M');
  await page.keyboard.press('Enter');
  await button('Only Same Day').click();
  await page.keyboard.press('Escape');
  await expect.poll(() => pivot.find({ row: ['First Class'] })).toBeNull();
  await expect.poll(() => page.url()).toContain('filter=');
  const colleague = await openAs(browser, service.url, 'Ben', page.url());
  await expect.poll(() => colleague.find({ row: ['First Class'] })).toBeNull();
  expect(await colleague.text(part('Δ'))).toBe(await pivot.text(part('Δ')));
});
