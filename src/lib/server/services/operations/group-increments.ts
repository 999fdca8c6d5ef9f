/** Parts the amounts of a scale over groups of leaves. */
import { wantedTotal } from '../../../contract/amounts';
import { isSingleRole, measureKey } from '../../../contract/columns';
import { digitsOf } from '../../../contract/decimals';
import type { ScaleEdit } from '../../../contract/operations';
import type { WeightedGroup } from '../../../contract/shapes';
import { figureOf } from '../../../contract/measures';
import { MOST_GROUPS } from '../../../contract/shapes';
import type { Group, GroupAmount } from '../../db/totals/groups';
import { groupsOf } from '../../db/totals/groups';
import { AppError } from '../../errors';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { measureKind } from '../../sql/forecast-columns';
import { groupId, groupKey, groupLiteral } from '../../sql/groups';
import type { SqlText } from '../../sql/quote';
import { commas, join, sql, typedLiteral } from '../../sql/quote';
import { amountKeys } from '../../sql/templates/parting';
import type { OperationWriter } from '../entries/open-entry';
import { seenByOperations } from '../version/forecast-version';
import { partsOf, sumOf, textOf, wholeOf, wholesOf } from './parts';
import { askedChanges } from './scale-amounts';
import type { ResolvedShape } from './shapes';
import { requireFew } from './shapes';

/** A change of a measure in one slice: an increment or a total, the present one to keep it. */
type ShapedChange = ReturnType<typeof askedChanges>[number];

/**
 * Parts the amounts of a scale over the groups of its slice.
 *
 * @param where the rows of the slice
 * @param free the rows that can change
 * @returns `{{groups}}`; null if the slice has all requested totals in this shape
 * @throws AppError 422 for weights of groups without a row, and for weights that cannot part an amount
 */
export async function groupIncrements(
  { tx, target }: OperationWriter,
  edit: ScaleEdit,
  shape: ResolvedShape,
  where: SqlText,
  free?: SqlText,
): Promise<SqlText | null> {
  const { columns } = target;
  const rows = { where: seenByOperations(target, where), free };
  const groups = await groupsOf(tx, target, groupKey(shape.by), rows, MOST_GROUPS);
  requireFew(groups);
  // If no row can change, the statement writes nothing, and the reason is found out then.
  const keys = amountKeys(columns);
  if (!groups.some(({ isFree }) => isFree)) return noGroup(keys.length);
  const weights = weightsByGroup(groups, shape);
  const changes = askedChanges(edit, columns);
  const parts = keys.map((key) => {
    const change = changes.find(({ measure }) => measureKey(measure) === key);
    return change && (change.kind === 'total' || change.amount)
      ? partsOfMeasure(change, groups, weights)
      : groups.map(() => '0');
  });
  const changed = groups.flatMap(({ group }, i) => {
    const own = parts.map((part) => part[i] ?? '0');
    return own.every((amount) => Number(amount) === 0) ? [] : { group, own };
  });
  if (changed.length === 0) return null;
  const lines = changed.map(
    ({ group, own }) =>
      sql`(${commas([groupLiteral(group), ...own.map((amount) => typedLiteral(amount, sql`numeric`))])})`,
  );
  return sql`VALUES
        ${join(lines, sql`,\n        `)}`;
}

/** Groups for a statement that writes nothing. @param amounts number of amounts of a group */
const noGroup = (amounts: number): SqlText =>
  sql`SELECT ${commas([sql`NULL::text[]`, ...Array<SqlText>(amounts).fill(sql`NULL::numeric`)])} WHERE FALSE`;

/** Maximum number of groups that an error names. */
const MOST_NAMED = 5;

/** @throws AppError 422 naming the groups that have a weight, but no row, unless they are left out */
function weightsByGroup(
  groups: readonly Group[],
  { weights, leavesOut }: ResolvedShape,
): Map<string, WeightedGroup> {
  const known = new Set(groups.map(({ group }) => groupId(group)));
  const missing = weights.filter(
    ({ group, value, units, measures }) =>
      !known.has(groupId(group)) &&
      [value, units, ...Object.values(measures ?? {})].some((weight) => Number(weight ?? 0) !== 0),
  );
  if (missing.length > 0 && !leavesOut) {
    const named = missing.slice(0, MOST_NAMED).map(({ group }) => nameOf(group));
    const more = missing.length - named.length;
    throw new AppError(
      422,
      `The slice has no row for ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}; send "missing": "leave_out" to part the amount over the others`,
      { field: 'spread' },
    );
  }
  return new Map(weights.map((weighted) => [groupId(weighted.group), weighted]));
}

