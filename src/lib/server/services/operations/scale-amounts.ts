/** The amounts of a scale: their checks, the increments that they stand for, and what the log stores of them. */
import type { MeasureChange } from '../../../contract/amounts';
import { changesOf, shapeOf, waySpread } from '../../../contract/amounts';
import { isSingleRole, measureKey } from '../../../contract/columns';
import { digitsOf, exactBelow, movePoint } from '../../../contract/decimals';
import type { ScaleEdit } from '../../../contract/operations';
import { usableSlice } from '../../../contract/slices';
import type { Cell } from '../../db/totals/cells';
import { amountsOver, gapToTotal, partOfTotal } from '../../db/versions/forecast';
import { AppError, fieldPlace } from '../../errors';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { measureKind, measureOf } from '../../sql/forecast-columns';
import type { SqlText } from '../../sql/quote';
import { commas, ident, literal, sql, typedLiteral } from '../../sql/quote';
import type { TokenValues } from '../../sql/tokens';
import { blameClient } from '../client-faults';
import type { OperationWriter } from '../entries/open-entry';
import { seenByOperations } from '../version/forecast-version';
import { numeric } from './operation-steps';
import { textOf, wholeOf } from './parts';
import type { ResolvedShape } from './shapes';

/** A change of a measure of the source. */
export interface AskedChange extends MeasureChange {
  measure: ForecastColumn;
}

/**
 * Returns the changes of a scale with their measures.
 *
 * @throws AppError 422 for a measure that the source does not have
 */
export const askedChanges = (edit: ScaleEdit, columns: readonly ForecastColumn[]): AskedChange[] =>
  changesOf(edit).map((change) => ({ ...change, measure: measureOfChange(change, columns) }));

function measureOfChange(
  { of, field }: MeasureChange,
  columns: readonly ForecastColumn[],
): ForecastColumn {
  if ('name' in of) return furtherMeasure(of.name, columns, field);
  const measure = measureOf(of.role, columns);
  if (measure) return measure;
  throw new AppError(422, `The source has no ${of.role} column, so ${field} cannot be used`, {
    field,
  });
}

/** @throws AppError 422 if the source has no such further measure */
function furtherMeasure(
  name: string,
  columns: readonly ForecastColumn[],
  field: string,
): ForecastColumn {
  const column = columns.find((c) => c.name === name);
  if (column?.role === 'measure') return column;
  const problem =
    column && isSingleRole(column.role)
      ? `"${name}" is the ${column.role} column of the source; use the fields of ${column.role}`
      : `The source has no measure "${name}"`;
  throw new AppError(422, problem, { field, column: name });
}

/**
 * Checks the amounts of a scale. @throws AppError 422 for a measure that the source does not have, an amount
 * that a double cannot hold exactly, or a change of zero
 */
export function checkAmount(edit: ScaleEdit, columns: readonly ForecastColumn[]): void {
  const asked = askedChanges(edit, columns);
  for (const { field, measure, kind, amount } of asked) {
    // The present total stays.
    if (amount === 'keep') continue;
    if (kind !== 'pct') checkExact(field, amount, measure);
    if (kind === 'incr') checkRounded(field, amount, measure);
  }
  for (const name of edit.with ?? []) furtherMeasure(name, columns, 'with');
  if (!edit.pct && asked.every(({ kind, amount }) => kind !== 'total' && !amount)) {
    throw new AppError(422, 'The change is zero; there is nothing to write', {
      field: amountField(edit),
    });
  }
}

/** @throws AppError 422 for an amount that is too large for its decimals */
function checkExact(field: string, amount: number, measure: ForecastColumn): void {
  const kind = measureKind(measure);
  if (!kind.exact) return;
  // A numeric without a scale is rounded to at least 2 decimals.
  const decimals = kind.scale ?? 2;
  if (Math.abs(amount) < exactBelow(decimals)) return;
  throw new AppError(
    422,
    `${field} ${amount} is too large for its decimals: JSON carries amounts of "${measure.name}" exactly only below ${exactBelow(decimals)}`,
    { field, column: measure.name },
  );
}

