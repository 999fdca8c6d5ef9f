SELECT
    "Order Date",
    "Region",
    "Profit",
    "Sales",
    "Hours",
    "Quantity",
    pf_id,
    pf_iter,
    pf_logid,
    pf_created_at
FROM {{fc_table}}
