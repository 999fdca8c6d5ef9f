/** Queries of `pf.view`. */
import { NamedView } from '../../contract/views';
import { sql } from '../sql/quote';
import type { Queryable } from './queryable';
import { found } from './queryable';

const FIELDS = sql`id, source_id, name, layout, created_by, created_at`;

/** The named views of a source, sorted by name without regard to case. */
export const listViews = (db: Queryable, sourceId: number): Promise<NamedView[]> =>
  db.many(
    NamedView,
    sql`SELECT ${FIELDS} FROM pf.view WHERE source_id = $1 ORDER BY lower(name), id`,
    [sourceId],
  );

/** The new view, or undefined if the name is taken. */
export function insertView(
  db: Queryable,
  view: Pick<NamedView, 'source_id' | 'name' | 'layout' | 'created_by'>,
): Promise<NamedView | undefined> {
  return db.maybeOne(
    NamedView,
    sql`INSERT INTO pf.view (source_id, name, layout, created_by) VALUES ($1, $2, $3, $4)
     ON CONFLICT (source_id, name) DO NOTHING
     RETURNING ${FIELDS}`,
    [view.source_id, view.name, JSON.stringify(view.layout), view.created_by],
  );
}

/**
 * Overwrites the given fields; undefined fields are kept.
 *
 * @throws AppError 404; the database's error, `uniqueViolation`, if the source has a view with that name
 */
export async function updateView(
  db: Queryable,
  id: number,
  { name, layout }: { name?: string | undefined; layout?: object | undefined },
): Promise<NamedView> {
  const view = await db.maybeOne(
    NamedView,
    sql`UPDATE pf.view SET name = COALESCE($2, name), layout = COALESCE($3::jsonb, layout)
     WHERE id = $1 RETURNING ${FIELDS}`,
    [id, name ?? null, layout === undefined ? null : JSON.stringify(layout)],
  );
  return found(view, `view ${id}`);
}

/** @returns 1, or 0 if it is gone */
export const deleteView = (db: Queryable, id: number): Promise<number> =>
  db.run(sql`DELETE FROM pf.view WHERE id = $1`, [id]);
