/** The common parts of the scale, recode and clone templates: netting a slice and answering new rows. */
import { NOISE_SHARE } from '../../../contract/decimals';
import type { EntryOperation, FileOperation, SliceOperation } from '../../../contract/operations';
import type { ForecastColumn } from '../forecast-columns';
import {
  grainColumns,
  isExact,
  leafColumns,
  measureColumns,
  measureKind,
} from '../forecast-columns';
import { grainGroupBy, grainSelectList, groupedBy, rawSelectList } from '../grain';
import type { Identifier, SqlText } from '../quote';
import { commas, ident, join, literal, sql } from '../quote';
import { freeName, IN_CTE, list } from './lists';

/**
 * The `leaves` CTE: the slice netted by every dimension and date
 * (docs/contract/14-what-the-operations-compute.md#leaves-not-rows). Its texts have the collation of
 * {@link leafOrder}. If only the sort had it, PostgreSQL would sort and store each text twice: as a column and as
 * the expression to sort by.
 *
 * @param among the rows of the slice that count; those of no excluded origin by default
 */
export function leavesCte(
  columns: readonly ForecastColumn[],
  having = sql``,
  among = sql`{{exclude_clause}}`,
): SqlText {
  const keys = leafColumns(columns).map((c) => {
    const name = ident(c.name);
    return c.type === 'text' ? sql`${asBytes(name)} AS ${name}` : name;
  });
  const grouped = leafColumns(columns).flatMap((c) =>
    groupedBy([c]).map((name) => (c.type === 'text' ? asBytes(name) : name)),
  );
  const sums = measureColumns(columns).map((m) => sql`${netted(m)} AS ${ident(m.name)}`);
  return sql`leaves AS (
    SELECT
        ${list([...keys, ...sums], IN_CTE)}
    FROM {{fc_table}}
    WHERE {{where_clause}}
        AND ${among}
    GROUP BY
        ${list(grouped, IN_CTE)}${having}
)`;
}

type Measure = Pick<ForecastColumn, 'name' | 'type'>;

/** {@link NOISE_SHARE} as SQL. */
export const NOISE = sql`${NOISE_SHARE}`;

/**
 * The sum of a measure, as numeric. Doubles are added up as the decimal numbers that they print as: sums of doubles
 * would depend on the order in which PostgreSQL reads the rows.
 *
 * @param name the column of the measure
 */
export const exactSum = (measure: Pick<ForecastColumn, 'type'>, name: SqlText): SqlText =>
  isExact(measure) ? sql`SUM(${name})` : sql`SUM(${name}::text::numeric)`;

/**
 * SQL that tests whether the amounts of a measure do not cancel out.
 *
 * @param over `OVER ()` to test a window
 */
export function netsToSomething(measure: Measure, over = sql``): SqlText {
  const name = ident(measure.name);
  return isExact(measure)
    ? sql`SUM(${name})${over} <> 0`
    : sql`ABS(SUM(${name})${over}) > ${NOISE} * SUM(ABS(${name}))${over}`;
}

/**
 * The exact sum of a measure, in its type. Doubles that cancel out add up to 0, without rounding noise.
 *
 * @param test tests whether doubles add up to something
 */
export const netted = (measure: Measure, test = netsToSomething(measure)): SqlText => {
  const sum = exactSum(measure, ident(measure.name));
  if (isExact(measure)) return sql`COALESCE(${sum}, 0)`;
  return sql`CASE WHEN ${test} THEN (${sum})::double precision ELSE 0 END`;
};

/** A product without a signed zero: with doubles, 0 times a negative number prints as "-0". */
export const withoutSignedZero = (measure: ForecastColumn, product: SqlText): SqlText =>
  measureKind(measure).exact ? product : sql`${product} + 0`;

/**
 * The HAVING clause that leaves out leaves that net to nothing.
 *
 * @param test tests whether a measure adds up to something
 */
export function nettingHaving(
  columns: readonly ForecastColumn[],
  test: (measure: ForecastColumn) => SqlText = (m) => netsToSomething(m),
): SqlText {
  const tests = measureColumns(columns).map(test);
  return tests.length > 0 ? sql`\n    HAVING ${join(tests, sql` OR `)}` : sql``;
}

const asBytes = (text: SqlText): SqlText => sql`${text} COLLATE "C"`;

