WITH happened AS (
SELECT
    (s."Order Date" + {{date_offset}}::interval)::date AS "Order Date",
    s."Region" COLLATE "default" AS "Region",
    s."Profit"::numeric AS "Profit",
    s."Sales"::numeric AS "Sales",
    s."Hours" AS "Hours",
    s."Quantity"::bigint AS "Quantity"
FROM (
    SELECT * FROM "public"."superstore"
    WHERE {{filter_clause}}
) AS s
),
sides AS (
    SELECT
        "Order Date",
        "Region",
        "Sales",
        "Quantity",
        "Profit",
        "Hours"
    FROM happened
    WHERE {{where_clause}}
    UNION ALL
    SELECT
        "Order Date",
        "Region",
        -"Sales",
        -"Quantity",
        -"Profit",
        -"Hours"
    FROM {{fc_table}}
    WHERE {{where_clause}}
        AND (pf_logid = 3 OR (pf_logid IN (7, 9) AND pf_created_at IN ('2026-11-21T22:43:58.872001Z'::timestamptz, '2026-11-22T22:43:58.872002Z'::timestamptz)))
),
leaves AS (
    SELECT
        "Order Date",
        "Region",
        COALESCE(SUM("Sales"), 0) AS "Sales",
        COALESCE(SUM("Quantity"), 0) AS "Quantity",
        COALESCE(SUM("Profit"), 0) AS "Profit",
        CASE WHEN ABS(SUM("Hours")) > 1e-12 * SUM(ABS("Hours")) OR SUM(ABS("Hours")) >= 'Infinity' THEN (SUM("Hours"::text::numeric))::double precision ELSE 0 END AS "Hours"
    FROM sides
    GROUP BY
        "Order Date",
        "Region"
    HAVING SUM("Sales") <> 0 OR SUM("Quantity") <> 0 OR SUM("Profit") <> 0 OR ABS(SUM("Hours")) > 1e-12 * SUM(ABS("Hours")) OR SUM(ABS("Hours")) >= 'Infinity'
)
INSERT INTO {{fc_table}} (
    "Order Date",
    "Region",
    "Sales",
    "Quantity",
    "Profit",
    "Hours",
    pf_iter,
    pf_logid,
    pf_created_at
)
SELECT
    "Order Date",
    "Region",
    "Sales",
    "Quantity",
    "Profit",
    "Hours",
    'reference',
    {{logid}},
    '2026-11-23T22:43:58.872001Z'::timestamptz
FROM leaves
