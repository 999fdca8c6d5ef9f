/** Lookups as SQL: which rows have an attribute, which keys have several rows, and the attributes of the keys of a version. */
import { isMeasure } from '../../contract/columns';
import { type Lookup, orderName, rateName } from '../../contract/lookups';
import type { ColumnType, ForecastColumn } from './forecast-columns';
import {
  forecastType,
  isDate,
  isMoment,
  isNumeric,
  leafColumns,
  toldApart,
} from './forecast-columns';
import { groupedBy, travelling } from './grain';
import type { Identifier, ReadableRows, SqlText } from './quote';
import { commas, ident, join, literal, qualified, sql } from './quote';
import { exactSum, netsToSomething } from './templates/leaves';
import { freeName } from './templates/lists';

/** A column of a lookup's table. */
interface TableColumn {
  cname: string;
  type: ColumnType;
}

/** A key of a lookup: a column of rows, and the SQL of the same value in a row `l` of the lookup's table. */
interface Key {
  column: ForecastColumn;
  from: SqlText;
}

/** The days of a row `l` of a lookup's table. A missing end is open. */
interface Range {
  column: ForecastColumn;
  first: SqlText;
  last: SqlText;
}

/** A lookup that can be joined with the rows of its source. */
export interface JoinedLookup {
  id: number;
  name: string;
  table: Identifier;
  keys: readonly Key[];
  /** The date whose days have rows of the table, and the first and last day of a row `l`; null without a range. */
  range: Range | null;
  /** Whether the database itself allows one row per key. */
  isUnique: boolean;
}

/** An attribute as a field of rows: the SQL of its value, in the type of a dimension, in a row `l` of the table. */
export interface Attribute {
  name: string;
  type: SqlText;
  lookup: JoinedLookup;
  value: SqlText;
  /** The column by which its values are ordered; null without one. */
  order: SqlText | null;
}

/** A conversion: the measure that it multiplies, and the SQL of the rate, a number or null, in a row `l` of the table. */
export interface JoinedConversion {
  name: string;
  measure: ForecastColumn;
  rate: SqlText;
}

/** An attribute that cannot be joined now, and why. A slice that names it is refused. */
export interface BrokenAttribute {
  name: string;
  problem: string;
}

/** Why a lookup cannot be joined, for its field in the request that describes it. */
export interface LookupFault {
  field: string;
  problem: string;
}

/** The columns of rows that a lookup is joined by: those of its keys, then that of its range. */
export const keyColumns = ({ keys, range }: JoinedLookup): ForecastColumn[] => [
  ...keys.map(({ column }) => column),
  ...(range ? [range.column] : []),
];

/** The lookup's table in the statements of this module. */
const tableOf = ({ table }: Pick<JoinedLookup, 'table'>): SqlText => sql`${table} AS l`;

const ofTable = (cname: string): SqlText => sql`l.${ident(cname)}`;

/**
 * Joins a stored lookup with the columns of the source and of its table.
 *
 * @param table the columns of the lookup's table; none if it is gone
 * @param uniques the sets of columns of which the database allows one row per combination
 * @returns the lookup with its attributes and conversions, or the first reason why it cannot be joined
 */
