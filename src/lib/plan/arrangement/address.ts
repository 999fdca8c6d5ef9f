/** Reads and writes the query string of a pivot page. */
import * as v from 'valibot';
import type { Layout, LayoutFilter, LayoutSort } from '../../contract/stored-layout';
import { AmountStyle, Limit, MarkRule } from '../../contract/stored-layout';
import { readSettings } from '../../pivot/grid/drawing/settings';
import type { ColumnSettings } from '../../pivot/grid/drawing/widths';
import { GRID, usedExpressions } from '../../pivot/layout/layout';
import { MOST_OTHERS } from '../../pivot/rows/origins';
import { isSameButClose } from '../../pivot/values/to-date';

/**
 * The content of a pivot page's query string: the view that is shown, and the parts of the layout that differ
 * from it (docs/contract/11-endpoints.md#named-views).
 */
export interface Address {
  /** The id of a named view; null for the layout that the source opens with. */
  view: number | null;
  /** The log entry to which the rows are limited; null for all rows. */
  entry: number | null;
  /** The log entry up to which the plan is shown; null for the current plan. */
  asOf: number | null;
  /** The versions that this one is compared with, {@link MOST_OTHERS} at most. */
  compare: readonly number[];
  /** The parts that differ from the view. `expressions` has only those that the view lacks. */
  parts: Layout;
}

/** Maximum length of an address. A server may refuse a longer one when the page is reloaded. */
export const LONGEST_ADDRESS = 6000;

type Value = string | number | boolean | null;

/** A part of the layout as a parameter, which may be repeated. One empty value stands for an empty part. */
interface AddressPart {
  parameter: string;
  write(layout: Layout): readonly string[];
  /** Reads the part from its parameters and skips values that cannot be read. Never throws. */
  read(values: readonly string[]): Layout;
}

