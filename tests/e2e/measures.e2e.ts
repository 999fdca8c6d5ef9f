import { expect, test } from '../support/e2e';
import { planTable } from '../support/planned-table';
import { arrange, PivotPage } from './pivot-page';

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
