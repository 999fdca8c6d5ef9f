/** Previews files, and makes tables of them. */
import type {
  FileMode,
  FilePreview,
  FilesAnswer,
  FileTable,
  FileType,
  FileWidening,
  MisfitChoice,
  WidenChoice,
} from '../../../contract/files';
import { firstDayOf, monthOf } from '../../../contract/calendar';
import { FILES_SCHEMA } from '../../../contract/files';
import { tableColumns } from '../../db/setup/catalog';
import type { Database } from '../../db/database';
import {
  declaredType,
  fillTable,
  isEmptyColumn,
  isFileTable,
  isTaken,
  makeTable,
  rolesOfTable,
  sourceOfTable,
  sumsByMonth,
  taken,
  widenColumns,
} from '../../db/setup/files';
import type { Queryable } from '../../db/connection/queryable';
import { AppError } from '../../errors';
import { lockSource } from '../../db/setup/sources';
import { lockVersionsOf } from '../../db/versions/versions';
import { ConvertedRows, misfitSentence, noRowSentence } from '../../files/copy-rows';
import { tableNameOf } from '../../files/names';
import { type ArrivedFile, recognise } from '../../files/recognise';
import {
  effectOf,
  fittedTo,
  MonthSums,
  type Target,
  type TargetColumn,
  widerColumns,
  type WiderColumn,
} from '../../files/target';
import { generateInside } from './generate';

/** Whether files are accepted, and their largest size in bytes. */
export const files = (limit: number): FilesAnswer => ({ accepted: limit > 0, limit });

/** The requested table for the rows of a file. */
export interface AskedTarget {
  table: string;
  mode: FileMode;
  widen: WidenChoice;
}

/**
 * Recognises the notations and types of a file, and converts its first rows
 * (docs/contract/04-data-loading.md#post-filespreview).
 *
 * @param asked the existing table to load; undefined for a new table
 * @throws AppError 400 for a name that names no table, 404 if the table is not there, 422 if the file cannot be read
 * or does not fit the table
 */
export async function previewFile(
  db: Database,
  file: ArrivedFile,
  asked?: AskedTarget,
): Promise<FilePreview> {
  const tname = asked ? asked.table : nameOf(file);
  const target = asked && (await targetOf(db, asked));
  const { plan, rows, wider, effect } = await converted(file, target, asked?.widen);
  const text = rows.copyText();
  while (!(await text.next()).done);
  return {
    tname,
    taken: target !== undefined || (await isTaken(db, tname)),
    encoding: plan.encoding,
    delimiter: plan.delimiter,
    header: plan.header,
    ...(plan.start.line > 1 && { start: plan.start }),
    decimal: plan.decimal,
    date_order: plan.dateOrder,
    unsure: plan.unsure,
    questions: plan.questions,
    notes: plan.notes,
    row_count: rows.rowCount,
    columns: plan.columns.map(({ cname, type, decimals, nearly }) => ({
      ...{ cname, type, decimals, nearly },
    })),
    rows: rows.first,
    misfits: rows.misfits,
    ...(plan.workbook ? { workbook: plan.workbook } : {}),
    ...(plan.months ? { months: plan.months } : {}),
    ...(wider.length > 0 ? { widening: await wideningOf(db, tname, wider) } : {}),
    ...(target ? { effect: await effect(db) } : {}),
  };
}

/** Describes the columns that are too narrow for a file. */
async function wideningOf(
  db: Queryable,
  tname: string,
  wider: readonly WiderColumn[],
): Promise<FileWidening> {
  const source = await sourceOfTable(db, tname);
  return {
    columns: wider.map((column) => ({
      ...{ cname: column.cname, from: column.from, to: declaredType(column) },
    })),
    version_count: source?.generated ? source.versions : 0,
  };
}

/**
 * Makes a table from a file, or loads the file into an existing table, in one transaction (docs/contract/04-data-loading.md#post-files).
 *
 * @throws AppError as {@link previewFile}; 409 if the name is taken, 422 if rows do not fit and may not be left out
 */
export async function tableFromFile(
  db: Database,
  file: ArrivedFile,
  misfits: MisfitChoice,
  asked?: AskedTarget,
): Promise<FileTable> {
  const tname = asked ? asked.table : nameOf(file);
  if (!asked && (await isTaken(db, tname))) throw taken(tname);
  const target = asked && (await targetOf(db, asked));
  const { plan, rows, wider, effect } = await converted(file, target, asked?.widen);
  const widened = asked?.widen === 'apply' ? wider : [];
  const text = misfits === 'refuse' ? fitting(rows, !target) : rows.copyText();
  const { columns, done, widening } = await db.transaction(async (tx) => {
    const source = widened.length > 0 ? await sourceOfTable(tx, tname) : undefined;
    if (source) {
      // In the order of a generation, before the table, which loads of its versions read.
      await lockSource(tx, source.id, 'UPDATE');
      await lockVersionsOf(tx, source.id);
    }
    if (widened.length > 0) await widenColumns(tx, tname, widened);
    // Before the rows are there.
    const stored = target && (await storedSums(tx, target));
    if (target)
      await fillTable(
        tx,
        target,
        plan.columns.map(({ cname }) => cname),
        text,
      );
    else await makeTable(tx, tname, plan.columns, text);
    if (rows.rowCount === 0) throw new AppError(422, noRowSentence(rows.misfits, !target));
    if (source?.generated) await generateInside(tx, source.id);
    return {
      columns: await tableColumns(tx, FILES_SCHEMA, tname),
      done: target ? { effect: await effect(tx, stored) } : {},
      widening: widened.length > 0 ? { widening: await wideningOf(tx, tname, widened) } : {},
    };
  });
  return {
    schema: FILES_SCHEMA,
    tname,
    row_count: rows.rowCount,
    columns: columns.map(({ cname, type }) => ({ cname, type: type.declared })),
    left_out: rows.misfits,
    ...(plan.months ? { months: plan.months } : {}),
    ...widening,
    ...done,
  };
}

