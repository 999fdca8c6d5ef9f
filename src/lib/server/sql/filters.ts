import type { FilterCondition, Filters } from '../../contract/loads';
import type { Scalar } from '../../contract/primitives';
import { AppError } from '../errors';
import type { SourceColumn } from './columns';
import { isText } from './columns';
import { ident, typedLiteral } from './identifiers';
import { valueLiteral, wholeLiteral } from './values';

/**
 * Structured filters as a condition on the source table: conditions of a group AND-ed, groups
 * OR-ed; `[]` is all rows (open points: Filters).
 *
 * @throws AppError 400 naming group and condition where one cannot be used
 */
export function compileFilters(filters: Filters, columns: readonly SourceColumn[]): string {
  if (filters.length === 0) return 'TRUE';
  const groups = filters.map((group, g) => {
    if (group.length === 0) throw new AppError(400, `filters: group ${g + 1} is empty`);
    const conditions = group.map((c, i) =>
      compileCondition(c, columns, `filters: group ${g + 1}, condition ${i + 1}`),
    );
    return conditions.join(' AND ');
  });
  return groups.length === 1 ? groups.join('') : groups.map((group) => `(${group})`).join(' OR ');
}

function compileCondition(
  condition: FilterCondition,
  columns: readonly SourceColumn[],
  where: string,
): string {
  const { cname, op, value } = condition;
  const column = columns.find((c) => c.cname === cname);
  if (!column?.type) throw new AppError(400, `${where}: the source has no column "${cname}"`);
  if (column.role === 'ignore') {
    throw new AppError(400, `${where}: the column "${cname}" has the role ignore`);
  }

  const name = ident(cname);
  const type = isText(column.type) ? 'text' : column.type.base;
  const subject = column.type.isEnum ? `${name}::text` : name;
  const typed = (v: Scalar): string =>
    INTEGERS.includes(type) ? wholeLiteral(v, where) : valueLiteral(v, unbounded(type), where);

  if (op === 'is null' || op === 'is not null') {
    if (value !== undefined && value !== null)
      throw new AppError(400, `${where}: ${op} takes no value`);
    return `${name} ${op === 'is null' ? 'IS NULL' : 'IS NOT NULL'}`;
  }
  if (op === 'in' || op === 'not in') {
    const list = scalars(value, where);
    if (list.length === 0) throw new AppError(400, `${where}: ${op} needs at least one value`);
    return `${subject} ${op === 'in' ? 'IN' : 'NOT IN'} (${list.map(typed).join(', ')})`;
  }
  if (op === 'between') {
    const list = scalars(value, where);
    if (list.length !== 2) throw new AppError(400, `${where}: between needs two values`);
    return `${subject} BETWEEN ${list.map(typed).join(' AND ')}`;
  }
  if (value === undefined || value === null || Array.isArray(value)) {
    throw new AppError(400, `${where}: ${op} needs one value (for empty, use is null)`);
  }
  if (op === 'like') return `${name}::text LIKE ${typedLiteral(value, 'text')}`;
  return `${subject} ${op} ${typed(value)}`;
}

const INTEGERS = ['smallint', 'integer', 'bigint'];

/** A number with more digits than the column has is no error: it is compared, not stored. */
const unbounded = (type: string): string => type.replace(/^numeric\(.*\)$/, 'numeric');

function scalars(value: FilterCondition['value'], where: string): Scalar[] {
  if (!Array.isArray(value)) throw new AppError(400, `${where}: needs a list of values`);
  return value.map((v) => {
    if (v === null) throw new AppError(400, `${where}: null cannot stand in a list; use is null`);
    return v;
  });
}
