import { expect, test } from '../support/e2e';
import { planTable, type PlannedTable } from '../support/planned-table';
import type { Service } from '../support/service';
import { PivotPage } from './pivot-page';

/** A launch that ramps up, and changes that keep the total of the group above. */

/** Six months of three drinks and one snack; every amount and its parts are round. */
const TABLE = `
  CREATE TABLE public.drinks AS
  SELECT kind, product, day::date AS "Order Date", sales::numeric(12,2) AS "Sales", units AS "Units"
    FROM (VALUES ('Drinks', 'Tea', 100, 40), ('Drinks', 'Coffee', 200, 80),
                 ('Drinks', 'Water', 50, 120), ('Snacks', 'Nuts', 80, 20))
         AS product (kind, product, sales, units)
   CROSS JOIN generate_series('2027-01-01'::date, '2027-06-01', '1 month') AS month (day)`;

async function planDrinks(service: Service): Promise<PlannedTable> {
  await service.query(TABLE);
  const planned = await planTable(service, 'drinks', {
    kind: 'dimension',
    product: 'dimension',
    'Order Date': 'date',
    Sales: 'value',
    Units: 'units',
  });
  const default_layout = { group_by: ['kind', 'product'], columns: ['Sales', 'Units'] };
  const { status } = await service.api.patch(`/sources/${planned.sourceId}`, { default_layout });
  expect(status).toBe(200);
  return planned;
}

const at = (...row: string[]) => ({ row, column: ['Sales'] });
const TEA = at('Drinks', 'Tea');

test('a clone ramps up over months, by exactly the announced amounts', async ({
  page,
  service,
}) => {
  const { versionId, table } = await planDrinks(service);
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await pivot.click(TEA);
  await page.keyboard.press('c');
  await pivot.panel.getByLabel('New product').fill('Iced tea');
  await pivot.panel.getByLabel('New product').press('Tab');
  await pivot.panel.getByLabel('Move Order Date by').fill('3 months');

  // A ramp is filled in by keyboard, and does not apply the form.
  await pivot.panel.getByText('Factor by Order Date').click();
  const ramp = pivot.panel.getByRole('group', { name: 'Ramp up' });
  await ramp.getByLabel('Ramp up from').fill('2027-04-01');
  await ramp.getByLabel('Months').fill('4');
  await page.keyboard.press('Enter');
  const factors = () =>
    pivot.panel
      .getByRole('group', { name: 'Factors by period' })
      .getByLabel(/^Factor, /)
      .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
  expect(await factors()).toEqual(['0.25', '0.5', '0.75', '1']);
  await expect(pivot.panel.getByLabel('Factor on all other days')).toHaveValue('1');

  // Periods can be changed one by one; a wrong one is explained.
  await pivot.panel.getByLabel('From, period 2').fill('2027-04-30');
  await expect(pivot.panel.getByText('Periods 1 and 2 overlap.')).toBeVisible();
  await expect(pivot.apply).toBeDisabled();
  await pivot.panel.getByLabel('From, period 2').fill('2027-05-01');
  await pivot.panel.getByRole('button', { name: 'Remove period 4' }).click();
  await pivot.panel.getByLabel('Factor, period 1').fill('10%');
  await pivot.panel.getByLabel('Factor on all other days').fill('120%');

  // The form survives F5.
  await page.reload();
  await pivot.drawn();
  await pivot.click(TEA);
  expect(await factors()).toEqual(['0.1', '0.5', '0.75']);
  // 10 + 50 + 75 + 3 × 120 of Sales, 4 + 20 + 30 + 3 × 48 of Units.
  await expect(page.getByTestId('extent')).toHaveText(
    'adds 495 Sales, adds 198 Units, from 6 rows.',
  );
  await pivot.apply.click();
  await expect(page.getByText(/^Cloned: /)).toBeVisible();
  expect(
    await service.query(
      `SELECT "Order Date"::text AS day, "Sales"::text AS sales, "Units" AS units
         FROM ${table} WHERE product = 'Iced tea' ORDER BY 1`,
    ),
  ).toEqual([
    { day: '2027-04-01', sales: '10.00', units: 4 },
    { day: '2027-05-01', sales: '50.00', units: 20 },
    { day: '2027-06-01', sales: '75.00', units: 30 },
    { day: '2027-07-01', sales: '120.00', units: 48 },
    { day: '2027-08-01', sales: '120.00', units: 48 },
    { day: '2027-09-01', sales: '120.00', units: 48 },
  ]);
  await expect.poll(() => pivot.number(at('Drinks', 'Iced tea'))).toBe(495);
  await expect(pivot.panel.getByText('Factor on all other days')).toHaveCount(0);
  await pivot.undo();
  expect(await service.query(`SELECT FROM ${table} WHERE pf_iter = 'clone'`)).toEqual([]);
});
