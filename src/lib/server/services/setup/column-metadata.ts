/** Column metadata of a source: reading, checking and saving. */
import type { ColumnEntry, ColumnSave } from '../../../contract/columns';
import {
  isMeasure,
  isSingleRole,
  PERIOD_COLUMNS,
  RESERVED_NAMES,
  SINGLE_ROLES,
  SYSTEM_COLUMNS,
} from '../../../contract/columns';
import type { ColumnRecord } from '../../db/setup/column-metadata';
import {
  columnEntries,
  insertColumns,
  isTimeZone,
  listColumns,
  updateColumns,
} from '../../db/setup/column-metadata';
import type { Database } from '../../db/database';
import { tellAll } from '../../db/connection/notify';
import { recordChange } from '../../db/log/audit';
import type { Queryable } from '../../db/connection/queryable';
import { getSource, lockSource } from '../../db/setup/sources';
import { AppError } from '../../errors';
import { defineAll, lockAnyPlans } from './published';
import { forecastType, isDate, isMoment, isNumeric } from '../../sql/forecast-columns';
import { periodTypeFits } from '../../sql/period-type';

/** @throws AppError 404 */
export async function columns(db: Database, sourceId: number): Promise<ColumnEntry[]> {
  return columnEntries(await listColumns(db, await getSource(db, sourceId)));
}

/**
 * Saves column metadata, all of it or nothing. Columns that the request does not name stay unchanged
 * (docs/contract/11-endpoints.md#put-sourcesidcolumns).
 * @throws AppError 404, 400 naming the entry and the field
 */
export function saveColumns(
  db: Database,
  sourceId: number,
  entries: readonly ColumnSave[],
): Promise<ColumnEntry[]> {
  return db.transaction(async (tx) => {
    const source = await lockSource(tx, sourceId, 'UPDATE');
    await lockAnyPlans(tx, sourceId);
    const current = await listColumns(tx, source);
    const faults = faultsOf(entries);
    const wanted = merge(current, entries, faults);
    const named = new Set(entries.map((e) => e.cname));
    validate(wanted, named, faults);
    await validateTimeZones(
      tx,
      wanted.filter((c) => named.has(c.cname)),
      faults,
    );
    await insertColumns(
      tx,
      sourceId,
      current.flatMap((c) => (c.id === null && c.table ? c.table : [])),
    );
    await updateColumns(
      tx,
      sourceId,
      wanted.map(({ id: _, table: __, ...entry }) => entry),
    );
    // Labels are comments of published views.
    await defineAll(tx, source);
    await tellAll(tx, sourceId);
    const saved = columnEntries(await listColumns(tx, source));
    await recordChange(tx, {
      action: 'columns changed',
      source_id: sourceId,
      before: byName(columnEntries(current)),
      after: byName(saved),
    });
    return saved;
  });
}

const byName = (entries: readonly ColumnEntry[]): Record<string, ColumnEntry> =>
  Object.fromEntries(entries.map((entry) => [entry.cname, entry]));

function merge(
  current: readonly ColumnRecord[],
  entries: readonly ColumnSave[],
  fault: Fault,
): ColumnRecord[] {
  const byName = new Map(current.map((c) => [c.cname, c]));
  const named = new Set<string>();
  for (const entry of entries) {
    const column = byName.get(entry.cname);
    if (!column) throw fault(entry.cname, 'cname', 'the source has no such column');
    if (named.has(entry.cname)) throw fault(entry.cname, 'cname', 'is named twice');
    named.add(entry.cname);
    const changes = Object.entries(entry).filter(([, value]) => value !== undefined);
    byName.set(entry.cname, { ...column, ...Object.fromEntries(changes) });
  }
  return [...byName.values()];
}

/** Makes the error for one field of a column. */
type Fault = (cname: string, field: keyof ColumnSave, problem: string) => AppError;

/**
 * Errors that name the column and the field. They also name the entry of the request for the column, if there is
 * one: a column that the request does not contain can conflict with one that it changes.
 */
