WITH leaves AS (
    SELECT
        "Region" COLLATE "C" AS "Region",
        COALESCE(SUM("Sales"), 0) AS "Sales"
    FROM {{fc_table}}
    WHERE {{where_clause}}
        AND {{exclude_clause}}
    GROUP BY
        "Region" COLLATE "C"
),
known AS (
    SELECT
        leaves.*,
        BOOL_OR("Sales" <> 0) OVER () AS "value_some",
        SUM("Sales") OVER () <> 0 AS "value_nets",
        GREATEST(2, MAX(scale("Sales")) OVER (), scale({{value_incr}})) AS "value_scale"
    FROM leaves
),
weighted AS (
    SELECT
        known.*,
        CASE
            WHEN {{spread}} = 'equal' THEN 1
            WHEN {{pct}} IS NOT NULL OR "value_some" THEN "Sales"::numeric
            ELSE 1
        END AS "value_weight"
    FROM known
),
summed AS (
    SELECT
        weighted.*,
        SUM("value_weight") OVER (leaf_order ROWS UNBOUNDED PRECEDING) AS "value_running",
        SUM("value_weight") OVER () AS "value_total",
        SUM(ABS("value_weight")) OVER () AS "value_swing"
    FROM weighted
    WINDOW leaf_order AS (ORDER BY "Region" COLLATE "C")
),
shared AS (
    SELECT
        summed.*,
        ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * "value_running"
            WHEN COALESCE({{value_incr}}, 0) <> 0 THEN ({{value_incr}} + 0e-30) * "value_running" / NULLIF("value_total", 0)
            ELSE 0
        END, "value_scale") - ROUND(CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}} * 0.01 * ("value_running" - "value_weight")
            WHEN COALESCE({{value_incr}}, 0) <> 0 THEN ({{value_incr}} + 0e-30) * ("value_running" - "value_weight") / NULLIF("value_total", 0)
            ELSE 0
        END, "value_scale") AS "value_part"
    FROM summed
),
deltas AS (
    SELECT
        "Region",
        "value_part" AS "Sales"
    FROM shared
    WHERE ({{pct}} IS NOT NULL OR COALESCE({{value_incr}}, 0) = 0 OR "value_total" <> 0 AND "value_swing" <= 1000 * ABS("value_total"))
    ORDER BY "Region" COLLATE "C"
    OFFSET 0
),
written AS (
    INSERT INTO {{fc_table}} (
        "Region",
        "Sales",
        pf_iter,
        pf_logid
    )
    SELECT "Region", "Sales", 'scale', {{logid}}
    FROM deltas
    WHERE "Sales" <> 0
    ORDER BY "Region" COLLATE "C"
    RETURNING *
)
SELECT
    "Region",
    "Sales",
    pf_id,
    pf_iter,
    pf_logid,
    pf_created_at,
    {{note}} AS pf_note,
    'scale' AS pf_op
FROM written
ORDER BY pf_id
