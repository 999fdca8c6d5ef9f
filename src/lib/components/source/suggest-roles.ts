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
/** Structured types: rows cannot be grouped by them, and most cannot be compared. */
const isStructured = (type: string) =>
  /^(jsonb?|xml|bytea|point|line|lseg|box|path|polygon|circle)\b|\[\]$/.test(type);

/**
 * Returns the words of a column name: "OrderDate", "order_date" and "Order Date" all give order, date. A word
 * that begins or ends with a known word is split, such as "QUANTITYORDERED".
 */
const wordsOf = (cname: string): string[] =>
  cname
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter(Boolean)
    .flatMap(takenApart);

function takenApart(word: string): string[] {
  const parts = (GLUED.exec(word) ?? GLUED_ID.exec(word))?.slice(1).filter(Boolean);
  return parts ?? [word];
}

/** Words long enough that they do not begin or end another word by chance. */
const GLUED =
  /^(?:(quantity|price|sales|amount)(\p{L}{3,})|(\p{L}{3,})(quantity|price|sales|amount|number|code|date))$/u;
const GLUED_ID =
  /^(order|customer|product|user|store|item|row|account|employee|transaction|invoice|client|vendor|supplier)(id)$/;

/** Words of amounts, plainest first. */
const VALUE = [
  ...['sales', 'revenue', 'turnover', 'amount', 'amt', 'value', 'total', 'net', 'gross'],
  ...['umsatz', 'betrag', 'ventes', 'montant', 'ventas', 'importe'],
  ...['spend', 'spending', 'expenditure', 'appropriation', 'cost', 'costs', 'expense', 'expenses'],
  ...['salary', 'wages', 'pay', 'compensation', 'income', 'balance'],
  ...['actual', 'actuals', 'budget', 'forecast', 'plan'],
  ...['consumption', 'demand', 'generation', 'production', 'kwh', 'mwh', 'gwh', 'kw', 'mw'],
  ...['headcount', 'fte', 'passengers'],
];
const UNITS = [
  ...['quantity', 'qty', 'units', 'unit', 'pieces', 'pcs', 'volume', 'count', 'cnt'],
  ...['menge', 'anzahl', 'cantidad', 'headcount', 'fte', 'hours', 'passengers', 'customers'],
];
/** Among columns with the same word, one that also has such a word is preferred. */
const WHOLE = ['total', 'global', 'overall'];
const PRICE = ['price', 'msrp', 'discount', 'discounts', 'tax'];
const SHARE = ['rate', 'pct', 'percent', 'percentage', 'ratio', 'margin'];
const PER_UNIT = [...PRICE, ...SHARE];
/** Words of amounts that belong to the words of {@link PER_UNIT}: "tax_amount". */
const AMOUNT = ['amount', 'amt', 'discounts'];
/** Words of numbers per unit, and of shares, even beside a word of an amount. */
const NEVER_AMOUNT = ['price', 'msrp', ...SHARE.filter((word) => word !== 'margin')];
/** Words of numbers that nobody adds up. */
const NEVER_ADDED = [
  ...['lat', 'latitude', 'lon', 'lng', 'longitude', 'age', 'rank', 'rating', 'score', 'index'],
  ...['temperature', 'temp', 'cpi', 'flag', 'holiday', 'is', 'has'],
];
const IDENTIFIER = ['id', 'uuid', 'guid', 'key', 'no', 'nr', 'nbr', 'number'];
const CODE = [
  ...['code', 'postal', 'zip', 'postcode'],
  ...['year', 'month', 'quarter', 'qtr', 'week', 'weekday', 'day', 'period'],
];
/** Things that are often numbered: their columns are dimensions. */
const NUMBERED = ['store', 'shop', 'branch', 'dept', 'department', 'item', 'warehouse', 'plant'];
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

/** With fewer sample rows, the repetition of values cannot be judged. */
const ENOUGH_SAMPLES = 20;
const MOSTLY_UNIQUE = 0.9;

/**
 * Suggests a role for each column from its type, the words of its name and its first values. At most one
 * column becomes value and one units; beside them, further amounts become measures. An administrator checks the suggestion; nothing is saved.
 */
