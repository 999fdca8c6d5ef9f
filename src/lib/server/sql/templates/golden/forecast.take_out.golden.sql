-- Row by row and at a grain alike.
WITH leaves AS (
    SELECT
        "Order Date",
        "Order Year",
        "Category" COLLATE "C" AS "Category",
        "Sub-Category" COLLATE "C" AS "Sub-Category",
        "Region" COLLATE "C" AS "Region",
        COALESCE(SUM("Sales"), 0) AS "Sales",
        COALESCE(SUM("Quantity"), 0) AS "Quantity"
    FROM {{fc_table}}
    WHERE {{where_clause}}
        AND {{exclude_clause}}
    GROUP BY
        "Order Date",
        "Order Year",
        "Category" COLLATE "C",
        "Sub-Category" COLLATE "C",
        "Region" COLLATE "C"
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
    -"Sales",
    -"Quantity",
    'forecast',
    {{logid}}
FROM leaves
ORDER BY "Order Date", "Order Year", "Category" COLLATE "C", "Sub-Category" COLLATE "C", "Region" COLLATE "C"
