/** Sorts the rows of a pivot by one column of the grid. */
import type { Layout } from '../../contract/stored-layout';
import { quotedName, quotedText, toScalar } from '../values/cell-value';
import type { CellValue, ColumnType, Schema } from '../values/engine-types';
import { isoMoment, monthWriter } from '../values/date-language';
import { label, labelStyle, type LabelStyle } from '../values/labels';
import { readBucket } from '../values/time-unit';

/** A sort key for rows: a measure, or an expression that has to be added to the layout. */
export interface SortKey {
  name: string;
  label: string;
  expressions?: Readonly<Record<string, string>>;
}

/**
 * Returns a key that sorts the rows by one column of the grid: the measure, counted only in the rows with the
 * split values of that column. The engine itself sorts by the sum over all columns, including those that are
 * not shown.
 *
 * @param measure with `isComputed`, the grid computes its numbers; the grid then also sorts by them, and the
 * expression only names the column
 * @param path the column's split values; fewer than there are split columns for the total of a group
 * @returns null for the total of all columns, and for values that no expression can match
 */
export function columnSort(
  measure: { name: string; label: string; isComputed?: boolean },
  path: readonly CellValue[],
  { split_by = [], expressions = {}, aggregates = {} }: Layout,
  schema: Schema,
): SortKey | null {
  if (path.length === 0 || (aggregates[measure.name] ?? 'sum') !== 'sum') return null;
  const conditions: string[] = [];
  const values: [CellValue, LabelStyle | undefined][] = [];
  for (const [i, value] of path.entries()) {
    const column = split_by[i] ?? '';
    const expression = expressions[column];
    const type = expression === undefined ? schema[column] : bucketType(expression, schema);
    const condition = type && conditionOf(expression ?? quotedName(column), value, type);
    if (!condition) return null;
    conditions.push(condition);
    values.push([value, labelStyle(type, expression)]);
  }
  const of = (labels: readonly string[]) => ` of ${labels.join(' / ')}`;
  // A stored layout has the same name in every browser.
  const name = measure.name + of(values.map(([value, style]) => label(value, style, STORED)));
  const amount = measure.isComputed ? '0' : quotedName(measure.name);
  const expression = `if (${conditions.join(' and ')}) ${amount}; else 0`;
  return {
    name,
    label: measure.label + of(values.map(([value, style]) => label(value, style))),
    expressions: { [name]: expression },
  };
}

/** Returns `date` for an expression that groups a date; the types of other expressions are unknown here. */
function bucketType(expression: string, schema: Schema): ColumnType | undefined {
  const bucket = readBucket(expression);
  return bucket && schema[bucket.date] ? 'date' : undefined;
}

/** Writes dates in the names that layouts store: months in English, days as ISO text. */
const STORED = { month: monthWriter('en-US'), day: (iso: string) => iso, moment: isoMoment };

/** The only characters that the engine reads in the text of an expression. */
const PLAIN = /^[ -~]+$/;

/** Returns a condition of an expression that compares something with a value; null if there is none. */
function conditionOf(what: string, value: CellValue, type: ColumnType): string | null {
  if (value === null) return `is_null(${what})`;
  switch (type) {
    case 'string':
      // In an expression, the engine reads the empty text as null.
      if (value === '') return `length(${what}) == 0`;
      return PLAIN.test(String(value)) ? `${what} == ${quotedText(String(value))}` : null;
    case 'integer':
      // Every number in an expression is a float, which is never equal to an integer.
      return `float(${what}) == ${value}`;
    case 'float':
    case 'boolean':
      return `${what} == ${value}`;
    case 'date': {
      const [year, month, day] = String(toScalar(value, type)).split('-').map(Number);
      return `${what} == date(${year}, ${month}, ${day})`;
    }
    case 'datetime':
      return `${what} == datetime(${value})`;
  }
}