export function joinLookup(
  lookup: Omit<Lookup, 'source_id' | 'created_by' | 'created_at'>,
  columns: readonly ForecastColumn[],
  table: readonly TableColumn[],
  uniques: readonly (readonly string[])[],
):
  { joined: JoinedLookup; attributes: Attribute[]; conversions: JoinedConversion[] } | LookupFault {
  const { id, name, schema, tname, range } = lookup;
  const fault = (field: string, problem: string): LookupFault => ({ field, problem });
  if (table.length === 0) return fault('tname', `There is no table ${schema}.${tname}`);
  const typeOf = (cname: string) => table.find((c) => c.cname === cname)?.type;
  const missing = (cname: string) => `${schema}.${tname} has no column "${cname}"`;
  const leaves = leafColumns(columns);

  const keys: (Key & { cname: string })[] = [];
  for (const [i, { column: cname, from }] of lookup.keys.entries()) {
    const column = leaves.find((c) => c.name === cname);
    if (!column) return fault(`keys.${i}.column`, notLeaf(cname));
    const type = typeOf(from);
    if (!type) return fault(`keys.${i}.from`, missing(from));
    if (column.role === 'date' && isMoment(type)) return fault(`keys.${i}.from`, noDay(from));
    const value = comparableValue(from, type, column);
    if (!value) return fault(`keys.${i}.from`, incomparable(from, type, column));
    keys.push({ column, from: value, cname: from });
  }

  let joinedRange: JoinedLookup['range'] = null;
  if (range) {
    const column = leaves.find((c) => c.name === range.column);
    if (!column) return fault('range.column', notLeaf(range.column));
    if (column.role !== 'date') {
      return fault('range.column', `"${range.column}" is not a date of the source`);
    }
    for (const end of ['from', 'through'] as const) {
      const type = typeOf(range[end]);
      if (!type) return fault(`range.${end}`, missing(range[end]));
      if (!isDate(type)) return fault(`range.${end}`, `"${range[end]}" is not a date`);
      if (isMoment(type)) return fault(`range.${end}`, noDay(range[end]));
    }
    const day = (cname: string, open: SqlText) => sql`COALESCE(${ofTable(cname)}::date, ${open})`;
    const first = day(range.from, sql`'-infinity'`);
    joinedRange = { column, first, last: day(range.through, sql`'infinity'`) };
  }

  const isExactKey = ({ column }: Key) => column.role !== 'date';
  const joined: JoinedLookup = {
    ...{ id, name, table: qualified(schema, tname), keys, range: joinedRange },
    isUnique:
      !range &&
      uniques.some((unique) =>
        unique.every((cname) => keys.some((key) => key.cname === cname && isExactKey(key))),
      ),
  };
  const attributes: Attribute[] = [];
  for (const [i, { cname, label, order_by }] of lookup.attributes.entries()) {
    const type = typeOf(cname);
    if (!type) return fault(`attributes.${i}.cname`, missing(cname));
    if (!type.comparable) return fault(`attributes.${i}.cname`, `"${cname}" cannot be grouped by`);
    const ordering = order_by === null ? null : typeOf(order_by);
    if (ordering === undefined) return fault(`attributes.${i}.order_by`, missing(order_by ?? ''));
    if (ordering?.comparable === false) {
      return fault(`attributes.${i}.order_by`, `"${order_by ?? ''}" cannot be sorted by`);
    }
    attributes.push({
      ...{ name: label, lookup: joined, type: forecastType('dimension', type) },
      value: castTo(cname, type, forecastType('dimension', type)),
      order: order_by === null ? null : ofTable(order_by),
    });
  }
  const conversions: JoinedConversion[] = [];
  for (const [i, { label, measure: cname, rate }] of lookup.conversions.entries()) {
    const measure = columns.find((c) => c.name === cname && isMeasure(c.role));
    if (!measure)
      return fault(`conversions.${i}.measure`, `"${cname}" is not a measure of the source`);
    const type = typeOf(rate);
    if (!type) return fault(`conversions.${i}.rate`, missing(rate));
    if (!isNumeric(type)) return fault(`conversions.${i}.rate`, `"${rate}" is not a number`);
    conversions.push({ name: label, measure, rate: rateOf(rate, type) });
  }
  return { joined, attributes, conversions };
}

/** Rates from this absolute value on are missing, so that totals of conversions are finite. */
const TOO_LARGE = sql`1e100`;

/** A rate as a number that is multiplied without overflow; one that is no finite number is missing. */
function rateOf(cname: string, type: ColumnType): SqlText {
  const own =
    forecastType('measure', type) === 'double precision' ? sql`double precision` : sql`numeric`;
  const rate = sql`${ofTable(cname)}::${own}`;
  // NaN is larger than all numbers.
  return sql`CASE WHEN abs(${rate}) < ${TOO_LARGE} THEN ${rate} END`;
}

