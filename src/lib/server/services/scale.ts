/** Runs a scale: resolves its amounts to increments, and spreads them over the leaves of a slice. */
import { shapeOf, wantedTotal, waySpread } from '../../contract/amounts';
import { exactBelow, movePoint } from '../../contract/decimals';
import type { ScaleEdit, ScaleRequest } from '../../contract/operations';
import type { AskedSlice } from '../../contract/slices';
import { usableSlice } from '../../contract/slices';
import { exactTotal, gapToTotal, hasRows, partOfTotal } from '../db/forecast';
import { AppError, faultAt, fieldPlace, inEntry } from '../errors';
import type { ForecastColumn } from '../sql/forecast-columns';
import { measureColumns, measureKind, measureOf } from '../sql/forecast-columns';
import type { SqlText } from '../sql/quote';
import { literal, sql } from '../sql/quote';
import type { TokenValues } from '../sql/tokens';
import { token } from '../sql/tokens';
import { scaleShapeTemplate } from '../sql/templates/scale-shape';
import { blameClient } from './client-faults';
import type { OperationWriter } from './entries/open-entry';
import { seenByOperations } from './forecast-version';
import { groupIncrements } from './group-increments';
import type { HeldSlice } from './held';
import { heldRows, heldSlices } from './held';
import type { OperationResult, Step } from './operation-steps';
import { describe, numeric, writeSteps } from './operation-steps';
import type { ResolvedShape } from './shapes';
import { resolveShape } from './shapes';

/**
 * Adds to the totals of a slice, spread over its leaves
 * (docs/contract/14-what-the-operations-compute.md#scale).
 *
 * @throws AppError 400; 422 if there is nothing to scale or no way to spread
 */
export async function scale(
  writer: OperationWriter,
  request: ScaleRequest,
): Promise<OperationResult> {
  const { target } = writer;
  const edits = editsOf(request);
  for (const { edit, at } of edits) await inEntry(at, () => checkAmount(edit, target.columns));

  const holds = heldSlices(request.hold, await writer.locked());
  const held = heldRows(target, holds);
  const steps: Step[] = [];
  const shapes = new Map<ScaleEdit, ResolvedShape>();
  for (const { edit, at } of edits) {
    const shape = await inEntry(at, () => resolveShape(writer, edit));
    if (shape) shapes.set(edit, shape);
    const change: Step = {
      at,
      slice: edit.slice,
      held,
      ...(shape
        ? {
            template: scaleShapeTemplate(target.columns, shape.by),
            skipped: shape.skipped,
            tokens: (where) => groupTokens(edit, shape, writer, where, held),
          }
        : { tokens: (where) => amountTokens(edit, writer, where) }),
      // A template without this token ignores the requested spread.
      needs: knowing(waySpread(edit)),
      otherwise: whyNothing(edit),
    };
    const { keep } = edit;
    if (!keep) steps.push(change);
    else steps.push(...(await inEntry(at, () => compensated(writer, change, keep, holds))));
  }
  const kept = request.hold?.length ? { hold: request.hold.map(usableSlice) } : {};
  return writeSteps(
    writer,
    'edits' in request
      ? {
          ...describe('scale', request, null),
          params: {
            edits: request.edits.map((edit) => ({
              slice: usableSlice(edit.slice),
              ...amountsOf(edit, shapes.get(edit)),
            })),
            ...kept,
          },
        }
      : {
          ...describe('scale', request, usableSlice(request.slice)),
          params: { ...amountsOf(request, shapes.get(request)), ...kept },
        },
    steps,
  );
}

/**
 * Returns a change and the step that takes what its slice gained from other rows, so that the totals of a
 * containing slice stay (docs/contract/14-what-the-operations-compute.md#keep).
 *
 * @param keep the containing slice
 * @param holds the slices that neither step changes
 * @throws AppError 400 as {@link heldRows}
 */
