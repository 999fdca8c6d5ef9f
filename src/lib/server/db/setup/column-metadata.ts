/** Queries of `pf.col_meta`. */
import * as v from 'valibot';
import { ColumnEntry } from '../../../contract/columns';
import type { SourceColumn } from '../../sql/forecast-columns';
import { sql } from '../../sql/quote';
import type { TableColumn } from './catalog';
import { tableColumns } from './catalog';
import type { Queryable } from '../connection/queryable';

/** Column metadata joined with the current table. `type` is null if the table no longer has the column. */
export interface ColumnRecord extends Omit<ColumnEntry, 'type' | 'base_type' | 'time_zone'> {
  /** Null is UTC. */
  time_zone: string | null;
  /** Null if the table has gained the column and no metadata is stored for it yet. */
  id: number | null;
  table: TableColumn | null;
}

const { type: _, base_type: __, time_zone: ___, ...storedFields } = ColumnEntry.entries;

/** The stored metadata of a column. */
export const StoredColumn = v.object({
  id: v.number(),
  ...storedFields,
  time_zone: v.nullable(v.string()),
});
export type StoredColumn = v.InferOutput<typeof StoredColumn>;

/** The stored columns of source `$1`, in order. */
export const STORED_COLUMNS = sql`SELECT id, cname, label, role, is_key, opos, dim_group,
     dim_period_col, in_grain, time_zone
   FROM pf.col_meta WHERE source_id = $1 ORDER BY opos NULLS LAST, id`;

/** The columns of a source, as {@link withTable} joins them. */
export const listColumns = async (
  db: Queryable,
  source: { id: number; schema: string; tname: string },
): Promise<ColumnRecord[]> =>
  withTable(
    await db.many(StoredColumn, STORED_COLUMNS, [source.id]),
    await tableColumns(db, source.schema, source.tname),
  );

/**
 * Joins the stored columns of a source with its table. The order is used everywhere: by `opos`, columns
 * without `opos` last, then by `id`. Columns that the table has gained since it was registered have the role
 * `ignore`.
 *
 * @param stored in that order
 * @param columns columns of the current table
 */
export function withTable(
  stored: readonly StoredColumn[],
  columns: readonly TableColumn[],
): ColumnRecord[] {
  const table = new Map(columns.map((c) => [c.cname, c]));
  const names = new Set(stored.map((m) => m.cname));
  const gained = columns.filter((c) => !names.has(c.cname)).map(unstored);
  const records = stored.map((m) => ({ ...m, table: table.get(m.cname) ?? null }));
  const rank = ({ opos }: ColumnRecord) => opos ?? Infinity;
  return gained.length === 0
    ? records
    : [...records, ...gained].sort((a, b) => Number(rank(a) > rank(b)) - Number(rank(a) < rank(b)));
}

const unstored = (table: TableColumn): ColumnRecord => ({
  id: null,
  cname: table.cname,
  label: null,
  role: 'ignore',
  is_key: false,
  opos: table.position,
  dim_group: null,
  dim_period_col: null,
  in_grain: false,
  time_zone: null,
  table,
});

/** The input of SQL generation; `type` is null if the table no longer has the column. */
export const sourceColumns = (records: readonly ColumnRecord[]): SourceColumn[] =>
  records.map((r) => ({
    cname: r.cname,
    role: r.role,
    isKey: r.is_key,
    inGrain: r.in_grain,
    dimGroup: r.dim_group,
    periodColumn: r.dim_period_col,
    timeZone: r.time_zone,
    type: r.table?.type ?? null,
  }));

/** The columns as the API answers them; types as the database prints them, null if the column is gone. */
export const columnEntries = (records: readonly ColumnRecord[]): ColumnEntry[] =>
  records.map(({ id: _, table, time_zone, ...entry }) => ({
    ...entry,
    ...(time_zone === null ? {} : { time_zone }),
    type: table?.type.declared ?? null,
    ...(table && table.type.base !== table.type.declared ? { base_type: table.type.base } : {}),
  }));

/** Inserts one row per column of the table, with the role `ignore`. Columns that have a row keep it. */
export async function insertColumns(
  db: Queryable,
  sourceId: number,
  columns: readonly TableColumn[],
): Promise<void> {
  await db.run(
    sql`INSERT INTO pf.col_meta (source_id, cname, opos)
     SELECT $1, cname, opos FROM unnest($2::text[], $3::int[]) AS c (cname, opos)
     ON CONFLICT (source_id, cname) DO NOTHING`,
    [sourceId, columns.map((c) => c.cname), columns.map((c) => c.position)],
  );
}

/** Overwrites every field of the named columns, also with null. Names without a row are ignored. */
export async function updateColumns(
  db: Queryable,
  sourceId: number,
  entries: readonly Omit<ColumnRecord, 'id' | 'table'>[],
): Promise<void> {
  await db.run(
    sql`UPDATE pf.col_meta m
     SET label = e.label, role = e.role, is_key = e.is_key, opos = e.opos,
       dim_group = e.dim_group, dim_period_col = e.dim_period_col, in_grain = e.in_grain,
       time_zone = e.time_zone
     FROM jsonb_to_recordset($2::jsonb) AS e (cname text, label text, role text, is_key boolean,
       opos int, dim_group text, dim_period_col text, in_grain boolean,
       time_zone text)
     WHERE m.source_id = $1 AND m.cname = e.cname`,
    [sourceId, JSON.stringify(entries)],
  );
}

/** Whether PostgreSQL knows a time zone by this full name; abbreviations such as PST do not count. */
export const isTimeZone = (db: Queryable, name: string): Promise<boolean> =>
  db.any(sql`SELECT FROM pg_timezone_names WHERE name = $1`, [name]);
