import { planTable, type PlannedTable } from '../support/planned-table';
import type { Service } from '../support/service';

const TABLE = `
  CREATE TABLE public."awkward sales" AS
  SELECT row_number() OVER ()::int AS id, region, "sub-category", flag, size, day AS "Order Date",
         (10 + row_number() OVER () * 0.25)::numeric(12,2) AS value, (row_number() OVER () % 7 + 1)::int AS units
    FROM unnest(ARRAY['West', 'East', '', 'null', 'a|b', 'a', NULL]) AS region
   CROSS JOIN unnest(ARRAY['Chairs', 'b', 'b|b', 'null', NULL]) AS "sub-category"
   CROSS JOIN unnest(ARRAY[true, false, NULL]) AS flag
   CROSS JOIN unnest(ARRAY[0, 40, NULL]) AS size
   CROSS JOIN unnest(ARRAY['2025-12-31', '2026-01-01', '2026-01-31', '2026-02-01', NULL]::date[]) AS day`;

/**
 * Creates a plan whose values are easily lost between a cell and its rows: empty values beside the text
 * "null", empty text, bars, 0 and false, days at the edges of months.
 */
export async function makeAwkwardPlan(service: Service): Promise<PlannedTable> {
  await service.query(TABLE);
  return planTable(service, 'awkward sales', {
    region: 'dimension',
    'sub-category': 'dimension',
    flag: 'dimension',
    size: 'dimension',
    'Order Date': 'date',
    value: 'value',
    units: 'units',
  });
}
