/** Columns of a source and their metadata: roles, types, and the bodies that save them. */
import * as v from 'valibot';
import { number, text } from './primitives';

/** Roles of a column (docs/contract/02-resources-and-their-fields.md#pfcol_meta). */
export const ROLES = ['dimension', 'value', 'units', 'date', 'filter', 'ignore'] as const;
export const Role = v.picklist(ROLES);
export type Role = v.InferOutput<typeof Role>;

/** The roles of the columns that tell forecast rows apart. */
export const LEAF_ROLES = ['dimension', 'date'] as const satisfies Role[];
export type LeafRole = (typeof LEAF_ROLES)[number];
/** Whether a column of the role tells forecast rows apart. */
export const isLeaf = (role: Role): role is LeafRole => LEAF_ROLES.some((leaf) => leaf === role);

/** Names the service needs for itself; a source column of that name can only be ignored. */
export const RESERVED_NAMES = [
  'pf_id',
  'pf_iter',
  'pf_logid',
  'pf_created_at',
  'pf_gkey',
  'pf_note',
  'pf_op',
  // Names that the pivot engine gives to columns of its own.
  'psp_okey',
  'psp_pkey',
  'psp_op',
  '__ROW_PATH__',
  '__ID__',
  '__INDEX__',
] as const;

/** The columns that PostgreSQL gives to every table: a view may have others of these names. */
export const SYSTEM_COLUMNS = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'] as const;

/** The most columns of a source that its forecast tables can have: a table has at most 1,600. */
export const MOST_COLUMNS = 1596;

const nullableText = v.nullable(text);

/** One column's metadata as it is kept in pf.col_meta, with the database types of the source's column. */
export const ColumnEntry = v.object({
  cname: v.string(),
  label: nullableText,
  role: Role,
  is_key: v.boolean(),
  opos: v.nullable(v.number()),
  dim_group: nullableText,
  dim_period_col: nullableText,
  in_grain: v.boolean(),
  time_zone: v.optional(
    v.pipe(
      v.string(),
      v.description('The time zone in which a load takes the day of a timestamp; UTC if absent'),
    ),
  ),
  type: v.nullable(
    v.pipe(v.string(), v.description('Database type; null if the table no longer has the column')),
  ),
  base_type: v.optional(
    v.pipe(
      v.string(),
      v.description('The base type of a domain, with its decimals; absent for any other type'),
    ),
  ),
});
export type ColumnEntry = v.InferOutput<typeof ColumnEntry>;

/** The type whose decimals a column has: the base type of a domain, else the type itself. Null if it is unknown. */
export const baseTypeOf = (
  column: Pick<ColumnEntry, 'type' | 'base_type'> | null | undefined,
): string | null => column?.base_type ?? column?.type ?? null;

/**
 * One entry of the column metadata save. `cname` says which column; a field left out keeps what is
 * stored.
 */
export const ColumnSave = v.object({
  cname: text,
  label: v.optional(nullableText),
  role: v.optional(Role),
  is_key: v.optional(v.boolean()),
  opos: v.optional(
    v.nullable(v.pipe(number, v.integer(), v.minValue(-2147483648), v.maxValue(2147483647))),
  ),
  dim_group: v.optional(nullableText),
  dim_period_col: v.optional(nullableText),
  in_grain: v.optional(v.boolean()),
  time_zone: v.optional(nullableText),
});
export type ColumnSave = v.InferOutput<typeof ColumnSave>;

/** Body of PUT columns: saved all of it, or nothing (docs/contract/11-endpoints.md). */
export const ColumnsSaveRequest = v.array(ColumnSave);
/** Answer of GET and PUT columns. */
export const ColumnsAnswer = v.array(ColumnEntry);

/**
 * Whether a source has a display grain: whether any column with `in_grain` is a dimension or a date.
 * If so, the browser loads `/agg` and indexes on `pf_gkey`; otherwise `/data` and `pf_id`
 * (docs/contract/04-data-loading.md).
 */
export function hasGrain(columns: readonly Pick<ColumnEntry, 'role' | 'in_grain'>[]): boolean {
  return columns.some((c) => c.in_grain && isLeaf(c.role));
}

/** The columns of pf.dim_period that a dimension may be derived from. */
export const PERIOD_COLUMNS = [
  'sdat',
  'edat',
  'drange',
  'ndays',
  'cal_year',
  'cal_quarter',
  'cal_month',
  'cal_month_abbr',
  'cal_month_name',
  'cal_label',
  'fisc_year',
  'fisc_quarter',
  'fisc_quarter_label',
  'fisc_month',
  'fisc_month_abbr',
  'fisc_month_name',
  'fisc_label',
  'period_key',
] as const;
export type PeriodColumn = (typeof PERIOD_COLUMNS)[number];
