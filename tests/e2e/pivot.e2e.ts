import { test, expect, visit } from '../support/e2e';
import type { Query } from '../support/service';
import { PivotPage } from './pivot-page';

/** Returns the sums of the plan by category and year from the database. */
async function sums(query: Query, table: string) {
  return query<{ category: string; year: number; sales: number; quantity: number }>(
    `SELECT "Category" AS category, "Order Year"::int AS year,
            round(sum("Sales")::numeric, 2)::float8 AS sales, sum("Quantity")::int AS quantity
       FROM ${table} GROUP BY 1, 2 ORDER BY 1, 2`,
  );
}

async function forecastTable(query: Query): Promise<string> {
  const [row] = await query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name
       FROM pg_tables WHERE schemaname = 'pf' AND tablename LIKE 'fc\\_%'`,
  );
  return (row as { name: string }).name;
}

for (const template of ['raw', 'grain'] as const) {
  test.describe(`a plan loaded ${template === 'raw' ? 'row by row' : 'at its grain'}`, () => {
    test.use({ template });

    test('is opened from the home page, scaled, logged and undone, with the numbers of the database', async ({
      page,
      service,
    }) => {
      const pivot = new PivotPage(page);
      const table = await forecastTable(service.query);
      const matches = async () => {
        for (const { category, year, sales, quantity } of await sums(service.query, table)) {
          const cell = (measure: string) => ({ row: [category], column: [String(year), measure] });
          await expect.poll(() => pivot.number(cell('Sales'))).toBeCloseTo(sales, 2);
          await expect.poll(() => pivot.number(cell('Quantity'))).toBe(quantity);
        }
      };

      await visit(page, '/');
      await page.getByRole('link', { name: 'Plan 2027' }).first().click();
      await pivot.drawn();
      await matches();
      const cell = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
      const before = await pivot.number(cell);

      await pivot.click(cell);
      await expect(pivot.slice).toContainText('Sub-Category = Chairs');
      await pivot.panel.getByLabel('Sales: Percent').fill('10');
      await expect(pivot.panel.getByLabel('Sales: Change')).toHaveValue(/^7,173\.45/);
      await pivot.apply.click();
      await page.getByRole('dialog').getByRole('textbox').fill('ana');
      await page.keyboard.press('Enter');
      const said = page.getByText(/^Scaled: /);
      await expect(said).toBeVisible();
      const sentence = await said.textContent();

      await expect.poll(() => pivot.number(cell)).toBeCloseTo(before * 1.1, 1);
      await matches();
      // The user's own change is not reported as a change by someone else.
      await expect(page.getByText(/someone else has changed/)).toHaveCount(0);
      const [written] = await service.query(
        `SELECT sum("Sales")::float8 AS sales, count(*)::int AS rows FROM ${table}
          WHERE pf_iter = 'scale' AND "Sub-Category" = 'Chairs' AND "Order Year" = 2028`,
      );
      expect(written.sales).toBeCloseTo(before * 0.1, 2);
      expect(sentence).toContain(`saved as ${written.rows.toLocaleString('en-US')} new rows.`);

      const log = await pivot.log();
      const entry = log.getByRole('row').filter({ hasText: 'scale' });
      await expect(entry).toContainText('ana');
      await expect(entry).toContainText('Sub-Category = Chairs');
      await entry.getByRole('button', { name: /^Undo entry/ }).click();
      await expect(page.getByText(/^Undone: /)).toBeVisible();
      await expect.poll(() => pivot.number(cell)).toBe(before);
      await matches();
      expect(await service.query(`SELECT FROM ${table} WHERE pf_iter = 'scale'`)).toEqual([]);
    });
  });
}

test('reopening an unchanged version transfers no rows', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const unchanged = async () => {
    const text = new TextDecoder().decode((await service.api.get('/metrics')).bytes);
    const count =
      /request_duration_seconds_count\{method="GET",route="\/api\/versions\/\[id\]\/(data|agg)",status="304"\} (\d+)/;
    return Number(count.exec(text)?.[2] ?? 0);
  };
  const before = await unchanged();
  await visit(page, '/');
  await pivot.open(1);
  expect(await unchanged()).toBe(before + 1);
  await pivot.click({ row: ['Furniture'], column: ['2028', 'Sales'] });
  await expect(pivot.slice).toBeVisible();
});
