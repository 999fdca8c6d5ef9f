SELECT
    "Region",
    pf_iter,
    pf_logid,
    concat_ws(chr(31), COALESCE("Region"::text, chr(30)), pf_iter, pf_logid::text) AS pf_gkey,
    "Sales",
    "Quantity",
    "Profit",
    "Hours"
FROM (
    SELECT
        "Region",
        pf_iter,
        pf_logid,
        SUM("Sales") AS "Sales",
        SUM("Quantity") AS "Quantity",
        SUM("Profit") AS "Profit",
        SUM("Hours") AS "Hours"
    FROM {{fc_table}}
    GROUP BY
        "Region",
        pf_iter,
        pf_logid
) AS grain
