import type { SliceOperation } from '../../../contract/operations';
import type { ForecastColumn } from '../forecast-columns';
import { grainColumns, leafColumns, measureColumns, measureKind } from '../forecast-columns';
import { grainGroupBy, grainSelectList, groupedBy, rawSelectList } from '../grain';
import { ident } from '../identifiers';
import { IN_CTE, list } from './layout';

/** What the statements of the three operations share: how they net a slice and how they answer. */

/**
 * The `leaves` CTE: the slice netted by every dimension and date
 * (docs/contract/14-what-the-operations-compute.md#leaves-not-rows).
 */
export function leavesCte(columns: readonly ForecastColumn[], having = ''): string {
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const sums = measureColumns(columns).map((m) => `${netted(m)} AS ${ident(m.name)}`);
  return `leaves AS (
    SELECT
        ${list([...keys, ...sums], IN_CTE)}
    FROM {{fc_table}}
    WHERE {{where_clause}}
        AND {{exclude_clause}}
    GROUP BY
        ${list(groupedBy(leafColumns(columns)), IN_CTE)}${having}
)`;
}

/** Doubles that cancel out leave noise behind; a sum below this part of what went in is none. */
const NOISE = '1e-12';

/**
 * Whether amounts of a measure do not cancel out, as SQL.
 *
 * @param over `OVER ()` where it is asked of a window
 */
export function netsToSomething(measure: ForecastColumn, over = ''): string {
  const name = ident(measure.name);
  return measureKind(measure).exact
    ? `SUM(${name})${over} <> 0`
    : `ABS(SUM(${name})${over}) > ${NOISE} * SUM(ABS(${name}))${over}`;
}

const netted = (measure: ForecastColumn): string => {
  const sum = `SUM(${ident(measure.name)})`;
  if (measureKind(measure).exact) return `COALESCE(${sum}, 0)`;
  return `CASE WHEN ${netsToSomething(measure)} THEN ${sum} ELSE 0 END`;
};

/** A product as it is written: with doubles, 0 times a negative number is the text "-0". */
export const withoutSignedZero = (measure: ForecastColumn, product: string): string =>
  measureKind(measure).exact ? product : `${product} + 0`;

/** Leaves out what nets to nothing. */
export function nettingHaving(columns: readonly ForecastColumn[]): string {
  const tests = measureColumns(columns).map((m) => netsToSomething(m));
  return tests.length > 0 ? `\n    HAVING ${tests.join(' OR ')}` : '';
}

/** The fixed order of leaves that cumulative rounding goes by; the same on every server. */
export const leafOrder = (columns: readonly ForecastColumn[], of = ''): string =>
  leafColumns(columns)
    .flatMap((c) =>
      groupedBy([c], of).map((name) =>
        c.type === 'text' || name.endsWith('::text') ? `${name} COLLATE "C"` : name,
      ),
    )
    .join(', ');

/**
 * A FROM clause with the window that running sums and their differences go by. Floating-point measures
 * have neither, so a query of them alone has no window.
 */
export function fromInLeafOrder(rows: string, columns: readonly ForecastColumn[]): string {
  const cumulates = measureColumns(columns).some((m) => measureKind(m).exact);
  return cumulates
    ? `FROM ${rows}
    WINDOW leaf_order AS (ORDER BY ${leafOrder(columns)})`
    : `FROM ${rows}`;
}

/**
 * The scale that an exact measure's parts are rounded to, as SQL: the source column's, or for a
 * numeric without one the largest among the slice and `increments`, at least 2.
 */
export function roundingScale(measure: ForecastColumn, increments: readonly string[]): string {
  const kind = measureKind(measure);
  if (!kind.exact) throw new Error(`${measure.name} is a floating-point column; it is not rounded`);
  if (kind.scale !== null) return String(kind.scale);
  const seen = increments.map((increment) => `scale(${increment})`);
  return `GREATEST(2, MAX(scale(${ident(measure.name)})) OVER ()${seen.map((s) => `, ${s}`).join('')})`;
}

/** The end of an operation: the new rows written, and answered raw or at the grain. */
export function writeAndAnswer(
  operation: SliceOperation,
  columns: readonly ForecastColumn[],
  rows: string,
): string {
  const targets = [...leafColumns(columns), ...measureColumns(columns)].map((c) => ident(c.name));
  const injected = ['{{note}} AS pf_note', `'${operation}' AS pf_op`];
  const answer =
    grainColumns(columns).length > 0
      ? `SELECT
    ${list([...grainSelectList(columns), ...injected])}
FROM written
GROUP BY
    ${list(grainGroupBy(columns))}
`
      : `SELECT
    ${list([...rawSelectList(columns), ...injected])}
FROM written
ORDER BY pf_id
`;
  return `written AS (
    INSERT INTO {{fc_table}} (
        ${list([...targets, 'pf_iter', 'pf_logid'], IN_CTE)}
    )
    ${rows}
    RETURNING *
)
${answer}`;
}
