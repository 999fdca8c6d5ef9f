WITH gone AS (
    DELETE FROM {{fc_table}}
    WHERE pf_logid = {{logid}}
    RETURNING "Region", pf_iter, pf_logid
)
SELECT concat_ws(chr(31), COALESCE("Region"::text, chr(30)), pf_iter, pf_logid::text) AS pf_gkey, COUNT(*) AS row_count
FROM gone
GROUP BY pf_gkey
