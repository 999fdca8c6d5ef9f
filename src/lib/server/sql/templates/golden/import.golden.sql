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
),
grouped AS (
    {{groups}}
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
deltas AS (
    SELECT
        "Order Date",
        "Order Year",
        "Category",
        "Sub-Category",
        "Region",
        "value_up_to" - LAG("value_up_to", 1, 0::numeric) OVER (PARTITION BY "leaf_group" ORDER BY "Order Date", "Order Year", "Category" COLLATE "C", "Sub-Category" COLLATE "C", "Region" COLLATE "C") AS "Sales",
        "units_up_to" - LAG("units_up_to", 1, 0::numeric) OVER (PARTITION BY "leaf_group" ORDER BY "Order Date", "Order Year", "Category" COLLATE "C", "Sub-Category" COLLATE "C", "Region" COLLATE "C") AS "Quantity"
    FROM shared
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
    SELECT "Order Date", "Order Year", "Category", "Sub-Category", "Region", "Sales", "Quantity", 'import', {{logid}}
    FROM deltas
    WHERE "Sales" <> 0 OR "Quantity" <> 0
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
    'import' AS pf_op
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
    'import' AS pf_op
FROM written
GROUP BY
    "Order Year",
    "Category",
    pf_iter,
    pf_logid
