/** What people save under a name for a source: views of the pivot, profiles of weights, and formulas. */
import type { Formula } from '../../contract/formulas';
import { NamedProfile } from '../../contract/profiles';
import type { Source } from '../../contract/sources';
import { NamedView } from '../../contract/views';
import type { Database } from '../db/database';
import { SQLSTATE, sqlState } from '../db/failures';
import type { NamedTable } from '../db/named';
import { deleteNamed, getNamed, insertNamed, listNamed, updateNamed } from '../db/named';
import { found } from '../db/queryable';
import { getSource, lockSource } from '../db/sources';
import type { Transaction } from '../db/transaction';
import { AppError } from '../errors';
import { sql } from '../sql/quote';
import { readsPart } from './territory';

type Stored = NamedView | NamedProfile | Formula;

/** The fields of a request; a missing one keeps its value. */
export type Edit<Row, Field extends keyof Row> = { name?: string | undefined } & {
  [Key in Field]?: Row[Key] | undefined;
};

/**
 * Returns the operations on the rows of a table (docs/contract/11-endpoints.md#named-views).
 *
 * @param check throws an AppError if the source, which is locked, does not allow the fields
 */
export function operationsOn<Row extends Stored, Field extends keyof Row & string>(
  table: NamedTable<Row, Field>,
  check?: (tx: Transaction, source: Source, edit: Edit<Row, Field>) => Promise<void>,
) {
  const { kind } = table;
  const nameTaken = (name: string) =>
    new AppError(409, `The source has a ${kind} named "${name}" already`, { field: 'name' });
  return {
    /** The rows of a source that the sender may read, sorted by name. @throws AppError 404 */
    async list(db: Database, sourceId: number): Promise<Row[]> {
      const source = await getSource(db, sourceId);
      if (table.mayNameValues && readsPart(source)) return [];
      return listNamed(db, table, source.id);
    },

    /** @throws AppError 404, 409 if the name is taken, and the errors of `check` */
    create(
      db: Database,
      sourceId: number,
      request: { name: string; pf_user: string } & Pick<Row, Field>,
    ): Promise<Row> {
      return db.transaction(async (tx) => {
        const source = await lockSource(tx, sourceId, 'SHARE');
        const { name, pf_user, ...content } = request;
        await check?.(tx, source, request);
        const created = await insertNamed(tx, table, {
          source_id: source.id,
          name,
          content,
          created_by: pf_user,
        });
        if (!created) throw nameTaken(name);
        return created;
      });
    },

    /**
     * Changes the fields that the request names. @throws AppError 404, 409 if the name is taken, and the errors of
     * `check`
     */
    async edit(db: Database, id: number, edit: Edit<Row, Field>): Promise<Row> {
      const { name, ...content } = edit;
      try {
        return await db.transaction(async (tx) => {
          if (check) {
            const { source_id } = await getNamed(tx, table, id);
            await check(tx, await lockSource(tx, source_id, 'SHARE'), edit);
          }
          return updateNamed(tx, table, id, { name, content });
        });
      } catch (error) {
        if (sqlState(error) === SQLSTATE.uniqueViolation) throw nameTaken(name ?? '');
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
  content: { layout: sql`jsonb` },
  mayNameValues: true,
});

/** Named profiles. */
export const profiles = operationsOn({
  kind: 'profile',
  schema: NamedProfile,
  content: { weights: sql`double precision[]` },
  mayNameValues: true,
});
