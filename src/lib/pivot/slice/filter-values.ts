/** Values that a filter of a layout admits, and its text. */
import { DAY_MS } from '../../contract/primitives';
import type { LayoutFilter } from '../../contract/stored-layout';
import { parseDay, valueKey } from '../values/cell-value';
import type { CellValue, Schema } from '../values/engine-types';

/**
 * Returns the values that a filter admits, as the engine types the column; null if it is not a list of
 * values. Null inside `in` never matches in the engine, so it is not a value of the filter.
 */
export function filterValues(filter: LayoutFilter, schema: Schema): CellValue[] | null {
  const [column, operator, term] = filter;
  const typed = (value: CellValue) => parseTerm(value, schema[column]);
  if (operator === 'is null') return [null];
  if (operator === '==' && !Array.isArray(term) && term !== null) {
    const value = typed(term);
    return value === undefined ? null : [value];
  }
  if (operator === 'in' && Array.isArray(term)) {
    const given = term.filter((v) => v !== null).map(typed);
    const values = given.filter((v) => v !== undefined);
    if (values.length === 0 || values.length < given.length) return null;
    return distinct(values);
  }
  return null;
}

/** Converts a term of a filter to the engine's type of its column; undefined if it is not a valid value. */
export function parseTerm(
  value: CellValue,
  type: Schema[string] | undefined,
): CellValue | undefined {
  switch (type) {
    case 'date':
    case 'datetime': {
      if (typeof value === 'number') return value;
      const text = String(value).trim().replace(' ', 'T');
      const day = parseDay(text);
      const ms = Number.isNaN(day) ? Date.parse(/Z$/.test(text) ? text : `${text}Z`) : day;
      if (Number.isNaN(ms)) return undefined;
      return type === 'date' ? Math.floor(ms / DAY_MS) * DAY_MS : ms;
    }
    case 'integer':
    case 'float': {
      const number = Number(value);
      return Number.isFinite(number) && value !== '' ? number : undefined;
    }
    case 'boolean':
      if (value === true || value === 'true') return true;
      if (value === false || value === 'false') return false;
      return undefined;
    case 'string':
      return String(value);
    default:
      return undefined;
  }
}

const FILTER_WORDS: Record<string, string> = {
  '==': '=',
  '!=': '≠',
  'is not null': 'is not empty',
  'is null': 'is empty',
};

/** Returns a filter as readable text. */
export function filterText([column, operator, term]: LayoutFilter): string {
  const word = FILTER_WORDS[operator] ?? operator;
  if (operator.endsWith('null')) return `${column} ${word}`;
  const shown = Array.isArray(term) ? term.filter((t) => t !== null).join(', ') : term;
  return `${column} ${word} ${shown ?? 'empty'}`;
}

function distinct(values: readonly CellValue[]): CellValue[] {
  const seen = new Map(values.map((value) => [valueKey(value), value]));
  return [...seen.values()];
}
