/** Sources: registering, editing and deleting. */
import type {
  ColumnValues,
  EditSourceRequest,
  GrainEstimate,
  RegisterSourceRequest,
  Source,
  SourceListEntry,
} from '../../../contract/sources';
import { readsPart } from '../../../contract/territories';
import { tableColumns, tableExists } from '../../db/setup/catalog';
import type { ColumnRecord } from '../../db/setup/column-metadata';
import { insertColumns, listColumns, sourceColumns } from '../../db/setup/column-metadata';
import type { Database } from '../../db/database';
import { countCombinations, distinctValues } from '../../db/setup/source-data';
import { recordChange } from '../../db/log/audit';
import {
  deleteSource,
  getSource,
  insertSource,
  listSources,
  lockSource,
  updateSource,
} from '../../db/setup/sources';
import { storedLookups } from '../../db/setup/lookups';
import type { Queryable } from '../../db/connection/queryable';
import { listVersions } from '../../db/versions/versions';
import { AppError, faultAt, fieldPlace } from '../../errors';
import { forecastColumns } from '../../sql/forecast-columns';
import type { SqlText } from '../../sql/quote';
import { ident, qualified } from '../../sql/quote';
import { valuesInside } from '../../sql/templates/load';
import { blameSource } from '../client-faults';
import { joinLookups } from '../version/lookups';
import { anyOf } from '../version/territory';

/** The active sources; the archived too if asked for (docs/contract/11-endpoints.md#get-sources). */
export const sources = (db: Database, withArchived: boolean): Promise<SourceListEntry[]> =>
  listSources(db, withArchived);

/** @throws AppError 404 */
export const source = (db: Database, id: number): Promise<Source> => getSource(db, id);

/**
 * Registers a table with one metadata row per column, role `ignore`
 * (docs/contract/11-endpoints.md#post-sources).
 *
 * @throws AppError 404 if there is no such table, 409 if it is registered already
 */
export function registerSource(db: Database, request: RegisterSourceRequest): Promise<Source> {
  const { schema, tname } = request;
  return db.transaction(async (tx) => {
    if (!(await tableExists(tx, schema, tname))) {
      throw new AppError(404, `There is no table ${schema}.${tname}`);
    }
    const registered = await insertSource(tx, {
      schema,
      tname,
      label: request.label ?? null,
      created_by: request.pf_user ?? null,
    });
    if (!registered) throw new AppError(409, `The table ${schema}.${tname} is registered already`);
    await insertColumns(tx, registered.id, await tableColumns(tx, schema, tname));
    await recordChange(tx, {
      action: 'source registered',
      pf_user: request.pf_user,
      source_id: registered.id,
      before: null,
      after: { schema, tname, label: registered.label },
    });
    return registered;
  });
}

/** Changes the fields that the request names. @throws AppError 404 */
export function editSource(db: Database, id: number, edit: EditSourceRequest): Promise<Source> {
  return db.transaction(async (tx) => {
    const current = await lockSource(tx, id, 'UPDATE');
    const edited = await updateSource(tx, id, {
      label: edit.label === undefined ? current.label : edit.label,
      status: edit.status ?? current.status,
      default_layout:
        edit.default_layout === undefined ? current.default_layout : edit.default_layout,
    });
    await recordChange(tx, {
      action: 'source changed',
      source_id: id,
      before: settingsOf(current),
      after: settingsOf(edited),
    });
    return edited;
  });
}

const settingsOf = ({ label, status, default_layout }: Source) => ({
  label,
  status,
  default_layout,
});

/** @throws AppError 404, 409 while the source has versions */
export function removeSource(db: Database, id: number): Promise<void> {
  return db.transaction(async (tx) => {
    const { schema, tname, label } = await lockSource(tx, id, 'UPDATE');
    const versions = await listVersions(tx, id);
    if (versions.length > 0) {
      const names = versions.map((v) => `"${v.name}"`).join(', ');
      throw new AppError(409, `The source still has versions (${names}); delete them first`);
    }
    await deleteSource(tx, id);
    await recordChange(tx, {
      action: 'source deleted',
      source_id: id,
      before: { schema, tname, label },
      after: null,
    });
  });
}

/**
 * Distinct values of a column of the source table, or of an attribute in its lookup's table. A sender who reads a part
 * gets those of the rows that a load would write inside, and none of attributes.
 * @throws AppError 404 if there is no such source, column or attribute, 400 if the column is ignored; 409 if a column
 * of the sender's territories has changed its role or type
 */
export async function columnValues(
  db: Database,
  id: number,
  column: string,
  search: string,
  limit: number,
): Promise<ColumnValues> {
  const registered = await getSource(db, id);
  const blame = { field: 'cname', column };
  const records = await listColumns(db, registered);
  const record = records.find((c) => c.cname === column);
  const attribute = record ? undefined : await findAttribute(db, registered, column);
  if (attribute) {
    const { lookup, cname } = attribute;
    const table = qualified(lookup.schema, lookup.tname);
    return blameSource(lookup, () => distinctValues(db, table, ident(cname), search, limit));
  }
  if (!record?.table) throw new AppError(404, `The source has no column "${column}"`, blame);
  if (record.role === 'ignore')
    throw new AppError(400, `The column "${column}" has the role ignore`, blame);
  const { from, value } = await valuesOf(db, registered, records, column);
  const values = () => distinctValues(db, from, value, search, limit);
  return blameSource(registered, values, readsPart(registered));
}

/** An attribute by its name, for a sender who may read the lookup's table as a whole. */
async function findAttribute(db: Queryable, source: Source, name: string) {
  if (readsPart(source) || db.sender.sources !== null) return undefined;
  const lookups = await storedLookups(db, source.id);
  return lookups
    .flatMap((lookup) => lookup.attributes.map((attribute) => ({ lookup, ...attribute })))
    .find(({ label }) => label === name);
}

/** The rows of the source table that the sender may read, as a FROM clause, and a column of them. */
async function valuesOf(
  db: Queryable,
  source: Source,
  records: readonly ColumnRecord[],
  column: string,
): Promise<{ from: SqlText; value: SqlText }> {
  if (!readsPart(source)) {
    return { from: qualified(source.schema, source.tname), value: ident(column) };
  }
  const columns = forecastColumns(sourceColumns(records));
  const lookups = await joinLookups(db, await storedLookups(db, source.id), columns, records);
  const where = anyOf(source.territory?.read ?? [], { columns, lookups });
  return valuesInside(source, columns, column, where);
}

/**
 * Number of rows that would reach the browser at a grain of these columns.
 * @throws AppError 404, 400 if a column does not exist or cannot be grouped by
 */
export async function estimateGrain(
  db: Database,
  id: number,
  columns: readonly string[],
): Promise<GrainEstimate> {
  const registered = await getSource(db, id);
  const table = await tableColumns(db, registered.schema, registered.tname);
  for (const [i, name] of columns.entries()) {
    const blame = { field: `columns.${i}`, column: name };
    const column = table.find((c) => c.cname === name);
    if (!column) throw new AppError(400, `columns: the source has no column "${name}"`, blame);
    if (!column.type.comparable)
      throw new AppError(400, `columns: "${name}" cannot be grouped by`, blame);
  }
  if (columns.length === 0) throw faultAt(fieldPlace('columns'), 400, 'name at least one column');
  return blameSource(registered, () => countCombinations(db, registered, columns));
}
