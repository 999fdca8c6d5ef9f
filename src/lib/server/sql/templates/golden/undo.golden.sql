-- ===== the end, row by row =====
DELETE FROM {{fc_table}}
WHERE pf_logid = {{logid}}
RETURNING pf_id

-- ===== the end, at a grain =====
WITH gone AS (
    DELETE FROM {{fc_table}}
    WHERE pf_logid = {{logid}}
    RETURNING "Order Year", "Category", pf_iter, pf_logid
)
SELECT concat_ws(chr(31), COALESCE("Order Year"::text, chr(30)), COALESCE("Category"::text, chr(30)), pf_iter, pf_logid::text) AS pf_gkey, COUNT(*) AS row_count
FROM gone
GROUP BY pf_gkey
