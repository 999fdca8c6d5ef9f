/** Columns of a source and their metadata: roles, types, and the bodies that save them. */
import * as v from 'valibot';
import { label, number, text } from './primitives';

/** Roles of a column (docs/contract/02-resources-and-their-fields.md#pfcol_meta). */
export const ROLES = [
  'dimension',
  'value',
  'units',
  'measure',
  'date',
  'filter',
  'ignore',
] as const;
export const Role = v.picklist(ROLES);
export type Role = v.InferOutput<typeof Role>;

/** The roles of columns whose values distinguish forecast rows. */
export const LEAF_ROLES = ['dimension', 'date'] as const satisfies Role[];
export type LeafRole = (typeof LEAF_ROLES)[number];
/** Returns whether columns of a role distinguish forecast rows. */
export const isLeaf = (role: Role): role is LeafRole => LEAF_ROLES.some((leaf) => leaf === role);

/** The roles of columns that are added up. A source has one value, one units and any number of further measures. */
export const MEASURE_ROLES = ['value', 'units', 'measure'] as const satisfies Role[];
export type MeasureRole = (typeof MEASURE_ROLES)[number];
/** Returns whether columns of a role are added up. */
export const isMeasure = (role: Role): role is MeasureRole =>
  MEASURE_ROLES.some((measure) => measure === role);

/** The roles that one column of a source can have. */
export const SINGLE_ROLES = ['value', 'units'] as const satisfies MeasureRole[];
export type SingleRole = (typeof SINGLE_ROLES)[number];

/** Returns whether a key stands for the value or units column, so no other measure can have it. */
export const isSingleRole = (key: string): key is SingleRole =>
  SINGLE_ROLES.some((role) => role === key);

/** Returns the key of a measure: its role, or the name of its column for any measure but value and units. */
export const measureKey = ({ role, name }: { role: string; name: string }): string =>
  role === 'measure' ? name : role;

/** Something of each measure by its key. */
export type ByMeasure<Of> = Readonly<Record<string, Of>>;
/** Something of each measure by its key; value and units have it even if the source lacks them. */
export type WithSingle<Of> = ByMeasure<Of> & Readonly<Record<SingleRole, Of>>;

/** Returns the columns that are added up with their keys: value, units, then the others. */
export const measuresOf = <Column extends Pick<ColumnEntry, 'cname' | 'role'>>(
  columns: readonly Column[],
): { key: string; column: Column }[] =>
  MEASURE_ROLES.flatMap((role) => columns.filter((column) => column.role === role)).map(
    (column) => ({ key: measureKey({ role: column.role, name: column.cname }), column }),
  );

/** Names reserved for the service; a source column with such a name can only be ignored. */
export const RESERVED_NAMES = [
  'pf_id',
  'pf_iter',
  'pf_logid',
  'pf_created_at',
  'pf_gkey',
  'pf_note',
  'pf_op',
  // Names of the pivot engine's own columns.
  'psp_okey',
  'psp_pkey',
  'psp_op',
  '__ROW_PATH__',
  '__ID__',
  '__INDEX__',
] as const;

/** System columns of every PostgreSQL table. A view may have other columns with these names. */
export const SYSTEM_COLUMNS = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'] as const;

/** Maximum number of source columns in a forecast table, because a table has at most 1,600 columns. */
export const MOST_COLUMNS = 1596;

const nullableText = v.nullable(text);

/** The metadata of a column as stored in pf.col_meta, with the database types of the source's column. */
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

/** Returns whether the values of a column are calendar days or moments in forecasts. A load takes the day of a date column. */
export const holdsDays = (column: Pick<ColumnEntry, 'role' | 'type' | 'base_type'>): boolean =>
  column.role === 'date' || /^(date$|timestamp)/.test(baseTypeOf(column) ?? '');

/**
 * Returns the type that decides a column's decimals: the base type of a domain, else the type itself. Null if
 * unknown.
 */
export const baseTypeOf = (
  column: Pick<ColumnEntry, 'type' | 'base_type'> | null | undefined,
): string | null => column?.base_type ?? column?.type ?? null;

/**
 * One entry of a save of column metadata. `cname` names the column; a missing field keeps its stored value.
 */
export const ColumnSave = v.object({
  cname: text,
  label: v.optional(v.nullable(label)),
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

/** Body of PUT columns: saved completely or not at all (docs/contract/11-endpoints.md). */
export const ColumnsSaveRequest = v.array(ColumnSave);
/** Answer of GET and PUT columns. */
export const ColumnsAnswer = v.array(ColumnEntry);

/**
 * Returns whether a source has a display grain: whether any column with `in_grain` is a dimension or a date.
 * If so, the browser loads `/agg` and indexes on `pf_gkey`; otherwise `/data` and `pf_id`
 * (docs/contract/04-data-loading.md).
 */
export function hasGrain(columns: readonly Pick<ColumnEntry, 'role' | 'in_grain'>[]): boolean {
  return columns.some((c) => c.in_grain && isLeaf(c.role));
}

/** The columns of pf.dim_period that can fill a dimension. */
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
