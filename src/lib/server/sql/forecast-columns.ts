/** Columns of a source as the SQL of forecast tables needs them: types, roles and order. */
import type { LeafRole, MeasureRole, Role, SingleRole } from '../../contract/columns';
import { isLeaf, isMeasure, measureKey, SINGLE_ROLES } from '../../contract/columns';
import type { SqlText } from './quote';
import { sql } from './quote';

/** The type of a database column from the catalog, with its domain resolved. */
export interface ColumnType {
  /** Declared type, as PostgreSQL prints it: `numeric(12,2)`, `public.colour`. */
  declared: SqlText;
  /** The base type with its modifier. It equals `declared` unless the type is a domain. */
  base: SqlText;
  /** The base type's own name: `int4`, `varchar`, `numeric`, `_text`. */
  name: string;
  isEnum: boolean;
  /** Scale of a constrained numeric, null otherwise. */
  scale: number | null;
  /** Whether rows can be grouped and sorted by it. */
  comparable: boolean;
}

/** One column of a source: its metadata with the type of the table's column. */
export interface SourceColumn {
  cname: string;
  role: Role;
  isKey: boolean;
  inGrain: boolean;
  dimGroup: string | null;
  periodColumn: string | null;
  /** Time zone in which a load takes the day of a `timestamptz`; null is UTC. */
  timeZone: string | null;
  /** Null if the table no longer has the column. */
  type: ColumnType | null;
}

/** How a measure is summed and rounded. */
type MeasureKind = { exact: true; scale: number | null } | { exact: false };

export interface ForecastColumn {
  name: string;
  role: LeafRole | MeasureRole;
  isKey: boolean;
  inGrain: boolean;
  dimGroup: string | null;
  periodColumn: string | null;
  /** As in {@link SourceColumn}; null for every column that is not a date. */
  timeZone: string | null;
  /** The column's type in the source table. */
  source: ColumnType;
  /** The column's type in the forecast table. */
  type: SqlText;
}

/** A dimension that is derived from the calendar. */
export type DerivedColumn = ForecastColumn & { periodColumn: string };

const INTEGERS = ['int2', 'int4', 'int8'];
const FLOATS = ['float4', 'float8'];
const TEXTS = ['text', 'varchar', 'bpchar', 'char', 'name', 'citext'];
const DATES = ['date', 'timestamp', 'timestamptz'];

/** Whether a column of the type can be a measure. */
export const isNumeric = (type: ColumnType): boolean =>
  INTEGERS.includes(type.name) || FLOATS.includes(type.name) || type.name === 'numeric';

/** Whether a column of the type can have the role `date`. */
export const isDate = (type: ColumnType): boolean => DATES.includes(type.name);

/** Whether a column of the type holds moments, whose day depends on the time zone. */
export const isMoment = (type: ColumnType): boolean => type.name === 'timestamptz';

/** Whether a column of the type holds a time beside the day. */
export const hasTime = (type: ColumnType): boolean => type.name.startsWith('timestamp');

/** The time zone of a column of the source; null is UTC, as for every column that is no date of moments. */
export const zoneOf = ({ role, type, timeZone }: SourceColumn): string | null =>
  role === 'date' && type && isMoment(type) ? timeZone : null;

/** Whether the type becomes text in a forecast table; enums do. */
export const isText = (type: ColumnType): boolean => type.isEnum || TEXTS.includes(type.name);

/**
 * The forecast table's type for a source column: wide enough for what operations do
 * (docs/contract/13-forecast-table.md).
 */
export function forecastType(role: Role, type: ColumnType): SqlText {
  if (role === 'date') return sql`date`;
  if (INTEGERS.includes(type.name)) return sql`bigint`;
  if (FLOATS.includes(type.name)) return sql`double precision`;
  if (type.name === 'numeric') return sql`numeric`;
  if (isText(type)) return sql`text`;
  return type.base;
}

/**
 * The columns of a source's forecast tables, in the order that is used everywhere. It leaves out `filter` and
 * `ignore` columns, and columns that the table no longer has.
 */
export function forecastColumns(columns: readonly SourceColumn[]): ForecastColumn[] {
  return columns.flatMap((c) => {
    if (c.role === 'filter' || c.role === 'ignore' || c.type === null) return [];
    return {
      name: c.cname,
      role: c.role,
      isKey: c.isKey,
      inGrain: c.inGrain,
      dimGroup: c.dimGroup,
      periodColumn: c.role === 'dimension' ? c.periodColumn : null,
      timeZone: zoneOf(c),
      source: c.type,
      type: forecastType(c.role, c.type),
    };
  });
}

