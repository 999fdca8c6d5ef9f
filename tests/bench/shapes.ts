/** A source table for measurements. */
export interface Shape {
  tname: string;
  /** The rows as SQL; `i` counts them from 0. */
  select: string;
  rows: number;
  columns: { cname: string; role: string; in_grain: boolean }[];
}

/** Number of leaves in a slice of one batch. */
export const LEAVES = 10_000;

const columns = (roles: Record<string, string>, grain: readonly string[] = []) =>
  Object.entries(roles).map(([cname, role]) => ({ cname, role, in_grain: grain.includes(cname) }));

/**
 * Returns orders to plan with, each of which is a leaf.
 *
 * @param grain whether there is a display grain; it has at most 96,000 groups
 */
export const plannedOrders = (rows: number, { grain }: { grain: boolean }): Shape => ({
  tname: `orders_${rows}`,
  rows,
  select: `
    'Region ' || i % 20 AS "Region", 'Category ' || i / 20 % 100 AS "Category",
    (date '2024-01-01' + interval '1 month' * (i / 2000 % 48))::date AS "Month",
    'Product ' || i / 20 % 100 || '-' || i / 96000 % 100 AS "Product",
    'Batch ' || i / ${LEAVES} AS "Batch", 'Customer ' || i / 9600000 AS "Customer",
    round(1 + i * 7.919 % 5000, 2)::numeric(12,2) AS "Sales", (i % 14 + 1)::int AS "Quantity"`,
  columns: columns(
    {
      Region: 'dimension',
      Category: 'dimension',
      Month: 'date',
      Product: 'dimension',
      Batch: 'dimension',
      Customer: 'dimension',
      Sales: 'value',
      Quantity: 'units',
    },
    grain ? ['Region', 'Category', 'Month'] : [],
  ),
});

/**
 * Returns the table for reads in `docs/performance.md`: ten texts, one of them with nulls, a date, two
 * measures.
 */
export const wideOrders = (rows: number): Shape => ({
  tname: 'wide_orders',
  rows,
  select: `
    'Region ' || i * 7919 % 5 AS "Region", 'State of ' || i * 104729 % 49 AS "State",
    'City name ' || i * 15485863 % 531 AS "City", 'Category ' || i % 3 AS "Category",
    'Sub-Category ' || i * 31 % 17 AS "Sub-Category", 'Product ' || i * 32452843 % 1861 AS "Product",
    'Customer ' || i * 49979687 % 793 AS "Customer",
    CASE WHEN i % 11 > 0 THEN 'Segment ' || i % 3 END AS "Segment",
    'Ship mode ' || i % 4 AS "Ship Mode", 'Manager ' || i % 23 AS "Manager",
    date '2024-01-01' + (i % 1461)::int AS "Order Date",
    round(i * 7.919 % 5000, 2) AS "Sales", (i % 14 + 1)::numeric AS "Quantity"`,
  columns: columns({
    Region: 'dimension',
    State: 'dimension',
    City: 'dimension',
    Category: 'dimension',
    'Sub-Category': 'dimension',
    Product: 'dimension',
    Customer: 'dimension',
    Segment: 'dimension',
    'Ship Mode': 'dimension',
    Manager: 'dimension',
    'Order Date': 'date',
    Sales: 'value',
    Quantity: 'units',
  }),
});

/** Returns the table for scales of all rows: that of reads, with a further text and with decimals that its columns state. */
export const decimalOrders = (rows: number): Shape => {
  const wide = wideOrders(rows);
  return {
    tname: 'decimal_orders',
    rows,
    select: `${wide.select
      .replace('AS "Sales"', '::numeric(12,2) AS "Sales"')
      .replace(
        '::numeric AS "Quantity"',
        '::int AS "Quantity"',
      )}, 'Channel ' || i % 7 AS "Channel"`,
    columns: [...wide.columns, { cname: 'Channel', role: 'dimension', in_grain: false }],
  };
};

/** Returns a table with further measures beside its others. */
export const withMeasures = (shape: Shape, names: readonly string[]): Shape => ({
  ...shape,
  tname: `${shape.tname}_${names.length}`,
  select: [
    shape.select,
    ...names.map((name, at) => `round(i * ${at + 3}.917 % 5000, 2) AS "${name}"`),
  ].join(', '),
  columns: [
    ...shape.columns,
    ...names.map((cname) => ({ cname, role: 'measure', in_grain: false })),
  ],
});

/** Returns sales of 20,000 products in 20 regions, with a group of products that has 200 values. */
export const articles = (rows: number): Shape => ({
  tname: 'articles',
  rows,
  select: `
    'Region ' || i % 20 + 1 AS "Region", 'Product ' || i * 7919 % 20000 AS "Product",
    'Group ' || i * 7919 % 200 + 1 AS "Group", 'Customer ' || i % 793 AS "Customer",
    date '2024-01-01' + (i % 1461)::int AS "Order Date",
    round(1 + i * 7.919 % 5000, 2)::numeric(12,2) AS "Sales", (i % 14 + 1)::int AS "Quantity"`,
  columns: columns({
    Region: 'dimension',
    Product: 'dimension',
    Group: 'dimension',
    Customer: 'dimension',
    'Order Date': 'date',
    Sales: 'value',
    Quantity: 'units',
  }),
});

/** Returns a retailer's invoice lines: 38 countries, most lines from one, 4,070 products, 25,900 invoices. */
export const invoiceLines = (rows: number): Shape => ({
  tname: 'invoice_lines',
  rows,
  select: `
    CASE WHEN i % 10 > 0 THEN 'United Kingdom' ELSE 'Country ' || i / 10 % 37 END AS "Country",
    (536365 + i * 25900 / ${rows})::text AS "Invoice",
    'Code ' || i * 7919 % 4070 AS "Stock code",
    'What the article is called ' || i * 7919 % 4070 AS "Description",
    CASE WHEN i % 4 > 0 THEN 'Customer ' || i * 25900 / ${rows} % 4372 END AS "Customer",
    date '2010-12-01' + (i * 305 / ${rows})::int AS "Invoice date",
    round((i * 3.17 % 400) - 8, 2)::numeric(12,2) AS "Amount", (i % 24 - 1)::int AS "Quantity"`,
  columns: columns({
    Country: 'dimension',
    Invoice: 'dimension',
    'Stock code': 'dimension',
    Description: 'dimension',
    Customer: 'dimension',
    'Invoice date': 'date',
    Amount: 'value',
    Quantity: 'units',
  }),
});

/** The texts of the table below. With date, measures and the columns of the service, it has 55 columns. */
const TEXTS = Array.from({ length: 46 }, (_, at) => `Field ${at + 1}`);

/** Returns the number of distinct values of a text: few, like a status, or many, like an order number. */
const valuesOf = (at: number) => [5, 12, 40, 150, 600, 2500][at % 6]!;

/** Returns a table with many columns by which nobody groups, as companies often have. */
export const manyColumns = (rows: number): Shape => ({
  tname: 'many_columns',
  rows,
  select: [
    ...TEXTS.map((name, at) => `'${name} is ' || i * ${7919 + at} % ${valuesOf(at)} AS "${name}"`),
    `date '2026-01-01' + (i % 365)::int AS "Ship date"`,
    `round(1 + i * 7.919 % 5000, 2)::numeric(12,2) AS "Value"`,
    `(i % 14 + 1)::int AS "Units"`,
  ].join(', '),
  columns: columns({
    ...Object.fromEntries(TEXTS.map((name) => [name, 'dimension'])),
    'Ship date': 'date',
    Value: 'value',
    Units: 'units',
  }),
});