/** @throws AppError 422 for an increment other than 0 that its column rounds to 0 */
function checkRounded(field: string, increment: number, measure: ForecastColumn): void {
  const kind = measureKind(measure);
  if (!kind.exact || kind.scale === null || increment === 0) return;
  if (Math.abs(movePoint(increment, kind.scale)) >= 0.5) return;
  throw new AppError(
    422,
    `${field} ${increment} rounds to zero in "${measure.name}", which has ${kind.scale} ${kind.scale === 1 ? 'decimal' : 'decimals'}`,
    { field, column: measure.name },
  );
}

/** Returns the field of the only amount in a scale; undefined if there are several. */
export const amountField = (edit: ScaleEdit): string | undefined => {
  const fields = [
    ...(edit.pct != null ? ['pct'] : []),
    ...changesOf(edit).map(({ field }) => field),
  ];
  return fields.length === 1 ? fields[0] : undefined;
};

/**
 * Returns the values of the template's amounts for a change.
 *
 * @param where the rows of its slice
 * @throws AppError 422 if the slice already has the totals, or a price cannot be held because one stays
 */
export async function amountTokens(
  edit: ScaleEdit,
  writer: OperationWriter,
  where: SqlText,
): Promise<TokenValues> {
  const changes = askedChanges(edit, writer.target.columns);
  const { increments, followed } = await incrementsOf(changes, writer, where, Boolean(edit.with));
  const known = changes.flatMap(({ of }, i) => {
    const increment = increments[i] ?? null;
    return increment === null ? [] : { of, stays: Number(increment) === 0 };
  });
  const stays = known.filter((change) => change.stays);
  const hasTotal = changes.some(({ kind }) => kind === 'total');
  if (hasTotal && stays.length > 0) {
    if (stays.length === known.length) {
      throw new AppError(422, 'The slice already has this total; there is nothing to write', {
        field: amountField(edit),
      });
    }
    if (waySpread(edit) === 'price' && stays.some(({ of }) => 'role' in of)) {
      throw new AppError(
        422,
        'The price cannot be held, because one of the totals stays as it is; change value and units separately',
        { field: 'spread' },
      );
    }
  }
  return {
    pct: numeric(edit.pct),
    ...incrementTokens(changes.map(({ measure }, i) => ({ measure, amount: increments[i] }))),
    spread: literal(waySpread(edit) ?? 'proportional'),
    with: sql`ARRAY[${commas((edit.with ?? []).map(literal))}]::text[]`,
    with_incr: numeric(followed),
  };
}

/** The increments of measures as tokens. A measure that is not named, or has none, does not change. */
export function incrementTokens(
  increments: readonly { measure: ForecastColumn; amount: number | string | null | undefined }[],
): Pick<TokenValues, 'value_incr' | 'units_incr' | 'measure_incr'> {
  const of = new Map(increments.map(({ measure, amount }) => [measureKey(measure), amount]));
  const further = increments.flatMap(({ measure, amount }) =>
    measure.role === 'measure' && amount != null ? [[measure.name, String(amount)]] : [],
  );
  return {
    value_incr: numeric(of.get('value')),
    units_incr: numeric(of.get('units')),
    measure_incr: typedLiteral(JSON.stringify(Object.fromEntries(further)), sql`jsonb`),
  };
}

/**
 * Returns the amounts that a scale adds to measures: the requested increment, the percentage of the total, or the
 * difference to the requested total. Totals are those of all rows that operations see, held ones included.
 *
 * @param isFollowed whether measures follow the percentage of value
 * @returns for each change its amount, null if a percentage or total meets no rows; and the increment of value, not
 * rounded, for the measures that follow it
 */
