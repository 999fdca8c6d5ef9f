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
    HAVING SUM("Sales") <> 0 OR SUM("Quantity") <> 0 OR SUM("Profit") <> 0 OR ABS(SUM("Hours")) > 1e-12 * SUM(ABS("Hours"))
),
sides AS (
    SELECT
        side."sign",
        side."Order Date",
        side."Region",
        side."sign" * leaves."Sales" AS "Sales",
        side."sign" * leaves."Quantity" AS "Quantity",
        side."sign" * leaves."Profit" AS "Profit",
        side."sign" * leaves."Hours" + 0 AS "Hours"
    FROM leaves
    CROSS JOIN LATERAL (
        SELECT {{set_clause}}
    ) AS target
    CROSS JOIN LATERAL (
        SELECT -1 AS "sign", leaves."Order Date", leaves."Region"
        UNION ALL
        SELECT 1, target."Order Date", target."Region"
    ) AS side
    WHERE ROW(leaves."Order Date", leaves."Region")
        IS DISTINCT FROM ROW(target."Order Date", target."Region")
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
    SELECT "Order Date", "Region", "Sales", "Quantity", "Profit", "Hours", 'recode', {{logid}}
    FROM sides
    ORDER BY "sign", "Order Date", "Region" COLLATE "C", "Sales" DESC, "Quantity" DESC, "Profit" DESC, "Hours" DESC
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
    'recode' AS pf_op
FROM written
GROUP BY
    "Region",
    pf_iter,
    pf_logid
