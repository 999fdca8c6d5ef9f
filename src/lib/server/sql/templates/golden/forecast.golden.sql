-- Row by row and at a grain alike.
WITH targets ("leaf_group", "carrier", "shift", "value_incr", "units_incr") AS (
    {{groups}}
),
carried AS (
SELECT
    targets."leaf_group",
    targets."value_incr",
    targets."units_incr",
    (s."Order Date" + targets."shift")::date AS "Order Date",
    period_1."cal_year"::bigint AS "Order Year",
    s."Category" AS "Category",
    s."Sub-Category" AS "Sub-Category",
    s."Region" AS "Region",
    s."Sales"::numeric AS "Sales",
    s."Quantity"::bigint AS "Quantity"
FROM (
    SELECT * FROM "public"."superstore"
    WHERE {{filter_clause}}
) AS s
JOIN targets
  ON targets."carrier" = ARRAY[s."Region"::text, date_trunc('month', s."Order Date"::date::timestamp)::date::text]::text[]
LEFT JOIN pf.dim_period AS period_1
  ON period_1.sdat = date_trunc('month', (s."Order Date" + targets."shift")::date)::date
),
grouped AS (
    SELECT
        "Order Date",
        "Order Year",
        "Category",
        "Sub-Category",
        "Region",
        COALESCE(SUM("Sales"), 0) AS "Sales",
        COALESCE(SUM("Quantity"), 0) AS "Quantity",
        "leaf_group",
        COALESCE("value_incr", SUM(SUM("Sales")) OVER (PARTITION BY "leaf_group")) AS "value_incr",
        COALESCE("units_incr", SUM(SUM("Quantity")) OVER (PARTITION BY "leaf_group")) AS "units_incr"
    FROM carried
    GROUP BY
        "leaf_group",
        "value_incr",
        "units_incr",
        "Order Date",
        "Order Year",
        "Category",
        "Sub-Category",
        "Region"
),
weighted AS (
    SELECT
        grouped.*,
        CASE WHEN SUM("Sales") OVER (PARTITION BY "leaf_group") <> 0 AND SUM(ABS("Sales")) OVER (PARTITION BY "leaf_group") <= 1000 * ABS(SUM("Sales") OVER (PARTITION BY "leaf_group")) THEN "Sales" ELSE 1 END AS "value_weight",
        CASE WHEN SUM("Quantity") OVER (PARTITION BY "leaf_group") <> 0 AND SUM(ABS("Quantity")) OVER (PARTITION BY "leaf_group") <= 1000 * ABS(SUM("Quantity") OVER (PARTITION BY "leaf_group")) THEN "Quantity" ELSE 1 END AS "units_weight"
    FROM grouped
),
summed AS (
    SELECT
        weighted.*,
        SUM("value_weight") OVER (PARTITION BY "leaf_group" ORDER BY "Order Date", "Order Year", "Category" COLLATE "C", "Sub-Category" COLLATE "C", "Region" COLLATE "C" ROWS UNBOUNDED PRECEDING) AS "value_running",
        SUM("value_weight") OVER (PARTITION BY "leaf_group") AS "value_total",
        SUM("units_weight") OVER (PARTITION BY "leaf_group" ORDER BY "Order Date", "Order Year", "Category" COLLATE "C", "Sub-Category" COLLATE "C", "Region" COLLATE "C" ROWS UNBOUNDED PRECEDING) AS "units_running",
        SUM("units_weight") OVER (PARTITION BY "leaf_group") AS "units_total"
    FROM weighted
),
shared AS (
    SELECT
        summed.*,
        ROUND(("value_incr" + 0e-30) * "value_running" / "value_total", 4) AS "value_up_to",
        ROUND(("units_incr" + 0e-30) * "units_running" / "units_total", 0) AS "units_up_to"
    FROM summed
),
parts AS (
    SELECT
        "Order Date",
        "Order Year",
        "Category",
        "Sub-Category",
        "Region",
        "value_up_to" - LAG("value_up_to", 1, 0::numeric) OVER (PARTITION BY "leaf_group" ORDER BY "Order Date", "Order Year", "Category" COLLATE "C", "Sub-Category" COLLATE "C", "Region" COLLATE "C") AS "Sales",
        "units_up_to" - LAG("units_up_to", 1, 0::numeric) OVER (PARTITION BY "leaf_group" ORDER BY "Order Date", "Order Year", "Category" COLLATE "C", "Sub-Category" COLLATE "C", "Region" COLLATE "C") AS "Quantity"
    FROM shared
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
    'forecast',
    {{logid}}
FROM parts
WHERE ("Sales" <> 0 OR "Quantity" <> 0)
    AND (SELECT COUNT(*) FROM targets) = (SELECT COUNT(DISTINCT "leaf_group") FROM grouped)
ORDER BY "Order Date", "Order Year", "Category" COLLATE "C", "Sub-Category" COLLATE "C", "Region" COLLATE "C"
