/** Runs a scale: resolves its amounts to increments, and spreads them over the leaves of a slice. */
import { waySpread } from '../../../contract/amounts';
import type { ScaleEdit, ScaleRequest } from '../../../contract/operations';
import type { AskedSlice } from '../../../contract/slices';
import { usableSlice } from '../../../contract/slices';
import { amountsOver, exactTotal, gapToTotal, hasRows } from '../../db/versions/forecast';
import { AppError, faultAt, fieldPlace, inEntry } from '../../errors';
import { measureColumns } from '../../sql/forecast-columns';
import type { SqlText } from '../../sql/quote';
import { literal, sql } from '../../sql/quote';
import type { TokenValues } from '../../sql/tokens';
import { token } from '../../sql/tokens';
import { scaleShapeTemplate } from '../../sql/templates/scale-shape';
import type { OperationWriter } from '../entries/open-entry';
import { seenByOperations } from '../version/forecast-version';
import { groupIncrements } from './group-increments';
import type { HeldSlice } from '../entries/held';
import { heldRows, heldSlices } from '../entries/held';
import type { OperationResult, Step } from './operation-steps';
import { describe, numeric, writeSteps } from './operation-steps';
import {
  amountField,
  amountTokens,
  checkAmount,
  incrementTokens,
  storedAmounts,
  whyNothing,
} from './scale-amounts';
import { editsTogether } from './scale-edits';
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

  const holds = heldSlices(request.hold, await writer.locked(request.pf_user));
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
              ...storedAmounts(edit, shapes.get(edit)),
            })),
            ...kept,
          },
        }
      : {
          ...describe('scale', request, usableSlice(request.slice)),
          params: { ...storedAmounts(request, shapes.get(request)), ...kept },
        },
    steps,
    await editsTogether(
      writer,
      edits.map(({ edit }) => edit),
      held,
    ),
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
  const { rows, columns } = target;
  const measures = measureColumns(columns);
  const around = heldRows(target, [{ slice: keep, at: 'keep' }]);
  const kept = around?.where ?? sql`TRUE`;
  let before: (string | null)[] = [];
  return [
    {
      ...change,
      tokens: async (where) => {
        const seen = seenByOperations(target, where);
        if (await hasRows(tx, rows, sql`${seen} AND (${kept}) IS NOT TRUE`)) {
          throw faultAt(fieldPlace('keep'), 400, 'it does not contain every row of the slice');
        }
        const within = seenByOperations(target, kept);
        before = await amountsOver(tx, rows, within, measures.map(exactTotal));
        return typeof change.tokens === 'function' ? change.tokens(where) : change.tokens;
      },
    },
    {
      at: change.at,
      slice: keep,
      from: 'keep',
      held: heldRows(target, [...holds, { slice: change.slice, at: 'slice' }]),
      tokens: async (where) => {
        const missing = measures.map((m, i) => gapToTotal(m, before[i] ?? '0'));
        const gaps = await amountsOver(tx, rows, seenByOperations(target, where), missing);
        if (gaps.every((gap) => Number(gap) === 0)) return null;
        return {
          pct: numeric(null),
          ...incrementTokens(measures.map((measure, i) => ({ measure, amount: gaps[i] }))),
          spread: literal('proportional'),
          ...NOT_FOLLOWED,
        };
      },
      otherwise:
        'The other rows of keep cancel each other out, so what the slice gains cannot be taken from them',
      allHeld: 'Every other row of keep is held or locked; there is nothing to take from',
    },
  ];
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
 * Returns the text by which a template shows that it supports a way of spreading; undefined for a way that
 * every template supports.
 */
const knowing = (way: ReturnType<typeof waySpread>): SqlText | undefined =>
  way === null ? undefined : sql`${token('spread')} = ${literal(way)}`;

/** No measure follows value. */
const NOT_FOLLOWED = { with: sql`ARRAY[]::text[]`, with_incr: numeric(null) };

/** Returns the changes of a scale in order, each with its path in the body if there may be several. */
const editsOf = (request: ScaleRequest): { edit: ScaleEdit; at?: string }[] =>
  'edits' in request
    ? request.edits.map((edit, i) => ({ edit, at: `edits.${i}` }))
    : [{ edit: request }];