const faultsOf =
  (entries: readonly ColumnSave[]): Fault =>
  (cname, field, problem) => {
    const entry = entries.findLastIndex((e) => e.cname === cname);
    return new AppError(400, `Column "${cname}", ${field}: ${problem}`, {
      field: entry < 0 ? field : `${entry}.${field}`,
      column: cname,
    });
  };

/**
 * Checks the metadata as it would be after saving. A fault is reported for an entry of the request if
 * possible.
 */
function validate(
  columns: readonly ColumnRecord[],
  named: ReadonlySet<string>,
  fault: Fault,
): void {
  for (const column of columns) {
    // A column that the request does not name was checked when it was saved.
    if (named.has(column.cname)) validateRole(column, fault);
  }
  for (const role of SINGLE_ROLES) {
    const holders = columns.filter((c) => c.role === role);
    // The fault is reported for a column that the request names; for the last one if it names several.
    const latest = holders.findLast((c) => named.has(c.cname)) ?? holders.at(-1);
    const other = holders.find((c) => c !== latest);
    if (latest && other) {
      throw fault(
        latest.cname,
        'role',
        `the source has a ${role} column already, "${other.cname}"`,
      );
    }
  }
  for (const column of columns) validatePeriod(column, columns, fault);
}

function validateRole({ cname, role, table }: ColumnRecord, fault: Fault): void {
  if (role === 'ignore') return;
  if (RESERVED_NAMES.some((name) => name === cname)) {
    throw fault(
      cname,
      'role',
      'this name is reserved for the service and its pivot; the column can only be ignored',
    );
  }
  if (role !== 'filter' && SYSTEM_COLUMNS.some((name) => name === cname)) {
    throw fault(
      cname,
      'role',
      'this name is reserved for PostgreSQL; the column can only be a filter or ignored',
    );
  }
  if (!table)
    throw fault(cname, 'role', 'the table no longer has this column; it can only be ignored');
  const { type } = table;
  if (isMeasure(role) && !isNumeric(type)) {
    throw fault(cname, 'role', `${role} needs a numeric column, and this one is ${type.declared}`);
  }
  if (role === 'measure' && isSingleRole(cname)) {
    throw fault(
      cname,
      'role',
      `"${cname}" stands for the ${cname} column in requests, so no further measure can have this name; give the column the role ${cname}`,
    );
  }
  if (role === 'date' && !isDate(type)) {
    throw fault(
      cname,
      'role',
      `date needs a date or timestamp, and this column is ${type.declared}`,
    );
  }
  if (role === 'dimension' && !type.comparable) {
    throw fault(cname, 'role', `rows cannot be grouped by the type ${type.declared}`);
  }
}

async function validateTimeZones(
  db: Queryable,
  columns: readonly ColumnRecord[],
  fault: Fault,
): Promise<void> {
  for (const { cname, role, time_zone: zone, table } of columns) {
    if (zone === null || role !== 'date') continue;
    if (table && !isMoment(table.type)) {
      throw fault(
        cname,
        'time_zone',
        `a time zone needs a timestamp with time zone, and this column is ${table.type.declared}`,
      );
    }
    if (!(await isTimeZone(db, zone))) {
      throw fault(cname, 'time_zone', `the database knows no time zone "${zone}"`);
    }
  }
}

function validatePeriod(
  column: ColumnRecord,
  columns: readonly ColumnRecord[],
  fault: Fault,
): void {
  const { cname, role, dim_period_col: period, dim_group: group, table } = column;
  if (period === null) return;
  if (!PERIOD_COLUMNS.some((name) => name === period)) {
    throw fault(cname, 'dim_period_col', `the calendar has no column "${period}"`);
  }
  if (role !== 'dimension') return;
  if (table && !periodTypeFits(period, forecastType(role, table.type))) {
    throw fault(
      cname,
      'dim_period_col',
      `the calendar's "${period}" cannot be put into a column of type ${table.type.declared}`,
    );
  }
  const dates = columns.filter((c) => c.role === 'date' && c.dim_group === group);
  if (group === null || dates.length !== 1) {
    throw fault(
      cname,
      'dim_group',
      group === null
        ? 'a dimension derived from the calendar needs a group with one date column'
        : `the group "${group}" has ${dates.length} date columns, and needs exactly one`,
    );
  }
}
