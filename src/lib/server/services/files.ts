/** Previews files, and makes tables of them. */
import type { FilePreview, FilesAnswer, FileTable, MisfitChoice } from '../../contract/files';
import { FILES_SCHEMA } from '../../contract/files';
import { tableColumns } from '../db/catalog';
import type { Database } from '../db/database';
import { isTaken, makeTable, taken } from '../db/files';
import { AppError } from '../errors';
import { ConvertedRows, misfitSentence, noRowSentence } from '../files/copy-rows';
import { tableNameOf } from '../files/names';
import { type ArrivedFile, recognise } from '../files/recognise';

/** Whether files are accepted, and their largest size in bytes. */
export const files = (limit: number): FilesAnswer => ({ accepted: limit > 0, limit });

/**
 * Recognises the notations and types of a file, and converts its first rows
 * (docs/contract/04-data-loading.md#post-filespreview).
 *
 * @throws AppError 400 for a name that names no table, 422 if the file cannot be read
 */
export async function previewFile(db: Database, file: ArrivedFile): Promise<FilePreview> {
  const tname = nameOf(file);
  const plan = await recognise(file);
  const rows = new ConvertedRows(plan);
  const text = rows.copyText();
  while (!(await text.next()).done);
  return {
    tname,
    taken: await isTaken(db, tname),
    encoding: plan.encoding,
    delimiter: plan.delimiter,
    header: plan.header,
    decimal: plan.decimal,
    date_order: plan.dateOrder,
    unsure: plan.unsure,
    row_count: rows.rowCount,
    columns: plan.columns.map(({ cname, type, nearly }) => ({ cname, type, nearly })),
    rows: rows.first,
    misfits: rows.misfits,
    ...(plan.workbook ? { workbook: plan.workbook } : {}),
    ...(plan.months ? { months: plan.months } : {}),
  };
}

/**
 * Makes a table from a file, in one transaction (docs/contract/04-data-loading.md#post-files).
 *
 * @throws AppError as {@link previewFile}; 409 if the name is taken, 422 if rows do not fit and may not be left out
 */
export async function tableFromFile(
  db: Database,
  file: ArrivedFile,
  misfits: MisfitChoice,
): Promise<FileTable> {
  const tname = nameOf(file);
  if (await isTaken(db, tname)) throw taken(tname);
  const plan = await recognise(file);
  const rows = new ConvertedRows(plan);
  const text = misfits === 'refuse' ? fitting(rows) : rows.copyText();
  const columns = await db.transaction(async (tx) => {
    await makeTable(tx, tname, plan.columns, text);
    if (rows.rowCount === 0) throw new AppError(422, noRowSentence(rows.misfits));
    return tableColumns(tx, FILES_SCHEMA, tname);
  });
  return {
    schema: FILES_SCHEMA,
    tname,
    row_count: rows.rowCount,
    columns: columns.map(({ cname, type }) => ({ cname, type: type.declared })),
    left_out: rows.misfits,
    ...(plan.months ? { months: plan.months } : {}),
  };
}

/**
 * The rows up to the first one that does not fit. The rest of the file is read for the list of misfits.
 * @throws AppError 422 with that list
 */
async function* fitting(rows: ConvertedRows): AsyncGenerator<Uint8Array> {
  for await (const text of rows.copyText()) if (rows.misfits.row_count === 0) yield text;
  if (rows.misfits.row_count > 0) throw new AppError(422, misfitSentence(rows.misfits));
}

function nameOf({ name }: ArrivedFile): string {
  const tname = tableNameOf(name);
  if (tname === '') throw new AppError(400, 'name must not be empty', { field: 'name' });
  if (!tname.isWellFormed()) {
    throw new AppError(400, 'name: must be well-formed Unicode', { field: 'name' });
  }
  return tname;
}
