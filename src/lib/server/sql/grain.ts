/** The display grain: its columns and the key of a grain row. */
import type { ForecastColumn } from './forecast-columns';
import { grainColumns, measureColumns, toldApart } from './forecast-columns';
import type { SqlText } from './quote';
import { commas, ident, sql } from './quote';

/** The special characters of a grain key: one stands for null, the other separates its parts. */
const NULL_PART = sql`chr(30)`;
const SEPARATOR = sql`chr(31)`;

/** Both characters, which no value of a key may contain: as text, as a pattern in SQL, in words. */
export const KEY_CHARACTERS = ['\u001e', '\u001f'];
export const KEY_CHARACTERS_PATTERN = '[\\x1e\\x1f]';
export const HOLDS_KEY_CHARACTER = `holds the character ${NULL_PART} or ${SEPARATOR}, which separates the parts of a key`;

/**
 * `pf_gkey`: the unique text of one grain row (docs/contract/02-resources-and-their-fields.md#display-grain).
 * The sentinel distinguishes null from the empty string, and ('a', null) from (null, 'a').
 */
export function grainKey(grain: readonly ForecastColumn[]): SqlText {
  const parts = grain.map((c) => sql`COALESCE(${ident(c.name)}::text, ${NULL_PART})`);
  return sql`concat_ws(${commas([SEPARATOR, ...parts, sql`pf_iter`, sql`pf_logid::text`])})`;
}

/** Types that Arrow and JSON can carry. Every other type is cast to text. */
const TRAVELS = ['text', 'bigint', 'numeric', 'double precision', 'date', 'boolean'];

/** A value of a forecast table's type, cast to a type that Arrow and JSON can carry. */
export const travelling = (value: SqlText, type: SqlText): SqlText =>
  TRAVELS.includes(type) ? value : sql`${value}::text`;

/** A forecast column under its own name, cast to a type that Arrow and JSON can carry. */
function travellingColumn({ name, type }: ForecastColumn): SqlText {
  const own = ident(name);
  return TRAVELS.includes(type) ? own : sql`${travelling(own, type)} AS ${own}`;
}

const measureSums = (columns: readonly ForecastColumn[]): SqlText[] =>
  measureColumns(columns).map((m) => sql`SUM(${ident(m.name)}) AS ${ident(m.name)}`);

/**
 * The select list of a grain row: grain columns, `pf_iter`, `pf_logid`, `pf_gkey`, measures.
 *
 * @param measures sums if rows are grouped here; plain names if {@link grainSumList} has grouped them
 */
export function grainSelectList(
  columns: readonly ForecastColumn[],
  measures = measureSums(columns),
): SqlText[] {
  const grain = grainColumns(columns);
  return [
    ...grain.map(travellingColumn),
    sql`pf_iter`,
    sql`pf_logid`,
    sql`${grainKey(grain)} AS pf_gkey`,
    ...measures,
  ];
}

/** The select list of a grain row without its key: the columns unchanged, the measures summed. */
export const grainSumList = (columns: readonly ForecastColumn[]): SqlText[] => [
  ...grainColumns(columns).map((c) => ident(c.name)),
  sql`pf_iter`,
  sql`pf_logid`,
  ...measureSums(columns),
];

/** Expressions to group rows by, so that the values of these columns are distinguished. */
export const groupedBy = (
  columns: readonly Pick<ForecastColumn, 'name' | 'type'>[],
  of = sql``,
): SqlText[] =>
  columns.flatMap((c) => {
    const name = sql`${of}${ident(c.name)}`;
    return [...new Set([name, toldApart(c, name)])];
  });

/** The grouping of a grain row. */
export const grainGroupBy = (columns: readonly ForecastColumn[]): SqlText[] => [
  ...groupedBy(grainColumns(columns)),
  sql`pf_iter`,
  sql`pf_logid`,
];

/** The select list of a raw row: data columns, then the system columns. */
export const rawSelectList = (columns: readonly ForecastColumn[]): SqlText[] => [
  ...columns.map(travellingColumn),
  sql`pf_id`,
  sql`pf_iter`,
  sql`pf_logid`,
  sql`pf_created_at`,
];