function compensated(
  writer: OperationWriter,
  change: Step,
  keep: AskedSlice,
  holds: readonly HeldSlice[],
): Step[] {
  const { tx, target } = writer;
  const { table, columns } = target;
  const measures = measureColumns(columns);
  const around = heldRows(target, [{ slice: keep, at: 'keep' }]);
  const kept = around?.where ?? sql`TRUE`;
  let before: string[] = [];
  return [
    {
      ...change,
      tokens: async (where) => {
        const seen = seenByOperations(target, where);
        if (await hasRows(tx, table, sql`${seen} AND (${kept}) IS NOT TRUE`)) {
          throw faultAt(fieldPlace('keep'), 400, 'it does not contain every row of the slice');
        }
        before = [];
        const within = seenByOperations(target, kept);
        for (const m of measures) before.push(await exactTotal(tx, table, m, within));
        return typeof change.tokens === 'function' ? change.tokens(where) : change.tokens;
      },
    },
    {
      at: change.at,
      slice: keep,
      from: 'keep',
      held: heldRows(target, [...holds, { slice: change.slice, at: 'slice' }]),
      tokens: async (where) => {
        const gaps = new Map<string, string | null>();
        const seen = seenByOperations(target, where);
        for (const [i, m] of measures.entries()) {
          gaps.set(m.role, await gapToTotal(tx, table, m, seen, before[i] ?? '0'));
        }
        if ([...gaps.values()].every((gap) => Number(gap) === 0)) return null;
        return {
          pct: numeric(null),
          value_incr: numeric(gaps.get('value')),
          units_incr: numeric(gaps.get('units')),
          spread: literal('proportional'),
        };
      },
      otherwise:
        'The other rows of keep cancel each other out, so what the slice gains cannot be taken from them',
      allHeld: 'Every other row of keep is held or locked; there is nothing to take from',
    },
  ];
}

/**
 * Returns the values of the template's amounts for a change.
 *
 * @param where the rows of its slice
 * @throws AppError 422 if the slice already has the totals, or a price cannot be held because one stays
 */
async function amountTokens(
  edit: ScaleEdit,
  writer: OperationWriter,
  where: SqlText,
): Promise<TokenValues> {
  const value = await incrementOf('value', edit, writer, where);
  const units = await incrementOf('units', edit, writer, where);
  const increments = [value, units].filter((increment) => increment !== null);
  const stays = increments.filter((increment) => Number(increment) === 0);
  const hasTotal = edit.value_total != null || edit.units_total != null;
  if (hasTotal && stays.length > 0) {
    if (stays.length === increments.length) {
      throw new AppError(422, 'The slice already has this total; there is nothing to write', {
        field: amountField(edit),
      });
    }
    if (waySpread(edit) === 'price') {
      throw new AppError(
        422,
        'The price cannot be held, because one of the totals stays as it is; change value and units separately',
        { field: 'spread' },
      );
    }
  }
  return {
    pct: numeric(edit.pct),
    value_incr: numeric(value),
    units_incr: numeric(units),
    spread: literal(waySpread(edit) ?? 'proportional'),
  };
}

/**
 * Returns the groups of a shaped change with their increments.
 *
 * @throws AppError 422 as {@link groupIncrements}, and if the slice already has the totals in this shape
 */
async function groupTokens(
  edit: ScaleEdit,
  shape: ResolvedShape,
  writer: OperationWriter,
  where: SqlText,
  held: Step['held'],
): Promise<TokenValues> {
  const free = held && sql`(${held.where}) IS NOT TRUE`;
  const groups = await groupIncrements(writer, edit, shape, where, free);
  if (groups) return { groups };
  throw new AppError(
    422,
    'The slice already has this total in this shape; there is nothing to write',
    {
      field: amountField(edit),
    },
  );
}

/**
 * Returns the amount that a scale adds to a measure: the requested increment, the percentage of the total, or
 * the difference to the requested total. The total is that of all rows that operations see, held ones included.
 *
 * @returns null if the measure is not changed, or a percentage or total meets no rows
 */
async function incrementOf(
  role: 'value' | 'units',
  edit: ScaleEdit,
  { tx, target }: OperationWriter,
  where: SqlText,
): Promise<number | string | null> {
  const measure = measureOf(role, target.columns);
  const [percent, total] = [edit[`${role}_pct`], wantedTotal(edit[`${role}_total`])];
  if (!measure || (percent == null && total == null)) return edit[`${role}_incr`] ?? null;
  const rows = seenByOperations(target, where);
  if (total != null) {
    return blameClient(fieldPlace(`${role}_total`), () =>
      gapToTotal(tx, target.table, measure, rows, total),
    );
  }
  return blameClient(fieldPlace(`${role}_pct`), () =>
    partOfTotal(tx, target.table, measure, rows, percent ?? 0),
  );
}

