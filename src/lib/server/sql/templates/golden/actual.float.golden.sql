WITH happened AS (
SELECT
    s."Region" COLLATE "default" AS "Region",
    s."Sales" AS "Sales",
    s."Quantity"::bigint AS "Quantity"
FROM (
    SELECT * FROM "public"."superstore"
    WHERE {{filter_clause}}
) AS s
),
sides AS (
    SELECT
        "Region",
        "Sales",
        "Quantity"
    FROM happened
    WHERE {{where_clause}}
    UNION ALL
    SELECT
        "Region",
        -"Sales",
        -"Quantity"
    FROM {{fc_table}}
    WHERE {{where_clause}}
        AND {{exclude_clause}}
),
leaves AS (
    SELECT
        "Region",
        CASE WHEN ABS(SUM("Sales")) > 1e-12 * SUM(ABS("Sales")) OR SUM(ABS("Sales")) >= 'Infinity' THEN (SUM("Sales"::text::numeric))::double precision ELSE 0 END AS "Sales",
        COALESCE(SUM("Quantity"), 0) AS "Quantity"
    FROM sides
    GROUP BY
        "Region"
    HAVING ABS(SUM("Sales")) > 1e-12 * SUM(ABS("Sales")) OR SUM(ABS("Sales")) >= 'Infinity' OR SUM("Quantity") <> 0
)
INSERT INTO {{fc_table}} (
    "Region",
    "Sales",
    "Quantity",
    pf_iter,
    pf_logid
)
SELECT
    "Region",
    "Sales",
    "Quantity",
    'actual',
    {{logid}}
FROM leaves
