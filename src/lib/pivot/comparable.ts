import { Type } from '@uwdata/flechette';
import type { ArrowColumns } from './rows/arrow-columns';
import type { ColumnType, Schema } from './values/engine-types';

/** The types of columns, as the engine loads them. */
export function typesOf(columns: ArrowColumns): Schema {
  return Object.fromEntries(
    [...columns].map(([name, { type }]) => [name, TYPES[type.typeId] ?? 'string']),
  );
}

const TYPES: Readonly<Record<number, ColumnType>> = {
  [Type.Int]: 'integer',
  [Type.Float]: 'float',
  [Type.Bool]: 'boolean',
  [Type.Date]: 'date',
  [Type.Timestamp]: 'datetime',
};

/**
 * Why the rows of another version cannot stand beside those of this one; null if they can. Numbers may be
 * finer or larger in one of them: both are then loaded as such.
 *
 * @param own the types of this version's columns
 * @param other those of the other one
 * @param name what the other one is called
 */
export function whyApart(own: Schema, other: Schema, name: string): string | null {
  if ('pf_gkey' in own !== 'pf_gkey' in other) {
    return `“${name}” is loaded at another grain, so it cannot be compared with this version. Generate the SQL of the source anew.`;
  }
  const lacking = Object.keys(own).find((column) => !(column in other));
  if (lacking !== undefined) {
    return `“${name}” has no column “${lacking}”, so it cannot be compared with this version.`;
  }
  const added = Object.keys(other).find((column) => !(column in own));
  if (added !== undefined) {
    return `“${name}” has a column “${added}” that this version lacks, so it cannot be compared with it.`;
  }
  const different = Object.entries(own).find(
    ([column, type]) => type !== other[column] && !(isNumber(type) && isNumber(other[column])),
  );
  return different
    ? `“${different[0]}” holds values of another type in “${name}”, so it cannot be compared with this version.`
    : null;
}

/** The columns that are loaded as fractions or large numbers in any of some batches, and not here. */
export function wideColumns(own: Schema, others: readonly Schema[]): ReadonlySet<string> {
  return new Set(
    Object.entries(own)
      .filter(([name, type]) => type === 'integer' && others.some((each) => each[name] === 'float'))
      .map(([name]) => name),
  );
}

const isNumber = (type: ColumnType | undefined) => type === 'integer' || type === 'float';
