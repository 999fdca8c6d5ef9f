import { expect, test } from '../support/e2e';
import { PivotPage } from './pivot-page';

test('a plan starts from a forecast of the source, which an undo takes out again', async ({
  page,
  service,
}) => {
  await new PivotPage(page).keepUser('Ann Planner');
  await page.goto('/versions/1/baseline');
  await page.getByRole('button', { name: 'Start from a forecast …' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('History through')).toHaveValue('2017-12-31');
  await expect(dialog.getByLabel('Forecast from')).toHaveValue('2018-01-01');
  await expect(dialog.getByLabel('Through', { exact: true })).toHaveValue('2018-12-31');
  await expect(dialog.getByTestId('why')).toContainText('off on average');
  await dialog.getByLabel('Region', { exact: true }).check();
  const groups = dialog.getByLabel('Group, worst first');
  await expect(groups.locator('option')).toHaveCount(8);
  await expect(dialog.getByRole('img', { name: /^History and forecast of / })).toBeVisible();
  await dialog.getByRole('button', { name: 'Load the forecast' }).click();
  await expect(page.getByText(/rows loaded as a forecast\./)).toBeVisible();
  const segment = page.getByRole('listitem').filter({ hasText: 'Forecast 1' });
  await expect(segment).toContainText('forecast by Region and month, from rows through');

  const request = {
    ...{ filters: [], unit: 'month', by: ['Region'], method: 'auto' },
    history: { through: '2017-12-31' },
    horizon: { from: '2018-01-01', through: '2018-12-31' },
  };
  const { groups: fitted } = (await service.api.post('/versions/1/forecast/preview', request)).body;
  const total = fitted
    .filter(({ measure }: { measure: string }) => measure === 'value')
    .flatMap(({ forecast }: { forecast: number[] }) => forecast)
    .reduce((a: number, b: number) => a + b, 0);
  const [{ sales }] = await service.query(
    `SELECT sum("Sales")::float8 AS sales FROM pf.fc_superstore_1 WHERE pf_iter = 'forecast'`,
  );
  expect(sales).toBeCloseTo(total, 2);

  await page.getByRole('button', { name: 'Undo forecast 1' }).click();
  await page.getByRole('button', { name: 'Undo the segment' }).click();
  await expect(segment).toHaveCount(0);
  expect(await service.query(`SELECT FROM pf.fc_superstore_1 WHERE pf_iter = 'forecast'`)).toEqual(
    [],
  );
});
