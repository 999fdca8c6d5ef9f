/** Suggests roles for columns by their names, types and values. */
import type { ColumnEntry, Role } from '$lib/contract/columns';
import { RESERVED_NAMES } from '$lib/contract/columns';

export type SuggestInput = Pick<ColumnEntry, 'cname' | 'type'> & {
  /** Values of the column in the first rows of the table. */
  samples: readonly unknown[];
};

const isDate = (type: string) => /^(date|timestamp)/.test(type);
const isNumber = (type: string) =>
  /^(smallint|integer|bigint|numeric|real|double precision)/.test(type);
const isWhole = (type: string) => /^(smallint|integer|bigint)/.test(type);
/** Structured types: rows are not grouped by them, and most cannot be compared. */
const isStructured = (type: string) =>
  /^(jsonb?|xml|bytea|point|line|lseg|box|path|polygon|circle)\b|\[\]$/.test(type);

/** The words of a column name: "OrderDate", "order_date" and "Order Date" are all order, date. */
const wordsOf = (cname: string): string[] =>
  cname
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter(Boolean);

const VALUE = [
  'sales',
  'revenue',
  'turnover',
  'amount',
  'value',
  'net',
  'gross',
  'total',
  'budget',
];
const UNITS = ['quantity', 'qty', 'units', 'unit', 'pieces', 'pcs', 'volume', 'count'];
const PER_UNIT = ['price', 'rate', 'pct', 'percent', 'discount', 'ratio', 'margin', 'tax'];
const IDENTIFIER = ['id', 'uuid', 'guid', 'key', 'no', 'nr', 'number'];
const CODE = ['code', 'postal', 'zip', 'postcode', 'year', 'month', 'quarter', 'week', 'period'];
const BOOKKEEPING = ['created', 'updated', 'modified', 'changed', 'inserted', 'loaded', 'deleted'];
const PROSE = [
  'comment',
  'comments',
  'note',
  'notes',
  'remark',
  'remarks',
  'text',
  'email',
  'phone',
];

/** With fewer sample rows, it is unknown how often values repeat. */
const ENOUGH_SAMPLES = 20;
const MOSTLY_UNIQUE = 0.9;

/**
 * Proposes a role for each column, from its type, the words of its name and its first values. One
 * column at most becomes value, one units. An administrator checks the proposal; nothing is saved.
 */
export function suggestRoles(columns: readonly SuggestInput[]): Map<string, Role> {
  const roles = new Map(columns.map((column) => [column.cname, roleOf(column)]));
  const measures = columns.filter(isMeasure);
  const value = best(measures, VALUE);
  if (value) roles.set(value.cname, 'value');
  const units = best(
    measures.filter((column) => column !== value),
    UNITS,
  );
  if (units) roles.set(units.cname, 'units');
  return roles;
}

const has = (column: SuggestInput, words: readonly string[]) =>
  wordsOf(column.cname).some((word) => words.includes(word));

/** A reserved or lost column can only be ignored. */
const isUnusable = ({ cname, type }: SuggestInput) =>
  type === null || isStructured(type) || RESERVED_NAMES.some((name) => name === cname);

const isMeasure = (column: SuggestInput) =>
  !isUnusable(column) &&
  isNumber(column.type ?? '') &&
  !has(column, [...IDENTIFIER, ...CODE, ...PER_UNIT]);

/** The measure whose name has the earliest of the words; the first if several have it. */
function best(measures: readonly SuggestInput[], words: readonly string[]) {
  for (const word of words) {
    const found = measures.find((column) => has(column, [word]));
    if (found) return found;
  }
  return undefined;
}

function roleOf(column: SuggestInput): Role {
  if (isUnusable(column)) return 'ignore';
  const type = column.type ?? '';
  if (isDate(type)) return has(column, BOOKKEEPING) ? 'filter' : 'date';
  if (has(column, CODE)) return isNumber(type) && !isWhole(type) ? 'ignore' : 'dimension';
  if (has(column, IDENTIFIER)) return 'filter';
  if (isNumber(type)) return 'ignore';
  if (has(column, PROSE)) return 'ignore';
  if (/^uuid/.test(type) || isMostlyUnique(column.samples)) return 'filter';
  return 'dimension';
}

function isMostlyUnique(samples: readonly unknown[]): boolean {
  const filled = samples.filter((value) => value !== null && value !== undefined);
  return filled.length >= ENOUGH_SAMPLES && new Set(filled).size / filled.length >= MOSTLY_UNIQUE;
}
