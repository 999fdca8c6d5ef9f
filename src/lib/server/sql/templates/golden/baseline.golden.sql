-- Row by row and at a grain alike.
INSERT INTO {{fc_table}} (
    "Order Date",
    "Order Year",
    "Category",
    "Sub-Category",
    "Region",
    "Sales",
    "Quantity",
    pf_iter,
    pf_logid
)
SELECT
    (s."Order Date" + {{date_offset}}::interval)::date,
    period_1."cal_year"::bigint,
    s."Category",
    s."Sub-Category",
    s."Region",
    s."Sales"::numeric,
    s."Quantity"::bigint,
    'baseline',
    {{logid}}
FROM (
    SELECT * FROM "public"."superstore"
    WHERE {{filter_clause}}
) AS s
LEFT JOIN pf.dim_period AS period_1
  ON period_1.sdat = date_trunc('month', (s."Order Date" + {{date_offset}}::interval)::date)::date
