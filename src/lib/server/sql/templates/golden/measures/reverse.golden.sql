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
        AND pf_logid IN (7, 9)
    GROUP BY
        "Order Date",
        "Region" COLLATE "C"
    HAVING SUM("Sales") <> 0 OR SUM("Quantity") <> 0 OR SUM("Profit") <> 0 OR ABS(SUM("Hours")) > 1e-12 * SUM(ABS("Hours"))
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
    SELECT "Order Date", "Region", -"Sales", -"Quantity", -"Profit", -"Hours" + 0, 'reverse', {{logid}}
    FROM leaves
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
    'reverse' AS pf_op
FROM written
GROUP BY
    "Region",
    pf_iter,
    pf_logid
