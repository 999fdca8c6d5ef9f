/** Queries about lookups: those of a source, the unique indexes of their tables, and slices that name attributes. */
import * as v from 'valibot';
import { Lookup } from '../../../contract/lookups';
import { sql, type SqlText } from '../../sql/quote';
import { prepared, type Queryable } from '../connection/queryable';

const { created_by: _, created_at: __, source_id: ___, ...content } = Lookup.entries;

/** A lookup as joining it needs it. */
export const StoredLookup = v.object(content);
export type StoredLookup = v.InferOutput<typeof StoredLookup>;

/** The lookups of source `$1`, oldest first. */
export const STORED_LOOKUPS = sql`SELECT id, name, schema, tname, keys, range, attributes, conversions
   FROM pf.lookup WHERE source_id = $1 ORDER BY id`;

/** The lookups of a source, oldest first. */
export const storedLookups = (db: Queryable, sourceId: number): Promise<StoredLookup[]> =>
  db.many(StoredLookup, STORED_LOOKUPS, [sourceId]);

/** The names of attributes that source `$1` had, including those that it has again. */
export const FORMER_ATTRIBUTES = sql`SELECT name FROM pf.former_attribute WHERE source_id = $1`;

/** Stores the names of attributes that go. */
export const noteFormerAttributes = (
  db: Queryable,
  sourceId: number,
  names: readonly string[],
): Promise<number> =>
  db.run(
    sql`INSERT INTO pf.former_attribute (source_id, name) SELECT $1, unnest($2::text[])
     ON CONFLICT DO NOTHING`,
    [sourceId, names],
  );

/** An index of a table with inheriting tables holds for its own rows only. */
const UNIQUES = prepared(
  sql`SELECT wanted.place, ARRAY(
       SELECT a.attname::text FROM unnest(i.indkey) WITH ORDINALITY AS k (attnum, n)
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
       WHERE k.n <= i.indnkeyatts
     ) AS columns
   FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted (schema, tname, place)
   JOIN pg_namespace n ON n.nspname = wanted.schema
   JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = wanted.tname
   JOIN pg_index i ON i.indrelid = c.oid
   WHERE i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL
     AND (c.relkind = 'p' OR NOT c.relhassubclass)`,
);

const Unique = v.object({ place: v.number(), columns: v.array(v.string()) });

/** The sets of columns of which each of some tables has one row per combination, in the order of the tables. */
export async function uniqueColumns(
  db: Queryable,
  tables: readonly { schema: string; tname: string }[],
): Promise<string[][][]> {
  const found = await db.many(Unique, UNIQUES, [
    tables.map(({ schema }) => schema),
    tables.map(({ tname }) => tname),
  ]);
  return tables.map((_table, i) =>
    found.filter(({ place }) => place === i + 1).map(({ columns }) => columns),
  );
}

/** The keys that a query of `repeatedKeys` or `selectKeys` selects, as text. */
export const keysIn = async (db: Queryable, query: SqlText): Promise<string[]> =>
  (await db.many(v.object({ key: v.string() }), query)).map(({ key }) => key);

/** The digest that a query of `keysDigest` selects. */
export const digestOfKeys = async (db: Queryable, query: SqlText): Promise<string> =>
  (await db.one(v.object({ digest: v.string() }), query)).digest;

/** The names of the formulas of a source. */
export const formulaNames = async (db: Queryable, sourceId: number): Promise<string[]> =>
  (
    await db.many(
      v.object({ name: v.string() }),
      sql`SELECT name FROM pf.formula WHERE source_id = $1`,
      [sourceId],
    )
  ).map(({ name }) => name);

const Use = v.object({
  kind: v.picklist(['territory', 'lock', 'review', 'comment']),
  id: v.number(),
});

/** Finds a territory, lock, review or open comment of a source whose slice names one of the given attributes. */
export const useOfAttributes = (
  db: Queryable,
  sourceId: number,
  names: readonly string[],
): Promise<v.InferOutput<typeof Use> | undefined> =>
  db.maybeOne(
    Use,
    sql`SELECT kind, id FROM (
       SELECT 'lock' AS kind, id, version_id, slice FROM pf.lock
       UNION ALL SELECT 'review', id, version_id, slice FROM pf.review
       UNION ALL SELECT 'comment', id, version_id, slice FROM pf.comment WHERE resolved_at IS NULL
     ) AS stored
     WHERE slice ?| $2::text[] AND version_id IN (SELECT id FROM pf.version WHERE source_id = $1)
     UNION ALL SELECT 'territory', id FROM pf.territory
     WHERE source_id = $1 AND (read ?| $2::text[] OR write ?| $2::text[])
     ORDER BY kind DESC, id LIMIT 1`,
    [sourceId, names],
  );
