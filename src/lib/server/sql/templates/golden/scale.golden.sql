WITH leaves AS (
    SELECT
        "Order Date",
        "Order Year",
        "Category",
        "Sub-Category",
        "Region",
        COALESCE(SUM("Sales"), 0) AS "Sales",
        COALESCE(SUM("Quantity"), 0) AS "Quantity"
    FROM {{fc_table}}
    WHERE {{where_clause}}
        AND {{exclude_clause}}
    GROUP BY
        "Order Date",
        "Order Year",
        "Category",
        "Sub-Category",
        "Region"
),
counted AS (
    SELECT
        leaves.*,
        CASE
            WHEN {{spread}} = 'equal' THEN 1
            WHEN {{pct}} IS NOT NULL OR BOOL_OR("Quantity" <> 0) OVER () THEN "Quantity"::numeric
            WHEN SUM("Sales") OVER () <> 0 THEN "Sales"::numeric
            ELSE 1
        END AS "units_weight"
    FROM leaves
),
units_summed AS (
    SELECT
        counted.*,
        SUM("units_weight") OVER (leaf_order ROWS UNBOUNDED PRECEDING) AS "units_running",
        SUM("units_weight") OVER () AS "units_total",
        SUM(ABS("units_weight")) OVER () AS "units_swing"
    FROM counted
    WINDOW leaf_order AS (ORDER BY "Order Date", "Order Year", "Category" COLLATE "C", "Sub-Category" COLLATE "C", "Region" COLLATE "C")
),
weighted AS (
    SELECT
        units_summed.*,
        CASE
            WHEN {{spread}} = 'equal' THEN 1
            WHEN {{spread}} = 'price' THEN CASE
                WHEN "Quantity"::numeric <> 0 THEN ((ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * "units_running"
            WHEN COALESCE({{units_incr}}, 0) <> 0 THEN ({{units_incr}} + 0e-30) * "units_running" / NULLIF("units_total", 0)
            ELSE 0
        END, 0) - ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * ("units_running" - "units_weight")
            WHEN COALESCE({{units_incr}}, 0) <> 0 THEN ({{units_incr}} + 0e-30) * ("units_running" - "units_weight") / NULLIF("units_total", 0)
            ELSE 0
        END, 0))::numeric * "Sales"::numeric + 0e-60) / "Quantity"::numeric
                ELSE ({{units_incr}}::numeric * "Sales"::numeric + 0e-60) / NULLIF("units_total", 0)::numeric
            END
            WHEN {{pct}} IS NOT NULL OR BOOL_OR("Sales" <> 0) OVER () THEN "Sales"::numeric
            WHEN SUM("Quantity") OVER () <> 0 THEN "Quantity"::numeric
            ELSE 1
        END AS "value_weight"
    FROM units_summed
),
summed AS (
    SELECT
        weighted.*,
        SUM("value_weight") OVER (leaf_order ROWS UNBOUNDED PRECEDING) AS "value_running",
        SUM("value_weight") OVER () AS "value_total",
        SUM(ABS("value_weight")) OVER () AS "value_swing"
    FROM weighted
    WINDOW leaf_order AS (ORDER BY "Order Date", "Order Year", "Category" COLLATE "C", "Sub-Category" COLLATE "C", "Region" COLLATE "C")
),
shared AS (
    SELECT
        summed.*,
        ROUND(ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * "value_running"
            WHEN COALESCE({{value_incr}}, 0) <> 0 THEN ({{value_incr}} + 0e-30) * "value_running" / NULLIF("value_total", 0)
            ELSE 0
        END, 40), 4) AS "value_up_to",
        ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * "units_running"
            WHEN COALESCE({{units_incr}}, 0) <> 0 THEN ({{units_incr}} + 0e-30) * "units_running" / NULLIF("units_total", 0)
            ELSE 0
        END, 0) AS "units_up_to"
    FROM summed
    WHERE ({{pct}} IS NOT NULL OR COALESCE({{value_incr}}, 0) = 0 OR "value_total" <> 0 AND "value_swing" <= 1000 * ABS("value_total"))
        AND ({{pct}} IS NOT NULL OR COALESCE({{units_incr}}, 0) = 0 OR "units_total" <> 0 AND "units_swing" <= 1000 * ABS("units_total"))
),
deltas AS (
    SELECT
        "Order Date",
        "Order Year",
        "Category",
        "Sub-Category",
        "Region",
        "value_up_to" - LAG("value_up_to", 1, 0::numeric) OVER leaf_order AS "Sales",
        "units_up_to" - LAG("units_up_to", 1, 0::numeric) OVER leaf_order AS "Quantity"
    FROM shared
    WINDOW leaf_order AS (ORDER BY "Order Date", "Order Year", "Category" COLLATE "C", "Sub-Category" COLLATE "C", "Region" COLLATE "C")
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
    SELECT "Order Date", "Order Year", "Category", "Sub-Category", "Region", "Sales", "Quantity", 'scale', {{logid}}
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
    'scale' AS pf_op
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
    'scale' AS pf_op
FROM written
GROUP BY
    "Order Year",
    "Category",
    pf_iter,
    pf_logid
