import { test, expect } from '../support/e2e';
import type { Query } from '../support/service';
import { makeAwkwardPlan } from './awkward-source';
import { PivotPage, type CellName } from './pivot-page';

/** Returns the leaves of a condition as text. */
async function leaves(query: Query, table: string, condition: string): Promise<string[]> {
  const rows = await query<{ leaf: string }>(
    `SELECT DISTINCT to_jsonb(ARRAY[region, "sub-category", flag::text, size::text,
            "Order Date"::text])::text AS leaf FROM ${table} WHERE ${condition} ORDER BY 1`,
  );
  return rows.map(({ leaf }) => leaf);
}

interface Case {
  name: string;
  layout: Record<string, unknown>;
  /** The cells to click, all but the first with Ctrl. */
  cells: CellName[];
  /** The rows of the cells, as a condition in SQL. */
  behind: string;
}

const MONTH = { Month: `bucket("Order Date", 'M')` };
const byRegion = { group_by: ['region'], split_by: ['sub-category'], columns: ['value', 'units'] };

const CASES: Case[] = [
  {
    name: 'a body cell',
    layout: byRegion,
    cells: [{ row: ['West'], column: ['Chairs', 'value'] }],
    behind: `region = 'West' AND "sub-category" = 'Chairs'`,
  },
  {
    name: 'a row header',
    layout: byRegion,
    cells: [{ row: ['East'] }],
    behind: `region = 'East'`,
  },
  {
    name: 'a cell of the total row',
    layout: byRegion,
    cells: [{ row: [], column: ['b', 'units'] }],
    behind: `"sub-category" = 'b'`,
  },
  {
    name: 'the total of everything',
    layout: { group_by: ['region'], columns: ['value'] },
    cells: [{ row: [], column: ['value'] }],
    behind: 'TRUE',
  },
  {
    name: 'the empty row beside the text "null"',
    layout: { group_by: ['region'], columns: ['value'] },
    cells: [{ row: ['(empty)'], column: ['value'] }],
    behind: 'region IS NULL',
  },
  {
    name: 'the text "null" beside the empty row',
    layout: { group_by: ['region'], columns: ['value'] },
    cells: [{ row: ['null'], column: ['value'] }],
    behind: `region = 'null'`,
  },
  {
    name: 'the empty column beside the text "null"',
    layout: byRegion,
    cells: [{ row: ['West'], column: ['(empty)', 'value'] }],
    behind: `region = 'West' AND "sub-category" IS NULL`,
  },
  {
    name: 'the text "null" as a column',
    layout: byRegion,
    cells: [{ row: ['West'], column: ['null', 'value'] }],
    behind: `region = 'West' AND "sub-category" = 'null'`,
  },
  {
    name: 'an empty text',
    layout: byRegion,
    cells: [{ row: ['(blank)'], column: ['Chairs', 'value'] }],
    behind: `region = '' AND "sub-category" = 'Chairs'`,
  },
  {
    name: 'a bar in a row and columns that print alike with bars',
    layout: {
      group_by: ['flag'],
      split_by: ['region', 'sub-category'],
      columns: ['value'],
      filter: [['region', 'in', ['a', 'a|b']]],
    },
    cells: [{ row: ['yes'], column: ['a|b', 'b', 'value'] }],
    behind: `flag AND region = 'a|b' AND "sub-category" = 'b'`,
  },
  {
    name: '0 down and false across',
    layout: { group_by: ['size'], split_by: ['flag'], columns: ['value'] },
    cells: [{ row: ['0'], column: ['no', 'value'] }],
    behind: 'size = 0 AND NOT flag',
  },
  {
    name: 'false down and 0 across',
    layout: { group_by: ['flag'], split_by: ['size'], columns: ['value'] },
    cells: [{ row: ['no'], column: ['0', 'value'] }],
    behind: 'size = 0 AND NOT flag',
  },
  {
    name: 'a day across',
    layout: { group_by: ['region'], split_by: ['Order Date'], columns: ['value'] },
    cells: [{ row: ['West'], column: ['Jan 31, 2026', 'value'] }],
    behind: `region = 'West' AND "Order Date" = '2026-01-31'`,
  },
  {
    name: 'a day down',
    layout: { group_by: ['Order Date', 'region'], columns: ['value'] },
    cells: [{ row: ['Dec 31, 2025', 'East'], column: ['value'] }],
    behind: `region = 'East' AND "Order Date" = '2025-12-31'`,
  },
  {
    name: 'no day',
    layout: { group_by: ['region'], split_by: ['Order Date'], columns: ['value'] },
    cells: [{ row: ['West'], column: ['(empty)', 'value'] }],
    behind: `region = 'West' AND "Order Date" IS NULL`,
  },
  {
    name: 'a month across',
    layout: { group_by: ['region'], split_by: ['Month'], columns: ['value'], expressions: MONTH },
    cells: [{ row: ['West'], column: ['Jan 2026', 'value'] }],
    behind: `region = 'West' AND "Order Date" BETWEEN '2026-01-01' AND '2026-01-31'`,
  },
  {
    name: 'a month down',
    layout: { group_by: ['Month', 'flag'], columns: ['value'], expressions: MONTH },
    cells: [{ row: ['Jan 2026', 'yes'], column: ['value'] }],
    behind: `flag AND "Order Date" BETWEEN '2026-01-01' AND '2026-01-31'`,
  },
  {
    name: 'a filtered pivot',
    layout: {
      group_by: ['region'],
      columns: ['value'],
      filter: [
        ['sub-category', 'in', ['Chairs', 'null']],
        ['flag', '==', false],
        ['Order Date', '==', '2026-01-01'],
      ],
    },
    cells: [{ row: ['West'], column: ['value'] }],
    behind: `region = 'West' AND "sub-category" IN ('Chairs', 'null') AND NOT flag
             AND "Order Date" = '2026-01-01'`,
  },
  {
    name: 'a row of a sorted pivot',
    layout: {
      group_by: ['region', 'flag'],
      split_by: ['sub-category'],
      columns: ['value'],
      sort: [
        ['value', 'desc'],
        ['value', 'col desc'],
      ],
    },
    cells: [{ row: ['East', 'no'], column: ['(empty)', 'value'] }],
    behind: `region = 'East' AND NOT flag AND "sub-category" IS NULL`,
  },
  {
    name: 'a collapsed row',
    layout: { group_by: ['region', 'flag'], columns: ['value'], depth: 0 },
    cells: [{ row: ['West'], column: ['value'] }],
    behind: `region = 'West'`,
  },
  {
    name: 'several cells of one column',
    layout: byRegion,
    cells: [
      { row: ['West'], column: ['Chairs', 'value'] },
      { row: ['(empty)'], column: ['Chairs', 'value'] },
      { row: ['null'], column: ['Chairs', 'value'] },
    ],
    behind: `"sub-category" = 'Chairs' AND (region IN ('West', 'null') OR region IS NULL)`,
  },
  {
    name: 'several months',
    layout: { group_by: ['region'], split_by: ['Month'], columns: ['value'], expressions: MONTH },
    cells: [
      { row: ['West'], column: ['Dec 2025', 'value'] },
      { row: ['West'], column: ['Feb 2026', 'value'] },
    ],
    behind: `region = 'West' AND "Order Date" IN ('2025-12-31', '2026-02-01')`,
  },
];

