import type { Layout } from '../../contract/stored-layout';
import { quotedName, quotedText, toScalar } from '../values/cell-value';
import type { CellValue, ColumnType, Schema } from '../values/engine-types';
import { label, labelStyle } from '../values/labels';
import { readBucket } from '../values/time-unit';

/** What rows are sorted by: a measure, or an expression that the layout has to have. */
export interface SortKey {
  name: string;
  label: string;
  expressions?: Readonly<Record<string, string>>;
}

/**
 * What sorts the rows by one column of the grid: its measure, counted in the rows under its split values
 * alone. The engine sorts by what a row adds up to over all columns, and also by what it does not show.
 *
 * @param path the column's split values; fewer than there are split columns for the total of a group
 * @returns null for the total of all columns, and for a column that no expression can tell
 */
export function columnSort(
  measure: { name: string; label: string },
  path: readonly CellValue[],
  { split_by = [], expressions = {}, aggregates = {} }: Layout,
  schema: Schema,
): SortKey | null {
  if (path.length === 0 || (aggregates[measure.name] ?? 'sum') !== 'sum') return null;
  const conditions: string[] = [];
  const labels: string[] = [];
  for (const [i, value] of path.entries()) {
    const column = split_by[i] ?? '';
    const expression = expressions[column];
    const type = expression === undefined ? schema[column] : bucketType(expression, schema);
    const condition = type && conditionOf(expression ?? quotedName(column), value, type);
    if (!condition) return null;
    conditions.push(condition);
    labels.push(label(value, labelStyle(type, expression)));
  }
  const of = ` of ${labels.join(' / ')}`;
  const name = measure.name + of;
  const expression = `if (${conditions.join(' and ')}) ${quotedName(measure.name)}; else 0`;
  return { name, label: measure.label + of, expressions: { [name]: expression } };
}

/** A bucket of dates is a date; of any other expression nothing is known here. */
function bucketType(expression: string, schema: Schema): ColumnType | undefined {
  const bucket = readBucket(expression);
  return bucket && schema[bucket.date] ? 'date' : undefined;
}

/** The engine reads no other letters in the text of an expression. */
const PLAIN = /^[ -~]+$/;

/** What tells in an expression whether something has a value; null if nothing does. */
function conditionOf(what: string, value: CellValue, type: ColumnType): string | null {
  if (value === null) return `is_null(${what})`;
  switch (type) {
    case 'string':
      // The engine takes the empty text for nothing in an expression.
      if (value === '') return `length(${what}) == 0`;
      return PLAIN.test(String(value)) ? `${what} == ${quotedText(String(value))}` : null;
    case 'integer':
      // Every number in an expression is a float, which equals no integer.
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
