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
    SELECT edited.*, COALESCE('0' || "Category" COLLATE "C" || chr(31), '1')
            || COALESCE('0' || "Sub-Category" COLLATE "C" || chr(31), '1')
            || COALESCE('0' || "Region" COLLATE "C" || chr(31), '1') AS "leaf_key_1" FROM (
    {{groups}}
    ) AS edited
    ORDER BY "leaf_group", "Order Date", "Order Year", "leaf_key_1"
),
known AS (
    SELECT
        grouped.*,
        BOOL_OR("Sales" <> 0) OVER (PARTITION BY "leaf_group") AS "value_some",
        BOOL_OR("Quantity" <> 0) OVER (PARTITION BY "leaf_group") AS "units_some",
        SUM("Sales") OVER (PARTITION BY "leaf_group") <> 0 AS "value_nets",
        SUM("Quantity") OVER (PARTITION BY "leaf_group") <> 0 AS "units_nets"
    FROM grouped
),
weighted AS (
    SELECT
        known.*,
        CASE
            WHEN {{spread}} = 'equal' THEN 1
            WHEN {{pct}} IS NOT NULL OR "value_some" THEN "Sales"::numeric
            WHEN "units_nets" THEN "Quantity"::numeric
            ELSE 1
        END AS "value_weight",
        CASE
            WHEN {{spread}} = 'equal' THEN 1
            WHEN {{pct}} IS NOT NULL OR "units_some" THEN "Quantity"::numeric
            WHEN "value_nets" THEN "Sales"::numeric
            ELSE 1
        END AS "units_weight"
    FROM known
),
summed AS (
    SELECT
        weighted.*,
        SUM("value_weight") OVER (leaf_order ROWS UNBOUNDED PRECEDING) AS "value_running",
        SUM("value_weight") OVER (PARTITION BY "leaf_group") AS "value_total",
        SUM(ABS("value_weight")) OVER (PARTITION BY "leaf_group") AS "value_swing",
        SUM("units_weight") OVER (leaf_order ROWS UNBOUNDED PRECEDING) AS "units_running",
        SUM("units_weight") OVER (PARTITION BY "leaf_group") AS "units_total",
        SUM(ABS("units_weight")) OVER (PARTITION BY "leaf_group") AS "units_swing"
    FROM weighted
    WINDOW leaf_order AS (PARTITION BY "leaf_group" ORDER BY "Order Date", "Order Year", "leaf_key_1")
),
counted AS (
    SELECT
        summed.*,
        ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * "units_running"
            WHEN COALESCE("units_incr", 0) <> 0 THEN ("units_incr" + 0e-30) * "units_running" / NULLIF("units_total", 0)
            ELSE 0
        END, 0) - ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * ("units_running" - "units_weight")
            WHEN COALESCE("units_incr", 0) <> 0 THEN ("units_incr" + 0e-30) * ("units_running" - "units_weight") / NULLIF("units_total", 0)
            ELSE 0
        END, 0) AS "units_part"
    FROM summed
),
worth AS (
    SELECT
        counted.*,
        CASE
            WHEN {{spread}} = 'price' THEN CASE
                WHEN "Quantity"::numeric <> 0 THEN ("units_part"::numeric * "Sales"::numeric + 0e-60) / "Quantity"::numeric
                ELSE ("units_incr"::numeric * "Sales"::numeric + 0e-60) / NULLIF("units_total", 0)::numeric
            END
        END AS "value_worth"
    FROM counted
),
priced AS (
    SELECT
        worth.*,
        CASE WHEN {{spread}} = 'price' THEN "value_worth" ELSE "value_weight" END AS "priced_weight",
        CASE WHEN {{spread}} = 'price' THEN SUM("value_worth") OVER (leaf_order ROWS UNBOUNDED PRECEDING) ELSE "value_running" END AS "priced_running",
        CASE WHEN {{spread}} = 'price' THEN SUM("value_worth") OVER (PARTITION BY "leaf_group") ELSE "value_total" END AS "priced_total",
        CASE WHEN {{spread}} = 'price' THEN SUM(ABS("value_worth")) OVER (PARTITION BY "leaf_group") ELSE "value_swing" END AS "priced_swing"
    FROM worth
    WINDOW leaf_order AS (PARTITION BY "leaf_group" ORDER BY "Order Date", "Order Year", "leaf_key_1")
    ORDER BY "leaf_group", "Order Date", "Order Year", "leaf_key_1"
),
shared AS (
    SELECT
        priced.*,
        ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * "priced_running"
            WHEN COALESCE("value_incr", 0) <> 0 THEN ROUND(("value_incr" + 0e-30) * "priced_running" / NULLIF("priced_total", 0), 40)
            ELSE 0
        END, 4) - ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * ("priced_running" - "priced_weight")
            WHEN COALESCE("value_incr", 0) <> 0 THEN ROUND(("value_incr" + 0e-30) * ("priced_running" - "priced_weight") / NULLIF("priced_total", 0), 40)
            ELSE 0
        END, 4) AS "priced_part"
    FROM priced
),
deltas AS (
    SELECT
        "Order Date",
        "Order Year",
        "Category",
        "Sub-Category",
        "Region",
        "priced_part" AS "Sales",
        "units_part" AS "Quantity",
        "leaf_key_1",
        "leaf_group",
        BOOL_AND(({{pct}} IS NOT NULL OR COALESCE("value_incr", 0) = 0 OR ({{spread}} = 'equal' OR "value_some") AND "priced_total" <> 0 AND "priced_swing" <= 1000 * ABS("priced_total"))
        AND ({{pct}} IS NOT NULL OR COALESCE("units_incr", 0) = 0 OR ({{spread}} = 'equal' OR "units_some") AND "units_total" <> 0 AND "units_swing" <= 1000 * ABS("units_total"))) OVER () AS "every_edit"
    FROM shared
    ORDER BY "leaf_group", "Order Date", "Order Year", "leaf_key_1"
    OFFSET 0
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
    WHERE "every_edit" AND ("Sales" <> 0 OR "Quantity" <> 0)
    ORDER BY "leaf_group", "Order Date", "Order Year", "leaf_key_1"
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