/** The fixed order of leaves for cumulative rounding; equal on every server. */
export const leafOrder = (columns: readonly ForecastColumn[], of = sql``): SqlText =>
  commas(sortedBy(columns, of).map(({ key }) => key));

const sortedBy = (columns: readonly ForecastColumn[], of = sql``) =>
  leafColumns(columns).flatMap((c) =>
    groupedBy([c], of).map((name) => {
      const isText = c.type === 'text' || name.endsWith('::text');
      return { isText, key: isText ? asBytes(name) : name };
    }),
  );

/** Columns to sort many leaves by. */
interface LeafKeys {
  /** The select list of the columns that stand for several texts, and their names. */
  made: SqlText[];
  names: Identifier[];
  order: SqlText;
}

/**
 * The order of {@link leafOrder} with one column in place of texts that follow one another, which PostgreSQL compares
 * several times as fast. In it, each text ends with a character that no dimension may hold and that comes before
 * all printable ones; a null comes last.
 */
export function leafKeys(columns: readonly ForecastColumn[]): LeafKeys {
  const taken = columns.map((c) => c.name);
  const runs: SqlText[][] = [];
  let follows = false;
  for (const { isText, key } of sortedBy(columns)) {
    const last = runs.at(-1);
    if (last && isText && follows) last.push(key);
    else runs.push([key]);
    follows = isText;
  }
  const keys: Pick<LeafKeys, 'made' | 'names'> = { made: [], names: [] };
  const order = runs.map((run) => {
    if (run.length === 1) return commas(run);
    const name = ident(freeName(`leaf_key_${keys.names.length + 1}`, taken));
    const parts = run.map((text) => sql`COALESCE('0' || ${text} || chr(31), '1')`);
    keys.made.push(sql`${join(parts, sql`\n            || `)} AS ${name}`);
    keys.names.push(name);
    return name;
  });
  return { ...keys, order: commas(order) };
}

/**
 * A FROM clause with the window for running sums and their differences. Floating-point measures need neither,
 * so a query of floating-point measures alone has no window.
 */
export function fromInLeafOrder(rows: SqlText, columns: readonly ForecastColumn[]): SqlText {
  const cumulates = measureColumns(columns).some((m) => measureKind(m).exact);
  return cumulates
    ? sql`FROM ${rows}
    WINDOW leaf_order AS (ORDER BY ${leafOrder(columns)})`
    : sql`FROM ${rows}`;
}

/**
 * SQL for the scale that the parts of an exact measure are rounded to: the source column's scale, or for a
 * numeric without one the largest scale among the rows and `increments`, at least 2.
 *
 * @param over the window of the rows; empty if they are aggregated
 */
export function roundingScale(
  measure: ForecastColumn,
  increments: readonly SqlText[],
  over = sql` OVER ()`,
): SqlText {
  const kind = measureKind(measure);
  if (!kind.exact) throw new Error(`${measure.name} is a floating-point column; it is not rounded`);
  if (kind.scale !== null) return sql`${kind.scale}`;
  const seen = increments.map((increment) => sql`scale(${increment})`);
  const largest = sql`MAX(scale(${ident(measure.name)}))${over}`;
  return sql`GREATEST(${commas([sql`2`, largest, ...seen])})`;
}

/** The end of an operation: inserts the new rows and returns them, raw or at the grain. */
export function writeAndAnswer(
  operation: SliceOperation | EntryOperation | FileOperation,
  columns: readonly ForecastColumn[],
  rows: SqlText,
): SqlText {
  const targets = [...leafColumns(columns), ...measureColumns(columns)].map((c) => ident(c.name));
  const injected = [sql`{{note}} AS pf_note`, sql`${literal(operation)} AS pf_op`];
  const answer =
    grainColumns(columns).length > 0
      ? sql`SELECT
    ${list([...grainSelectList(columns), ...injected])}
FROM written
GROUP BY
    ${list(grainGroupBy(columns))}
`
      : sql`SELECT
    ${list([...rawSelectList(columns), ...injected])}
FROM written
ORDER BY pf_id
`;
  return sql`written AS (
    INSERT INTO {{fc_table}} (
        ${list([...targets, sql`pf_iter`, sql`pf_logid`], IN_CTE)}
    )
    ${rows}
    RETURNING *
)
${answer}`;
}