const noDay = (cname: string) =>
  `"${cname}" has moments, whose days depend on a time zone; use a date or a timestamp without one`;

const notLeaf = (cname: string) => `"${cname}" is not a dimension or date of the source`;

const incomparable = (from: string, type: ColumnType, column: ForecastColumn) =>
  `"${from}" (${type.declared}) cannot be compared with "${column.name}" (${column.source.declared})`;

/** Texts are told apart by their characters, as in forecast tables, also if the column ignores case. */
const castTo = (cname: string, type: ColumnType, to: SqlText): SqlText => {
  const value = type.declared === to ? ofTable(cname) : sql`${ofTable(cname)}::${to}`;
  return to === 'text' ? sql`${value} COLLATE "default"` : value;
};

/** A column of the table in the type of a column of rows; undefined if PostgreSQL cannot compare them. */
function comparableValue(
  cname: string,
  type: ColumnType,
  column: ForecastColumn,
): SqlText | undefined {
  if (column.role === 'date' && !isDate(type)) return undefined;
  const own = forecastType(column.role, type);
  if (own !== column.type && !(isNumber(own) && isNumber(column.type))) return undefined;
  return toldApart(column, castTo(cname, type, own));
}

const isNumber = (type: SqlText) => ['bigint', 'numeric', 'double precision'].includes(type);

/** The value of a key in a row, as it is compared with the table. */
const inRow = ({ column }: Pick<Key, 'column'>, of = sql``): SqlText =>
  toldApart(column, sql`${of}${ident(column.name)}`);

const allOf = (conditions: readonly SqlText[]): SqlText => join(conditions, sql` AND `);

/** The rows of the table that stand for something: with all keys, and a range that does not end before it begins. */
const usable = ({ keys, range }: JoinedLookup): SqlText[] => [
  ...keys.map(({ from }) => sql`${from} IS NOT NULL`),
  ...(range ? [sql`${range.first} <= ${range.last}`] : []),
];

/** One text for all keys of a row. Equal keys have equal texts. */
function keyText(values: readonly SqlText[], keys: readonly Key[]): SqlText {
  const texts = keys.map(({ column }, i) => {
    const value = values[i] ?? sql`NULL`;
    return isNumber(column.type) ? sql`trim_scale(${value}::numeric)::text` : sql`${value}::text`;
  });
  const [only] = texts;
  return texts.length === 1 && only ? only : sql`jsonb_build_array(${commas(texts)})::text`;
}

/**
 * A condition on rows, without a qualified name: the lookup has a row for their keys, and this row fulfils a condition.
 * It may be null, as a comparison with null.
 *
 * @param where a condition on a row `l` of the table
 * @param known the keys of all rows that fulfil it, if they have been read: see {@link selectKeys}
 */
export function matching(lookup: JoinedLookup, where: SqlText, known?: readonly string[]): SqlText {
  const { keys, range } = lookup;
  if (known) return among(lookup, known);
  const from = sql`FROM ${tableOf(lookup)} WHERE ${allOf([...usable(lookup), where])}`;
  const left = keys.map((key) => inRow(key));
  const right = keys.map((key) => key.from);
  const conditions: SqlText[] = lookup.isUnique ? [] : [uniqueOrRefused(lookup)];
  if (keys.length > 0) {
    const names = keys.length === 1 ? commas(left) : sql`(${commas(left)})`;
    conditions.push(sql`${names} IN (SELECT ${commas(right)} ${from})`);
  }
  if (range) {
    const days = sql`range_agg(daterange(${range.first}, ${range.last}, '[]'))`;
    const all =
      keys.length === 0
        ? sql`(SELECT ${days} ${from})`
        : sql`((SELECT jsonb_object_agg(k.key, k.days) FROM (SELECT ${keyText(right, keys)} AS key, ${days}::text AS days ${from} GROUP BY 1) AS k) ->> ${keyText(left, keys)})::datemultirange`;
    conditions.push(sql`${inRow(range)} <@ ${all}`);
  }
  return sql`(${allOf(conditions)})`;
}

