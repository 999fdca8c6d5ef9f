/** What people save under a name for a source: views of the pivot, profiles of weights, formulas, and lookups. */
import type { Formula } from '../../../contract/formulas';
import type { Lookup } from '../../../contract/lookups';
import { NamedProfile } from '../../../contract/profiles';
import type { Slice } from '../../../contract/slices';
import type { Source } from '../../../contract/sources';
import { readsPart } from '../../../contract/territories';
import { NamedView } from '../../../contract/views';
import type { Database } from '../../db/database';
import { SQLSTATE, sqlState } from '../../db/connection/failures';
import type { NamedTable } from '../../db/setup/named';
import { deleteNamed, getNamed, insertNamed, listNamed, updateNamed } from '../../db/setup/named';
import { found } from '../../db/connection/queryable';
import { getSource, lockSource } from '../../db/setup/sources';
import type { Transaction } from '../../db/connection/transaction';
import { AppError } from '../../errors';
import { sql } from '../../sql/quote';
import { isReadable } from '../version/slices-inside';

type Stored = NamedView | NamedProfile | Formula | Lookup;

/** The fields of a request; a missing one keeps its value. */
export type Edit<Row, Field extends keyof Row> = { name?: string | undefined } & {
  [Key in Field]?: Row[Key] | undefined;
};

/**
 * Returns the operations on the rows of a table (docs/contract/11-endpoints.md#named-views).
 *
 * @param check throws an AppError if the source, which is locked, does not allow the fields; it gets the row that a
 * request changes or deletes, and no fields for one that deletes it
 */
export function operationsOn<Row extends Stored, Field extends keyof Row & string>(
  table: NamedTable<Row, Field>,
  check?: (
    tx: Transaction,
    source: Source,
    edit: Edit<Row, Field> | undefined,
    row: Row | undefined,
  ) => Promise<void>,
) {
  const { kind } = table;
  // Another request must not take a name between its check and the write.
  const lock = check ? 'UPDATE' : 'SHARE';
  const nameTaken = (name: string) =>
    new AppError(409, `The source has a ${kind} named "${name}" already`, { field: 'name' });
  /**
   * Gives `work` the source of a row that the sender may change, and locks it.
   *
   * @throws AppError 404, also for a row that the sender may not see; 403 for somebody else's, if the sender reads a
   * part of the source
   */
  function changing<Result>(
    db: Database,
    id: number,
    work: (tx: Transaction, source: Source, row: Row) => Promise<Result>,
  ): Promise<Result> {
    return db.transaction(async (tx) => {
      const { source_id } = (await getNamed(tx, table, id)).row;
      const source = await lockSource(tx, source_id, lock);
      const saved = await getNamed(tx, table, id);
      const { row } = found(isShown(table, source, saved) ? saved : undefined, `${kind} ${id}`);
      const isOwn = row.created_by === tx.sender.user;
      if (table.mayNameValues && readsPart(source) && !isOwn) {
        const who = `${row.created_by} and people who read all of the source`;
        throw new AppError(403, `Only ${who} may change this ${kind}`);
      }
      return work(tx, source, row);
    });
  }

  return {
    /** The rows of a source that the sender may read, sorted by name. @throws AppError 404 */
    async list(db: Database, sourceId: number): Promise<Row[]> {
      const source = await getSource(db, sourceId);
      const saved = await listNamed(db, table, source.id);
      return saved.filter((each) => isShown(table, source, each)).map(({ row }) => row);
    },

    /** @throws AppError 404, 409 if the name is taken, and the errors of `check` */
    create(
      db: Database,
      sourceId: number,
      request: { name: string; pf_user: string } & Pick<Row, Field>,
    ): Promise<Row> {
      return db.transaction(async (tx) => {
        const source = await lockSource(tx, sourceId, lock);
        const { name, pf_user, ...content } = request;
        await check?.(tx, source, request, undefined);
        const created = await insertNamed(tx, table, {
          source_id: source.id,
          name,
          content,
          created_by: pf_user,
          within: readOf(source),
        });
        if (!created) throw nameTaken(name);
        return created;
      });
    },

    /**
     * Changes the fields that the request names. @throws AppError 403 as {@link changing}, 404, 409 if the name is
     * taken, and the errors of `check`
     */
    async edit(db: Database, id: number, edit: Edit<Row, Field>): Promise<Row> {
      const { name, ...content } = edit;
      try {
        return await changing(db, id, async (tx, source, row) => {
          await check?.(tx, source, edit, row);
          return updateNamed(tx, table, id, { name, content, within: readOf(source) });
        });
      } catch (error) {
        if (sqlState(error) === SQLSTATE.uniqueViolation) throw nameTaken(name ?? '');
        throw error;
      }
    },

    /** @throws AppError 403 as {@link changing}, 404, and the errors of `check` */
    remove: (db: Database, id: number): Promise<void> =>
      changing(db, id, async (tx, source, row) => {
        await check?.(tx, source, undefined, row);
        found((await deleteNamed(tx, table, id)) || undefined, `${kind} ${id}`);
      }),
  };
}

/** The slices that the sender may read of a source; null for all of it. */
const readOf = (source: Source): readonly Slice[] | null =>
  readsPart(source) ? (source.territory?.read ?? []) : null;

/**
 * Whether the sender may see a row: they read all of the source, or the person who saved it could read nothing that
 * the sender may not read.
 */
function isShown(
  { mayNameValues }: { mayNameValues?: true },
  source: Source,
  { within }: { within: readonly Slice[] | null },
): boolean {
  const read = readOf(source);
  if (!mayNameValues || !read) return true;
  return within?.every((slice) => isReadable(slice, read)) ?? false;
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
