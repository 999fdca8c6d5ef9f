import { expect, test } from '../support/e2e';
import { CountedPlanner } from './counted-planner';
import { PivotPage, type CellName } from './pivot-page';

/** Tasks of a planner, with the number of actions that each takes. */

const TABLE = 'pf.fc_superstore_1';
const CHAIRS: CellName = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };

test('moving 20 % of a customer to another one takes at most 8 actions and is one entry', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const sums = async () => {
    const [row] = await service.query<Record<'chairs' | 'tables' | 'share', string>>(
      `SELECT sum("Sales") FILTER (WHERE "Sub-Category" = 'Chairs')::text AS chairs,
              sum("Sales") FILTER (WHERE "Sub-Category" = 'Tables')::text AS tables,
              round(sum("Sales") FILTER (WHERE "Sub-Category" = 'Chairs') * 0.2, 2)::text AS share
         FROM ${TABLE} WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`,
    );
    return row as Record<'chairs' | 'tables' | 'share', string>;
  };
  const before = await sums();
  const planner = new CountedPlanner(page, pivot);
  await planner.select(CHAIRS);
  await planner.press('r');
  await planner.click(pivot.panel.getByLabel('New Sub-Category'));
  await planner.type('Tables');
  await planner.press('Tab');
  await planner.replace(pivot.panel.getByLabel('Share to move'));
  await planner.type('20%');
  await planner.press('Control+Enter');
  await expect(page.getByText(/^Recoded: /)).toBeVisible();
  expect(planner.actions).toBeLessThanOrEqual(8);
  const after = await sums();
  expect(Number(before.chairs) - Number(after.chairs)).toBeCloseTo(Number(before.share), 2);
  expect(Number(after.tables) - Number(before.tables)).toBeCloseTo(Number(before.share), 2);
  expect(await service.query(`SELECT FROM pf.log WHERE operation = 'recode'`)).toHaveLength(1);
});

test('moving a launch by a quarter takes at most 8 actions and is one entry', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const byDay = (interval: string) =>
    service.query(
      `SELECT ("Order Date" + interval '${interval}')::date::text AS day, sum("Sales")::text AS sales
         FROM ${TABLE} WHERE "Sub-Category" = 'Chairs' GROUP BY 1 HAVING sum("Sales") <> 0 ORDER BY 1`,
    );
  const wanted = await byDay('3 months');
  const planner = new CountedPlanner(page, pivot);
  await planner.select({ row: ['Furniture', 'Chairs'] });
  await planner.press('r');
  await planner.click(pivot.panel.getByLabel('Move Order Date by'));
  await planner.type('1 quarter');
  await planner.press('Control+Enter');
  await expect(page.getByText(/^Recoded: /)).toBeVisible();
  expect(planner.actions).toBeLessThanOrEqual(8);
  expect(await byDay('0')).toEqual(wanted);
  expect(await service.query(`SELECT FROM pf.log WHERE operation = 'recode'`)).toHaveLength(1);
});
