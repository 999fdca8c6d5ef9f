/** Queries of `pf.territory`. */
import * as v from 'valibot';
import { Slice } from '../../../contract/slices';
import { Territory } from '../../../contract/territories';
import { membersOf } from '../../sender';
import type { SqlText } from '../../sql/quote';
import { commas, sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';
import { found, prepared } from '../connection/queryable';
import { isServed } from './needs';

const FIELDS = sql`id, source_id, member, read, write, created_by, created_at`;

/** Whether a source has territories, as SQL. @param source its id, with the name of its table or alias */
export const hasTerritories = (source: SqlText): SqlText =>
  sql`EXISTS (SELECT FROM pf.territory AS t WHERE t.source_id = ${source})`;

/** The territories of some members on a source, as a FROM clause. */
const theirs = (source: SqlText, members: SqlText): SqlText =>
  sql`FROM pf.territory AS t WHERE t.source_id = ${source} AND t.member = ANY (${members}::text[])`;

/** Whether a source has no territories, or some members have one that fulfils a condition, as SQL. */
const haveTerritory = (source: SqlText, members: SqlText, condition: SqlText): SqlText =>
  sql`(NOT ${hasTerritories(source)} OR EXISTS (SELECT ${theirs(source, members)} AND ${condition}))`;

/**
 * Whether some members may see a source, as SQL: this build serves it, and it has no territories, or some of theirs.
 *
 * @param source its id
 * @param members a list of names
 */
export const isVisibleTo = (source: SqlText, members: SqlText): SqlText =>
  sql`(${isServed(source)} AND ${haveTerritory(source, members, sql`TRUE`)})`;

/** Whether some members may read all of a source, as SQL; parameters as in {@link isVisibleTo}. */
export const isWholeTo = (source: SqlText, members: SqlText): SqlText =>
  haveTerritory(source, members, sql`t.read = '{}'`);

/** Whether some members may change all of a source that they may read, as SQL; parameters as above. */
const isChangeableBy = (source: SqlText, members: SqlText): SqlText =>
  haveTerritory(source, members, sql`t.write = '{}'`);

/**
 * The slices that some members may read and change of a source, as SQL; null if they may read and change all of it.
 * Parameters as in {@link isVisibleTo}.
 */
export const partFor = (source: SqlText, members: SqlText): SqlText =>
  sql`CASE WHEN NOT (${isWholeTo(source, members)} AND ${isChangeableBy(source, members)}) THEN (
     SELECT json_build_object('read', json_agg(t.read ORDER BY t.id),
       'write', COALESCE(json_agg(t.write ORDER BY t.id) FILTER (WHERE t.write IS NOT NULL), '[]'))
     ${theirs(source, members)}) END`;

/** The pieces of a query that lists what the sender may see of several sources. */
interface Limits {
  /** The slices of the source that the sender may read; null for all of it. */
  read: SqlText;
  /** Whether the sender may see the source. */
  isVisible: SqlText;
  /** LIMIT for a sender whom territories do not limit; the rows of others are counted after they are filtered. */
  limit: SqlText;
  /** The values of the parameter. */
  values: unknown[];
}

/**
 * Limits a query of several sources to what the sender may see.
 *
 * @param source id of a source, as SQL
 * @param parameter number of the parameter for the sender's names, which a sender without limits does not have
 * @param most maximum number of rows
 */
export function limitsOf(db: Queryable, source: SqlText, parameter: SqlText, most: number): Limits {
  const members = membersOf(db.sender);
  const { sources } = db.sender;
  const isReached =
    sources === null ? sql`TRUE` : sql`${source} IN (${commas(sources.map((id) => sql`${id}`))})`;
  if (!members) {
    const isVisible = sql`${isServed(source)} AND ${isReached}`;
    return { read: sql`NULL`, isVisible, limit: sql`LIMIT ${most}`, values: [] };
  }
  return {
    read: sql`CASE WHEN NOT ${isWholeTo(source, parameter)} THEN (
       SELECT json_agg(t.read ORDER BY t.id) ${theirs(source, parameter)}) END`,
    isVisible: sql`${isVisibleTo(source, parameter)} AND ${isReached}`,
    limit: sql``,
    values: [members],
  };
}

/** The part of a territory that reads and writes need. */
export const OwnTerritory = v.object({
  id: v.number(),
  read: Territory.entries.read,
  write: Territory.entries.write,
  row_key: v.string(),
});
export type OwnTerritory = v.InferOutput<typeof OwnTerritory>;

/** The territories of the members `$2` on source `$1`, oldest first. */
export const OWN_TERRITORIES = sql`SELECT id, read, write, row_key FROM pf.territory
   WHERE source_id = $1 AND member = ANY ($2::text[]) ORDER BY id`;

/** How much of a source some members may read and change. */
const Reach = v.object({
  sourceId: v.number(),
  isVisible: v.boolean(),
  readsAll: v.boolean(),
  writesAll: v.boolean(),
});
export type Reach = v.InferOutput<typeof Reach>;

const reachOf = (from: SqlText): SqlText =>
  prepared(
    sql`SELECT s.id AS "sourceId", ${isVisibleTo(sql`s.id`, sql`$1`)} AS "isVisible",
       ${isWholeTo(sql`s.id`, sql`$1`)} AS "readsAll",
       ${isChangeableBy(sql`s.id`, sql`$1`)} AS "writesAll"
     FROM ${from}`,
  );

/** The same for something of a version. @param of the table `x` with the column `version_id` */
const reachOfVersions = (of: SqlText, condition: SqlText): SqlText =>
  reachOf(sql`${of} AS x JOIN pf.version AS v ON v.id = x.version_id
     JOIN pf.source AS s ON s.id = v.source_id WHERE ${condition}`);

/** The same for something of a source. */
const reachOfSources = (of: SqlText): SqlText =>
  reachOf(sql`${of} AS x JOIN pf.source AS s ON s.id = x.source_id WHERE x.id = $2`);

/** The kinds of things that a path can name, by the first part of the path. */
const REACHES = {
  sources: reachOf(sql`pf.source AS s WHERE s.id = $2`),
  versions: reachOfSources(sql`pf.version`),
  // An undone entry is not in the log any more.
  log: reachOfVersions(
    sql`(SELECT version_id FROM pf.log WHERE id = $2
       UNION SELECT version_id FROM pf.undone WHERE logid = $2)`,
    sql`TRUE`,
  ),
  comments: reachOfVersions(sql`pf.comment`, sql`x.id = $2`),
  locks: reachOfVersions(sql`pf.lock`, sql`x.id = $2`),
  reviews: reachOfVersions(sql`pf.review`, sql`x.id = $2`),
  alerts: reachOfVersions(sql`pf.alert`, sql`x.id = $2`),
  views: reachOfSources(sql`pf.view`),
  profiles: reachOfSources(sql`pf.profile`),
  formulas: reachOfSources(sql`pf.formula`),
  lookups: reachOfSources(sql`pf.lookup`),
  territories: reachOfSources(sql`pf.territory`),
  published: reachOfVersions(sql`pf.published`, sql`x.id = $2`),
} as const;
export type Named = keyof typeof REACHES;
export const isNamed = (kind: string): kind is Named => Object.hasOwn(REACHES, kind);

/**
 * How much some members may read and change of the source that something belongs to; undefined if there is no
 * such thing.
 */
export const findReach = (
  db: Queryable,
  kind: Named,
  id: number,
  members: readonly string[],
): Promise<Reach | undefined> => db.maybeOne(Reach, REACHES[kind], [members, id]);

/**
 * The slices of the sender's territories of a version, oldest first, and whether any of them names an attribute of a
 * lookup; null if territories do not limit the sender.
 */
export async function territoriesOf(
  db: Queryable,
  versionId: number,
): Promise<{
  own: (readonly [read: Slice, write: Slice | null])[];
  nameAttributes: boolean;
} | null> {
  const members = membersOf(db.sender);
  if (!members) return null;
  const { own, nameAttributes } = await db.one(
    v.object({
      own: v.nullable(v.array(v.tuple([Slice, v.nullable(Slice)]))),
      nameAttributes: v.nullable(v.boolean()),
    }),
    sql`SELECT CASE WHEN count(*) > 0 THEN COALESCE(
         json_agg(json_build_array(t.read, t.write) ORDER BY t.id) FILTER (WHERE t.member = ANY ($2::text[])),
         '[]') END AS own,
         bool_or(EXISTS (
           SELECT FROM pf.lookup AS l CROSS JOIN LATERAL jsonb_array_elements(l.attributes) AS a
           WHERE l.source_id = t.source_id AND (t.read ? (a ->> 'label') OR t.write ? (a ->> 'label'))
         )) FILTER (WHERE t.member = ANY ($2::text[])) AS "nameAttributes"
       FROM pf.territory AS t JOIN pf.version AS v USING (source_id) WHERE v.id = $1`,
    [versionId, members],
  );
  return own && { own, nameAttributes: nameAttributes ?? false };
}

/** Whether any of some members has a territory that covers only a part of its source. */
export const readsAPart = (db: Queryable, members: readonly string[]): Promise<boolean> =>
  db.any(prepared(sql`SELECT FROM pf.territory WHERE member = ANY ($1::text[]) AND read <> '{}'`), [
    members,
  ]);

/** Whether any source has territories. */
export const anyTerritories = (db: Queryable): Promise<boolean> =>
  db.any(prepared(sql`SELECT FROM pf.territory LIMIT 1`));

/** The territories of a source, oldest first. */
export const listTerritories = (db: Queryable, sourceId: number): Promise<Territory[]> =>
  db.many(Territory, sql`SELECT ${FIELDS} FROM pf.territory WHERE source_id = $1 ORDER BY id`, [
    sourceId,
  ]);

/** A territory. @throws AppError 404 */
export const getTerritory = async (db: Queryable, id: number): Promise<Territory> =>
  found(
    await db.maybeOne(Territory, sql`SELECT ${FIELDS} FROM pf.territory WHERE id = $1`, [id]),
    `territory ${id}`,
  );

/** The fields of a territory that people choose. */
export interface TerritoryFields {
  member: string;
  read: Slice;
  write: Slice | null;
}

const values = ({ member, read, write }: TerritoryFields) => [
  member,
  JSON.stringify(read),
  write === null ? null : JSON.stringify(write),
];

/** @returns the new territory */
export const insertTerritory = (
  db: Queryable,
  sourceId: number,
  fields: TerritoryFields,
  user: string | null,
): Promise<Territory> =>
  db.one(
    Territory,
    sql`INSERT INTO pf.territory (source_id, member, read, write, created_by)
     VALUES ($1, $2, $3, $4, $5) RETURNING ${FIELDS}`,
    [sourceId, ...values(fields), user],
  );

/** Overwrites the fields. @throws AppError 404 */
export const updateTerritory = async (
  db: Queryable,
  id: number,
  fields: TerritoryFields,
): Promise<Territory> =>
  found(
    await db.maybeOne(
      Territory,
      sql`UPDATE pf.territory SET member = $2, read = $3, write = $4 WHERE id = $1 RETURNING ${FIELDS}`,
      [id, ...values(fields)],
    ),
    `territory ${id}`,
  );

/** @returns 1, or 0 if there is no such territory */
export const deleteTerritory = (db: Queryable, id: number): Promise<number> =>
  db.run(sql`DELETE FROM pf.territory WHERE id = $1`, [id]);
