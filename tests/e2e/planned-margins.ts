import { expect } from '../support/e2e';
import { planTable } from '../support/planned-table';
import type { Service } from '../support/service';

/** The formula of {@link planMargins}. */
export const MARGIN = 'Margin %';

/** Plans sales and costs of two regions, with a margin. */
export async function planMargins(service: Service) {
  await service.query(`CREATE TABLE public.margins AS
    SELECT region, day::date, sales::numeric(12,2), pieces, cost::numeric(12,2)
    FROM (VALUES ('North', '2027-01-05', 100, 3, 60), ('North', '2027-02-05', 50, 2, 30),
      ('West', '2027-01-07', 80, 4, 60)) AS r (region, day, sales, pieces, cost)`);
  const planned = await planTable(service, 'margins', {
    region: 'dimension',
    day: 'date',
    sales: { role: 'value', label: 'Sales' },
    pieces: 'units',
    cost: { role: 'measure', label: 'Cost' },
  });
  const formula = { name: MARGIN, expression: '(sales - cost) / sales', pf_user: 'ann' };
  const made = await service.api.post(`/sources/${planned.sourceId}/formulas`, {
    ...formula,
    format: { style: 'percent' },
  });
  expect(made.status).toBe(201);
  return planned;
}

/** Sales and costs of the plan of {@link planMargins}, by the columns of a list, in their order. */
export async function storedMargins({ query }: Service, table: string, by = 'region, day') {
  const rows = await query<{ sales: number; cost: number }>(
    `SELECT sum(sales)::float8 AS sales, sum(cost)::float8 AS cost FROM ${table}
     GROUP BY ${by} ORDER BY ${by}`,
  );
  return rows.map(({ sales, cost }) => [sales, cost]);
}