export function suggestRoles(columns: readonly SuggestInput[]): Map<string, Role> {
  const roles = new Map(columns.map((column) => [column.cname, roleOf(column)]));
  const measures = columns.filter((column) => isMeasure(column, PER_UNIT));
  const isUnits = (column: SuggestInput) => has(column, QUANTITIES);
  const value =
    best(
      measures.filter((column) => !isUnits(column)),
      VALUE,
    ) ?? onlyAmount(columns);
  if (value) roles.set(value.cname, 'value');
  const units = best(
    measures.filter((column) => column !== value),
    UNITS,
  );
  if (units) roles.set(units.cname, 'units');
  if (!value && !units) return roles;
  for (const column of columns) {
    if (column !== value && column !== units && isFurtherMeasure(column))
      roles.set(column.cname, 'measure');
  }
  return roles;
}

/**
 * Returns whether a column beside value and units holds a further amount, such as cost or profit. A discount, a tax
 * or a margin may be a share; with a word of an amount it is not. Whole numbers that hardly repeat may be keys.
 */
const isFurtherMeasure = (column: SuggestInput): boolean =>
  (isMeasure(column, PER_UNIT) || (has(column, AMOUNT) && isMeasure(column, NEVER_AMOUNT))) &&
  !(isWhole(column.type ?? '') && (isMostlyUnique(column.samples) || isFlag(column.samples)));

/** Returns whether all values are 0 or 1. */
const isFlag = (samples: readonly unknown[]): boolean =>
  samples.length > 0 &&
  samples.every((value) => value === null || ['0', '1'].includes(String(value)));

/** Words of units that never name an amount. */
const QUANTITIES = UNITS.filter((word) => !VALUE.includes(word));

/**
 * Returns the amount of a table whose column names give no hint: the only measure, the only measure with
 * decimals, or a share if there is no measure. Undefined if there are several.
 */
function onlyAmount(columns: readonly SuggestInput[]): SuggestInput | undefined {
  const measures = columns.filter((column) => isMeasure(column, PER_UNIT));
  const shares = columns.filter((column) => isMeasure(column, PRICE));
  const candidates = (measures.length > 0 ? measures : shares).filter(
    (column) => !has(column, QUANTITIES),
  );
  const fractional = candidates.filter(({ type }) => !isWhole(type ?? ''));
  return [candidates, fractional].find(({ length }) => length === 1)?.[0];
}

const has = (column: SuggestInput, words: readonly string[]) =>
  wordsOf(column.cname).some((word) => words.includes(word));

/** Returns whether a column can only be ignored: its name is reserved or the table no longer has it. */
const isUnusable = ({ cname, type }: SuggestInput) =>
  type === null || isStructured(type) || RESERVED_NAMES.some((name) => name === cname);

/**
 * Returns whether a column holds numbers that can be added up. @param perUnit words of numbers that cannot
 */
const isMeasure = (column: SuggestInput, perUnit: readonly string[]) =>
  !isUnusable(column) &&
  isNumber(column.type ?? '') &&
  !has(column, [...IDENTIFIER, ...CODE, ...NUMBERED, ...NEVER_ADDED]) &&
  (!has(column, perUnit) || isTotalPrice(column));

/** Returns whether a column holds the price of all units of a row. */
const isTotalPrice = (column: SuggestInput) => has(column, ['total']) && has(column, ['price']);

/**
 * Returns the measure whose name has the earliest of the words. Among several, one with a word for the whole
 * is preferred, then the shortest name, then the first.
 */
function best(measures: readonly SuggestInput[], words: readonly string[]) {
  for (const word of words) {
    const found = measures.filter((column) => has(column, [word]));
    const whole = found.filter((column) => has(column, WHOLE));
    const candidates = whole.length > 0 && found.length > whole.length ? whole : found;
    const length = (column: SuggestInput) => wordsOf(column.cname).length;
    const [first] = candidates.toSorted((a, b) => length(a) - length(b));
    if (first) return first;
  }
  return undefined;
}

function roleOf(column: SuggestInput): Role {
  if (isUnusable(column)) return 'ignore';
  const type = column.type ?? '';
  if (isDate(type)) return has(column, BOOKKEEPING) ? 'filter' : 'date';
  if (isWhole(type) && has(column, NUMBERED)) return 'dimension';
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
