WITH leaves AS (
    SELECT
        "Region" COLLATE "C" AS "Region",
        CASE WHEN ABS(SUM("Sales")) > 1e-12 * SUM(ABS("Sales")) THEN (SUM("Sales"::text::numeric))::double precision ELSE 0 END AS "Sales"
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
        ABS(SUM("Sales") OVER ()) > 1e-12 * SUM(ABS("Sales")) OVER () AS "value_nets"
    FROM leaves
),
weighted AS (
    SELECT
        known.*,
        CASE
            WHEN {{spread}} = 'equal' THEN 1
            WHEN {{pct}} IS NOT NULL OR "value_some" THEN "Sales"::double precision
            ELSE 1
        END AS "value_weight"
    FROM known
),
summed AS (
    SELECT
        weighted.*,
        SUM("value_weight") OVER () AS "value_total",
        SUM(ABS("value_weight")) OVER () AS "value_swing"
    FROM weighted
),
shared AS (
    SELECT
        summed.*,
        CASE
            WHEN {{pct}} IS NOT NULL THEN {{pct}}::double precision / 100 * "value_weight"
            WHEN COALESCE({{value_incr}}, 0) <> 0 THEN {{value_incr}}::double precision * "value_weight" / NULLIF("value_total", 0)
            ELSE 0
        END AS "value_part"
    FROM summed
),
deltas AS (
    SELECT
        "Region",
        "value_part" + CASE
            WHEN {{pct}} IS NULL AND ROW_NUMBER() OVER (ORDER BY ABS("value_weight") DESC, "Region" COLLATE "C") = 1
            THEN COALESCE({{value_incr}}, 0)::double precision - SUM("value_part") OVER ()
            ELSE 0
        END AS "Sales"
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