const PARTS: readonly AddressPart[] = [
  {
    parameter: 'rows',
    write: ({ group_by = [] }) => [writeNames(group_by)],
    read: (values) => ({ group_by: readNames(values) }),
  },
  {
    parameter: 'columns',
    write: ({ split_by = [] }) => [writeNames(split_by)],
    read: (values) => ({ split_by: readNames(values) }),
  },
  {
    parameter: 'measures',
    write: ({ columns = [] }) => [writeNames(columns.filter((name) => name !== null))],
    read: (values) => ({ columns: readNames(values) }),
  },
  {
    parameter: 'filter',
    write: ({ filter = [] }) => filter.map(writeFilter),
    read: (values) => ({ filter: values.flatMap(readFilter) }),
  },
  {
    parameter: 'sort',
    write: ({ sort = [] }) => sort.map((each) => each.map(escaped).join(':')),
    read: (values) => ({ sort: values.flatMap(readSort) }),
  },
  {
    parameter: 'depth',
    write: ({ depth }) => [writeDepth(depth)],
    read: ([text = '']) => ({ depth: readDepth(text) }),
  },
  {
    parameter: 'across',
    write: ({ columns_depth }) => [writeDepth(columns_depth)],
    read: ([text = '']) => ({ columns_depth: readDepth(text) }),
  },
  {
    parameter: 'totals',
    write: ({ total_column, subtotals }) => [
      [total_column, subtotals && 'groups'].filter((part) => part).join(','),
    ],
    read: ([text = '']) => {
      const parts = text.split(',');
      return {
        total_column: (['start', 'end'] as const).find((place) => parts.includes(place)),
        subtotals: parts.includes('groups') || undefined,
      };
    },
  },
  {
    parameter: 'pinned',
    write: ({ pinned_columns }) => [String(pinned_columns || '')],
    read: ([text = '']) => ({ pinned_columns: readDepth(text) }),
  },
  {
    parameter: 'limit',
    write: ({ limits = {} }) =>
      sortedEntries(limits).map(([field, { keep, number, by }]) =>
        [field, keep, String(number), by].map(escaped).join(':'),
      ),
    read: (values) => {
      const limits = values.flatMap(readLimit);
      return { limits: limits.length > 0 ? Object.fromEntries(limits) : undefined };
    },
  },
  {
    parameter: 'order',
    write: ({ orders = {} }) =>
      sortedEntries(orders).map(([field, values]) =>
        [escaped(field), ...values.map(writeValue)].join(':'),
      ),
    read: (values) => {
      const orders = values.flatMap(readOrder);
      return { orders: orders.length > 0 ? Object.fromEntries(orders) : undefined };
    },
  },
  {
    parameter: 'chart',
    write: ({ plugin = GRID }) => [plugin === GRID ? '' : plugin],
    read: ([plugin = '']) => ({ plugin: plugin || GRID }),
  },
  {
    parameter: 'draws',
    write: ({ chart_measure }) =>
      chart_measure === undefined ? [] : [writeNames([chart_measure])],
    read: (values) => ({ chart_measure: readNames(values)[0] }),
  },
  {
    parameter: 'amounts',
    write: ({ amounts = {} }) =>
      sortedEntries(amounts).map(([name, { shown_in = '', decimals = '', show_as }]) =>
        [escaped(name), shown_in, decimals, ...(show_as ? [show_as] : [])].join(':'),
      ),
    read: (values) => ({ amounts: Object.fromEntries(values.flatMap(readAmounts)) }),
  },
  {
    parameter: 'mark',
    write: ({ marks = {} }) =>
      sortedEntries(marks).flatMap(([name, rules]) =>
        rules.map(({ rule, ...amounts }) =>
          [name, rule, ...Object.values(amounts).map(String)].map(escaped).join(':'),
        ),
      ),
    read: (values) => ({ marks: groupedMarks(values.flatMap(readMark)) }),
  },
  {
    parameter: 'total',
    write: ({ aggregates = {} }) =>
      sortedEntries(aggregates).map(([name, how]) =>
        [name, ...[how].flat(2)].map(escaped).join(':'),
      ),
    read: (values) => ({ aggregates: Object.fromEntries(values.flatMap(readTotal)) }),
  },
  {
    parameter: 'width',
    write: ({ plugin_config }) =>
      Object.entries(readSettings(plugin_config))
        .flatMap(([name, { column_size_override: width }]) =>
          width === undefined ? [] : [[name, String(Math.round(width))].map(escaped).join(':')],
        )
        .sort(),
    read: (values) => ({
      plugin_config: { columns: Object.fromEntries(values.flatMap(readWidth)) },
    }),
  },
  {
    parameter: 'format',
    write: ({ columns_config = {} }) =>
      sortedEntries(columns_config).map(([name, style]) =>
        [name, sortedJson(style)].map(escaped).join(':'),
      ),
    read: (values) => ({ columns_config: Object.fromEntries(values.flatMap(readFormat)) }),
  },
];

function readWidth(text: string): [string, ColumnSettings][] {
  const [name, width = ''] = tokensOf(text, ':').map(unescaped);
  return name !== undefined && /^[1-9]\d{0,3}$/.test(width)
    ? [[name, { column_size_override: Number(width) }]]
    : [];
}

const writeDepth = (depth: number | undefined): string =>
  depth === undefined ? 'all' : String(depth);

const readDepth = (text: string): number | undefined =>
  /^\d{1,4}$/.test(text) ? Number(text) : undefined;

/** The service may return the keys of an object in another order. */
const sortedEntries = <T>(object: Record<string, T>): [string, T][] =>
  Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));

const sortedJson = (object: unknown): string =>
  JSON.stringify(object, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(sortedEntries({ ...value }))
      : value,
  );

const EXPRESSION = 'calc';

/** All parameters of an address. */
export const PARAMETERS: readonly string[] = [
  ...['view', 'compare', 'entry', 'asof', EXPRESSION],
  ...PARTS.map(({ parameter }) => parameter),
];

/**
 * Returns the query string that shows a layout, with its `?`; empty for the layout that the source opens
 * with.
 *
 * @param base the layout of the view, as it is shown
 */
