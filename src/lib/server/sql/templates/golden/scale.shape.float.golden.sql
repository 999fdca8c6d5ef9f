WITH leaves AS (
    SELECT
        "Region" COLLATE "C" AS "Region",
        "Size",
        CASE WHEN ABS(SUM("Sales")) > 1e-12 * SUM(ABS("Sales")) THEN (SUM("Sales"::text::numeric))::double precision ELSE 0 END AS "Sales"
    FROM {{fc_table}}
    WHERE {{where_clause}}
        AND {{exclude_clause}}
    GROUP BY
        "Region" COLLATE "C",
        "Size"
),
groups ("leaf_group", "value_incr", "units_incr") AS (
    {{groups}}
),
grouped AS (
    SELECT leaves.*, groups.*
    FROM leaves
    JOIN groups ON groups."leaf_group" = ARRAY[leaves."Region"::text, trim_scale(leaves."Size")::text]::text[]
),
weighted AS (
    SELECT
        grouped.*,
        CASE WHEN SUM("Sales") OVER (PARTITION BY "leaf_group") <> 0 AND SUM(ABS("Sales")) OVER (PARTITION BY "leaf_group") <= 1000 * ABS(SUM("Sales") OVER (PARTITION BY "leaf_group")) THEN "Sales" ELSE 1 END AS "value_weight"
    FROM grouped
),
summed AS (
    SELECT
        weighted.*,
        SUM("value_weight") OVER (PARTITION BY "leaf_group") AS "value_total"
    FROM weighted
),
shared AS (
    SELECT
        summed.*,
        "value_incr"::double precision * "value_weight" / "value_total" AS "value_up_to"
    FROM summed
),
deltas AS (
    SELECT
        "Region",
        "Size",
        "value_up_to" + CASE
            WHEN ROW_NUMBER() OVER (PARTITION BY "leaf_group" ORDER BY ABS("value_weight") DESC, "Region" COLLATE "C", "Size") = 1
            THEN "value_incr"::double precision - SUM("value_up_to") OVER (PARTITION BY "leaf_group")
            ELSE 0
        END AS "Sales"
    FROM shared
),
written AS (
    INSERT INTO {{fc_table}} (
        "Region",
        "Size",
        "Sales",
        pf_iter,
        pf_logid
    )
    SELECT "Region", "Size", "Sales", 'scale', {{logid}}
    FROM deltas
    WHERE "Sales" <> 0
    ORDER BY "Region" COLLATE "C", "Size"
    RETURNING *
)
SELECT
    "Region",
    "Size",
    "Sales",
    pf_id,
    pf_iter,
    pf_logid,
    pf_created_at,
    {{note}} AS pf_note,
    'scale' AS pf_op
FROM written
ORDER BY pf_id
