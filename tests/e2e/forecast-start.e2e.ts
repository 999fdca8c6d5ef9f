import type { Locator, Page } from '@playwright/test';
import { expect, test, visit } from '../support/e2e';
import { planTable } from '../support/planned-table';
import { PivotPage } from './pivot-page';

/** Opens the dialog of a forecast for a version. */
async function openForecast(page: Page, versionId = 1): Promise<Locator> {
  await new PivotPage(page).keepUser('Ann Planner');
  await visit(page, `/versions/${versionId}/baseline`);
  await page.getByRole('button', { name: 'Start from a forecast …' }).click();
  return page.getByRole('dialog');
}

test('a plan starts from a forecast of the source, which an undo takes out again', async ({
  page,
  service,
}) => {
  const dialog = await openForecast(page);
  await expect(dialog.getByLabel('History through')).toHaveValue('2017-12-31');
  await expect(dialog.getByLabel('Forecast from')).toHaveValue('2018-01-01');
  await expect(dialog.getByLabel('Through', { exact: true })).toHaveValue('2018-12-31');
  await expect(dialog.getByTestId('why')).toContainText('off on average');
  const selling = dialog.getByLabel('Selling days');
  await selling.selectOption({ label: 'Monday to Friday' });
  await expect(dialog.getByTestId('why')).toContainText(
    'It was fitted to amounts per selling day, Monday to Friday.',
  );
  await dialog.getByLabel('Periods', { exact: true }).selectOption({ label: 'Weeks' });
  await expect(selling).toHaveCount(0);
  await dialog.getByLabel('Periods', { exact: true }).selectOption({ label: 'Months' });
  await selling.selectOption({ label: 'Do not count' });
  await dialog.getByLabel('Region', { exact: true }).check();
  const groups = dialog.getByLabel('Group, worst first');
  await expect(groups.locator('option')).toHaveCount(8);
  const request = {
    ...{ filters: [], unit: 'month', by: ['Region'], method: 'auto' },
    history: { through: '2017-12-31' },
    horizon: { from: '2018-01-01', through: '2018-12-31' },
  };
  const { groups: fitted } = (await service.api.post('/versions/1/forecast/preview', request)).body;
  type Group = { group: { Region: string }; measure: string; backtest: { wape: number } };
  const worst = fitted.reduce((a: Group, b: Group) => (b.backtest.wape > a.backtest.wape ? b : a));
  const measure = worst.measure === 'value' ? 'Sales' : 'Quantity';
  await expect(groups.locator('option').first()).toHaveText(`${worst.group.Region}, ${measure}`);
  await expect(groups).toHaveValue(`${worst.group.Region}, ${measure}`);

  // The levels are compared at the chosen one, and another one can be chosen.
  const compared = (await service.api.post('/versions/1/forecast/levels', request)).body;
  await expect(dialog.getByTestId('best-level')).toHaveText(compared.why);
  await dialog.getByText('All levels').click();
  await expect(dialog.getByRole('row', { name: /^Region \d/ })).toContainText('Chosen');
  const ofTotal = dialog.getByRole('button', { name: 'Choose The total' });
  await ofTotal.press('Enter');
  await expect(ofTotal).toHaveAttribute('aria-pressed', 'true');
  await expect(ofTotal).toBeFocused();
  await expect(dialog.getByLabel('Region', { exact: true })).not.toBeChecked();
  await expect(groups.locator('option')).toHaveCount(2);
  // The comparison stays, so that one can go back.
  await expect(dialog.getByTestId('best-level')).toHaveText(compared.why);
  await dialog.getByRole('button', { name: 'Choose Region', exact: true }).click();
  await expect(groups.locator('option')).toHaveCount(8);
  await expect(dialog.getByRole('img', { name: /^History and forecast of / })).toBeVisible();
  await dialog.getByRole('button', { name: 'Load the forecast' }).click();
  await expect(page.getByText(/rows loaded as a forecast\./)).toBeVisible();
  const segment = page
    .getByRole('listitem')
    .filter({ hasText: 'forecast by Region and month, from rows through' });
  await expect(segment).toContainText('Forecast 1');

  const total = fitted
    .filter(({ measure }: { measure: string }) => measure === 'value')
    .flatMap(({ forecast }: { forecast: number[] }) => forecast)
    .reduce((a: number, b: number) => a + b, 0);
  const [{ sales }] = await service.query(
    `SELECT sum("Sales")::float8 AS sales FROM pf.fc_superstore_1 WHERE pf_iter = 'forecast'`,
  );
  expect(sales).toBeCloseTo(total, 2);

  // The chart of the pivot shows the range of the forecast, which is not written.
  await visit(
    page,
    '/versions/1?columns=Month&calc=Month:bucket(%22Order+Date%22~,+%27M%27)&rows=Region&measures=Sales&filter=Order+Year:==:2018&chart=Y+Line',
  );
  const chart = page.getByRole('region', { name: 'Chart', exact: true }).getByRole('slider');
  await chart.press('End');
  await chart.press('ArrowDown');
  const spoken =
    /^Dec 2018\. (\w+): [\d,.]+\. Forecast ([\d,.]+), 80 % between ([\d,.]+) and ([\d,.]+)\./;
  await expect(chart).toHaveAttribute('aria-valuetext', spoken);
  const [, region, ...numbers] =
    spoken.exec((await chart.getAttribute('aria-valuetext')) ?? '') ?? [];
  const ofRegion = fitted.find(
    ({ group, measure: role }: Group) => group.Region === region && role === 'value',
  );
  const [amount, lower, upper] = numbers.map((text) => Number(text.replaceAll(',', '')));
  expect(amount).toBeCloseTo(ofRegion.forecast[11], 1);
  // The log keeps five digits of a deviation.
  expect(lower).toBeCloseTo(ofRegion.band80.lower[11], -1);
  expect(upper).toBeCloseTo(ofRegion.band80.upper[11], -1);
  await visit(page, '/versions/1/baseline');

  await page.getByRole('button', { name: 'Undo forecast 1' }).click();
  await page.getByRole('button', { name: 'Undo the segment' }).click();
  await expect(segment).toHaveCount(0);
  expect(await service.query(`SELECT FROM pf.fc_superstore_1 WHERE pf_iter = 'forecast'`)).toEqual(
    [],
  );
});

