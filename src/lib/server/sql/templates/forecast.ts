/** The statements of a forecast: rows of the source scaled to it, and the plan that it replaces. */
import type { ForecastUnit } from '../../../contract/forecasts';
import { OPERATIONS } from '../../../contract/operations';
import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns } from '../forecast-columns';
import { groupedBy } from '../grain';
import { groupKey } from '../groups';
import { dayOf } from '../loaded-day';
import type { SqlText } from '../quote';
import { commas, ident, literal, sql } from '../quote';
import { anyOf } from './copies';
import { leafOrder, leavesCte, nettingHaving, withoutSignedZero } from './leaves';
import { freeName, IN_CTE, list } from './lists';
import { loadedRows, loadedValue } from './load';
import { amountOf, groupColumns, partingCtes } from './parting';

/** The groups and periods of source rows. */
interface Carriers {
  by: readonly ForecastColumn[];
  date: ForecastColumn;
  unit: ForecastUnit;
}

const ITER = literal(OPERATIONS.forecast.iter);

/**
 * The statement that loads a forecast (docs/contract/14-what-the-operations-compute.md#forecast). `{{groups}}` is a
 * query of targets: a number, the group and period of the source rows that carry the target, the interval by which
 * they are moved, and the amounts that they have to add up to; a null keeps theirs. If a target has no source row,
 * nothing is written. It is not stored and answers no rows.
 *
 * @param carriers the dimensions, and the date with the length of its periods, that identify the source rows of a target
 */
export function forecastTemplate(
  source: { schema: string; tname: string },
  columns: readonly ForecastColumn[],
  { by, date, unit }: Carriers,
): SqlText {
  const measures = measureColumns(columns);
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const names = measures.map((m) => ident(m.name));
  const named = groupColumns(columns);
  const { group, amounts } = named;
  const taken = columns.map((c) => c.name);
  const carrier = ident(freeName('carrier', taken));
  const shift = ident(freeName('shift', taken));
  const given = [group, ...amounts.values()];
  const offset = sql`targets.${shift}`;
  const loaded = columns.map((c) => sql`${loadedValue(c, columns, offset)} AS ${ident(c.name)}`);
  const key = groupKey({ columns: [...by, date], unit }, sql`s.`, () => dayOf(date));
  const kept = measures.map((m) => {
    const amount = amountOf(m, named);
    return sql`COALESCE(${amount}, SUM(SUM(${ident(m.name)})) OVER (PARTITION BY ${group})) AS ${amount}`;
  });

  return sql`WITH targets (${commas([group, carrier, shift, ...amounts.values()])}) AS (
    {{groups}}
),
carried AS (
SELECT
    ${list([...given.map((name) => sql`targets.${name}`), ...loaded])}
${loadedRows(source, columns, offset, sql`\nJOIN targets\n  ON targets.${carrier} = ${key}`)}
),
grouped AS (
    SELECT
        ${list([...keys, ...names.map((name) => sql`COALESCE(SUM(${name}), 0) AS ${name}`), group, ...kept], IN_CTE)}
    FROM carried
    GROUP BY
        ${list([...given, ...groupedBy(leafColumns(columns))], IN_CTE)}
),
${partingCtes(columns, named, sql`parts`)}
INSERT INTO {{fc_table}} (
    ${list([...keys, ...names, sql`pf_iter`, sql`pf_logid`])}
)
SELECT
    ${list([...keys, ...names, ITER, sql`{{logid}}`])}
FROM parts
WHERE (${anyOf(names)})
    AND (SELECT COUNT(*) FROM targets) = (SELECT COUNT(DISTINCT ${group}) FROM grouped)
ORDER BY ${leafOrder(columns)}
`;
}

/**
 * The statement that takes out the plan of `{{where_clause}}`: for each leaf, its negated amounts. It is not stored
 * and answers no rows.
 */
export function takeOutTemplate(columns: readonly ForecastColumn[]): SqlText {
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const measures = measureColumns(columns);
  const names = measures.map((m) => ident(m.name));
  const negated = measures.map((m) => withoutSignedZero(m, sql`-${ident(m.name)}`));
  return sql`WITH ${leavesCte(columns, nettingHaving(columns))}
INSERT INTO {{fc_table}} (
    ${list([...keys, ...names, sql`pf_iter`, sql`pf_logid`])}
)
SELECT
    ${list([...keys, ...negated, ITER, sql`{{logid}}`])}
FROM leaves
ORDER BY ${leafOrder(columns)}
`;
}