function whyNothing(edit: ScaleEdit): string {
  if (edit.value_pct != null || edit.units_pct != null)
    return 'This percentage changes nothing, or the rows of this slice cancel each other out; there is nothing to write';
  if (edit.pct != null || shapeOf(edit))
    return 'The change rounds to zero on every leaf; there is nothing to write';
  if (waySpread(edit) === 'price')
    return 'The price cannot be held in this slice: its rows cancel each other out, or rows that get units have no value; narrow the slice, or change value and units separately';
  return 'The rows of this slice cancel each other out, so an amount cannot be spread over them; narrow the slice, or scale both measures by percent';
}

/**
 * Returns the text by which a template shows that it supports a way of spreading; undefined for a way that
 * every template supports.
 */
const knowing = (way: ReturnType<typeof waySpread>): SqlText | undefined =>
  way === null ? undefined : sql`${token('spread')} = ${literal(way)}`;

/** Returns the changes of a scale in order, each with its path in the body if there may be several. */
const editsOf = (request: ScaleRequest): { edit: ScaleEdit; at?: string }[] =>
  'edits' in request
    ? request.edits.map((edit, i) => ({ edit, at: `edits.${i}` }))
    : [{ edit: request }];

/** Returns the amounts of a scale as the log stores them. @param shape with its weights, if it has one */
function amountsOf(edit: ScaleEdit, shape: ResolvedShape | undefined) {
  const { pct, value_incr, units_incr } = edit;
  const kept = edit.keep ? { keep: usableSlice(edit.keep) } : {};
  if (pct != null) return { pct, ...kept };
  const { value_pct, units_pct, value_total, units_total } = edit;
  const spread = shape?.stored ?? waySpread(edit);
  return {
    value_incr: value_incr ?? null,
    units_incr: units_incr ?? null,
    ...(value_pct != null && { value_pct }),
    ...(units_pct != null && { units_pct }),
    ...(value_total != null && { value_total }),
    ...(units_total != null && { units_total }),
    ...(spread && { spread }),
    ...kept,
  };
}

/**
 * Checks the amounts of a scale. @throws AppError 422 for a measure that the source does not have, an amount
 * that a double cannot hold exactly, or a change of zero
 */
export function checkAmount(edit: ScaleEdit, columns: readonly ForecastColumn[]): void {
  const asked = AMOUNTS.filter(({ field }) => edit[field] != null);
  for (const { field, role, kind } of asked) {
    if (role === null) continue;
    const measure = requireMeasure(role, field, columns);
    const amount = edit[field] ?? 0;
    // The present total stays.
    if (amount === 'keep') continue;
    if (kind !== 'pct') checkExact(field, amount, measure);
    if (kind === 'incr') checkRounded(field, amount, measure);
  }
  if (asked.every(({ field, kind }) => kind !== 'total' && !edit[field])) {
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

function requireMeasure(
  role: 'value' | 'units',
  field: string,
  columns: readonly ForecastColumn[],
): ForecastColumn {
  const measure = measureOf(role, columns);
  if (measure) return measure;
  throw new AppError(422, `The source has no ${role} column, so ${field} cannot be used`, {
    field,
  });
}

/** The amounts of a scale: the field of each, its measure (null for both), and its kind. */
const AMOUNTS = [
  { field: 'pct', role: null, kind: 'pct' },
  { field: 'value_incr', role: 'value', kind: 'incr' },
  { field: 'value_pct', role: 'value', kind: 'pct' },
  { field: 'value_total', role: 'value', kind: 'total' },
  { field: 'units_incr', role: 'units', kind: 'incr' },
  { field: 'units_pct', role: 'units', kind: 'pct' },
  { field: 'units_total', role: 'units', kind: 'total' },
] as const;

/** Returns the name of the only amount in a scale; undefined if there are several. */
const amountField = (edit: ScaleEdit): string | undefined => {
  const [only, ...others] = AMOUNTS.filter(({ field }) => edit[field] != null);
  return others.length === 0 ? only?.field : undefined;
};