test('a part of the history is marked in the chart, or with the keyboard, and is not learned from', async ({
  page,
  service,
}) => {
  const dialog = await openForecast(page);
  const chart = dialog.getByRole('img', { name: /^History and forecast of / });
  await expect(chart).toBeVisible();
  const ranges = dialog.getByRole('list', { name: 'Ignored days and events' });
  const list = ranges.getByRole('listitem');

  // The chart has 48 months of history and 12 of the horizon.
  const box = await chart.boundingBox();
  if (!box) throw new Error('The chart is not drawn.');
  const middleOf = (month: number) => box.x + ((month + 0.5) / 60) * box.width;
  await page.mouse.move(middleOf(14), box.y + 40);
  await page.mouse.down();
  await page.mouse.move(middleOf(12), box.y + 60, { steps: 3 });
  await page.mouse.up();
  await expect(list).toHaveText([/Ignored: Jan 1, 2015 to Mar 31, 2015/]);
  await expect(chart.locator('.ignored')).toHaveCount(1);
  // A press in the horizon marks nothing.
  await page.mouse.click(middleOf(55), box.y + 40);
  await expect(list).toHaveCount(1);

  await dialog.getByText('Ignore days, or mark an event').press('Enter');
  await dialog.getByLabel('Ignore from').fill('2016-06-10');
  await dialog.getByLabel('Ignore through').fill('2016-06-01');
  await expect(dialog.getByRole('button', { name: 'Ignore', exact: true })).toBeDisabled();
  await dialog.getByLabel('Ignore through').fill('2016-06-20');
  // Entered days have to be added or cleared before the forecast is loaded; Enter adds them.
  await expect(dialog.getByRole('button', { name: 'Load the forecast' })).toBeDisabled();
  await dialog.getByLabel('Ignore through').press('Enter');
  await expect(list).toHaveCount(2);
  await expect(chart.locator('.ignored')).toHaveCount(2);
  await dialog
    .getByRole('button', { name: 'Learn from Jan 1, 2015 to Mar 31, 2015 again' })
    .click();
  await expect(chart.locator('.ignored')).toHaveCount(1);

  await dialog.getByRole('button', { name: 'Load the forecast' }).click();
  await expect(page.getByText(/rows loaded as a forecast\./)).toBeVisible();
  const [{ params }] = await service.query(
    `SELECT params FROM pf.log WHERE operation = 'forecast' ORDER BY id DESC LIMIT 1`,
  );
  expect(params.ignore).toEqual([{ from: '2016-06-10', to: '2016-06-20' }]);
});

