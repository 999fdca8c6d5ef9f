/** A slice of one region has so many leaves. */
export const LEAVES = 10_000;

/** A source table of so many rows, each with a leaf of its own. */
export const SETUP = (rows: number) => `
  CREATE TABLE public.orders AS SELECT
    'Region ' || i / ${LEAVES} AS "Region", 'Product ' || i % ${LEAVES} AS "Product",
    'Category ' || i % 17 AS "Category", 'Segment ' || i % 3 AS "Segment",
    date '2026-01-01' + (i % 365)::int AS "Order Date",
    round(1 + i * 7.919 % 5000, 2)::numeric(12,2) AS "Sales", (i % 14 + 1)::int AS "Quantity"
  FROM generate_series(0, ${rows - 1}) AS i;
  VACUUM ANALYZE public.orders`;

/** What its columns are to a plan. */
export const ROLES = {
  Region: 'dimension',
  Product: 'dimension',
  Category: 'dimension',
  Segment: 'dimension',
  'Order Date': 'date',
  Sales: 'value',
  Quantity: 'units',
};
