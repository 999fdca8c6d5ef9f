WITH gone AS (
    DELETE FROM {{fc_table}}
    WHERE pf_logid = {{logid}}
    RETURNING pf_id
)
SELECT COALESCE(JSON_AGG(pf_id), '[]') AS pf_ids
FROM gone
