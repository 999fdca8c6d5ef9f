/** Tables that can become a source, with their first rows. */
import type { TableEntry, TablePreview } from '../../../contract/sources';
import { listTables, tableColumns, tableExists } from '../../db/setup/catalog';
import type { Database } from '../../db/database';
import { previewRows } from '../../db/setup/source-data';
import { AppError } from '../../errors';
import { blameSource } from '../client-faults';

/** Every table of the database that can be a source (docs/contract/04-data-loading.md). */
export const tables = (db: Database): Promise<TableEntry[]> => listTables(db);

/** The first rows of a database table. @throws AppError 404 if there is no such table, 422 if it cannot be read */
export async function previewTable(
  db: Database,
  schema: string,
  tname: string,
  limit: number,
): Promise<TablePreview> {
  if (!(await tableExists(db, schema, tname))) {
    throw new AppError(404, `There is no table ${schema}.${tname}`);
  }
  const table = { schema, tname };
  const columns = await tableColumns(db, schema, tname);
  return {
    columns: columns.map((c) => ({ cname: c.cname, type: c.type.declared, nullable: c.nullable })),
    rows: await blameSource(table, () => previewRows(db, table, columns, limit)),
  };
}
