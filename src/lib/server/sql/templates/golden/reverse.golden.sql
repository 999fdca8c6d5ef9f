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
        AND pf_logid IN (7, 9)
    GROUP BY
        "Order Date",
        "Order Year",
        "Category" COLLATE "C",
        "Sub-Category" COLLATE "C",
        "Region" COLLATE "C"
    HAVING SUM("Sales") <> 0 OR SUM("Quantity") <> 0
),
written AS (
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
    SELECT "Order Date", "Order Year", "Category", "Sub-Category", "Region", -"Sales", -"Quantity", 'reverse', {{logid}}
    FROM leaves
    ORDER BY "Order Date", "Order Year", "Category" COLLATE "C", "Sub-Category" COLLATE "C", "Region" COLLATE "C"
    RETURNING *
)
-- ===== the end, row by row =====
SELECT
    "Order Date",
    "Order Year",
    "Category",
    "Sub-Category",
    "Region",
    "Sales",
    "Quantity",
    pf_id,
    pf_iter,
    pf_logid,
    pf_created_at,
    {{note}} AS pf_note,
    'reverse' AS pf_op
FROM written
ORDER BY pf_id

-- ===== the end, at a grain =====
SELECT
    "Order Year",
    "Category",
    pf_iter,
    pf_logid,
    concat_ws(chr(31), COALESCE("Order Year"::text, chr(30)), COALESCE("Category"::text, chr(30)), pf_iter, pf_logid::text) AS pf_gkey,
    SUM("Sales") AS "Sales",
    SUM("Quantity") AS "Quantity",
    {{note}} AS pf_note,
    'reverse' AS pf_op
FROM written
GROUP BY
    "Order Year",
    "Category",
    pf_iter,
    pf_logid