/** How a file is read, its rows, and what they change in the table that they go to once they are read. */
async function converted(
  file: ArrivedFile,
  target: Target | undefined,
  widen: WidenChoice = 'refuse',
) {
  if (!target) {
    const plan = await recognise(file);
    return { plan, rows: new ConvertedRows(plan), wider: [], effect: () => undefined };
  }
  if (file.choices.types.length > 0) {
    throw new AppError(400, 'types: the table has its types already', { field: 'types' });
  }
  if (file.choices.decimals !== undefined) {
    throw new AppError(400, 'decimals: the table has its types already', { field: 'decimals' });
  }
  const recognised = await recognise(file);
  const wider = widerColumns(target, recognised);
  const plan = fittedTo(target, recognised, widen === 'apply' ? wider : []);
  const sums = new MonthSums(target.amounts.length);
  const place = (name: string | null) => plan.columns.findIndex(({ cname }) => cname === name);
  const [date, amounts] = [place(target.date), target.amounts.map(place)];
  const hasZone = plan.columns[date]?.type === 'timestamptz';
  const rows = new ConvertedRows(plan, (values) => {
    const moment = values[date] ?? null;
    const day = moment !== null && hasZone ? new Date(moment).toISOString() : moment;
    sums.add(
      day && firstDayOf(monthOf(day)),
      1,
      amounts.map((i) => values[i] ?? null),
    );
  });
  const effect = async (db: Queryable, stored?: MonthSums) =>
    effectOf(target, stored ?? (await storedSums(db, target)), sums);
  return { plan, rows, wider, effect };
}

/** @throws AppError 404 if there is no such table */
async function targetOf(db: Database, { table: tname, mode }: AskedTarget): Promise<Target> {
  if (!(await isFileTable(db, tname))) {
    throw new AppError(404, `There is no table ${FILES_SCHEMA}.${tname}`, { field: 'table' });
  }
  const columns = await Promise.all(
    (await tableColumns(db, FILES_SCHEMA, tname)).map(async ({ cname, type }) => ({
      ...{ cname, declared: type.declared, scale: type.scale },
      type: FILE_TYPE_OF[type.name] ?? null,
      isEmpty: type.name === 'text' && (await isEmptyColumn(db, tname, cname)),
    })),
  );
  const roles = await rolesOfTable(db, tname);
  const named = (isMeant: (column: (typeof columns)[number]) => boolean) =>
    columns.filter(isMeant).map(({ cname }) => cname);
  const isDate = ({ type }: TargetColumn) => type !== null && DATES.has(type);
  const isNumber = ({ type }: TargetColumn) => type === 'integer' || type === 'numeric';
  const measures = named(
    (column) =>
      isNumber(column) &&
      roles.some(({ cname, role }) => role !== 'date' && cname === column.cname),
  );
  const dates = new Set(named(isDate));
  const date =
    roles.find(({ cname, role }) => role === 'date' && dates.has(cname))?.cname ?? [...dates][0];
  return {
    ...{ tname, mode, columns, date: date ?? null },
    amounts: measures.length > 0 ? measures : named(isNumber).slice(0, MOST_AMOUNTS),
  };
}

/** Number of columns that are added up in a table without roles. */
const MOST_AMOUNTS = 10;

const DATES: ReadonlySet<FileType> = new Set(['date', 'timestamp', 'timestamptz']);

/** The types of columns that files can fill, by PostgreSQL's name. */
const FILE_TYPE_OF: Readonly<Record<string, FileType>> = {
  ...{ int2: 'integer', int4: 'integer', int8: 'integer' },
  ...{ numeric: 'numeric', float4: 'numeric', float8: 'numeric' },
  ...{ date: 'date', timestamp: 'timestamp', timestamptz: 'timestamptz' },
  ...{ bool: 'boolean', text: 'text', varchar: 'text', bpchar: 'text' },
};

async function storedSums(
  db: Queryable,
  { tname, columns, date, amounts }: Target,
): Promise<MonthSums> {
  const hasZone = columns.find(({ cname }) => cname === date)?.type === 'timestamptz';
  const sums = new MonthSums(amounts.length);
  const at = date === null ? null : { cname: date, hasZone };
  for (const { month, rows, amounts: own } of await sumsByMonth(db, tname, at, amounts)) {
    sums.add(month, rows, own);
  }
  return sums;
}

/**
 * The rows up to the first one that does not fit. The rest of the file is read for the list of misfits.
 * @throws AppError 422 with that list
 */
async function* fitting(rows: ConvertedRows, isNew: boolean): AsyncGenerator<Uint8Array> {
  for await (const text of rows.copyText()) if (rows.misfits.row_count === 0) yield text;
  if (rows.misfits.row_count > 0) throw new AppError(422, misfitSentence(rows.misfits, isNew));
}

function nameOf({ name }: ArrivedFile): string {
  const tname = tableNameOf(name);
  if (tname === '') throw new AppError(400, 'name must not be empty', { field: 'name' });
  if (!tname.isWellFormed()) {
    throw new AppError(400, 'name: must be well-formed Unicode', { field: 'name' });
  }
  return tname;
}
