WITH leaves AS (
    SELECT
        "Region" COLLATE "C" AS "Region",
        CASE WHEN ABS(SUM("Sales")) > 1e-12 * SUM(ABS("Sales")) THEN (SUM("Sales"::text::numeric))::double precision ELSE 0 END AS "Sales"
    FROM {{fc_table}}
    WHERE {{where_clause}}
        AND {{exclude_clause}}
    GROUP BY
        "Region" COLLATE "C"
    HAVING ABS(SUM("Sales")) > 1e-12 * SUM(ABS("Sales"))
),
running AS (
    SELECT
        leaves.*
    FROM leaves
),
copies AS (
    SELECT
        "Region",
        {{scale_factor}}::double precision * "Sales" + 0 AS "Sales"
    FROM running
),
written AS (
    INSERT INTO {{fc_table}} (
        "Region",
        "Sales",
        pf_iter,
        pf_logid
    )
    SELECT target."Region", leaves."Sales", 'clone', {{logid}}
    FROM copies AS leaves
    CROSS JOIN LATERAL (
        SELECT {{set_clause}}
    ) AS target
    WHERE leaves."Sales" <> 0
    ORDER BY leaves."Region" COLLATE "C"
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
    'clone' AS pf_op
FROM written
ORDER BY pf_id
