/** Queries of `pf.audit`. */
import * as v from 'valibot';
import { AuditEntry, type Audited } from '../../../contract/audit';
import { type CurrentName, MOST_MOVES } from '../../../contract/current';
import { timestamp } from '../../../contract/primitives';
import { sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';

/** What changed. */
interface Change {
  action: Audited;
  /** The person that the body names; it counts only if nobody is signed in. */
  pf_user?: string | null | undefined;
  source_id?: number;
  version_id?: number;
  territory_id?: number;
  token_id?: number;
  /** The object before; null if it is new. */
  before: object | null;
  /** The object after; null if it is deleted. */
  after: object | null;
}

/** Records a change in the transaction that makes it: the fields whose values differ. Without any, nothing is recorded. */
export async function recordChange(
  db: Queryable,
  { action, pf_user, source_id, version_id, territory_id, token_id, before, after }: Change,
): Promise<void> {
  const changed = fieldsThatDiffer(before, after);
  if (changed === undefined) return;
  await db.run(
    sql`INSERT INTO pf.audit (pf_user, action, source_id, version_id, territory_id, token_id, before, after)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      db.sender.user ?? pf_user ?? null,
      action,
      source_id ?? null,
      version_id ?? null,
      territory_id ?? null,
      token_id ?? null,
      changed.before && JSON.stringify(changed.before),
      changed.after && JSON.stringify(changed.after),
    ],
  );
}

/** The fields of two states of an object that differ; all of them if there is only one. Undefined if none differs. */
function fieldsThatDiffer(
  before: object | null,
  after: object | null,
): { before: object | null; after: object | null } | undefined {
  if (!before || !after) return { before, after };
  const old = new Map<string, unknown>(Object.entries(before));
  const present = new Map<string, unknown>(Object.entries(after));
  const names = [...new Set([...old.keys(), ...present.keys()])].filter(
    (name) => JSON.stringify(old.get(name)) !== JSON.stringify(present.get(name)),
  );
  if (names.length === 0) return undefined;
  const only = (fields: Map<string, unknown>) =>
    Object.fromEntries(names.map((name) => [name, fields.get(name) ?? null]));
  return { before: only(old), after: only(present) };
}

/** Refused requests of one minute that are alike. */
export interface RefusedRequests {
  /** When the first one was refused, as an ISO 8601 instant. */
  stamp: string;
  pf_user: string | null;
  /** The ids that the path of the first one names, if any. */
  source_id: number | null;
  version_id: number | null;
  /** Method and path of the first one. */
  request: string;
  status: number;
  count: number;
}

/** Records refused requests. */
export const recordRefused = (
  db: Queryable,
  refused: readonly RefusedRequests[],
): Promise<number> =>
  db.run(
    sql`INSERT INTO pf.audit (stamp, pf_user, action, source_id, version_id, request, status, count)
     SELECT r.stamp, r.pf_user, 'refused',
       COALESCE(r.source_id, (SELECT v.source_id FROM pf.version AS v WHERE v.id = r.version_id)),
       r.version_id, r.request, r.status, r.count
     FROM jsonb_to_recordset($1::jsonb) AS r (stamp timestamptz, pf_user text, source_id integer,
       version_id integer, request text, status integer, count integer)`,
    [JSON.stringify(refused)],
  );

/** Which entries of the audit are wanted. */
export interface WantedAudit {
  limit: number;
  before: number | undefined;
  after: number | undefined;
  pf_user: string | undefined;
  source: number | undefined;
}

/** Entries of the audit that the sender may see, newest first; oldest first with `after`. */
export const listAudit = (
  db: Queryable,
  { limit, before, after, pf_user, source }: WantedAudit,
): Promise<AuditEntry[]> =>
  db.many(
    AuditEntry,
    sql`SELECT id, stamp, pf_user, action, source_id, version_id, territory_id, token_id, before, after, request, status, count
     FROM pf.audit
     WHERE ($1::bigint IS NULL OR id < $1) AND ($2::bigint IS NULL OR id > $2)
       AND ($3::text IS NULL OR pf_user = $3) AND ($4::integer IS NULL OR source_id = $4)
       AND ($6::integer[] IS NULL OR source_id = ANY ($6))
     ORDER BY id ${after === undefined ? sql`DESC` : sql`ASC`} LIMIT $5`,
    [before ?? null, after ?? null, pf_user ?? null, source ?? null, limit, db.sender.sources],
  );

const NameMove = v.object({
  name: v.string(),
  stamp: timestamp,
  pf_user: v.nullable(v.string()),
  from: v.nullable(v.number()),
  to: v.nullable(v.number()),
});

/** The latest moves of the current names of a source, newest first, by name; of removed names too. */
export async function movesOfNames(
  db: Queryable,
  sourceId: number,
): Promise<Map<string, CurrentName['moves']>> {
  const moves = await db.many(
    NameMove,
    sql`SELECT name, stamp, pf_user, "from", "to" FROM (
       SELECT a.id, n.name, a.stamp, a.pf_user, (a.before->>n.name)::integer AS "from", (a.after->>n.name)::integer AS "to",
         row_number() OVER (PARTITION BY n.name ORDER BY a.id DESC) AS place
       FROM pf.audit AS a CROSS JOIN LATERAL jsonb_object_keys(COALESCE(a.after, a.before)) AS n (name)
       WHERE a.source_id = $1 AND a.action = 'name moved'
     ) AS move WHERE place <= $2 ORDER BY id DESC`,
    [sourceId, MOST_MOVES],
  );
  const byName = new Map<string, CurrentName['moves']>();
  for (const { name, ...move } of moves) byName.set(name, [...(byName.get(name) ?? []), move]);
  return byName;
}
