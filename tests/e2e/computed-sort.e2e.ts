import { expect, test } from '../support/e2e';
import { arrange, PivotPage } from './pivot-page';
import { loadYearBefore } from './year-before';

/** Rows sorted by Δ %, which the engine cannot add up. */

const TABLE = 'pf.fc_superstore_1';

test('rows are sorted by Δ % of one column at every level, through changes, a reload and clicks', async ({
  page,
  service,
}) => {
  await loadYearBefore(service);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const of2028 = `"Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`;
  const share = `sum("Sales") FILTER (WHERE pf_iter <> 'reference' AND ${of2028})
    / sum("Sales") FILTER (WHERE pf_iter = 'reference' AND ${of2028})`;
  /** The rows in the order of SQL: each category with its sub-categories. */
  const stored = async () => {
    const rows = await service.query<{ path: string[] }>(
      `WITH inner_rows AS (
         SELECT "Category" AS outer_name, "Sub-Category" AS inner_name, ${share} AS share
           FROM ${TABLE} GROUP BY 1, 2),
       outer_rows AS (SELECT "Category" AS outer_name, ${share} AS share FROM ${TABLE} GROUP BY 1)
       SELECT ARRAY[outer_name, inner_name] AS path
         FROM inner_rows i JOIN outer_rows o USING (outer_name)
        ORDER BY o.share DESC, i.share DESC NULLS LAST`,
    );
    return rows.map(({ path }) => path.join(' / '));
  };
  const shown = async () => {
    const rows = (await pivot.cells()).filter(({ row }) => row.length === 2);
    return [...new Set(rows.map(({ row }) => row.join(' / ')))];
  };
  const pressRight = async (cell: Parameters<typeof pivot.find>[0]) => {
    const at = await pivot.find(cell);
    await page.mouse.click(at!.x, at!.y, { button: 'right' });
  };
  const chairs = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
  await pivot.click(chairs);
  const total = page.getByTestId('value-total');
  const before = await total.textContent();
  await pressRight({ row: [], column: ['2028', 'Sales: Δ %'] });
  await page
    .getByRole('menuitem', { name: 'Sort rows by Sales: Δ % of 2028: largest first' })
    .click();
  await expect.poll(shown).toEqual(await stored());
  await expect(pivot.grid.locator('th[aria-sort=descending]')).toHaveCount(1);
  // The sort leaves the cell selected, at its new position.
  await expect(pivot.slice).toContainText('Sub-Category = Chairs');
  await expect(total).toHaveText(before ?? '');
  await expect(pivot.grid.locator('td.pf-selected')).toHaveCount(1);
  const marked = await pivot.grid.locator('td.pf-selected').textContent();
  expect(marked).toBe(await pivot.text(chairs));

  // A link has the same order.
  await page.reload();
  await pivot.drawn();
  await expect.poll(shown).toEqual(await stored());

  // A click selects the row that is on screen, and a change moves it.
  const last = (await stored()).at(-1)?.split(' / ') ?? [];
  await pivot.click({ row: last, column: ['2028', 'Sales'] });
  await expect(pivot.slice).toContainText(`Sub-Category = ${last[1]}`);
  await pivot.scaleValue(900);
  const [first = ''] = last;
  const isOf = (row: string) => row.startsWith(`${first} / `);
  const moved = await stored();
  expect(moved.at(-1)).not.toBe(last.join(' / '));
  await expect.poll(shown).toEqual(moved);

  // Rows close and open at their new places.
  await pivot.toggle(first);
  await expect.poll(async () => (await shown()).filter(isOf)).toEqual([]);
  await expect.poll(shown).toEqual((await stored()).filter((row) => !isOf(row)));
  await pivot.toggle(first);
  await expect.poll(shown).toEqual(await stored());
});

test('Δ % sorts the rows that an earlier sort key leaves equal', async ({ page, service }) => {
  await loadYearBefore(service);
  // Without units, the furniture is equal in the first key.
  const [{ units }] = await service.query(
    `SELECT sum("Quantity")::int AS units FROM ${TABLE}
      WHERE "Category" = 'Furniture' AND pf_iter <> 'reference'`,
  );
  const scale = { slice: { Category: 'Furniture' }, units_incr: -units, pf_user: 'ana' };
  await service.api.post('/versions/1/scale', scale);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await arrange(page, {
    group_by: ['Category', 'Sub-Category'],
    split_by: [],
    columns: ['Quantity', 'Sales', 'Sales: reference', 'Sales: Δ', 'Sales: Δ %'],
    sort: [['Quantity', 'asc']],
  });
  const header = (name: string) =>
    pivot.grid.locator('thead th.pf-measure').filter({ hasText: new RegExp(`^${name}$`) });
  await header('Sales: Δ %').click({ modifiers: ['Control'] });
  await expect
    .poll(() => new URL(page.url()).searchParams.getAll('sort'))
    .toEqual(['Quantity:asc', 'Sales~: Δ %:desc']);
  await expect(header('Quantity')).toHaveAttribute('aria-sort', 'ascending');
  await expect(header('Sales: Δ %')).toHaveAttribute('aria-sort', 'descending');
  const stored = await service.query<{ name: string }>(
    `SELECT "Sub-Category" AS name FROM ${TABLE} GROUP BY "Category", 1
      ORDER BY sum(sum("Quantity") FILTER (WHERE pf_iter <> 'reference')) OVER (PARTITION BY "Category"),
        sum("Quantity") FILTER (WHERE pf_iter <> 'reference'),
        sum("Sales") FILTER (WHERE pf_iter <> 'reference')
          / sum("Sales") FILTER (WHERE pf_iter = 'reference') DESC NULLS LAST`,
  );
  const shown = async () =>
    (await pivot.cells())
      .filter(({ row, column }) => row.length === 2 && column === undefined)
      .map(({ row }) => row[1]);
  await expect.poll(shown).toEqual(stored.map(({ name }) => name));
});