/** The columns that identify a leaf: every dimension and date, in order. */
export const leafColumns = (columns: readonly ForecastColumn[]): ForecastColumn[] =>
  columns.filter((c) => isLeaf(c.role));

/** How a template uses a column: it groups by it, or sums it as one of the measures. */
type ColumnUse = 'leaf' | MeasureRole;

/** How a template uses a column with a role that forecast tables have. */
export const useOf = (role: Role): ColumnUse => (isMeasure(role) ? role : 'leaf');

/** Types whose equal values always print alike. */
const EQUAL_PRINTS_ALIKE =
  /^(text|date|bigint|numeric|double precision|boolean|uuid|bytea|inet|cidr|macaddr8?|time.*)$/;

/**
 * SQL that distinguishes the values of a leaf column as a pivot does. PostgreSQL considers the intervals `1
 * day` and `24 hours` equal, but a pivot shows two groups. For such types the text distinguishes them.
 *
 * @param name the column, with its table if necessary
 */
export const toldApart = ({ type }: Pick<ForecastColumn, 'type'>, name: SqlText): SqlText =>
  EQUAL_PRINTS_ALIKE.test(type) ? name : sql`${name}::text`;

/** The value or units column; undefined if the source has none. */
export const measureOf = (
  role: SingleRole,
  columns: readonly ForecastColumn[],
): ForecastColumn | undefined => columns.find((c) => c.role === role);

/** The measures beside value and units, in order. */
export const furtherMeasures = (columns: readonly ForecastColumn[]): ForecastColumn[] =>
  columns.filter((c) => c.role === 'measure');

/** Value first, then units, each only if the source has one; then the further measures. */
export const measureColumns = (columns: readonly ForecastColumn[]): ForecastColumn[] => [
  ...SINGLE_ROLES.flatMap((role) => measureOf(role, columns) ?? []),
  ...furtherMeasures(columns),
];

/** Returns the keys of the measures, in their order. */
export const measureKeys = (columns: readonly ForecastColumn[]): string[] =>
  measureColumns(columns).map(measureKey);

/** The word that names of intermediate values of a measure begin with: its role, numbered for a further measure. */
export const measureWord = (
  { name, role }: ForecastColumn,
  columns: readonly ForecastColumn[],
): string =>
  role === 'measure'
    ? `measure_${furtherMeasures(columns).findIndex((c) => c.name === name) + 1}`
    : role;

/**
 * The columns of the display grain (docs/contract/02-resources-and-their-fields.md#display-grain). Empty in
 * raw-row mode.
 */
export const grainColumns = (columns: readonly ForecastColumn[]): ForecastColumn[] =>
  leafColumns(columns).filter((c) => c.inGrain);

/** Whether sums of a measure are exact. */
export const isExact = ({ type }: Pick<ForecastColumn, 'type'>): boolean =>
  type !== 'double precision';

/** How a measure is summed and rounded (docs/contract/14-what-the-operations-compute.md#totals-are-exact). */
export function measureKind(column: ForecastColumn): MeasureKind {
  if (!isExact(column)) return { exact: false };
  if (column.type === 'bigint') return { exact: true, scale: 0 };
  return { exact: true, scale: column.source.scale };
}

/** The dimensions of a date's group that are derived from the calendar. */
export const periodColumnsOf = (
  date: ForecastColumn,
  columns: readonly ForecastColumn[],
): DerivedColumn[] =>
  columns.filter(
    (c): c is DerivedColumn =>
      c.periodColumn !== null && c.dimGroup !== null && c.dimGroup === date.dimGroup,
  );

/** The one date column that a derived dimension depends on; undefined if its group has none. */
export const dateOfGroup = (
  dimension: ForecastColumn,
  columns: readonly ForecastColumn[],
): ForecastColumn | undefined =>
  columns.find((c) => c.role === 'date' && c.dimGroup === dimension.dimGroup);

/**
 * The dimensions that a load copies although it moves the date of their group: those without a
 * `periodColumn` (docs/contract/14-what-the-operations-compute.md#dates-and-their-groups).
 */
export const copiedWith = (
  date: ForecastColumn,
  columns: readonly ForecastColumn[],
): ForecastColumn[] =>
  columns.filter(
    (c) =>
      c.role === 'dimension' &&
      c.periodColumn === null &&
      c.dimGroup !== null &&
      c.dimGroup === date.dimGroup,
  );

/** The dates that dimensions are derived from, in order. */
export const derivingDates = (columns: readonly ForecastColumn[]): ForecastColumn[] =>
  columns.filter((c) => c.role === 'date' && periodColumnsOf(c, columns).length > 0);