const nameOf = (group: readonly (string | null)[]): string =>
  group.map((value) => value ?? 'null').join(' / ');

/**
 * The increment of each group as text. With an increment, groups without free rows get nothing. With a total, they
 * keep their amounts, and the rest becomes the total of the others.
 */
function partsOfMeasure(
  { measure, kind: asked, amount }: ShapedChange,
  groups: readonly Group[],
  weights: ReadonlyMap<string, WeightedGroup>,
): string[] {
  const key = measureKey(measure);
  const texts = groups.map(({ group }) => {
    const weighted = weights.get(groupId(group));
    return (weighted && figureOf(weighted, key)) ?? '0';
  });
  const free = freeWeights(nameOfMeasure(measure), texts, groups);
  const isIncrement = asked === 'incr';
  const number = wantedTotal(amount);
  const kind = measureKind(measure);
  const amounts = groups.map((group) => group.amounts.get(key));
  if (!kind.exact) return partsOfDoubles(amounts, { number, isIncrement }, groups, free);

  const text = String(number ?? 0);
  const decimals =
    kind.scale ?? Math.max(2, decimalsIn(text), ...amounts.map((own) => own?.decimals ?? 0));
  const sums = amounts.map((own) => wholeOf(own?.total ?? '0', decimals));
  const wanted = number === null ? sumOf(sums) : wholeOf(text, decimals);
  if (isIncrement) return partsOf(wanted, free).map((part) => textOf(part, decimals));
  const held = sumOf(sums.filter((_, i) => !groups[i]?.isFree));
  return partsOf(wanted - held, free).map((part, i) =>
    textOf(groups[i]?.isFree ? part - (sums[i] ?? 0n) : 0n, decimals),
  );
}

/** The name of a measure in an error. */
const nameOfMeasure = ({ role, name }: ForecastColumn): string =>
  isSingleRole(role) ? role : `"${name}"`;

/** Number of decimals that the share of a group in doubles is computed with. */
const SHARE_DIGITS = 10n ** 20n;

const decimalsIn = (text: string): number => Math.max(0, digitsOf(text).places);

/** As {@link partsOfMeasure}, for a floating-point measure. */
function partsOfDoubles(
  amounts: readonly (GroupAmount | undefined)[],
  { number, isIncrement }: { number: number | null; isIncrement: boolean },
  groups: readonly Group[],
  free: readonly bigint[],
): string[] {
  const whole = sumOf(free);
  const shares = free.map(
    (weight) => Number((weight * SHARE_DIGITS) / whole) / Number(SHARE_DIGITS),
  );
  const sums = amounts.map((own) => Number(own?.total ?? 0));
  const add = (amounts: readonly number[]) => amounts.reduce((a, b) => a + b, 0);
  if (isIncrement) return shares.map((share) => String((number ?? 0) * share));
  const rest = (number ?? add(sums)) - add(sums.filter((_, i) => !groups[i]?.isFree));
  return groups.map((group, i) => {
    const gap = rest * (shares[i] ?? 0) - (sums[i] ?? 0);
    return String(group.isFree && Math.abs(gap) > (amounts[i]?.noise ?? 0) ? gap : 0);
  });
}

/**
 * The weights of the groups with free rows as whole numbers; 0 for the others.
 *
 * @throws AppError 422 if they differ in sign or add up to 0
 */
function freeWeights(name: string, texts: readonly string[], groups: readonly Group[]): bigint[] {
  const all = wholesOf(texts);
  if (all.some((weight) => weight > 0n) && all.some((weight) => weight < 0n)) {
    throw new AppError(
      422,
      `The weights of ${name} differ in sign, so they cannot part an amount`,
      {
        field: 'spread',
      },
    );
  }
  if (all.every((weight) => weight === 0n)) {
    throw new AppError(422, `The weights of ${name} add up to zero in this slice`, {
      field: 'spread',
    });
  }
  const free = all.map((weight, i) => (groups[i]?.isFree ? weight : 0n));
  if (free.some((weight) => weight !== 0n)) return free;
  throw new AppError(
    422,
    `Every group with a weight of ${name} is held or locked; there is nothing to spread over`,
    { field: 'spread' },
  );
}
