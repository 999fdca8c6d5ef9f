INSERT INTO {{fc_table}} (
    "Ordered",
    "Order Month",
    "Shipped",
    "Paid",
    "Sales",
    pf_iter,
    pf_logid
)
SELECT
    ((s."Ordered" AT TIME ZONE 'America/Los_Angeles') + {{date_offset}}::interval)::date,
    period_1."period_key"::text,
    (s."Shipped" + {{date_offset}}::interval)::date,
    (s."Paid" + {{date_offset}}::interval)::date,
    s."Sales",
    'baseline',
    {{logid}}
FROM (
    SELECT * FROM "public"."superstore"
    WHERE {{filter_clause}}
) AS s
LEFT JOIN pf.dim_period AS period_1
  ON period_1.sdat = date_trunc('month', ((s."Ordered" AT TIME ZONE 'America/Los_Angeles') + {{date_offset}}::interval)::date)::date