test.describe('an operation changes exactly the rows of the selection', () => {
  test.use({ template: 'service' });

  for (const { name, layout, cells, behind } of CASES) {
    test(name, async ({ page, service }) => {
      const { sourceId, versionId, table } = await makeAwkwardPlan(service);
      await service.api.patch(`/sources/${sourceId}`, {
        default_layout: { plugin: 'Datagrid', ...layout },
      });
      const pivot = new PivotPage(page);
      await pivot.open(versionId);
      for (const [i, cell] of cells.entries()) await pivot.click(cell, { ctrl: i > 0 });

      const [stored] = await service.query(
        `SELECT count(*)::int AS rows, sum(value)::float8 AS value FROM ${table} WHERE ${behind}`,
      );
      await expect(page.getByTestId('row-count')).toHaveText(stored.rows.toLocaleString('en-US'));
      await pivot.scaleValue(10);

      expect(await leaves(service.query, table, `pf_iter = 'scale'`)).toEqual(
        await leaves(service.query, table, `pf_iter = 'baseline' AND ${behind}`),
      );
      const [added] = await service.query(
        `SELECT sum(value)::float8 AS value, sum(units)::int AS units FROM ${table}
          WHERE pf_iter = 'scale'`,
      );
      expect(added.value).toBeCloseTo(stored.value / 10, 1);
      expect(added.units).toBe(0);

      // The screen matches the stored rows, including empty groups.
      const [last] = cells;
      if (last?.column?.at(-1) === 'value' && cells.length === 1) {
        const [now] = await service.query(
          `SELECT sum(value)::float8 AS value FROM ${table} WHERE ${behind}`,
        );
        await expect.poll(() => pivot.number(last)).toBeCloseTo(now.value, 2);
        await page.getByRole('button', { name: 'Undo', exact: true }).click();
        await expect.poll(() => pivot.number(last)).toBeCloseTo(stored.value, 2);
      }
    });
  }
});
