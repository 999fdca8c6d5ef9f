-- Row by row and at a grain alike.
WITH happened AS (
SELECT
    (s."Order Date" + '1 year'::interval)::date AS "Order Date",
    period_1."cal_year"::bigint AS "Order Year",
    s."Category" COLLATE "default" AS "Category",
    s."Sub-Category" COLLATE "default" AS "Sub-Category",
    s."Region" COLLATE "default" AS "Region",
    s."Sales"::numeric AS "Sales",
    s."Quantity"::bigint AS "Quantity"
FROM (
    SELECT * FROM "public"."superstore"
    WHERE TRUE
) AS s
LEFT JOIN pf.dim_period AS period_1
  ON period_1.sdat = date_trunc('month', (s."Order Date" + '1 year'::interval)::date)::date
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
    WHERE (("Region" = '{{logid}}') OR ("Region" = 'B'))
    UNION ALL
    SELECT
        "Order Date",
        "Order Year",
        "Category",
        "Sub-Category",
        "Region",
        -"Sales",
        -"Quantity"
    FROM pf.fc_1
    WHERE (("Region" = '{{logid}}') OR ("Region" = 'B'))
        AND (pf_logid = 3 OR (pf_logid IN (7, 9) AND pf_created_at IN ('2026-11-21T22:43:58.872001Z'::timestamptz, '2026-11-22T22:43:58.872002Z'::timestamptz)))
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
SELECT
    CASE WHEN "Region" = '{{logid}}' THEN 0 WHEN "Region" = 'B' THEN 1 END AS place,
    date_trunc('month', "Order Date"::timestamp)::date::text AS month,
    count(*) AS rows
FROM leaves
GROUP BY 1, 2
ORDER BY 1, 2