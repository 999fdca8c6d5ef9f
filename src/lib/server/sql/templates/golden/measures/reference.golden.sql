INSERT INTO {{fc_table}} (
    "Order Date",
    "Region",
    "Profit",
    "Sales",
    "Hours",
    "Quantity",
    pf_iter,
    pf_logid
)
SELECT
    (s."Order Date" + {{date_offset}}::interval)::date,
    s."Region",
    s."Profit"::numeric,
    s."Sales"::numeric,
    s."Hours",
    s."Quantity"::bigint,
    'reference',
    {{logid}}
FROM (
    SELECT * FROM "public"."superstore"
    WHERE {{filter_clause}}
) AS s
