-- Row by row and at a grain alike.
WITH happened AS (
SELECT
    (s."Order Date" + {{date_offset}}::interval)::date AS "Order Date",
    period_1."cal_year"::bigint AS "Order Year",
    s."Category" COLLATE "default" AS "Category",
    s."Sub-Category" COLLATE "default" AS "Sub-Category",
    s."Region" COLLATE "default" AS "Region",
    s."Sales"::numeric AS "Sales",
    s."Quantity"::bigint AS "Quantity"
FROM (
    SELECT * FROM "public"."superstore"
    WHERE {{filter_clause}}
) AS s
LEFT JOIN pf.dim_period AS period_1
  ON period_1.sdat = date_trunc('month', (s."Order Date" + {{date_offset}}::interval)::date)::date
),
sides AS (
    SELECT
        "Order Date",
        "Order Year",
        "Category",
        "Sub-Category",
        "Region",
        "Sales",
        "Quantity"
    FROM happened
    WHERE {{where_clause}}
    UNION ALL
    SELECT
        "Order Date",
        "Order Year",
        "Category",
        "Sub-Category",
        "Region",
        -"Sales",
        -"Quantity"
    FROM {{fc_table}}
    WHERE {{where_clause}}
        AND {{exclude_clause}}
),
leaves AS (
    SELECT
        "Order Date",
        "Order Year",
        "Category",
        "Sub-Category",
        "Region",
        COALESCE(SUM("Sales"), 0) AS "Sales",
        COALESCE(SUM("Quantity"), 0) AS "Quantity"
    FROM sides
    GROUP BY
        "Order Date",
        "Order Year",
        "Category",
        "Sub-Category",
        "Region"
    HAVING SUM("Sales") <> 0 OR SUM("Quantity") <> 0
)
INSERT INTO {{fc_table}} (
    "Order Date",
    "Order Year",
    "Category",
    "Sub-Category",
    "Region",
    "Sales",
    "Quantity",
    pf_iter,
    pf_logid
)
SELECT
    "Order Date",
    "Order Year",
    "Category",
    "Sub-Category",
    "Region",
    "Sales",
    "Quantity",
    'actual',
    {{logid}}
FROM leaves