/** A condition on rows: the only key of a lookup is one of some texts. */
function among(lookup: JoinedLookup, known: readonly string[]): SqlText {
  const [key] = lookup.keys;
  if (!key) throw new Error(`The lookup ${lookup.name} has no key`);
  const texts = known.map((text) => toldApart(key.column, literal(text)));
  const condition = texts.length > 0 ? sql`${inRow(key)} IN (${commas(texts)})` : sql`FALSE`;
  return lookup.isUnique ? condition : sql`(${uniqueOrRefused(lookup)} AND ${condition})`;
}

/**
 * Selects the different keys of some rows of a lookup's table, each as one text `key`, so that a condition can list
 * them. PostgreSQL finds the rows of a list by the indexes for slices, but not those of a subselect
 * (docs/decisions/0055-indexes-for-small-slices.md).
 *
 * @returns null for a lookup with several keys, a range, or a key that is no text
 */
export function selectKeys(
  { attribute: { lookup }, where }: MatchedRows,
  most: number,
): SqlText | null {
  const { keys, range } = lookup;
  const [key, ...others] = keys;
  if (!key || others.length > 0 || range || key.column.type !== 'text') return null;
  return sql`SELECT DISTINCT ${key.from} AS key FROM ${tableOf(lookup)} WHERE ${allOf([...usable(lookup), where])} LIMIT ${most}`;
}

/** Rows of a lookup's table: those that fulfil a condition on a row `l` of it. */
export interface MatchedRows {
  attribute: Attribute;
  where: SqlText;
}

/** Selects one `digest` of the keys and days of some rows of a lookup's table. Equal keys have equal digests. */
export function keysDigest({ attribute: { lookup }, where }: MatchedRows): SqlText {
  const { keys, range } = lookup;
  const values = [
    ...keys.map(({ from }) => sql`${from}::text`),
    ...(range ? [sql`${range.first}::text`, sql`${range.last}::text`] : []),
  ];
  return sql`SELECT encode(sha256(convert_to(COALESCE(string_agg(k.key, ',' ORDER BY k.key COLLATE "C"), ''), 'UTF8')), 'hex') AS digest
    FROM (SELECT jsonb_build_array(${commas(values)})::text AS key
      FROM ${tableOf(lookup)} WHERE ${allOf([...usable(lookup), where])}) AS k`;
}

/** True, or the end of the statement with an error if keys have several rows. It is evaluated once per statement. */
const uniqueOrRefused = (lookup: JoinedLookup): SqlText =>
  sql`(SELECT CASE WHEN EXISTS (${repeatedKeys(lookup, 1)}) THEN pf.refuse_lookup(${literal(notUnique(lookup))}) ELSE TRUE END)`;

/** Why a lookup cannot be joined while keys have several rows. */
export const notUnique = ({ name, range }: Pick<JoinedLookup, 'name' | 'range'>): string =>
  range
    ? `The table of the lookup “${name}” has ranges of days that overlap`
    : `The table of the lookup “${name}” has several rows for a key`;

/** Selects keys that have several rows, each as one text `key`, for days in several ranges with the range. */
export function repeatedKeys(lookup: JoinedLookup, most: number): SqlText {
  const { keys, range } = lookup;
  const rows = sql`FROM ${tableOf(lookup)} WHERE ${allOf(usable(lookup))}`;
  const froms = commas(keys.map(({ from }) => from));
  const text = sql`concat_ws(' / ', ${commas([...keys.map(({ from }) => sql`${from}::text`), sql`NULL`])})`;
  if (!range) {
    return sql`SELECT ${text} AS key ${rows} GROUP BY ${froms} HAVING count(*) > 1 ORDER BY 1 LIMIT ${most}`;
  }
  const by = keys.length === 0 ? sql`` : sql`PARTITION BY ${froms}`;
  return sql`SELECT concat_ws(' / ', NULLIF(o.key, ''), o.first || ' to ' || o.last) AS key FROM (
      SELECT ${text} AS key, ${range.first} AS first, ${range.last} AS last, max(${range.last}) OVER (
        ${by} ORDER BY ${range.first}, ${range.last} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
      ${rows}
    ) AS o WHERE o.first <= o.before ORDER BY 1 LIMIT ${most}`;
}