async function incrementsOf(
  changes: readonly AskedChange[],
  { tx, target }: OperationWriter,
  where: SqlText,
  isFollowed: boolean,
): Promise<{ increments: (number | string | null)[]; followed: number | string | null }> {
  const computed = changes.flatMap(({ kind, amount, measure, field }, i) => {
    if (typeof amount !== 'number' || kind === 'incr') return [];
    const of = kind === 'total' ? gapToTotal(measure, amount) : partOfTotal(measure, amount);
    return { i, field, of };
  });
  const byValue = changes.find(({ measure }) => measure.role === 'value');
  const exactly =
    isFollowed && byValue?.kind === 'pct'
      ? [sql`SUM(${ident(byValue.measure.name)}) * ${numeric(Number(byValue.amount))} * 0.01`]
      : [];
  const [only, ...others] = computed.map(({ field }) => field);
  const place =
    only !== undefined && others.length === 0
      ? fieldPlace(only)
      : { words: computed.map(({ field }) => field).join(' and ') };
  const amounts = await blameClient(place, () =>
    amountsOver(tx, target.rows, seenByOperations(target, where), [
      ...computed.map(({ of }) => of),
      ...exactly,
    ]),
  );
  const found = new Map(computed.map(({ i }, k) => [i, amounts[k] ?? null]));
  const increments = changes.map(({ kind, amount }, i) =>
    kind === 'incr' ? Number(amount) : (found.get(i) ?? null),
  );
  const ofValue = byValue && increments[changes.indexOf(byValue)];
  return { increments, followed: amounts[computed.length] ?? ofValue ?? null };
}

/** Returns what a cell gets of a measure, as text with all its digits; 0 if it has its total already. */
export function incrementOf({ measure, kind: asked, amount }: AskedChange, cell: Cell): string {
  if (asked !== 'total') return String(amount);
  const key = measureKey(measure);
  const present = cell.totals[key] ?? '0';
  const kind = measureKind(measure);
  if (!kind.exact) {
    const gap = Number(amount) - Number(present);
    return String(Math.abs(gap) > (cell.noise[key] ?? 0) ? gap : 0);
  }
  const wanted = String(amount);
  const decimals = kind.scale ?? Math.max(2, digitsOf(wanted).places, cell.decimals[key] ?? 0);
  return textOf(wholeOf(wanted, decimals) - wholeOf(present, decimals), decimals);
}

/** Returns the amounts of a scale as the log stores them. @param shape with its weights, if it has one */
export function storedAmounts(edit: ScaleEdit, shape: ResolvedShape | undefined) {
  const { pct, value_incr, units_incr } = edit;
  const kept = edit.keep ? { keep: usableSlice(edit.keep) } : {};
  if (pct != null) return { pct, ...kept };
  const { value_pct, units_pct, value_total, units_total } = edit;
  const spread = shape?.stored ?? waySpread(edit);
  const measures = changesOf(edit).flatMap(({ of, kind, amount }) =>
    'name' in of ? [[of.name, { [kind]: amount }]] : [],
  );
  return {
    value_incr: value_incr ?? null,
    units_incr: units_incr ?? null,
    ...(value_pct != null && { value_pct }),
    ...(units_pct != null && { units_pct }),
    ...(value_total != null && { value_total }),
    ...(units_total != null && { units_total }),
    ...(measures.length > 0 && { measures: Object.fromEntries(measures) }),
    ...(edit.with && { with: edit.with }),
    ...(spread && { spread }),
    ...kept,
  };
}

/** Returns why a scale has written nothing although its slice has rows. */
export function whyNothing(edit: ScaleEdit): string {
  if (changesOf(edit).some(({ kind }) => kind === 'pct'))
    return 'This percentage changes nothing, or the rows of this slice cancel each other out; there is nothing to write';
  if (edit.pct != null || shapeOf(edit))
    return 'The change rounds to zero on every leaf; there is nothing to write';
  if (waySpread(edit) === 'price')
    return 'The price cannot be held in this slice: its rows cancel each other out, or rows that get units have no value; narrow the slice, or change value and units separately';
  return 'The rows of this slice cancel each other out, so an amount cannot be spread over them; narrow the slice, or scale all measures by percent';
}
