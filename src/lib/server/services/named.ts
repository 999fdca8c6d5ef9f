/** What people save under a name for a source: views of the pivot, and profiles of weights. */
import { NamedProfile } from '../../contract/profiles';
import { NamedView } from '../../contract/views';
import type { Database } from '../db/database';
import { SQLSTATE, sqlState } from '../db/failures';
import type { NamedTable } from '../db/named';
import { deleteNamed, insertNamed, listNamed, updateNamed } from '../db/named';
import { found } from '../db/queryable';
import { getSource, lockSource } from '../db/sources';
import { AppError } from '../errors';
import { sql } from '../sql/quote';

type Stored = NamedView | NamedProfile;

/** Returns the operations on the rows of a table (docs/contract/11-endpoints.md#named-views). */
function operationsOn<Row extends Stored, Field extends keyof Row & string>(
  table: NamedTable<Row, Field>,
) {
  const { kind, content } = table;
  const nameTaken = (name: string) =>
    new AppError(409, `The source has a ${kind} named "${name}" already`, { field: 'name' });
  return {
    /** The rows of a source, sorted by name. @throws AppError 404 */
    async list(db: Database, sourceId: number): Promise<Row[]> {
      const source = await getSource(db, sourceId);
      return listNamed(db, table, source.id);
    },

    /** @throws AppError 404, 409 if the name is taken */
    create(
      db: Database,
      sourceId: number,
      request: { name: string; pf_user: string } & Pick<Row, Field>,
    ): Promise<Row> {
      return db.transaction(async (tx) => {
        const source = await lockSource(tx, sourceId, 'SHARE');
        const created = await insertNamed(tx, table, {
          source_id: source.id,
          name: request.name,
          content: request[content],
          created_by: request.pf_user,
        });
        if (!created) throw nameTaken(request.name);
        return created;
      });
    },

    /** Changes the fields that the request names. @throws AppError 404, 409 if the name is taken */
    async edit(
      db: Database,
      id: number,
      edit: { name?: string | undefined } & { [Key in Field]?: Row[Key] | undefined },
    ): Promise<Row> {
      try {
        return await updateNamed(db, table, id, { name: edit.name, content: edit[content] });
      } catch (error) {
        if (sqlState(error) === SQLSTATE.uniqueViolation) throw nameTaken(edit.name ?? '');
        throw error;
      }
    },

    /** @throws AppError 404 */
    async remove(db: Database, id: number): Promise<void> {
      found((await deleteNamed(db, table, id)) || undefined, `${kind} ${id}`);
    },
  };
}

/** Named views of the pivot. */
export const views = operationsOn({
  kind: 'view',
  schema: NamedView,
  content: 'layout',
  type: sql`jsonb`,
});

/** Named profiles. */
export const profiles = operationsOn({
  kind: 'profile',
  schema: NamedProfile,
  content: 'weights',
  type: sql`double precision[]`,
});
