/** SQL text of alerts: the groups of a version for whose sums a condition holds. */
import type { AlertCondition, AlertOf } from '../../contract/alerts';
import type { PeriodUnit } from '../../contract/shapes';
import type { ForecastColumn } from './forecast-columns';
import { measureKind } from './forecast-columns';
import { groupText } from './groups';
import type { Attribute } from './lookups';
import { besideValues } from './lookups';
import type { ReadableRows, SqlText } from './quote';
import { commas, ident, literal, sql } from './quote';
import { excludeClause } from './slice';
import { startOfPeriod } from './loaded-day';
import { exactSum, NOISE } from './templates/leaves';

/** A field whose members are groups: a column, with the unit of a date, or an attribute of a lookup. */
export type GroupedField =
  { column: ForecastColumn; unit?: PeriodUnit | undefined } | { attribute: Attribute };

/** What an alert evaluates. */
export interface AlertQuery {
  measure: ForecastColumn;
  of: AlertOf;
  condition: AlertCondition;
  level: readonly GroupedField[];
  /** The rows of the alert's slice. */
  where: SqlText;
  /** The origins that do not belong to the plan. */
  excluded: readonly string[];
}

/**
 * Selects the groups for which a condition holds: `group`, its members as texts in the order of the level, null for a
 * missing one and for a date the first day of its period, and `amount`, the number that is compared, as text.
 *
 * Sums are exact, and a difference in percent is compared by multiplication, so no quotient is rounded. Groups whose
 * reference is 0 have no difference in percent, as in a formula that divides by 0. NaN and infinity hold for nothing.
 *
 * @param most one more than this number of groups is selected at most
 */
export function alertGroups(
  rows: ReadableRows,
  { measure, of, condition, level, where, excluded }: AlertQuery,
  most: number,
): SqlText {
  const attributes = level.flatMap((field) => ('attribute' in field ? [field.attribute] : []));
  const from = attributes.length === 0 ? rows : besideValues(rows, attributes, sql`pf_alert_rows`);
  const isPlan = excludeClause(excluded);
  const isReference = sql`pf_iter = 'reference'`;
  const needed = of === 'amount' ? isPlan : sql`(${isPlan} OR ${isReference})`;
  const plan = total(measure, isPlan);
  const reference = total(measure, isReference);
  const sums = sql`SELECT ARRAY[${commas(level.map(memberOf))}]::text[] AS pf_group,
       ${plan} AS pf_plan, ${of === 'amount' ? sql`0` : reference} AS pf_reference
     FROM ${from} WHERE (${where}) AND ${needed} GROUP BY 1`;
  const difference = sql`(pf_plan - pf_reference)`;
  const compared = of === 'amount' ? sql`pf_plan` : difference;
  const amount =
    of === 'difference_pct' ? sql`(100 * ${difference} / NULLIF(ABS(pf_reference), 0))` : compared;
  const holds =
    of === 'difference_pct'
      ? sql`pf_reference <> 0 AND (${holdsFor(condition, sql`100 * ${difference}`, sql`* ABS(pf_reference)`)})`
      : holdsFor(condition, compared, sql``);
  return sql`SELECT pf_group AS "group", ${amount}::text AS amount
    FROM (${sums}) AS pf_sums WHERE ABS(${compared}) < 'Infinity' AND (${holds}) LIMIT ${most + 1}`;
}

function holdsFor(condition: AlertCondition, compared: SqlText, factor: SqlText): SqlText {
  const limit = (amount: number) => sql`${literal(String(amount))}::numeric ${factor}`;
  switch (condition.operator) {
    case 'above':
      return sql`${compared} > ${limit(condition.amount)}`;
    case 'below':
      return sql`${compared} < ${limit(condition.amount)}`;
    case 'outside':
      return sql`${compared} < ${limit(condition.from)} OR ${compared} > ${limit(condition.to)}`;
  }
}

/** The exact total of some rows of a group. Doubles that cancel out add up to 0, without rounding noise. */
function total(measure: ForecastColumn, of: SqlText): SqlText {
  const own = sql`CASE WHEN ${of} THEN ${ident(measure.name)} END`;
  const sum = sql`COALESCE(${exactSum(measure, own)}, 0)::numeric`;
  if (measureKind(measure).exact) return sum;
  const gross = sql`COALESCE(SUM(ABS(${own})), 0)::numeric`;
  return sql`CASE WHEN ABS(${sum}) > ${NOISE} * ${gross} THEN ${sum} ELSE 0 END`;
}

/** The member of a row as text. */
function memberOf(field: GroupedField): SqlText {
  if ('attribute' in field) {
    const { name, type } = field.attribute;
    return groupText({ type }, ident(name));
  }
  const { column, unit } = field;
  const name = ident(column.name);
  return unit ? sql`${startOfPeriod(name, unit)}::text` : groupText(column, name);
}
