/** Queries of `pf.alert` and `pf.alert_group`. */
import * as v from 'valibot';
import { Alert, AlertGroup, DAYS_ENDED, GROUPS_OF_PAGE, OwnAlert } from '../../../contract/alerts';
import { Slice } from '../../../contract/slices';
import type { SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import { tellEach } from '../connection/notify';
import type { Queryable } from '../connection/queryable';
import { found } from '../connection/queryable';
import type { Transaction } from '../connection/transaction';
import { withoutNulls } from '../connection/row-schemas';
import { limitsOf } from './territories';

/** An alert as it is stored. */
const { holding: _, ...fields } = Alert.entries;
const StoredAlert = v.object({
  ...fields,
  problem: v.nullable(v.string()),
});
export type StoredAlert = v.InferOutput<typeof StoredAlert>;

const FIELDS = sql`a.id, a.version_id, a.name, a.measure, a.of, a.condition, a.level, a.slice, a.owner,
  a.asks_for_reason, a.created_by, a.created_at, a.problem`;

/** The fields of an alert that people choose. */
export type AlertFields = Pick<
  StoredAlert,
  'name' | 'measure' | 'of' | 'condition' | 'level' | 'slice' | 'owner' | 'asks_for_reason'
>;

const values = ({ condition, level, slice, ...alert }: AlertFields) => [
  ...[alert.name, alert.measure, alert.of],
  ...[JSON.stringify(condition), JSON.stringify(level), JSON.stringify(slice)],
  ...[alert.owner, alert.asks_for_reason],
];

/** The alerts of a version, oldest first. */
export const listAlerts = (db: Queryable, versionId: number): Promise<StoredAlert[]> =>
  db.many(StoredAlert, sql`SELECT ${FIELDS} FROM pf.alert AS a WHERE version_id = $1 ORDER BY id`, [
    versionId,
  ]);

/** The ids of the versions that have alerts. */
export const versionsWithAlerts = async (db: Queryable): Promise<number[]> =>
  (
    await db.many(
      v.object({ version_id: v.number() }),
      sql`SELECT DISTINCT version_id FROM pf.alert ORDER BY version_id`,
    )
  ).map(({ version_id }) => version_id);

/** The number of alerts of a version. */
export const countAlerts = async (db: Queryable, versionId: number): Promise<number> =>
  (
    await db.one(
      v.object({ count: v.number() }),
      sql`SELECT count(*) FROM pf.alert WHERE version_id = $1`,
      [versionId],
    )
  ).count;

const FIND = {
  read: sql`SELECT ${FIELDS} FROM pf.alert AS a WHERE id = $1`,
  lock: sql`SELECT ${FIELDS} FROM pf.alert AS a WHERE id = $1 FOR UPDATE`,
};

/** An alert; undefined if there is none with this id. With `lock`, others wait for this transaction. */
export const findAlert = (
  db: Queryable,
  id: number,
  how: keyof typeof FIND = 'read',
): Promise<StoredAlert | undefined> => db.maybeOne(StoredAlert, FIND[how], [id]);

/** @returns the new alert */
export const insertAlert = (
  db: Queryable,
  versionId: number,
  alert: AlertFields,
  user: string,
): Promise<StoredAlert> =>
  db.one(
    StoredAlert,
    sql`INSERT INTO pf.alert AS a
       (version_id, created_by, name, measure, of, condition, level, slice, owner, asks_for_reason)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING ${FIELDS}`,
    [versionId, user, ...values(alert)],
  );

/** Overwrites the fields that people choose. @throws AppError 404 */
export const updateAlert = async (
  db: Queryable,
  id: number,
  alert: AlertFields,
): Promise<StoredAlert> =>
  found(
    await db.maybeOne(
      StoredAlert,
      sql`UPDATE pf.alert AS a SET name = $2, measure = $3, of = $4, condition = $5, level = $6, slice = $7,
         owner = $8, asks_for_reason = $9 WHERE id = $1 RETURNING ${FIELDS}`,
      [id, ...values(alert)],
    ),
    `alert ${id}`,
  );

/** Deletes an alert with its groups. */
export const deleteAlert = (db: Queryable, id: number): Promise<number> =>
  db.run(sql`DELETE FROM pf.alert WHERE id = $1`, [id]);

/**
 * Copies the alerts of a version to another one, with the groups for which they hold, so that only what begins or ends
 * in the copy is reported. No thread of the copy asks for the reason of these groups: a thread of the original did.
 */
export async function copyAlerts(tx: Transaction, from: number, to: number): Promise<void> {
  const copies = await tx.many(
    v.object({ id: v.number() }),
    sql`WITH pairs AS MATERIALIZED (
       SELECT old, nextval('pf.log_id_seq')::integer AS id
       FROM (SELECT id AS old FROM pf.alert WHERE version_id = $1 ORDER BY id) AS originals
     ), copies AS (
       INSERT INTO pf.alert
         (id, version_id, created_by, created_at, name, measure, of, condition, level, slice, owner, asks_for_reason)
       SELECT pairs.id, $2, created_by, created_at, name, measure, of, condition, level, slice, owner, asks_for_reason
       FROM pairs JOIN pf.alert AS a ON a.id = old
     ), groups AS (
       INSERT INTO pf.alert_group (alert_id, digest, slice, amount, began_at, is_asked)
       SELECT pairs.id, digest, slice, amount, began_at, true
       FROM pairs JOIN pf.alert_group ON alert_id = old WHERE ended_at IS NULL
     ) SELECT id FROM pairs`,
    [from, to],
  );
  const events = copies.map(({ id }) => ({ kind: 'alert', id, pending: true }) as const);
  if (events.length > 0) await tellEach(tx, to, events);
}

/** Stores how an evaluation went. @param problem why the alert cannot be evaluated; null if it was */
export const noteEvaluation = (
  db: Queryable,
  id: number,
  problem: string | null,
): Promise<number> => db.run(sql`UPDATE pf.alert SET problem = $2 WHERE id = $1`, [id, problem]);

/** Lets other evaluations of an alert, of all servers, wait until this transaction ends. */
export const oneAtATime = (db: Queryable, id: number): Promise<number> =>
  db.run(sql`SELECT pg_advisory_xact_lock(${EVALUATION}, $1::integer)`, [id]);

/** The first key of the advisory locks of evaluations. Any number will do that nothing else uses. */
const EVALUATION = 731_001_301;

/** A limit of the time of each statement, and the one before it, in milliseconds; 0: none. */
const TimeLimit = v.object({ limit: v.number(), before: v.number() });
type TimeLimit = v.InferOutput<typeof TimeLimit>;

/** Limits the time of each later statement of a transaction, unless a shorter limit is set. */
export const limitTime = (tx: Transaction, milliseconds: number): Promise<TimeLimit> =>
  tx.one(
    TimeLimit,
    sql`SELECT before, "limit", set_config('statement_timeout', "limit"::text, true)
     FROM (SELECT setting::integer AS before, LEAST(NULLIF(setting::integer, 0), $1::integer) AS "limit"
       FROM pg_settings WHERE name = 'statement_timeout' OFFSET 0) AS limits`,
    [milliseconds],
  );

/** Sets the limit that a transaction had before {@link limitTime}. */
export const restoreTime = (tx: Transaction, { before }: TimeLimit): Promise<number> =>
  tx.run(sql`SELECT set_config('statement_timeout', $1, true)`, [String(before)]);

const HeldGroup = v.object({ group: v.array(v.nullable(v.string())), amount: v.string() });

/** Reads the groups for which an alert holds. @param select as `alertGroups` makes it */
export const heldGroups = (
  db: Queryable,
  select: SqlText,
): Promise<v.InferOutput<typeof HeldGroup>[]> => db.many(HeldGroup, select);

const HoldingGroup = v.object({ digest: v.string(), isAsked: v.boolean(), isOpen: v.boolean() });

/** The groups for which an alert holds: whether no other thread has to ask for a reason, and whether one is open. */
export const holdingGroups = (
  db: Queryable,
  id: number,
): Promise<v.InferOutput<typeof HoldingGroup>[]> =>
  db.many(
    HoldingGroup,
    sql`SELECT g.digest, g.is_asked AS "isAsked",
       c.id IS NOT NULL AND c.resolved_at IS NULL AS "isOpen"
     FROM pf.alert_group AS g LEFT JOIN pf.comment AS c ON c.id = g.comment_id
     WHERE g.alert_id = $1 AND g.ended_at IS NULL`,
    [id],
  );

/** A group of an alert before it is stored: the members of its level as a slice, and the amount with all digits. */
export interface NewGroup {
  digest: string;
  slice: Slice;
  amount: string;
}

/** Stores the groups for which an alert has begun to hold. */
export const beginGroups = (
  db: Queryable,
  id: number,
  groups: readonly NewGroup[],
): Promise<number> =>
  db.run(
    sql`INSERT INTO pf.alert_group AS g (alert_id, digest, slice, amount)
     SELECT $1, digest, slice, amount FROM jsonb_to_recordset($2) AS n (digest text, slice jsonb, amount numeric)
     ON CONFLICT (alert_id, digest) DO UPDATE
       SET slice = excluded.slice, amount = excluded.amount, began_at = clock_timestamp(), ended_at = NULL,
         is_asked = false, comment_id = NULL`,
    [id, JSON.stringify(groups)],
  );

/** Stores the amounts of groups for which an alert holds, where they have changed. */
export const updateAmounts = (
  db: Queryable,
  id: number,
  groups: readonly Pick<NewGroup, 'digest' | 'amount'>[],
): Promise<number> =>
  db.run(
    sql`UPDATE pf.alert_group AS g SET amount = n.amount
     FROM jsonb_to_recordset($2) AS n (digest text, amount numeric)
     WHERE g.alert_id = $1 AND g.digest = n.digest AND g.ended_at IS NULL AND g.amount <> n.amount`,
    [id, JSON.stringify(groups.map(({ digest, amount }) => ({ digest, amount })))],
  );

/** Stores that an alert has ended to hold for groups. */
export const endGroups = (db: Queryable, id: number, digests: readonly string[]): Promise<number> =>
  db.run(
    sql`UPDATE pf.alert_group SET ended_at = clock_timestamp() WHERE alert_id = $1 AND digest = ANY ($2)`,
    [id, digests],
  );

/**
 * Resolves the threads of groups of an alert that have no reply. Threads are locked before groups, as by the deletion of
 * a comment.
 *
 * @param digests null for all groups
 * @returns the ids of the resolved threads
 */
export const resolveUnanswered = async (
  db: Queryable,
  { id, created_by: user }: Pick<StoredAlert, 'id' | 'created_by'>,
  digests: readonly string[] | null,
): Promise<number[]> =>
  (
    await db.many(
      v.object({ id: v.number() }),
      sql`UPDATE pf.comment AS c SET resolved_by = $3, resolved_at = now()
       WHERE resolved_at IS NULL AND NOT EXISTS (SELECT FROM pf.comment AS reply WHERE reply.parent = c.id)
         AND id IN (SELECT comment_id FROM pf.alert_group
           WHERE alert_id = $1 AND ($2::text[] IS NULL OR digest = ANY ($2)))
       RETURNING id`,
      [id, digests, user],
    )
  ).map(({ id }) => id);

/** A thread that asks for the reason of a group, on a slice. */
export interface NewThread {
  digest: string;
  slice: Slice;
  text: string;
}

/** Begins threads about groups in the name of who made an alert. @param mentions keys @returns the ids of the threads */
export const insertThreads = async (
  db: Queryable,
  { id, version_id, created_by }: Pick<StoredAlert, 'id' | 'version_id' | 'created_by'>,
  mentions: readonly string[],
  threads: readonly NewThread[],
): Promise<number[]> =>
  (
    await db.many(
      v.object({ id: v.number() }),
      sql`WITH threads AS MATERIALIZED (
         SELECT nextval('pf.log_id_seq')::integer AS id, digest, slice, text
         FROM jsonb_to_recordset($5) AS n (digest text, slice jsonb, text text)
       ), comments AS (
         INSERT INTO pf.comment (id, version_id, slice, text, mentions, created_by)
         SELECT id, $2, slice, text, $4, $3 FROM threads
       ) UPDATE pf.alert_group AS g SET comment_id = threads.id, is_asked = true
       FROM threads WHERE g.alert_id = $1 AND g.digest = threads.digest RETURNING threads.id`,
      [id, version_id, created_by, mentions, JSON.stringify(threads)],
    )
  ).map(({ id }) => id);

/** Deletes the groups of an alert, or those that ended more days ago than answers name them. */
export const forgetGroups = (db: Queryable, id: number, which: 'all' | 'old'): Promise<number> =>
  db.run(
    sql`DELETE FROM pf.alert_group WHERE alert_id = $1 ${
      which === 'all' ? sql`` : sql`AND ended_at < now() - make_interval(days => ${DAYS_ENDED})`
    }`,
    [id],
  );

const StoredGroup = v.pipe(
  v.object({
    ...AlertGroup.entries,
    ended_at: v.nullable(v.string()),
    comment: v.nullable(v.number()),
  }),
  v.transform(withoutNulls),
  AlertGroup,
);

const IS_SHOWN = sql`(g.ended_at IS NULL OR g.ended_at >= now() - make_interval(days => ${DAYS_ENDED}))`;

/**
 * The groups for which an alert holds, then those for which it has ended lately, each newest first. Their slices have
 * only the members of the level.
 *
 * @param page how many are left out at the beginning and returned at most; by default all are returned
 */
export const listGroups = (
  db: Queryable,
  id: number,
  page: { offset: number; limit: number | null } = { offset: 0, limit: null },
): Promise<AlertGroup[]> =>
  db.many(
    StoredGroup,
    sql`SELECT g.slice, g.amount, g.began_at, g.ended_at, g.comment_id AS comment
     FROM pf.alert_group AS g WHERE g.alert_id = $1 AND ${IS_SHOWN}
     ORDER BY g.ended_at IS NOT NULL, COALESCE(g.ended_at, g.began_at) DESC, g.digest
     LIMIT $2 OFFSET $3`,
    [id, page.limit, page.offset],
  );

const Counts = v.object({ id: v.number(), holding: v.number(), ended: v.number() });

/** For how many groups some alerts hold and have ended lately, by the id of the alert; none: not in the map. */
export const groupCounts = async (
  db: Queryable,
  ids: readonly number[],
): Promise<Map<number, { holding: number; ended: number }>> =>
  new Map(
    (
      await db.many(
        Counts,
        sql`SELECT g.alert_id AS id, count(*) FILTER (WHERE g.ended_at IS NULL) AS holding,
           count(*) FILTER (WHERE g.ended_at IS NOT NULL) AS ended
         FROM pf.alert_group AS g WHERE g.alert_id = ANY ($1) AND ${IS_SHOWN} GROUP BY 1`,
        [ids],
      )
    ).map(({ id, ...counts }) => [id, counts]),
  );

const { holding: __, ended: ___, changed_at: ____, ...place } = OwnAlert.entries;
const OwnRow = v.object({
  ...place,
  problem: v.nullable(v.string()),
  last: v.string(),
  read: v.nullable(v.array(Slice)),
});
export type OwnAlertRow = v.InferOutput<typeof OwnRow>;

/**
 * The alerts of an owner that hold or have ended lately, in versions of active sources that the sender may see, the last
 * changed first. Each has the slices of its source that the sender may read; null for all of it.
 */
export const listOwnAlerts = (db: Queryable, user: string): Promise<OwnAlertRow[]> => {
  const limits = limitsOf(db, sql`v.source_id`, sql`$2`, GROUPS_OF_PAGE);
  const last: SqlText = sql`(SELECT max(COALESCE(g.ended_at, g.began_at)) FROM pf.alert_group AS g
    WHERE g.alert_id = a.id AND ${IS_SHOWN})`;
  return db.many(
    OwnRow,
    sql`SELECT * FROM (
       SELECT ${FIELDS}, v.name AS version_name, v.source_id,
         COALESCE(NULLIF(s.label, ''), s.tname) AS source_label, ${last} AS last, ${limits.read} AS read
       FROM pf.alert AS a
       JOIN pf.version AS v ON v.id = a.version_id
       JOIN pf.source AS s ON s.id = v.source_id
       WHERE a.owner = $1 AND s.status = 'active' AND ${limits.isVisible}
     ) AS own WHERE last IS NOT NULL ORDER BY last DESC, id ${limits.limit}`,
    [user, ...limits.values],
  );
};
