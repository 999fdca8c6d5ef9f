WITH leaves AS (
    SELECT
        "Order Date",
        "Region",
        COALESCE(SUM("Sales"), 0) AS "Sales",
        COALESCE(SUM("Quantity"), 0) AS "Quantity",
        COALESCE(SUM("Profit"), 0) AS "Profit",
        CASE WHEN ABS(SUM("Hours")) > 1e-12 * SUM(ABS("Hours")) THEN SUM("Hours") ELSE 0 END AS "Hours"
    FROM {{fc_table}}
    WHERE {{where_clause}}
        AND {{exclude_clause}}
    GROUP BY
        "Order Date",
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
    WINDOW leaf_order AS (ORDER BY "Order Date", "Region" COLLATE "C")
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
    WINDOW leaf_order AS (ORDER BY "Order Date", "Region" COLLATE "C")
),
measures_weighted AS (
    SELECT
        summed.*,
        CASE
            WHEN 'Profit' = ANY ({{with}}) THEN COALESCE(CASE
                WHEN {{spread}} = 'proportional' AND BOOL_OR("Sales" <> 0) OVER () THEN ({{with_incr}}::numeric * "Profit"::numeric + 0e-60) / NULLIF("value_total"::numeric, 0)
                ELSE ({{with_incr}}::numeric * "value_weight" * "Profit"::numeric + 0e-60) / NULLIF("value_total"::numeric * "Sales"::numeric, 0)
            END, 0)
            WHEN {{spread}} = 'equal' THEN 1
            WHEN {{pct}} IS NOT NULL OR BOOL_OR("Profit" <> 0) OVER () THEN "Profit"::numeric
            WHEN SUM("Sales") OVER () <> 0 THEN "Sales"::numeric
            WHEN SUM("Quantity") OVER () <> 0 THEN "Quantity"::numeric
            ELSE 1
        END AS "measure_1_weight",
        CASE
            WHEN 'Hours' = ANY ({{with}}) THEN COALESCE(CASE
                WHEN {{spread}} = 'proportional' AND BOOL_OR("Sales" <> 0) OVER () THEN "Hours"::double precision * ({{with_incr}}::numeric / NULLIF("value_total"::numeric, 0))::double precision
                ELSE "Hours"::double precision * ({{with_incr}}::numeric * "value_weight" / NULLIF("value_total"::numeric * "Sales"::numeric, 0))::double precision
            END, 0)
            WHEN {{spread}} = 'equal' THEN 1
            WHEN {{pct}} IS NOT NULL OR BOOL_OR("Hours" <> 0) OVER () THEN "Hours"::double precision
            WHEN SUM("Sales") OVER () <> 0 THEN "Sales"::double precision
            WHEN SUM("Quantity") OVER () <> 0 THEN "Quantity"::double precision
            ELSE 1
        END AS "measure_2_weight"
    FROM summed
),
measures_summed AS (
    SELECT
        measures_weighted.*,
        SUM("measure_1_weight") OVER (leaf_order ROWS UNBOUNDED PRECEDING) AS "measure_1_running",
        SUM("measure_1_weight") OVER () AS "measure_1_total",
        SUM(ABS("measure_1_weight")) OVER () AS "measure_1_swing",
        SUM("measure_2_weight") OVER () AS "measure_2_total",
        SUM(ABS("measure_2_weight")) OVER () AS "measure_2_swing"
    FROM measures_weighted
    WINDOW leaf_order AS (ORDER BY "Order Date", "Region" COLLATE "C")
),
shared AS (
    SELECT
        measures_summed.*,
        ROUND(ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * "value_running"
            WHEN COALESCE({{value_incr}}, 0) <> 0 THEN ({{value_incr}} + 0e-30) * "value_running" / NULLIF("value_total", 0)
            ELSE 0
        END, 40), 4) AS "value_up_to",
        ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * "units_running"
            WHEN COALESCE({{units_incr}}, 0) <> 0 THEN ({{units_incr}} + 0e-30) * "units_running" / NULLIF("units_total", 0)
            ELSE 0
        END, 0) AS "units_up_to",
        ROUND(CASE WHEN 'Profit' = ANY ({{with}}) THEN ROUND("measure_1_running", 40) ELSE CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * "measure_1_running"
            WHEN COALESCE(({{measure_incr}}->>'Profit')::numeric, 0) <> 0 THEN (({{measure_incr}}->>'Profit')::numeric + 0e-30) * "measure_1_running" / NULLIF("measure_1_total", 0)
            ELSE 0
        END END, 2) AS "measure_1_up_to",
        CASE WHEN 'Hours' = ANY ({{with}}) THEN "measure_2_weight" ELSE CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}}::double precision / 100 * "measure_2_weight"
            WHEN COALESCE(({{measure_incr}}->>'Hours')::numeric, 0) <> 0 THEN ({{measure_incr}}->>'Hours')::numeric::double precision * "measure_2_weight" / NULLIF("measure_2_total", 0)
            ELSE 0
        END END AS "measure_2_up_to"
    FROM measures_summed
    WHERE ({{pct}} IS NOT NULL OR COALESCE({{value_incr}}, 0) = 0 OR "value_total" <> 0 AND "value_swing" <= 1000 * ABS("value_total"))
        AND ({{pct}} IS NOT NULL OR COALESCE({{units_incr}}, 0) = 0 OR "units_total" <> 0 AND "units_swing" <= 1000 * ABS("units_total"))
        AND ({{pct}} IS NOT NULL OR COALESCE(({{measure_incr}}->>'Profit')::numeric, 0) = 0 OR "measure_1_total" <> 0 AND "measure_1_swing" <= 1000 * ABS("measure_1_total"))
        AND ({{pct}} IS NOT NULL OR COALESCE(({{measure_incr}}->>'Hours')::numeric, 0) = 0 OR "measure_2_total" <> 0 AND "measure_2_swing" <= 1000 * ABS("measure_2_total"))
),
deltas AS (
    SELECT
        "Order Date",
        "Region",
        "value_up_to" - LAG("value_up_to", 1, 0::numeric) OVER leaf_order AS "Sales",
        "units_up_to" - LAG("units_up_to", 1, 0::numeric) OVER leaf_order AS "Quantity",
        "measure_1_up_to" - LAG("measure_1_up_to", 1, 0::numeric) OVER leaf_order AS "Profit",
        "measure_2_up_to" + CASE
            WHEN {{pct}} IS NULL AND NOT 'Hours' = ANY ({{with}}) AND ROW_NUMBER() OVER (ORDER BY ABS("measure_2_weight") DESC, "Order Date", "Region" COLLATE "C") = 1
            THEN COALESCE(({{measure_incr}}->>'Hours')::numeric, 0)::double precision - SUM("measure_2_up_to") OVER ()
            ELSE 0
        END AS "Hours"
    FROM shared
    WINDOW leaf_order AS (ORDER BY "Order Date", "Region" COLLATE "C")
),
written AS (
    INSERT INTO {{fc_table}} (
        "Order Date",
        "Region",
        "Sales",
        "Quantity",
        "Profit",
        "Hours",
        pf_iter,
        pf_logid
    )
    SELECT "Order Date", "Region", "Sales", "Quantity", "Profit", "Hours", 'scale', {{logid}}
    FROM deltas
    WHERE "Sales" <> 0 OR "Quantity" <> 0 OR "Profit" <> 0 OR "Hours" <> 0
    ORDER BY "Order Date", "Region" COLLATE "C"
    RETURNING *
)
SELECT
    "Region",
    pf_iter,
    pf_logid,
    concat_ws(chr(31), COALESCE("Region"::text, chr(30)), pf_iter, pf_logid::text) AS pf_gkey,
    SUM("Sales") AS "Sales",
    SUM("Quantity") AS "Quantity",
    SUM("Profit") AS "Profit",
    SUM("Hours") AS "Hours",
    {{note}} AS pf_note,
    'scale' AS pf_op
FROM written
GROUP BY
    "Region",
    pf_iter,
    pf_logid
