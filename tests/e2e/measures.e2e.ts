import { test, expect, visit } from '../support/e2e';
import { planTable } from '../support/planned-table';
import { arrange, PivotPage } from './pivot-page';
import { planMargins, storedMargins } from './planned-margins';

/** Further measures are columns of the pivot, beside value and units. */

test.use({ template: 'service' });

test('lists, adds up and formats a further measure, and takes amounts that are typed into it', async ({
  page,
  service,
}) => {
  await service.query(`CREATE TABLE public.margins AS
    SELECT region, day::date, amount::numeric(12,2), pieces, cost::numeric(12,3)
    FROM (VALUES ('North', '2027-01-05', 100, 3, 60.125), ('North', '2027-02-05', 50, 2, 20.5),
      ('West', '2027-01-07', 80, 4, 41)) AS r (region, day, amount, pieces, cost)`);
  const { versionId, table } = await planTable(service, 'margins', {
    region: 'dimension',
    day: 'date',
    amount: 'value',
    pieces: 'units',
    cost: { role: 'measure', label: 'Cost' },
  });
  await service.api.post(`/versions/${versionId}/reference`, { pf_user: 'ann' });
  await service.api.post(`/versions/${versionId}/scale`, {
    ...{ slice: { region: 'North' }, pf_user: 'ann' },
    measures: { cost: { incr: 10 } },
  });
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await arrange(page, {
    group_by: ['region'],
    split_by: [],
    columns: ['amount', 'cost', 'cost: reference', 'cost: Δ'],
  });
  const at = (column: string, ...row: string[]) => ({ row, column: [column] });
  await expect.poll(() => pivot.text(at('cost', 'North'))).toBe('90.625');
  expect(await pivot.text(at('amount', 'North'))).toBe('150.00');
  expect(await pivot.text(at('cost: reference', 'North'))).toBe('80.625');
  expect(await pivot.text(at('cost: Δ', 'North'))).toBe('+10.000');
  expect(await pivot.text(at('cost', 'West'))).toBe('41.000');
  // A header has the label of its column, and its name without one.
  const heads = pivot.grid.locator('thead tr').last().locator('th');
  await expect(heads).toHaveText(['', 'amount', 'Cost', 'Cost: reference', 'Cost: Δ']);

  const stored = async (region: string) => {
    const [row] =
      await service.query(`SELECT sum(amount)::float8 AS amount, sum(pieces)::int AS pieces,
        sum(cost)::float8 AS cost
      FROM ${table} WHERE region = '${region}' AND pf_iter <> 'reference'`);
    return row as { amount: number; pieces: number; cost: number };
  };
  const params = async () => {
    const [entry] = await service.query<{ params: object }>(
      `SELECT params FROM pf.log WHERE operation = 'scale' ORDER BY id DESC LIMIT 1`,
    );
    return entry?.params ?? {};
  };
  const meaning = page.locator('#cell-meaning');
  const enter = async (region: string, text: string, announced: string, key = 'Enter') => {
    await pivot.click(at('cost', region));
    await page.keyboard.type(text);
    await expect(meaning).toContainText(announced);
    await page.keyboard.press(key);
  };

  // A total, a change and a percentage of the cost; value and units stay.
  await enter('North', '95.5', '90.625 → 95.500');
  await expect.poll(() => stored('North')).toEqual({ amount: 150, pieces: 5, cost: 95.5 });
  expect(await params()).toMatchObject({ measures: { cost: { total: 95.5 } }, value_incr: null });
  await expect.poll(() => pivot.text(at('cost', 'North'))).toBe('95.500');
  await enter('North', '-0.5', '95.500 → 95');
  await expect.poll(() => stored('North')).toEqual({ amount: 150, pieces: 5, cost: 95 });
  expect(await params()).toMatchObject({ measures: { cost: { incr: -0.5 } } });
  await enter('West', '10%', '41 → 45.100');
  await expect.poll(() => stored('West')).toEqual({ amount: 80, pieces: 4, cost: 45.1 });
  expect(await params()).toMatchObject({ measures: { cost: { pct: 10 } } });
  await page.keyboard.press('Control+z');
  await expect.poll(() => stored('West')).toEqual({ amount: 80, pieces: 4, cost: 41 });

  // Tried changes count in the next one, and are kept in order.
  await enter('West', '44', '41 → 44', 'Shift+Enter');
  await expect.poll(() => pivot.text(at('cost', 'West'))).toBe('44.000');
  await enter('West', '+1', '44 → 45', 'Shift+Enter');
  await expect(page.getByTestId('tried-together')).toContainText('Cost +4');
  await page.getByRole('button', { name: 'Keep all', exact: true }).click();
  await expect.poll(() => stored('West')).toEqual({ amount: 80, pieces: 4, cost: 45 });

  // Locked rows keep their cost, and count in the total.
  await service.api.post(`/versions/${versionId}/locks`, {
    ...{ slice: { region: 'North', day: { to: '2027-01-31' } }, pf_user: 'eve' },
  });
  const locked = `SELECT sum(cost)::float8 AS cost FROM ${table}
    WHERE region = 'North' AND day < '2027-02-01' AND pf_iter <> 'reference'`;
  const [before] = await service.query(locked);
  await enter('North', '*2', '95 → 190');
  await expect.poll(() => stored('North')).toEqual({ amount: 150, pieces: 5, cost: 190 });
  expect(await service.query(locked)).toEqual([before]);
});

