/** Queries of `pf.source`. */
import * as v from 'valibot';
import { LEAF_ROLES } from '../../../contract/columns';
import { Source, SourceListEntry } from '../../../contract/sources';
import { OwnPart } from '../../../contract/territories';
import { membersOf, reaches } from '../../sender';
import type { SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import { STORED_COLUMNS, StoredColumn } from './column-metadata';
import type { Queryable } from '../connection/queryable';
import { found, prepared } from '../connection/queryable';
import { FORMER_ATTRIBUTES, STORED_LOOKUPS, StoredLookup } from './lookups';
import { isServed } from '../people/needs';
import {
  hasTerritories,
  isVisibleTo,
  isWholeTo,
  OWN_TERRITORIES,
  OwnTerritory,
  partFor,
} from '../people/territories';
import type { Transaction } from '../connection/transaction';
import { byName, GENERATED_COLUMNS, NamedColumn, type GeneratedColumn } from './templates';

const FIELDS = sql`id, schema, tname, label, status, default_layout, created_at, created_by`;
/**
 * The fields for members, as a parameter. A layout may name values in its filters, so people who read a part of the
 * source do not get it.
 */
const fieldsFor = (source: SqlText, members: SqlText): SqlText =>
  sql`id, schema, tname, label, status, created_at, created_by,
     CASE WHEN ${isWholeTo(source, members)} THEN default_layout END AS default_layout,
     ${partFor(source, members)} AS territory`;

/** Makes a row without the field `territory` of one where it is null. */
const withoutNull = <Row extends object>({
  territory,
  ...row
}: Row & { territory?: OwnPart | null | undefined }) => (territory ? { ...row, territory } : row);
const territory = v.nullish(OwnPart);
const SourceRow = v.pipe(v.object({ ...Source.entries, territory }), v.transform(withoutNull));
const ListRow = v.pipe(
  v.object({ ...SourceListEntry.entries, territory }),
  v.transform(withoutNull),
);
const LOCKS = { UPDATE: sql`FOR UPDATE`, SHARE: sql`FOR SHARE` };

/**
 * The sources that the sender may see, sorted by label or name. `version_count` includes open and closed
 * versions.
 */
export async function listSources(
  db: Queryable,
  withArchived: boolean,
): Promise<SourceListEntry[]> {
  const members = membersOf(db.sender);
  const sources = await db.many(
    ListRow,
    sql`SELECT ${members ? fieldsFor(sql`s.id`, sql`$3`) : FIELDS},
       (SELECT count(*)::int FROM pf.version v WHERE v.source_id = s.id) AS version_count,
       EXISTS (SELECT FROM pf.col_meta c
         WHERE c.source_id = s.id AND c.in_grain AND c.role = ANY ($2::text[])) AS has_grain,
       EXISTS (SELECT FROM pf.sql q WHERE q.source_id = s.id) AS has_sql
     FROM pf.source s
     WHERE ($1 OR status = 'active') AND ${members ? isVisibleTo(sql`s.id`, sql`$3`) : isServed(sql`s.id`)}
     ORDER BY lower(COALESCE(label, tname)), id`,
    [withArchived, LEAF_ROLES, ...(members ? [members] : [])],
  );
  return sources.filter(({ id }) => reaches(db.sender, id));
}

/** Filters ids of sources: returns those without a source. */
export async function missingSources(db: Queryable, ids: readonly number[]): Promise<number[]> {
  const missing = await db.many(
    v.object({ id: v.number() }),
    sql`SELECT id FROM unnest($1::integer[]) AS wanted (id)
     WHERE NOT EXISTS (SELECT FROM pf.source AS s WHERE s.id = wanted.id)`,
    [ids],
  );
  return missing.map(({ id }) => id);
}

/** @throws AppError 404 if there is no such source, or the sender may not see it */
export const getSource = (db: Queryable, id: number): Promise<Source> => readSource(db, id, sql``);

async function readSource(db: Queryable, id: number, lock: SqlText): Promise<Source> {
  const members = membersOf(db.sender);
  const isVisible = members ? isVisibleTo(sql`source.id`, sql`$2`) : isServed(sql`source.id`);
  const source = await db.maybeOne(
    SourceRow,
    sql`SELECT ${members ? fieldsFor(sql`source.id`, sql`$2`) : FIELDS} FROM pf.source WHERE id = $1 AND ${isVisible} ${lock}`,
    [id, ...(members ? [members] : [])],
  );
  return found(reaches(db.sender, id) ? source : undefined, `source ${id}`);
}

const PlannedSource = v.object({
  ...Source.entries,
  stored: v.array(StoredColumn),
  generated: v.array(NamedColumn),
  lookups: v.array(StoredLookup),
  formerAttributes: v.array(v.string()),
});

/** One statement, since every read and write of a version begins with it. */
const PLANNED = sql`SELECT ${FIELDS},
     ARRAY(SELECT to_json(c) FROM (${STORED_COLUMNS}) AS c) AS stored,
     ARRAY(SELECT to_json(c) FROM (${GENERATED_COLUMNS}) AS c) AS generated,
     ARRAY(SELECT to_json(k) FROM (${STORED_LOOKUPS}) AS k) AS lookups,
     ARRAY(${FORMER_ATTRIBUTES}) AS "formerAttributes"`;
const PLANNED_SOURCE = prepared(
  sql`${PLANNED} FROM pf.source WHERE id = $1 AND ${isServed(sql`source.id`)}`,
);

/** The same with the territories of the sender; null if the source has none at all. */
const LimitedSource = v.object({
  ...PlannedSource.entries,
  territories: v.nullable(v.array(OwnTerritory)),
});
const LIMITED_SOURCE = prepared(
  sql`${PLANNED},
     CASE WHEN ${hasTerritories(sql`source.id`)}
       THEN ARRAY(SELECT to_json(t) FROM (${OWN_TERRITORIES}) AS t) END AS territories
   FROM pf.source WHERE id = $1 AND ${isServed(sql`source.id`)}`,
);

/**
 * Reads a source with its stored columns, in order, the columns that its templates were generated from, its lookups,
 * the names of attributes that it had, and the territories of the sender: undefined if they may read and change all of
 * it.
 * @throws AppError 404 if there is no such source, or the sender may not see it
 */
export async function getPlannedSource(
  db: Queryable,
  id: number,
): Promise<{
  source: Source;
  stored: readonly StoredColumn[];
  generated: ReadonlyMap<string, GeneratedColumn> | undefined;
  lookups: readonly StoredLookup[];
  formerAttributes: readonly string[];
  territories: readonly OwnTerritory[] | undefined;
}> {
  const members = membersOf(db.sender);
  const row = members
    ? await db.maybeOne(LimitedSource, LIMITED_SOURCE, [id, members])
    : {
        ...found(await db.maybeOne(PlannedSource, PLANNED_SOURCE, [id]), `source ${id}`),
        territories: null,
      };
  const { stored, generated, lookups, formerAttributes, territories, ...source } = found(
    row?.territories?.length === 0 || !reaches(db.sender, id) ? undefined : row,
    `source ${id}`,
  );
  return {
    ...{ source, stored, generated: byName(generated), lookups, formerAttributes },
    territories: territories ?? undefined,
  };
}

/**
 * Locks a source until the transaction ends: `UPDATE` to change its metadata, `SHARE` to rely on it. @throws
 * AppError 404 as {@link getSource}
 */
export const lockSource = (
  transaction: Transaction,
  id: number,
  lock: keyof typeof LOCKS,
): Promise<Source> => readSource(transaction, id, LOCKS[lock]);

/** The new source, or undefined if the table is registered already. */
export function insertSource(
  db: Queryable,
  source: { schema: string; tname: string; label: string | null; created_by: string | null },
): Promise<Source | undefined> {
  return db.maybeOne(
    Source,
    sql`INSERT INTO pf.source (schema, tname, label, created_by) VALUES ($1, $2, $3, $4)
     ON CONFLICT (schema, tname) DO NOTHING
     RETURNING ${FIELDS}`,
    [source.schema, source.tname, source.label, source.created_by],
  );
}

/**
 * Overwrites all three fields: null clears the label and the layout. @throws Error if there is no such source
 */
export function updateSource(
  db: Queryable,
  id: number,
  source: Pick<Source, 'label' | 'status' | 'default_layout'>,
): Promise<Source> {
  return db.one(
    Source,
    sql`UPDATE pf.source SET label = $2, status = $3, default_layout = $4 WHERE id = $1 RETURNING ${FIELDS}`,
    [
      id,
      source.label,
      source.status,
      source.default_layout === null ? null : JSON.stringify(source.default_layout),
    ],
  );
}

/**
 * Deletes a source with its column metadata and templates.
 *
 * @throws the database's error while the source has versions
 * @returns 1, or 0 if it is gone
 */
export const deleteSource = (db: Queryable, id: number): Promise<number> =>
  db.run(sql`DELETE FROM pf.source WHERE id = $1`, [id]);