const keyName = (i: number): Identifier => ident(`pf_key_${i}`);
const valueName = (i: number): Identifier => ident(`pf_value_${i}`);
const orderOf = (i: number): Identifier => ident(`pf_order_${i}`);

/** Selects the rows of the table with some values and their orders, numbered in their order. */
function tableRows(
  lookup: JoinedLookup,
  values: readonly Pick<Attribute, 'value' | 'order'>[],
): SqlText {
  const { keys, range } = lookup;
  const selected = [
    ...keys.map(({ from }, i) => sql`${from} AS ${keyName(i)}`),
    ...(range ? [sql`${range.first} AS pf_first`, sql`${range.last} AS pf_last`] : []),
    ...values.flatMap(({ value, order }, i) => [
      sql`${value} AS ${valueName(i)}`,
      ...(order ? [sql`${order} AS ${orderOf(i)}`] : []),
    ]),
  ];
  return sql`SELECT ${commas(selected)} FROM ${tableOf(lookup)} WHERE ${allOf(usable(lookup))}`;
}

/** Compares rows with those of {@link tableRows}, both under a name. */
function onKeys({ keys, range }: JoinedLookup, rows: SqlText, table: SqlText): SqlText {
  const day = range && inRow(range, sql`${rows}.`);
  return allOf([
    ...keys.map((key, i) => sql`${inRow(key, sql`${rows}.`)} = ${table}.${keyName(i)}`),
    ...(day ? [sql`${day} BETWEEN ${table}.pf_first AND ${table}.pf_last`] : []),
  ]);
}

/**
 * Joins the value of an attribute with rows, as an item after FROM. Rows that have no value are left out.
 *
 * @param rows the name of the rows
 * @param as the name of the joined row
 * @returns the join, and the value
 */
export function joinedValue(
  attribute: Attribute,
  rows: SqlText,
  as: Identifier,
): { join: SqlText; value: SqlText } {
  const { lookup } = attribute;
  const unique = lookup.isUnique ? sql`` : sql` AND ${uniqueOrRefused(lookup)}`;
  return {
    join: sql`JOIN (${tableRows(lookup, [{ ...attribute, order: null }])}) AS ${as} ON ${onKeys(lookup, rows, as)}${unique}`,
    value: toldApart(attribute, sql`${as}.${valueName(0)}`),
  };
}

/**
 * Rows with the values of attributes beside their columns, as an item after FROM. A value is null where the lookup has
 * no row.
 *
 * @param as the name of the item
 */
export function besideValues(
  rows: ReadableRows,
  attributes: readonly Attribute[],
  as: SqlText,
): SqlText {
  const joined = attributes.map((each, i) => joinedValue(each, sql`r`, ident(`pf_attribute_${i}`)));
  const values = attributes.map(
    ({ name }, i) => sql`${joined[i]?.value ?? sql`NULL`} AS ${ident(name)}`,
  );
  const joins = joined.map((each) => sql`LEFT ${each.join}`);
  return sql`(SELECT ${commas([sql`r.*`, ...values])} FROM (SELECT * FROM ${rows}) AS r ${join(joins, sql` `)}) AS ${as}`;
}

/**
 * Selects the combinations of keys that some rows have, with the attributes of each by name, and for each attribute
 * that has an order `<name>: order`, its rank from 0; of conversions `<name>: rate`. Attributes and rates are null where
 * the lookup has no row.
 *
 * @param rows the rows whose keys are wanted
 */
