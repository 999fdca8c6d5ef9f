-- Row by row and at a grain alike.
SELECT
    "Order Date",
    "Order Year",
    "Category",
    "Sub-Category",
    "Region",
    "Sales",
    "Quantity",
    pf_id,
    pf_iter,
    pf_logid,
    pf_created_at
FROM {{fc_table}}
