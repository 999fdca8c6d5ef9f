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
groups ("leaf_group", "value_incr", "units_incr", "measure_1_incr", "measure_2_incr") AS (
    {{groups}}
),
grouped AS (
    SELECT leaves.*, groups.*
    FROM leaves
    JOIN groups ON groups."leaf_group" = ARRAY[date_trunc('month', leaves."Order Date"::timestamp)::date::text]::text[]
),
weighted AS (
    SELECT
        grouped.*,
        CASE WHEN SUM("Sales") OVER (PARTITION BY "leaf_group") <> 0 AND SUM(ABS("Sales")) OVER (PARTITION BY "leaf_group") <= 1000 * ABS(SUM("Sales") OVER (PARTITION BY "leaf_group")) THEN "Sales" ELSE 1 END AS "value_weight",
        CASE WHEN SUM("Quantity") OVER (PARTITION BY "leaf_group") <> 0 AND SUM(ABS("Quantity")) OVER (PARTITION BY "leaf_group") <= 1000 * ABS(SUM("Quantity") OVER (PARTITION BY "leaf_group")) THEN "Quantity" ELSE 1 END AS "units_weight",
        CASE WHEN SUM("Profit") OVER (PARTITION BY "leaf_group") <> 0 AND SUM(ABS("Profit")) OVER (PARTITION BY "leaf_group") <= 1000 * ABS(SUM("Profit") OVER (PARTITION BY "leaf_group")) THEN "Profit" ELSE 1 END AS "measure_1_weight",
        CASE WHEN SUM("Hours") OVER (PARTITION BY "leaf_group") <> 0 AND SUM(ABS("Hours")) OVER (PARTITION BY "leaf_group") <= 1000 * ABS(SUM("Hours") OVER (PARTITION BY "leaf_group")) THEN "Hours" ELSE 1 END AS "measure_2_weight"
    FROM grouped
),
summed AS (
    SELECT
        weighted.*,
        SUM("value_weight") OVER (PARTITION BY "leaf_group" ORDER BY "Order Date", "Region" COLLATE "C" ROWS UNBOUNDED PRECEDING) AS "value_running",
        SUM("value_weight") OVER (PARTITION BY "leaf_group") AS "value_total",
        SUM("units_weight") OVER (PARTITION BY "leaf_group" ORDER BY "Order Date", "Region" COLLATE "C" ROWS UNBOUNDED PRECEDING) AS "units_running",
        SUM("units_weight") OVER (PARTITION BY "leaf_group") AS "units_total",
        SUM("measure_1_weight") OVER (PARTITION BY "leaf_group" ORDER BY "Order Date", "Region" COLLATE "C" ROWS UNBOUNDED PRECEDING) AS "measure_1_running",
        SUM("measure_1_weight") OVER (PARTITION BY "leaf_group") AS "measure_1_total",
        SUM("measure_2_weight") OVER (PARTITION BY "leaf_group") AS "measure_2_total"
    FROM weighted
),
shared AS (
    SELECT
        summed.*,
        ROUND(("value_incr" + 0e-30) * "value_running" / "value_total", 4) AS "value_up_to",
        ROUND(("units_incr" + 0e-30) * "units_running" / "units_total", 0) AS "units_up_to",
        ROUND(("measure_1_incr" + 0e-30) * "measure_1_running" / "measure_1_total", 2) AS "measure_1_up_to",
        "measure_2_incr"::double precision * "measure_2_weight" / "measure_2_total" AS "measure_2_up_to"
    FROM summed
),
deltas AS (
    SELECT
        "Order Date",
        "Region",
        "value_up_to" - LAG("value_up_to", 1, 0::numeric) OVER (PARTITION BY "leaf_group" ORDER BY "Order Date", "Region" COLLATE "C") AS "Sales",
        "units_up_to" - LAG("units_up_to", 1, 0::numeric) OVER (PARTITION BY "leaf_group" ORDER BY "Order Date", "Region" COLLATE "C") AS "Quantity",
        "measure_1_up_to" - LAG("measure_1_up_to", 1, 0::numeric) OVER (PARTITION BY "leaf_group" ORDER BY "Order Date", "Region" COLLATE "C") AS "Profit",
        "measure_2_up_to" + CASE
            WHEN ROW_NUMBER() OVER (PARTITION BY "leaf_group" ORDER BY ABS("measure_2_weight") DESC, "Order Date", "Region" COLLATE "C") = 1
            THEN "measure_2_incr"::double precision - SUM("measure_2_up_to") OVER (PARTITION BY "leaf_group")
            ELSE 0
        END AS "Hours"
    FROM shared
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
