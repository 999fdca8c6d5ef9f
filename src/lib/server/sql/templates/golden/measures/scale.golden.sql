WITH leaves AS (
    SELECT
        "Order Date",
        "Region" COLLATE "C" AS "Region",
        COALESCE(SUM("Sales"), 0) AS "Sales",
        COALESCE(SUM("Quantity"), 0) AS "Quantity",
        COALESCE(SUM("Profit"), 0) AS "Profit",
        CASE WHEN ABS(SUM("Hours")) > 1e-12 * SUM(ABS("Hours")) THEN (SUM("Hours"::text::numeric))::double precision ELSE 0 END AS "Hours"
    FROM {{fc_table}}
    WHERE {{where_clause}}
        AND {{exclude_clause}}
    GROUP BY
        "Order Date",
        "Region" COLLATE "C"
),
known AS (
    SELECT
        leaves.*,
        BOOL_OR("Sales" <> 0) OVER () AS "value_some",
        BOOL_OR("Quantity" <> 0) OVER () AS "units_some",
        BOOL_OR("Profit" <> 0) OVER () AS "measure_1_some",
        BOOL_OR("Hours" <> 0) OVER () AS "measure_2_some",
        SUM("Sales") OVER () <> 0 AS "value_nets",
        SUM("Quantity") OVER () <> 0 AS "units_nets"
    FROM leaves
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
        SUM("value_weight") OVER () AS "value_total",
        SUM(ABS("value_weight")) OVER () AS "value_swing",
        SUM("units_weight") OVER (leaf_order ROWS UNBOUNDED PRECEDING) AS "units_running",
        SUM("units_weight") OVER () AS "units_total",
        SUM(ABS("units_weight")) OVER () AS "units_swing"
    FROM weighted
    WINDOW leaf_order AS (ORDER BY "Order Date", "Region" COLLATE "C")
),
counted AS (
    SELECT
        summed.*,
        ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * "units_running"
            WHEN COALESCE({{units_incr}}, 0) <> 0 THEN ({{units_incr}} + 0e-30) * "units_running" / NULLIF("units_total", 0)
            ELSE 0
        END, 0) - ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * ("units_running" - "units_weight")
            WHEN COALESCE({{units_incr}}, 0) <> 0 THEN ({{units_incr}} + 0e-30) * ("units_running" - "units_weight") / NULLIF("units_total", 0)
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
                ELSE ({{units_incr}}::numeric * "Sales"::numeric + 0e-60) / NULLIF("units_total", 0)::numeric
            END
        END AS "value_worth"
    FROM counted
),
priced AS (
    SELECT
        worth.*,
        CASE WHEN {{spread}} = 'price' THEN "value_worth" ELSE "value_weight" END AS "priced_weight",
        CASE WHEN {{spread}} = 'price' THEN SUM("value_worth") OVER (leaf_order ROWS UNBOUNDED PRECEDING) ELSE "value_running" END AS "priced_running",
        CASE WHEN {{spread}} = 'price' THEN SUM("value_worth") OVER () ELSE "value_total" END AS "priced_total",
        CASE WHEN {{spread}} = 'price' THEN SUM(ABS("value_worth")) OVER () ELSE "value_swing" END AS "priced_swing"
    FROM worth
    WINDOW leaf_order AS (ORDER BY "Order Date", "Region" COLLATE "C")
    ORDER BY "Order Date", "Region" COLLATE "C"
),
shared AS (
    SELECT
        priced.*,
        ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * "priced_running"
            WHEN COALESCE({{value_incr}}, 0) <> 0 THEN ROUND(({{value_incr}} + 0e-30) * "priced_running" / NULLIF("priced_total", 0), 40)
            ELSE 0
        END, 4) - ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * ("priced_running" - "priced_weight")
            WHEN COALESCE({{value_incr}}, 0) <> 0 THEN ROUND(({{value_incr}} + 0e-30) * ("priced_running" - "priced_weight") / NULLIF("priced_total", 0), 40)
            ELSE 0
        END, 4) AS "priced_part"
    FROM priced
),
measures_weighted AS (
    SELECT
        shared.*,
        CASE
            WHEN 'Profit' = ANY ({{with}}) THEN COALESCE(CASE
                WHEN {{spread}} = 'proportional' AND "value_some" THEN ({{with_incr}}::numeric * "Profit"::numeric + 0e-60) / NULLIF("priced_total"::numeric, 0)
                ELSE ({{with_incr}}::numeric * "priced_weight" * "Profit"::numeric + 0e-60) / NULLIF("priced_total"::numeric * "Sales"::numeric, 0)
            END, 0)
            WHEN {{spread}} = 'equal' THEN 1
            WHEN {{pct}} IS NOT NULL OR "measure_1_some" THEN "Profit"::numeric
            WHEN "value_nets" THEN "Sales"::numeric
            WHEN "units_nets" THEN "Quantity"::numeric
            ELSE 1
        END AS "measure_1_weight",
        CASE
            WHEN 'Hours' = ANY ({{with}}) THEN COALESCE(CASE
                WHEN {{spread}} = 'proportional' AND "value_some" THEN "Hours"::double precision * ({{with_incr}}::numeric / NULLIF("priced_total"::numeric, 0))::double precision
                ELSE "Hours"::double precision * ({{with_incr}}::numeric * "priced_weight" / NULLIF("priced_total"::numeric * "Sales"::numeric, 0))::double precision
            END, 0)
            WHEN {{spread}} = 'equal' THEN 1
            WHEN {{pct}} IS NOT NULL OR "measure_2_some" THEN "Hours"::double precision
            WHEN "value_nets" THEN "Sales"::double precision
            WHEN "units_nets" THEN "Quantity"::double precision
            ELSE 1
        END AS "measure_2_weight"
    FROM shared
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
measures_shared AS (
    SELECT
        measures_summed.*,
        ROUND(CASE WHEN 'Profit' = ANY ({{with}}) THEN ROUND("measure_1_running", 40) ELSE CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * "measure_1_running"
            WHEN COALESCE(({{measure_incr}}->>'Profit')::numeric, 0) <> 0 THEN (({{measure_incr}}->>'Profit')::numeric + 0e-30) * "measure_1_running" / NULLIF("measure_1_total", 0)
            ELSE 0
        END END, 2) - ROUND(CASE WHEN 'Profit' = ANY ({{with}}) THEN ROUND(("measure_1_running" - "measure_1_weight"), 40) ELSE CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * ("measure_1_running" - "measure_1_weight")
            WHEN COALESCE(({{measure_incr}}->>'Profit')::numeric, 0) <> 0 THEN (({{measure_incr}}->>'Profit')::numeric + 0e-30) * ("measure_1_running" - "measure_1_weight") / NULLIF("measure_1_total", 0)
            ELSE 0
        END END, 2) AS "measure_1_part",
        CASE WHEN 'Hours' = ANY ({{with}}) THEN "measure_2_weight" ELSE CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}}::double precision / 100 * "measure_2_weight"
            WHEN COALESCE(({{measure_incr}}->>'Hours')::numeric, 0) <> 0 THEN ({{measure_incr}}->>'Hours')::numeric::double precision * "measure_2_weight" / NULLIF("measure_2_total", 0)
            ELSE 0
        END END AS "measure_2_part"
    FROM measures_summed
),
deltas AS (
    SELECT
        "Order Date",
        "Region",
        "priced_part" AS "Sales",
        "units_part" AS "Quantity",
        "measure_1_part" AS "Profit",
        "measure_2_part" + CASE
            WHEN {{pct}} IS NULL AND NOT 'Hours' = ANY ({{with}}) AND ROW_NUMBER() OVER (ORDER BY ABS("measure_2_weight") DESC, "Order Date", "Region" COLLATE "C") = 1
            THEN COALESCE(({{measure_incr}}->>'Hours')::numeric, 0)::double precision - SUM("measure_2_part") OVER ()
            ELSE 0
        END AS "Hours"
    FROM measures_shared
    WHERE ({{pct}} IS NOT NULL OR COALESCE({{value_incr}}, 0) = 0 OR "priced_total" <> 0 AND "priced_swing" <= 1000 * ABS("priced_total"))
        AND ({{pct}} IS NOT NULL OR COALESCE({{units_incr}}, 0) = 0 OR "units_total" <> 0 AND "units_swing" <= 1000 * ABS("units_total"))
        AND ({{pct}} IS NOT NULL OR COALESCE(({{measure_incr}}->>'Profit')::numeric, 0) = 0 OR "measure_1_total" <> 0 AND "measure_1_swing" <= 1000 * ABS("measure_1_total"))
        AND ({{pct}} IS NOT NULL OR COALESCE(({{measure_incr}}->>'Hours')::numeric, 0) = 0 OR "measure_2_total" <> 0 AND "measure_2_swing" <= 1000 * ABS("measure_2_total"))
    ORDER BY "Order Date", "Region" COLLATE "C"
    OFFSET 0
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
