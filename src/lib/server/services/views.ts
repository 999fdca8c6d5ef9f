/** Named views of the pivot. */
import type { CreateViewRequest, EditViewRequest, NamedView } from '../../contract/views';
import type { Database } from '../db/database';
import { found } from '../db/queryable';
import { SQLSTATE, sqlState } from '../db/failures';
import { getSource, lockSource } from '../db/sources';
import { deleteView, insertView, listViews, updateView } from '../db/views';
import { AppError } from '../errors';

const nameTaken = (name: string) =>
  new AppError(409, `The source has a view named "${name}" already`, { field: 'name' });

/** The named views of a source, sorted by name. @throws AppError 404 */
export async function views(db: Database, sourceId: number): Promise<NamedView[]> {
  const source = await getSource(db, sourceId);
  return listViews(db, source.id);
}

/** @throws AppError 404, 409 if the name is taken */
export function createView(
  db: Database,
  sourceId: number,
  request: CreateViewRequest,
): Promise<NamedView> {
  return db.transaction(async (tx) => {
    const source = await lockSource(tx, sourceId, 'SHARE');
    const created = await insertView(tx, {
      source_id: source.id,
      name: request.name,
      layout: request.layout,
      created_by: request.pf_user,
    });
    if (!created) throw nameTaken(request.name);
    return created;
  });
}

/** Changes the fields that the request names. @throws AppError 404, 409 if the name is taken */
export async function editView(
  db: Database,
  id: number,
  edit: EditViewRequest,
): Promise<NamedView> {
  try {
    return await updateView(db, id, edit);
  } catch (error) {
    if (sqlState(error) === SQLSTATE.uniqueViolation) throw nameTaken(edit.name ?? '');
    throw error;
  }
}

/** @throws AppError 404 */
export async function removeView(db: Database, id: number): Promise<void> {
  found((await deleteView(db, id)) || undefined, `view ${id}`);
}
