WITH leaves AS (
    SELECT
        "Region",
        COALESCE(SUM("Sales"), 0) AS "Sales"
    FROM {{fc_table}}
    WHERE {{where_clause}}
        AND {{exclude_clause}}
    GROUP BY
        "Region"
),
weighted AS (
    SELECT
        leaves.*,
        CASE
            WHEN {{spread}} = 'equal' THEN 1
            WHEN {{pct}} IS NOT NULL OR BOOL_OR("Sales" <> 0) OVER () THEN "Sales"::numeric
            ELSE 1
        END AS "value_weight"
    FROM leaves
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
        END, GREATEST(2, MAX(scale("Sales")) OVER (), scale({{value_incr}}))) AS "value_up_to"
    FROM summed
    WHERE ({{pct}} IS NOT NULL OR COALESCE({{value_incr}}, 0) = 0 OR "value_total" <> 0 AND "value_swing" <= 1000 * ABS("value_total"))
),
deltas AS (
    SELECT
        "Region",
        "value_up_to" - LAG("value_up_to", 1, 0::numeric) OVER leaf_order AS "Sales"
    FROM shared
    WINDOW leaf_order AS (ORDER BY "Region" COLLATE "C")
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