export function attributesOfRows(
  lookup: JoinedLookup,
  attributes: readonly Attribute[],
  conversions: readonly JoinedConversion[],
  rows: ReadableRows,
): SqlText {
  const columns = keyColumns(lookup);
  const names = columns.map(({ name }) => ident(name));
  const shown = [
    ...columns.map((c) => sql`${travelling(sql`o.${ident(c.name)}`, c.type)} AS ${ident(c.name)}`),
    ...attributes.flatMap(({ name, type, order }, i) => {
      const value = sql`j.${valueName(i)}`;
      const rank = sql`(dense_rank() OVER (ORDER BY j.${orderOf(i)}) - 1)::integer`;
      return [
        sql`${travelling(value, type)} AS ${ident(name)}`,
        ...(order
          ? [sql`CASE WHEN ${value} IS NOT NULL THEN ${rank} END AS ${ident(orderName(name))}`]
          : []),
      ];
    }),
    ...conversions.map(({ name }, i) => {
      const rate = sql`j.${valueName(attributes.length + i)}::double precision`;
      return sql`${rate} AS ${ident(rateName(name))}`;
    }),
  ];
  const values = [...attributes, ...conversions.map(asValue)];
  return sql`SELECT ${commas(shown)}
FROM (SELECT ${commas(names)} FROM ${rows} GROUP BY ${commas(groupedBy(columns))}) AS o
LEFT JOIN (${tableRows(lookup, values)}) AS j ON ${onKeys(lookup, sql`o`, sql`j`)}
ORDER BY ${commas(columns.map((c) => toldApart(c, sql`o.${ident(c.name)}`)))}`;
}

const asValue = ({ rate }: JoinedConversion) => ({ value: rate, order: null });

/**
 * Adds up conversions of some rows by two groups of them, `number` and `side`, and by `number` alone, where `side` is
 * null: `totals`, and how many amounts have no rate, `missing`, each as a list of texts in the order of the conversions.
 * Keys must be unique.
 *
 * @param rows the rows, after FROM
 */
export function convertedTotals(
  lookup: JoinedLookup,
  conversions: readonly JoinedConversion[],
  { number, side, rows }: Record<'number' | 'side' | 'rows', SqlText>,
): SqlText {
  const columns = keyColumns(lookup);
  const taken = columns.map(({ name }) => name);
  const free = (wish: string) => ident(freeName(wish, taken));
  const [ofNumber, ofSide] = [free('pf_number'), free('pf_side')];
  const sums = conversions.map(({ measure }, i) => ({
    ...{ sum: free(`pf_sum_${i}`), count: free(`pf_count_${i}`) },
    ...{ measure, rate: sql`j.${valueName(i)}` },
  }));
  // Sums of doubles would depend on the order of the rows, also of those that a person may not read.
  const totals = sums.map(
    ({ sum, rate }) =>
      sql`COALESCE(SUM(o.${sum} * ${rate}::text::numeric), 0)::double precision::text`,
  );
  // Amounts of a key that cancel each other out come to 0 at any rate.
  const missing = sums.map(
    ({ sum, count, rate }) =>
      sql`COALESCE(SUM(o.${count}) FILTER (WHERE ${rate} IS NULL AND o.${sum} <> 0), 0)::text`,
  );
  // Rows with the same keys have one rate, so they are joined once.
  return sql`SELECT o.${ofNumber} AS number, o.${ofSide} AS side, ARRAY[${commas(totals)}] AS totals, ARRAY[${commas(missing)}] AS missing
FROM (
  SELECT ${commas([
    sql`${number} AS ${ofNumber}`,
    sql`${side} AS ${ofSide}`,
    ...columns.map(({ name }) => ident(name)),
    ...sums.flatMap(({ sum, count, measure }) => [
      sql`CASE WHEN ${netsToSomething(measure)} THEN ${exactSum(measure, ident(measure.name))} ELSE 0 END AS ${sum}`,
      sql`COUNT(${ident(measure.name)}) AS ${count}`,
    ]),
  ])}
  FROM ${rows}
  GROUP BY ${commas([sql`1`, sql`2`, ...groupedBy(columns)])}
) AS o
LEFT JOIN (${tableRows(lookup, conversions.map(asValue))}) AS j ON ${onKeys(lookup, sql`o`, sql`j`)}
GROUP BY GROUPING SETS ((o.${ofNumber}, o.${ofSide}), (o.${ofNumber}))`;
}