test('a forecast of many groups shows its progress, and ends with its dialog', async ({
  page,
  service,
}) => {
  await service.query(`CREATE TABLE public.many (line text, day date, amount numeric(12,2));
    INSERT INTO public.many
    SELECT 'Line ' || line, date '2020-01-01' + make_interval(months => t),
      100 + t + 40 * sin(t * pi() / 6 + line) + (line * 7919 + t * 104729) % 23
    FROM generate_series(1, 3000) AS line, generate_series(0, 71) AS t`);
  const columns = { line: 'dimension', day: 'date', amount: 'value' } as const;
  const { versionId } = await planTable(service, 'many', columns);
  const dialog = await openForecast(page, versionId);
  await expect(dialog.getByTestId('why')).toContainText('off on average');
  await dialog.getByLabel('line', { exact: true }).check();
  const bar = dialog.getByRole('progressbar', { name: 'Series forecast' });
  await expect(bar).toHaveAttribute('aria-valuetext', /^[\d,]+ of 3,000 series forecast$/);
  const ended = page.waitForEvent('requestfailed', (request) =>
    request.url().endsWith('/forecast/preview'),
  );
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await ended;
  await expect(dialog).toHaveCount(0);
});

test('a forecast agrees with those of coarser levels, and all levels at once can be chosen', async ({
  page,
  service,
}) => {
  const dialog = await openForecast(page);
  const agreeing = dialog.getByRole('group', { name: 'Agreeing with forecasts of' });
  await expect(dialog.getByTestId('why')).toContainText('off on average');
  await expect(agreeing).toHaveCount(0);
  const each = dialog.getByRole('group', { name: 'A forecast for each' });
  await each.getByLabel('Region', { exact: true }).check();
  await each.getByLabel('Segment', { exact: true }).check();
  const groups = dialog.getByLabel('Group, worst first');
  await expect(groups.locator('option')).toHaveCount(24);
  await agreeing.getByLabel('The total').check();
  const withSums = dialog.getByLabel('Group or sum');
  await expect(withSums.locator('option')).toHaveCount(26);
  await expect(dialog.getByTestId('why')).toContainText(
    /add up, it was|agrees with the other levels/,
  );
  await withSums.selectOption('The total, Sales');
  const request = {
    ...{ filters: [], unit: 'month', by: ['Region', 'Segment'], method: 'auto' },
    history: { through: '2017-12-31' },
    horizon: { from: '2018-01-01', through: '2018-12-31' },
  };
  const levels = [[], ['Region'], ['Segment']];
  const ask = async (what: string, body: object) =>
    (await service.api.post(`/versions/1/forecast/${what}`, { ...request, ...body })).body;
  const [total] = (await ask('preview', { levels: [[]] })).sums;
  await expect(dialog.getByTestId('why')).toHaveText(total.why);
  await expect(
    dialog.getByRole('img', { name: 'History and forecast of The total, Sales' }),
  ).toBeVisible();

  // A dimension that is dropped takes its levels with it.
  await agreeing.getByLabel('Segment', { exact: true }).check();
  await each.getByLabel('Segment', { exact: true }).uncheck();
  await expect(agreeing.getByRole('checkbox')).toHaveCount(1);
  await expect(agreeing.getByLabel('The total')).toBeChecked();
  await each.getByLabel('Segment', { exact: true }).check();

  // The comparison has a line of all levels.
  await dialog.getByText('All levels', { exact: true }).click();
  const line = 'Region × Segment, agreeing with the total, Region and Segment';
  const choose = dialog.getByRole('button', { name: `Choose ${line}` });
  await choose.press('Enter');
  await expect(choose).toHaveText('Chosen');
  for (const name of ['The total', 'Region', 'Segment']) {
    await expect(agreeing.getByLabel(name, { exact: true })).toBeChecked();
  }
  await expect(dialog.getByTestId('best-level')).toHaveText((await ask('levels', {})).why);
  await expect(withSums.locator('option')).toHaveCount(2 * (12 + 1 + 4 + 3));
  await dialog.getByLabel('Leave out amounts').check();
  await dialog.getByRole('button', { name: 'Load the forecast' }).click();
  await expect(page.getByText(/rows loaded as a forecast\./)).toBeVisible();
  const level = 'forecast by Region, Segment and month';
  await expect(page.getByRole('listitem').filter({ hasText: level })).toContainText(
    `${level}, agreeing with the total, Region and Segment, from rows`,
  );
  const [{ params }] = await service.query(
    `SELECT params FROM pf.log WHERE operation = 'forecast' ORDER BY id DESC LIMIT 1`,
  );
  expect(params.levels).toEqual(levels);
  const { sums } = await ask('preview', { levels });
  const planned = await service.query(
    `SELECT "Region" AS region, sum("Sales")::float8 AS sales FROM pf.fc_superstore_1
     WHERE pf_iter = 'forecast' GROUP BY 1 ORDER BY 1`,
  );
  type Sum = { group: Record<string, string>; measure: string; forecast: number[] };
  const wanted = sums.filter(({ group, measure }: Sum) => group.Region && measure === 'value');
  expect(planned).toEqual(
    wanted.map(({ group, forecast }: Sum) => ({
      region: group.Region,
      sales: expect.closeTo(
        forecast.reduce((sum, amount) => sum + amount, 0),
        2,
      ),
    })),
  );
});