test('the dialogs have every measure of the plan with its decimals', async ({ page, service }) => {
  const { versionId, table } = await planMargins(service);
  const { api } = service;
  const scale = async (slice: object, incr: number) =>
    (
      await api.post(`/versions/${versionId}/scale`, {
        ...{ slice, measures: { cost: { incr } }, pf_user: 'ann' },
      })
    ).body[0].pf_logid;
  await scale({ region: 'North', day: '2027-01-05' }, 10);
  const entry = await scale({ region: 'West' }, 5.5);
  const costs = async () =>
    (
      await service.query<{ cost: number }>(
        `SELECT sum(cost)::float8 AS cost FROM ${table} GROUP BY region, day ORDER BY region, day`,
      )
    ).map(({ cost }) => cost);
  expect(await costs()).toEqual([70, 30, 65.5]);

  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await pivot.open(versionId);
  await arrange(page, { group_by: ['region'], split_by: [], columns: ['sales', 'cost'] });
  const at = (column: string, region: string) => ({ row: [region], column: [column] });
  await expect.poll(() => pivot.text(at('cost', 'West'))).toBe('65.50');

  // A part of an entry is taken back.
  await pivot.click(at('cost', 'West'));
  await page.keyboard.press('w');
  await page
    .getByRole('region', { name: 'Why', exact: true })
    .getByRole('button', { name: `Take back entry ${entry} for the selection`, exact: true })
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByTestId('taken-back')).toHaveText(
    /^\s*Sales\s*80.*pieces\s*4.*Cost\s*65\.50 → 60\s*$/s,
  );
  await dialog.getByRole('button', { name: 'Take it back' }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(costs).toEqual([70, 30, 60]);

  // A profile is copied from the costs of the months.
  await pivot.panel.getByRole('button', { name: 'Why', exact: true }).click();
  await pivot.click(at('cost', 'North'));
  await pivot.panel.getByRole('button', { name: 'Edit profiles' }).click();
  await dialog.getByRole('button', { name: 'Copy Cost of the selection' }).click();
  const field = (label: string) => dialog.getByRole('textbox', { name: label, exact: true });
  await expect(field('January')).toHaveValue('70');
  await expect(field('February')).toHaveValue('30');
  await expect(field('March')).toHaveValue('0');
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Numbers: unit and decimals' }).click();
  await page.getByLabel('Cost: decimals').selectOption('0');
  await page.keyboard.press('Escape');
  await expect.poll(() => pivot.text(at('cost', 'West'))).toBe('60');
  expect(await pivot.text(at('sales', 'West'))).toBe('80.00');

  // The difference of a closed month is spread over the next ones.
  await page.getByRole('button', { name: /^Actions for / }).click();
  await page.getByRole('menuitem', { name: 'Close months …' }).click();
  const months = dialog.getByRole('region', { name: 'Month by month' });
  await expect(months.getByRole('row', { name: /^Jan 2027/ })).toHaveText(
    /180\.00\s*180\.00\s*0\.00\s*7\s*7\s*0\s*130\.00\s*120\.00\s*-10\.00\s*$/,
  );
  await dialog.getByText('Spread it equally').click();
  await expect(dialog.getByText('These months get +10 Cost.')).toBeVisible();
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
  await dialog.getByRole('button', { name: 'Close 1 month', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(costs).toEqual([60, 40, 60]);

  // The forecast of the costs was 130, and 120 happened.
  await visit(page, `/versions/${versionId}/accuracy`);
  await page.getByLabel('Measure', { exact: true }).selectOption('Cost');
  await expect(page.getByTestId('accuracy')).toHaveText(
    /^The forecast was 8\.3 % off, and 8\.3 % too high in total\.\s*$/,
  );
  await visit(page, `/versions/${versionId}/baseline`);
  await expect(page.getByText('150 Cost', { exact: true })).toBeVisible();
});

test('a measure follows a typed value, and a cell of it is a pattern', async ({
  page,
  service,
}) => {
  const { versionId, table } = await planMargins(service);
  const leaves = () => storedMargins(service, table);
  const params = async () => {
    const [entry] = await service.query<{ params: object }>(
      `SELECT params FROM pf.log WHERE operation = 'scale' ORDER BY id DESC LIMIT 1`,
    );
    return entry?.params ?? {};
  };
  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await pivot.open(versionId);
  await arrange(page, { group_by: ['region'], split_by: [], columns: ['sales', 'cost'] });
  const at = (column: string, region: string) => ({ row: [region], column: [column] });
  const follows = page.getByRole('checkbox', { name: 'Cost follows', exact: true });
  const meaning = page.locator('#cell-meaning');

  // The cost of a cell cannot follow itself.
  await pivot.click(at('cost', 'North'));
  await page.keyboard.type('99');
  await expect(meaning).toContainText('90 → 99');
  await expect(follows).toHaveCount(0);
  await page.keyboard.press('Escape');

  await pivot.click(at('sales', 'North'));
  await page.keyboard.type('165');
  await follows.check();
  await page.locator('.editor').getByRole('button', { name: 'Pin' }).click();
  await expect(meaning).toContainText(/Cost\s+90 → 99/);
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
  await page.keyboard.press('Enter');
  await expect.poll(leaves).toEqual([
    [110, 66],
    [55, 33],
    [80, 60],
  ]);
  expect(await params()).toMatchObject({ value_total: 165, with: ['cost'] });

  // The pinned choice stays for the next cells, and for several at once.
  await pivot.click(at('sales', 'North'));
  await pivot.click(at('sales', 'West'), { ctrl: true });
  await page.keyboard.type('-50%');
  await page.keyboard.press('Control+Enter');
  await expect.poll(leaves).toEqual([
    [55, 33],
    [27.5, 16.5],
    [40, 30],
  ]);

  // It is left out by the keyboard.
  await pivot.click(at('sales', 'West'));
  await page.keyboard.type('60');
  await expect(meaning).toContainText(/Cost\s+30 → 45/);
  await page.keyboard.press('Alt+ArrowDown');
  await page.keyboard.press('Tab');
  await expect(follows).toBeFocused();
  await page.keyboard.press('Space');
  await expect(meaning).not.toContainText('Cost');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'New amount', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect.poll(leaves).toEqual([
    [55, 33],
    [27.5, 16.5],
    [60, 30],
  ]);

  // The sales of the North get the months of its costs, which are three to one then.
  await service.api.post(`/versions/${versionId}/scale`, {
    ...{ slice: { region: 'North', day: '2027-01-05' }, pf_user: 'eve' },
    measures: { cost: { total: 49.5 } },
  });
  await expect.poll(() => pivot.text(at('cost', 'North'))).toBe('66.00');
  await pivot.click(at('sales', 'North'));
  await pivot.panel.getByLabel('Spread', { exact: true }).selectOption('pick');
  await expect(page.getByText(/^Pick the cell or row whose months/)).toBeVisible();
  await pivot.press(at('cost', 'North'));
  await expect(page.getByText(/^Pick the cell or row whose months/)).toHaveCount(0);
  await pivot.type('New total', '100');
  await pivot.apply.click();
  await expect.poll(leaves).toEqual([
    [75, 49.5],
    [25, 16.5],
    [60, 30],
  ]);
  expect(await params()).toMatchObject({ spread: { like: { measure: 'cost' } } });
});
