/** Generates and stores the templates of a source, and changes its forecast tables. */
import type { Template, TemplatesPreview } from '../../../contract/sources';
import { isMeasure } from '../../../contract/columns';
import { TEMPLATE_OPERATIONS } from '../../../contract/sources';
import { listColumns, sourceColumns } from '../../db/setup/column-metadata';
import type { Database } from '../../db/database';
import type { Transaction } from '../../db/connection/transaction';
import { tellAll } from '../../db/connection/notify';
import {
  addColumn,
  changeType,
  columnHasData,
  dropColumn,
  existingColumns,
} from '../../db/versions/forecast';
import { getSource, lockSource } from '../../db/setup/sources';
import type { GeneratedColumn } from '../../db/setup/templates';
import { generatedColumns, listTemplates, replaceTemplates } from '../../db/setup/templates';
import { lockVersionsOf } from '../../db/versions/versions';
import { AppError } from '../../errors';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { forecastColumns } from '../../sql/forecast-columns';
import { forecastTable, forecastTableName } from '../../sql/forecast-table';
import { generateTemplates } from '../../sql/templates/generate';
import { blameColumns } from '../client-faults';
import { defineAll, detachAll, lockAnyPlans } from './published';

/** The stored templates; empty before the first generation. @throws AppError 404 */
export async function templates(db: Database, sourceId: number): Promise<Template[]> {
  await getSource(db, sourceId);
  return listTemplates(db, sourceId);
}

/**
 * The templates that a generation would store now. @throws AppError 404, 422 with the reason why it would
 * fail
 */
export async function previewTemplates(db: Database, sourceId: number): Promise<TemplatesPreview> {
  const source = await getSource(db, sourceId);
  const metadata = sourceColumns(await listColumns(db, source));
  const generated = generateTemplates(source, metadata);
  const isStored = (await listTemplates(db, sourceId)).length > 0;
  const isRecorded = (await generatedColumns(db, sourceId)) !== undefined;
  const unrecorded = isStored && !isRecorded ? { unrecorded: true as const } : {};
  return TEMPLATE_OPERATIONS.flatMap((operation) => {
    const sql = generated[operation];
    return sql === undefined ? [] : { operation, sql, ...unrecorded };
  });
}

/**
 * Generates and stores all templates of a source, and changes the forecast tables of its versions to match,
 * in one transaction (docs/contract/07-sql-generation.md, docs/contract/13-forecast-table.md).
 * @throws AppError 404, 422 with the reason; the stored templates then stay unchanged
 */
export const generate = (db: Database, sourceId: number): Promise<Template[]> =>
  db.transaction((tx) => generateInside(tx, sourceId));

/** As {@link generate}, in a transaction that does more. @throws AppError as {@link generate} */
export async function generateInside(tx: Transaction, sourceId: number): Promise<Template[]> {
  const source = await lockSource(tx, sourceId, 'UPDATE');
  await lockAnyPlans(tx, sourceId);
  const metadata = sourceColumns(await listColumns(tx, source));
  const generated = generateTemplates(source, metadata);
  const columns = forecastColumns(metadata);
  const before = (await generatedColumns(tx, sourceId)) ?? new Map<string, GeneratedColumn>();
  const versions = await lockVersionsOf(tx, sourceId);
  await detachAll(tx, source);
  for (const version of versions) {
    await refuseOtherUses(tx, source.tname, version, { columns, before });
    await blameColumns(() => alignForecastTable(tx, source.tname, version, columns));
  }
  await replaceTemplates(tx, sourceId, generated, columns);
  await defineAll(tx, source);
  await tellAll(tx, sourceId);
  return listTemplates(tx, sourceId);
}

/** Types of one kind: the pattern matches them, and the first one holds the values of all. */
const WIDEST: readonly [widest: string, kind: RegExp][] = [
  ['bigint', /^(smallint|integer)$/],
  ['numeric', /^(numeric\(|(smallint|integer|bigint)$)/],
  ['double precision', /^real$/],
  ['text', /^character( varying)?(\(|$)/],
];

/** Whether a type holds every value of another one of the same kind. */
const holdsAllOf = (wide: string, narrow: string): boolean =>
  WIDEST.some(([widest, kind]) => widest === wide && kind.test(narrow));

/**
 * Refuses a column that holds data and would change between the role `measure` and a dimension or date. Rows of
 * operations repeat the values of a dimension and hold differences of a measure, so neither can be read as the
 * other. The roles `value` and `units` are not checked: sources that use them behave as before there were
 * further measures.
 *
 * @param roles the columns to come, and those of the last generation by name
 * @throws AppError 422 naming the version and the column
 */
async function refuseOtherUses(
  tx: Transaction,
  tname: string,
  version: { id: number; name: string },
  { columns, before }: { columns: readonly ForecastColumn[]; before: Map<string, GeneratedColumn> },
): Promise<void> {
  for (const { name, role } of columns) {
    const old = before.get(name)?.role ?? role;
    if (isMeasure(old) === isMeasure(role) || ![old, role].includes('measure')) continue;
    if (!(await columnHasData(tx, forecastTable(tname, version.id), name))) continue;
    throw new AppError(
      422,
      `The version "${version.name}" holds data in "${name}", which had the role ${old} when its rows were written and cannot be read as ${role}; give the column the role ${old} again, or remove the rows of the version first`,
      { column: name },
    );
  }
}

/**
 * Gives the forecast table of a version the columns that the templates expect. New columns are added empty. A
 * column that holds data is never dropped, and gets another type only if that type holds all its values:
 * another service may have made the table with a narrower one.
 */
async function alignForecastTable(
  tx: Transaction,
  tname: string,
  version: { id: number; name: string },
  columns: readonly ForecastColumn[],
): Promise<void> {
  const table = forecastTable(tname, version.id);
  const tableName = forecastTableName(tname, version.id);
  const existing = await existingColumns(tx, tableName);
  const wanted = new Map(columns.map((c) => [c.name, c]));

  for (const [name, type] of existing) {
    const column = wanted.get(name);
    if (column?.type === type) continue;
    if (column && holdsAllOf(column.type, type)) {
      await changeType(tx, tableName, column);
      continue;
    }
    if (await columnHasData(tx, table, name)) {
      const change = column ? `change from ${type} to ${column.type}` : 'drop';
      throw new AppError(
        422,
        `The version "${version.name}" holds data in "${name}", which the new SQL would ${change}`,
        { column: name },
      );
    }
    await dropColumn(tx, tableName, name);
    existing.delete(name);
  }
  for (const column of columns) {
    if (!existing.has(column.name)) await addColumn(tx, table, column);
  }
}