test('an event is marked in the history and in the horizon, and drawn as its own line', async ({
  page,
  service,
}) => {
  const dialog = await openForecast(page);
  const chart = dialog.getByRole('img', { name: /^History and forecast of / });
  await expect(chart).toBeVisible();
  const list = dialog.getByRole('list', { name: 'Ignored days and events' }).getByRole('listitem');

  await dialog.getByText('Ignore days, or mark an event').press('Enter');
  await dialog.getByRole('textbox', { name: 'Event' }).fill('Easter');
  // An event that is in the horizon alone is refused, and can be removed.
  await dialog.getByLabel('Mark from').fill('2018-03-30');
  await dialog.getByLabel('Mark through').fill('2018-04-02');
  await dialog.getByRole('button', { name: 'Mark', exact: true }).click();
  // The comparison of levels has the same refusal.
  const forecast = dialog.getByRole('region', { name: 'Forecast' });
  await expect(forecast.getByText(/the event "Easter" has no period in the history/)).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Load the forecast' })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Remove Easter, Mar 30, 2018 to Apr 2, 2018' }).click();
  await expect(list).toHaveCount(0);
  await expect(chart).toBeVisible();

  // The name stays for the next days; the chart has 48 months of history and 12 of the horizon.
  for (const [from, to] of [
    ['2014-04-18', '2014-04-21'],
    ['2015-04-03', '2015-04-06'],
    ['2016-03-25', '2016-03-28'],
  ] as const) {
    await dialog.getByLabel('Mark from').fill(from);
    await dialog.getByLabel('Mark through').fill(to);
    await dialog.getByLabel('Mark through').press('Enter');
  }
  await expect(dialog.getByRole('textbox', { name: 'Event' })).toHaveValue('Easter');
  const box = await chart.boundingBox();
  if (!box) throw new Error('The chart is not drawn.');
  const middleOf = (month: number) => box.x + ((month + 0.5) / 60) * box.width;
  await page.mouse.click(middleOf(39), box.y + 40);
  await expect(list).toHaveCount(4);
  await page.mouse.click(middleOf(50), box.y + 40);
  await expect(list.nth(3)).toHaveText(/Easter: Apr 1, 2017 to Apr 30, 2017/);
  await expect(list.nth(4)).toHaveText(/Easter: Mar 1, 2018 to Mar 31, 2018/);
  await expect(chart.locator('.ignored')).toHaveCount(0);
  await expect(chart.locator('polyline.event')).toHaveCount(1);
  await expect(chart.locator('rect.event')).toHaveCount(5);
  await expect(dialog.getByTestId('event')).toHaveText(
    /^Easter: [+-][\d.]+ %, measured in 4 months of the history\. It (adds|takes) /,
  );

  await dialog.getByRole('button', { name: 'Load the forecast' }).click();
  await expect(page.getByText(/rows loaded as a forecast\./)).toBeVisible();
  const [{ params }] = await service.query(
    `SELECT params FROM pf.log WHERE operation = 'forecast' ORDER BY id DESC LIMIT 1`,
  );
  expect(params.ignore).toEqual([
    { from: '2014-04-18', to: '2014-04-21', name: 'Easter' },
    { from: '2015-04-03', to: '2015-04-06', name: 'Easter' },
    { from: '2016-03-25', to: '2016-03-28', name: 'Easter' },
    { from: '2017-04-01', to: '2017-04-30', name: 'Easter' },
    { from: '2018-03-01', to: '2018-03-31', name: 'Easter' },
  ]);
});