export function writeAddress(
  { view, entry, asOf, compare }: Omit<Address, 'parts'>,
  shown: Layout,
  base: Layout,
): string {
  const parameters: [name: string, value: string][] = [];
  if (view !== null) parameters.push(['view', String(view)]);
  for (const each of compare) parameters.push(['compare', String(each)]);
  for (const { parameter, write } of PARTS) {
    const values = write(shown);
    if (sameValues(values, write(base))) continue;
    const written = values.length > 0 ? values : [''];
    parameters.push(...written.map((value): [string, string] => [parameter, value]));
  }
  for (const [name, text] of Object.entries(usedExpressions(shown))) {
    // The page shows YTD through the newest close, whichever one the view was saved with.
    const known = base.expressions?.[name];
    if (known !== undefined && isSameButClose(known, text)) continue;
    parameters.push([EXPRESSION, [name, text].map(escaped).join(':')]);
  }
  if (entry !== null) parameters.push(['entry', String(entry)]);
  if (asOf !== null) parameters.push(['asof', String(asOf)]);
  const query = parameters.map(([name, value]) => `${name}=${encoded(value)}`).join('&');
  return query && `?${query}`;
}

/** Reads a query string and skips the parts that cannot be read. Never throws. */
export function readAddress(search: string): Address {
  const parameters = new URLSearchParams(search);
  let parts: Layout = {};
  for (const { parameter, read } of PARTS) {
    const values = parameters.getAll(parameter);
    if (values.length > 0) parts = { ...parts, ...read(values.filter((value) => value !== '')) };
  }
  const expressions = parameters.getAll(EXPRESSION).flatMap((text): [string, string][] => {
    const [name, expression] = tokensOf(text, ':').map(unescaped);
    return name === undefined || expression === undefined ? [] : [[name, expression]];
  });
  if (expressions.length > 0) parts.expressions = Object.fromEntries(expressions);
  return {
    view: id(parameters.get('view')),
    entry: id(parameters.get('entry')),
    asOf: id(parameters.get('asof')),
    compare: [...new Set(parameters.getAll('compare').map(id))]
      .filter((each) => each !== null)
      .slice(0, MOST_OTHERS),
    parts,
  };
}

/** Returns the layout that an address shows. */
export const withParts = (base: Layout, parts: Layout): Layout => ({
  ...base,
  ...parts,
  expressions: { ...base.expressions, ...parts.expressions },
});

const sameValues = (some: readonly string[], others: readonly string[]): boolean =>
  JSON.stringify(some) === JSON.stringify(others);

/** Reads a text as an id; null if the service cannot have assigned such an id. */
const id = (text: string | null): number | null =>
  text !== null && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null;

/**
 * Encodes a value for a query string. Characters that are allowed there stay readable, and a space becomes
 * `+`. A lone surrogate has no encoding; it becomes the replacement character.
 */
const encoded = (value: string): string =>
  encodeURIComponent(value.toWellFormed())
    .replace(/%(2C|3A|2F|3D|40|3B|24)/g, (code) => decodeURIComponent(code))
    .replace(/%20/g, '+')
    .replace(/'/g, '%27');

/**
 * Escapes a text inside a list: with `~` before a character that would end it, and before a text that would
 * be read as a number or a keyword.
 */
const escaped = (text: string): string => text.replace(/[~,:]/g, '~$&') || EMPTY;

const unescaped = (token: string): string =>
  token === EMPTY ? '' : token.replace(/~(.?)/gsu, '$1');

/** The encoding of the empty text; no other text has it. */
const EMPTY = '~-';

/** Splits a text at each separator that is not escaped. The empty text has no tokens. */
const tokensOf = (text: string, separator: ',' | ':'): string[] =>
  text === '' ? [] : text.split(new RegExp(`(?<=(?:^|[^~])(?:~~)*)${separator}`, 'u'));

const writeNames = (names: readonly string[]): string => names.map(escaped).join(',');

const readNames = ([text = '']: readonly string[]): string[] => tokensOf(text, ',').map(unescaped);

const KEYWORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['null', null],
  ['true', true],
  ['false', false],
]);
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/;

