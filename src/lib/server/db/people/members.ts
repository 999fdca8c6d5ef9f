/** The names of people and groups that the database has, for new territories. */
import * as v from 'valibot';
import { sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';

const names = v.array(v.string());
const Members = v.object({ people: names, groups: names, members: names });
type Members = v.InferOutput<typeof Members>;

/** Whether the sender reaches the source `s`: `$1` has the ids of the sources that a token reaches, or null. */
const REACHED = sql`($1::integer[] IS NULL OR s = ANY ($1))`;

/**
 * Lists the names that the database has. People are those who wrote, locked, commented, reviewed, own an alert or are in
 * the audit, and tokens; groups are those of tokens; members are those of territories. No list repeats a name. A token for
 * some sources gets the names of these sources, and no tokens or their groups.
 */
export const listMembers = (db: Queryable): Promise<Members> =>
  db.one(
    Members,
    sql`WITH v AS (SELECT id, source_id AS s, created_by, closed_by FROM pf.version),
       person AS (
         SELECT s, created_by AS name FROM v UNION SELECT s, closed_by FROM v
         UNION SELECT s, l.pf_user FROM v JOIN (SELECT DISTINCT version_id, pf_user FROM pf.log) AS l ON l.version_id = v.id
         UNION SELECT s, l.created_by FROM v JOIN pf.lock AS l ON l.version_id = v.id
         UNION SELECT s, c.created_by FROM v JOIN pf.comment AS c ON c.version_id = v.id
         UNION SELECT s, r.owner FROM v JOIN pf.review AS r ON r.version_id = v.id
         UNION SELECT s, reviewer FROM v JOIN pf.review AS r ON r.version_id = v.id CROSS JOIN unnest(r.reviewers) AS reviewer
         UNION SELECT s, a.owner FROM v JOIN pf.alert AS a ON a.version_id = v.id
         UNION SELECT id, created_by FROM pf.source
         UNION SELECT source_id, pf_user FROM pf.audit
       )
     SELECT ARRAY(
         SELECT name FROM person WHERE ${REACHED} AND name IS NOT NULL
         UNION SELECT name FROM pf.token WHERE $1 IS NULL
       ) AS people,
       ARRAY(SELECT DISTINCT unnest(groups) FROM pf.token WHERE $1 IS NULL) AS groups,
       ARRAY(SELECT DISTINCT member FROM (SELECT source_id AS s, member FROM pf.territory) AS t WHERE ${REACHED}) AS members`,
    [db.sender.sources],
  );
