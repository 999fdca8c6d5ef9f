/** The attributes and conversions of lookups among the columns of a source. */
import { ApiError } from '../../client/http';
import { type ColumnEntry, isMeasure } from '../../contract/columns';
import type { Attributes } from '../../pivot/rows/attributes';
import type { ColumnType } from '../../pivot/values/engine-types';

/**
 * Returns the columns of a source followed by the attributes of lookups, as dimensions, and by the conversions, as
 * measures, with the type of the measure that they multiply, and so with its decimals. An attribute that follows from
 * a date is in the group of this date, like its other periods. An attribute is marked as a key if the source marks keys
 * and all keys of the lookup may select rows: one that is marked alone would bar all other dimensions.
 */
export function withAttributes(
  stored: readonly ColumnEntry[],
  attributes: Attributes,
): ColumnEntry[] {
  const { types } = attributes;
  const dateOf = (name: string): ColumnEntry | undefined => {
    const [key, ...others] = attributes.keysOf(name) ?? [];
    return others.length > 0
      ? undefined
      : stored.find(({ cname, role }) => cname === key && role === 'date');
  };
  const areMarked = stored.some(({ role, is_key }) => role === 'dimension' && is_key);
  const groupOf = ({ dim_group, cname }: ColumnEntry) => dim_group ?? cname;
  const grouped = new Set(Object.keys(types).map(dateOf));
  const columns = stored.map((column) =>
    grouped.has(column) ? { ...column, dim_group: groupOf(column) } : column,
  );
  const added = Object.entries(types).map(([name, type]): ColumnEntry => {
    const date = dateOf(name);
    const keys = stored.filter(({ cname }) => attributes.keysOf(name)?.includes(cname));
    return {
      cname: name,
      label: null,
      role: 'dimension',
      is_key: areMarked && keys.every(({ role, is_key }) => role === 'date' || is_key),
      opos: null,
      dim_group: date ? groupOf(date) : null,
      dim_period_col: null,
      in_grain: false,
      type: DATABASE_TYPE[type] ?? 'text',
    };
  });
  const conversions = attributes.conversions.flatMap(({ name, measure }): ColumnEntry[] => {
    const multiplied = stored.find(({ cname, role }) => cname === measure && isMeasure(role));
    return multiplied ? [{ ...multiplied, cname: name, label: null, role: 'measure' }] : [];
  });
  return [...columns, ...added, ...conversions];
}

/** The database types of attributes whose values are days or moments. */
const DATABASE_TYPE: Partial<Record<ColumnType, string>> = {
  date: 'date',
  datetime: 'timestamp without time zone',
};

/** Whether a request failed because of the one lookup whose rows it reads, so that others can still be joined. */
export const isOfOneLookup = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 409 || error.status === 422);