function writeValue(value: Value): string {
  if (typeof value !== 'string') return String(value);
  return KEYWORDS.has(value) || NUMBER.test(value) ? `~${value}` : escaped(value);
}

function readValue(token: string): Value {
  const keyword = KEYWORDS.get(token);
  if (keyword !== undefined) return keyword;
  return NUMBER.test(token) ? Number(token) : unescaped(token);
}

/** Whether the term of an operator is a list, regardless of its number of values. */
const hasList = (operator: string): boolean => operator === 'in' || operator === 'not in';

function writeFilter([column, operator, term]: LayoutFilter): string {
  const values = [term].flat().filter((value) => value !== null || Array.isArray(term));
  return [...[column, operator].map(escaped), ...values.map(writeValue)].join(':');
}

function readFilter(text: string): LayoutFilter[] {
  const [column, operator, ...tokens] = tokensOf(text, ':');
  if (column === undefined || operator === undefined) return [];
  const name = unescaped(operator);
  const values = tokens.map(readValue);
  const isList = hasList(name) || values.length > 1;
  return [[unescaped(column), name, isList ? values : (values[0] ?? null)]];
}

function readSort(text: string): LayoutSort[] {
  const [column, direction] = tokensOf(text, ':').map(unescaped);
  return column === undefined || direction === undefined ? [] : [[column, direction]];
}

function readTotal(text: string): [string, string | [string, string[]]][] {
  const [column, how, ...others] = tokensOf(text, ':').map(unescaped);
  if (column === undefined || how === undefined) return [];
  return [[column, others.length > 0 ? [how, others] : how]];
}

function readAmounts(text: string): [string, AmountStyle][] {
  const [column, shown_in = '', decimals = '', show_as = ''] = tokensOf(text, ':').map(unescaped);
  const style = v.safeParse(AmountStyle, {
    ...(shown_in !== '' && { shown_in }),
    ...(decimals !== '' && { decimals: Number(decimals) }),
    ...(show_as !== '' && { show_as }),
  });
  return column !== undefined && style.success ? [[column, style.output]] : [];
}

function readLimit(text: string): [string, Limit][] {
  const [field, keep, number = '', by] = tokensOf(text, ':').map(unescaped);
  const limit = v.safeParse(Limit, {
    keep,
    number: NUMBER.test(number) ? Number(number) : NaN,
    by,
  });
  return field !== undefined && limit.success ? [[field, limit.output]] : [];
}

function readOrder(text: string): [string, Value[]][] {
  const [field, ...values] = tokensOf(text, ':');
  return field === undefined || values.length === 0
    ? []
    : [[unescaped(field), values.map(readValue)]];
}

function readMark(text: string): [string, MarkRule][] {
  const [column, rule = '', ...texts] = tokensOf(text, ':').map(unescaped);
  if (!texts.every((amount) => NUMBER.test(amount))) return [];
  const [from, to] = texts.map(Number);
  const read = v.safeParse(
    MarkRule,
    rule === 'between' ? { rule, from, to } : { rule, ...(from !== undefined && { amount: from }) },
  );
  return column !== undefined && read.success ? [[column, read.output]] : [];
}

function groupedMarks(marks: readonly [string, MarkRule][]): Record<string, MarkRule[]> {
  const byMeasure = new Map<string, MarkRule[]>();
  for (const [name, rule] of marks) byMeasure.set(name, [...(byMeasure.get(name) ?? []), rule]);
  return Object.fromEntries(byMeasure);
}

const Format = v.record(v.string(), v.unknown());

function readFormat(text: string): [string, Record<string, unknown>][] {
  const [column, json = ''] = tokensOf(text, ':').map(unescaped);
  if (column === undefined) return [];
  try {
    const format = v.safeParse(Format, JSON.parse(json));
    return format.success ? [[column, format.output]] : [];
  } catch {
    return [];
  }
}
