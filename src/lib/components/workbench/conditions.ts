/** Conditions of a filter while they are edited, and in a request. */
import type { ColumnEntry } from '$lib/contract/columns';
import type { FilterCondition, FilterOperator, Filters } from '$lib/contract/loads';
import type { Scalar } from '$lib/contract/primitives';
import { distinct } from '../distinct';
import { formatDay } from '$lib/pivot/values/date-language';
import { marksOf } from '$lib/numbers/languages';
import { parseNumber, shownDigits } from '../number-text';
import { choiceText } from '../ui/choice-text';

/** Numbers are kept as the service writes them; their inputs show and read those of the browser's language. */
const PLAIN = marksOf('en-US');

/** The kind of a column's values, which decides how they are compared and typed. */
export type ValueKind = 'text' | 'number' | 'date' | 'boolean';

/** A condition while it is edited; its values are still text. */
export type ConditionDraft = { cname: string; op: FilterOperator; values: string[] };

export function valueKindOf(type: string | null): ValueKind {
  if (type === null) return 'text';
  if (/^(smallint|integer|bigint|numeric|real|double precision)/.test(type)) return 'number';
  if (/^(date|timestamp)/.test(type)) return 'date';
  return type === 'boolean' ? 'boolean' : 'text';
}

const OPERATORS: Record<ValueKind, FilterOperator[]> = {
  text: ['=', '<>', 'in', 'not in', 'like', 'is null', 'is not null'],
  number: ['=', '<>', '<', '<=', '>', '>=', 'between', 'in', 'not in', 'is null', 'is not null'],
  date: ['between', '=', '<>', '<', '<=', '>', '>=', 'is null', 'is not null'],
  boolean: ['=', 'is null', 'is not null'],
};

const NAMES: Record<FilterOperator, string> = {
  '=': 'is',
  '<>': 'is not',
  '<': 'is less than',
  '<=': 'is at most',
  '>': 'is more than',
  '>=': 'is at least',
  in: 'is one of',
  'not in': 'is none of',
  between: 'is between',
  like: 'matches',
  'is null': 'is empty',
  'is not null': 'is not empty',
};

const DATE_NAMES: Partial<Record<FilterOperator, string>> = {
  '<': 'is before',
  '<=': 'is on or before',
  '>': 'is after',
  '>=': 'is on or after',
};

/** Returns an operator in words that fit the kind of values. */
export const operatorName = (op: FilterOperator, kind: ValueKind): string =>
  (kind === 'date' ? DATE_NAMES[op] : undefined) ?? NAMES[op];

/** Returns the operators that fit a column, and the current one even if it does not fit. */
export function operatorsFor(kind: ValueKind, used: FilterOperator): FilterOperator[] {
  const fitting = OPERATORS[kind];
  return fitting.includes(used) ? fitting : [...fitting, used];
}

export const firstOperator = (kind: ValueKind): FilterOperator => OPERATORS[kind][0] ?? '=';

/** Returns the number of values that an operator takes: none, one, two, or a list. */
export function arity(op: FilterOperator): 0 | 1 | 2 | 'list' {
  if (op === 'is null' || op === 'is not null') return 0;
  if (op === 'in' || op === 'not in') return 'list';
  return op === 'between' ? 2 : 1;
}

/** Returns whether a value is missing, or is not a number or date as the column requires. */
export function isIncomplete({ op, values }: ConditionDraft, kind: ValueKind): boolean {
  const needed = arity(op);
  if (needed === 0) return false;
  if (needed === 'list') return values.length === 0;
  const given = values.slice(0, needed);
  if (given.length < needed) return true;
  return given.some((value) => {
    if (op === 'like') return value === '';
    if (kind === 'number') return parseNumber(value, PLAIN) === null;
    return kind !== 'text' && value === '';
  });
}

/**
 * Converts a typed value for the request: to a number if that keeps every digit, otherwise text. Dates are
 * ISO text already.
 */
export function scalarOf(value: string, kind: ValueKind): Scalar {
  if (kind === 'boolean') return value === 'true';
  if (kind !== 'number') return value;
  const bare = value.replace(/[\s,]/g, '').replace(/^\+/, '');
  const number = parseNumber(value, PLAIN);
  const exact = number !== null && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
  return exact && bare.replace(/\D/g, '').length <= 15 ? number : bare;
}

/** Converts the edited groups to filters of a request; groups without conditions are omitted. */
export function toFilters(
  groups: readonly (readonly ConditionDraft[])[],
  kind: (cname: string) => ValueKind,
): Filters {
  return groups
    .filter((group) => group.length > 0)
    .map((group) => group.map((condition) => toCondition(condition, kind(condition.cname))));
}

function toCondition({ cname, op, values }: ConditionDraft, kind: ValueKind): FilterCondition {
  const valueKind = op === 'like' ? 'text' : kind;
  const list = values.map((value) => scalarOf(value, valueKind));
  const needed = arity(op);
  if (needed === 0) return { cname, op };
  if (needed === 'list') return { cname, op, value: list };
  return { cname, op, value: needed === 2 ? list.slice(0, 2) : (list[0] ?? '') };
}

/** Converts stored filters to conditions that can be edited. */
export function fromFilters(filters: Filters): ConditionDraft[][] {
  return filters.map((group) =>
    group.map(({ cname, op, value }) => {
      const values = (Array.isArray(value) ? value : [value])
        .filter((each) => each !== null && each !== undefined)
        .map(String);
      return { cname, op, values: arity(op) === 'list' ? distinct(values) : values };
    }),
  );
}

function describeValue(value: string, kind: ValueKind): string {
  if (kind === 'number') return shownDigits(value);
  return kind === 'date' && value !== '' ? formatDay(value) : choiceText(value);
}

/** Describes filters in a sentence: "Region is West and Sales is more than 100, or Segment is empty". */
export function describeFilters(
  filters: Filters,
  columns: readonly Pick<ColumnEntry, 'cname' | 'label' | 'type'>[],
): string {
  if (filters.length === 0) return 'All rows';
  return filters
    .map((group) =>
      group
        .map(({ cname, op, value }) => {
          const column = columns.find((each) => each.cname === cname);
          const kind = valueKindOf(column?.type ?? null);
          const subject = `${column?.label || cname} ${operatorName(op, kind)}`;
          if (arity(op) === 0) return subject;
          const values = (Array.isArray(value) ? value : [value]).map((each) =>
            describeValue(String(each), kind),
          );
          return `${subject} ${values.join(op === 'between' ? ' and ' : ', ')}`;
        })
        .join(' and '),
    )
    .join(', or ');
}
