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
),
moving AS (
    SELECT leaves.*
    FROM leaves
    CROSS JOIN LATERAL (
        SELECT {{set_clause}}
    ) AS target
    WHERE ROW(leaves."Order Date", leaves."Order Year", leaves."Category", leaves."Sub-Category", leaves."Region")
        IS DISTINCT FROM ROW(target."Order Date", target."Order Year", target."Category", target."Sub-Category", target."Region")
),
running AS (
    SELECT
        moving.*,
        ROUND({{scale_factor}} * SUM("Sales") OVER (leaf_order ROWS UNBOUNDED PRECEDING), 4) AS "value_up_to",
        ROUND({{scale_factor}} * SUM("Quantity") OVER (leaf_order ROWS UNBOUNDED PRECEDING), 0) AS "units_up_to"
    FROM moving
    WINDOW leaf_order AS (ORDER BY "Order Date", "Order Year", "Category" COLLATE "C", "Sub-Category" COLLATE "C", "Region" COLLATE "C")
),
copies AS (
    SELECT
        "Order Date",
        "Order Year",
        "Category",
        "Sub-Category",
        "Region",
        "value_up_to" - LAG("value_up_to", 1, 0::numeric) OVER leaf_order AS "Sales",
        "units_up_to" - LAG("units_up_to", 1, 0::numeric) OVER leaf_order AS "Quantity"
    FROM running
    WINDOW leaf_order AS (ORDER BY "Order Date", "Order Year", "Category" COLLATE "C", "Sub-Category" COLLATE "C", "Region" COLLATE "C")
),
sides AS (
    SELECT
        side."sign",
        side."Order Date",
        side."Order Year",
        side."Category",
        side."Sub-Category",
        side."Region",
        side."sign" * leaves."Sales" AS "Sales",
        side."sign" * leaves."Quantity" AS "Quantity"
    FROM copies AS leaves
    CROSS JOIN LATERAL (
        SELECT {{set_clause}}
    ) AS target
    CROSS JOIN LATERAL (
        SELECT -1 AS "sign", leaves."Order Date", leaves."Order Year", leaves."Category", leaves."Sub-Category", leaves."Region"
        UNION ALL
        SELECT 1, target."Order Date", target."Order Year", target."Category", target."Sub-Category", target."Region"
    ) AS side
    WHERE leaves."Sales" <> 0 OR leaves."Quantity" <> 0
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
    SELECT "Order Date", "Order Year", "Category", "Sub-Category", "Region", "Sales", "Quantity", 'recode', {{logid}}
    FROM sides
    ORDER BY "sign", "Order Date", "Order Year", "Category" COLLATE "C", "Sub-Category" COLLATE "C", "Region" COLLATE "C", "Sales" DESC, "Quantity" DESC
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
    'recode' AS pf_op
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
    'recode' AS pf_op
FROM written
GROUP BY
    "Order Year",
    "Category",
    pf_iter,
    pf_logid
