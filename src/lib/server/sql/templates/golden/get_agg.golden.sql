SELECT
    "Order Year",
    "Category",
    pf_iter,
    pf_logid,
    concat_ws(chr(31), COALESCE("Order Year"::text, chr(30)), COALESCE("Category"::text, chr(30)), pf_iter, pf_logid::text) AS pf_gkey,
    "Sales",
    "Quantity"
FROM (
    SELECT
        "Order Year",
        "Category",
        pf_iter,
        pf_logid,
        SUM("Sales") AS "Sales",
        SUM("Quantity") AS "Quantity"
    FROM {{fc_table}}
    GROUP BY
        "Order Year",
        "Category",
        pf_iter,
        pf_logid
) AS grain
