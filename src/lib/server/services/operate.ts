/** Runs scale, recode and clone, and previews them. */
import { exactBelow, movePoint } from '../../contract/decimals';
import type {
  CloneRequest,
  RecodeRequest,
  ScaleEdit,
  ScaleRequest,
  SetClause,
  Slice,
  SliceOperation,
  SliceRequests,
} from '../../contract/operations';
import type { PreviewFacts } from '../../contract/previews';
import { usableSlice } from '../../contract/operations';
import { waySpread } from '../../contract/amounts';
import { periodOf } from '../db/calendar';
import { partOfTotal } from '../db/forecast';
import type { WriteKey } from '../db/idempotency';
import type { Queryable } from '../db/queryable';
import { AppError, columnPlace, fieldPlace, inEntry } from '../errors';
import type { ForecastColumn } from '../sql/forecast-columns';
import { measureKind, measureOf } from '../sql/forecast-columns';
import type { SqlText } from '../sql/quote';
import { literal, sql, typedLiteral } from '../sql/quote';
import { checkSet, derivations, setClause } from '../sql/set';
import { excludeClause } from '../sql/slice';
import { token } from '../sql/tokens';
import { requireCalendar } from './calendar';
import { blameClient } from './client-faults';
import type { OperationWriter } from './entries/open-entry';
import { trying } from './entries/trial';
import type { EntryWriter, Held, Resources } from './entries/writer';
import { writingRows } from './entries/writer';
import { heldRows, heldSlices } from './held';
import { OperationResult, writeSteps } from './operation-steps';

const numeric = (amount: number | string | null | undefined) =>
  typedLiteral(amount ?? null, sql`numeric`);

/**
 * Adds to the totals of a slice, spread over its leaves
 * (docs/contract/14-what-the-operations-compute.md#scale).
 *
 * @throws AppError 400; 422 if there is nothing to scale or no way to spread
 */
async function scale(writer: OperationWriter, request: ScaleRequest): Promise<OperationResult> {
  const { target } = writer;
  const edits = editsOf(request);
  for (const { edit, at } of edits) await inEntry(at, () => checkAmount(edit, target.columns));

  const held = heldRows(target, heldSlices(request.hold, await writer.locked()));
  const kept = request.hold?.length ? { hold: request.hold.map(usableSlice) } : {};
  return writeSteps(
    writer,
    'edits' in request
      ? {
          ...describe('scale', request, null),
          params: {
            edits: request.edits.map((edit) => ({
              slice: usableSlice(edit.slice),
              ...amountsOf(edit),
            })),
            ...kept,
          },
        }
      : {
          ...describe('scale', request, usableSlice(request.slice)),
          params: { ...amountsOf(request), ...kept },
        },
    edits.map(({ edit, at }) => ({
      at,
      slice: edit.slice,
      held,
      tokens: async (where) => ({
        pct: numeric(edit.pct),
        value_incr: numeric(await incrementOf('value', edit, writer, where)),
        units_incr: numeric(await incrementOf('units', edit, writer, where)),
        spread: literal(edit.spread ?? 'proportional'),
      }),
      // A template without this token would spread in proportion, whatever the request says.
      needs: knowing(waySpread(edit)),
      otherwise: whyNothing(edit),
    })),
  );
}

/**
 * Returns the amount that a scale adds to a measure: the requested increment, or the percentage of the total
 * of all rows that operations see, held ones included.
 */
async function incrementOf(
  role: 'value' | 'units',
  edit: ScaleEdit,
  { tx, target }: OperationWriter,
  where: SqlText,
): Promise<number | string | null> {
  const percent = edit[`${role}_pct`];
  const measure = measureOf(role, target.columns);
  if (percent == null || !measure) return edit[`${role}_incr`] ?? null;
  const exclude = excludeClause(target.version.exclude_iters);
  return blameClient(fieldPlace(`${role}_pct`), () =>
    partOfTotal(tx, target.table, measure, sql`(${where}) AND (${exclude})`, percent),
  );
}

function whyNothing(edit: ScaleEdit): string {
  if (edit.value_pct != null || edit.units_pct != null)
    return 'This percentage changes nothing, or the rows of this slice cancel each other out; there is nothing to write';
  if (edit.pct != null) return 'The change rounds to zero on every leaf; there is nothing to write';
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

/** Returns the amounts of a scale as the log stores them. */
function amountsOf(edit: ScaleEdit) {
  const { pct, value_incr, units_incr } = edit;
  if (pct != null) return { pct };
  const { value_pct, units_pct } = edit;
  const spread = waySpread(edit);
  return {
    value_incr: value_incr ?? null,
    units_incr: units_incr ?? null,
    ...(value_pct != null && { value_pct }),
    ...(units_pct != null && { units_pct }),
    ...(spread && { spread }),
  };
}

/**
 * Checks the amounts of a scale. @throws AppError 422 for a measure that the source does not have, or a
 * change of zero
 */
function checkAmount(edit: ScaleEdit, columns: readonly ForecastColumn[]): void {
  for (const role of ['value', 'units'] as const) {
    const increment = edit[`${role}_incr`];
    if (increment != null) checkIncrement(role, increment, columns);
    if (edit[`${role}_pct`] != null) requireMeasure(role, `${role}_pct`, columns);
  }
  if (amountFields(edit).every((field) => !edit[field])) {
    throw new AppError(422, 'The change is zero; there is nothing to write', {
      field: amountField(edit),
    });
  }
}

/**
 * Moves a slice to other dimensions or dates; totals stay
 * (docs/contract/14-what-the-operations-compute.md#recode).
 *
 * @throws AppError 400; 422 if nothing would move
 */
async function recode(writer: OperationWriter, request: RecodeRequest): Promise<OperationResult> {
  const { tx, target } = writer;
  if (Object.keys(request.set).length === 0) {
    throw new AppError(422, 'set is empty, so there is nothing to move', {
      field: 'set',
    });
  }
  return writeSteps(
    writer,
    { ...describe('recode', request, usableSlice(request.slice)), params: { set: request.set } },
    [
      {
        slice: request.slice,
        tokens: { set_clause: await assignments(tx, request.set, target.columns) },
        otherwise:
          'The slice already has these values, or its rows add up to zero; there is nothing to move',
      },
    ],
  );
}

/**
 * Adds a copy of a slice, multiplied by a factor, in place or elsewhere
 * (docs/contract/14-what-the-operations-compute.md#clone).
 *
 * @throws AppError 400; 422 if nothing would be copied
 */
async function clone(writer: OperationWriter, request: CloneRequest): Promise<OperationResult> {
  const factor = request.scale_factor ?? 1;
  const { tx, target } = writer;
  return writeSteps(
    writer,
    {
      ...describe('clone', request, usableSlice(request.slice)),
      params: { set: request.set, scale_factor: factor },
    },
    [
      {
        slice: request.slice,
        tokens: {
          set_clause: await assignments(tx, request.set, target.columns),
          scale_factor: numeric(factor),
        },
        otherwise:
          'The rows of the copy add up to zero or round to zero on every leaf; there is nothing to write',
      },
    ],
  );
}

type Operate<O extends SliceOperation> = (
  writer: OperationWriter,
  request: SliceRequests[O],
) => Promise<OperationResult>;

const OPERATE: { [O in SliceOperation]: Operate<O> } = { scale, recode, clone };

/**
 * Runs one operation on a slice of a version: one log entry with its rows (docs/contract/05-operations.md,
 * docs/contract/14-what-the-operations-compute.md).
 *
 * @throws AppError 400 for an invalid request, 403 if the version is closed, 404 if it does not exist, 409 if
 * the stored SQL is outdated, 422 if there is nothing to write or the rows need more memory than allowed; 503
 * after a timeout
 */
export const operate = <O extends SliceOperation>(
  resources: Resources,
  versionId: number,
  operation: O,
  request: SliceRequests[O],
  key?: WriteKey,
): Promise<Held<OperationResult>> =>
  writingRows(resources, versionId, key, OperationResult, (writer) =>
    operateIn(writer, operation, request),
  );

/** Runs one operation like {@link operate}, within an open write. */
export const operateIn = <O extends SliceOperation>(
  writer: EntryWriter,
  operation: O,
  request: SliceRequests[O],
): Promise<OperationResult> => OPERATE[operation](writer, request);

/** The rows of a preview, in the form of an operation, and its facts (docs/contract/05-operations.md). */
interface PreviewResult extends OperationResult {
  facts: PreviewFacts;
}

/**
 * Previews an operation: runs it and rolls it back (docs/contract/05-operations.md#trying-before-writing).
 *
 * @throws AppError as {@link operate}, but not 403: a closed version can be tried on
 */
export const previewOperation = <O extends SliceOperation>(
  resources: Resources,
  versionId: number,
  operation: O,
  request: SliceRequests[O],
): Promise<Held<PreviewResult>> =>
  trying(resources, versionId, async (writer) => {
    const result = await OPERATE[operation](writer, request);
    const totals = writer.tried.map((tried) => tried.totals);
    const [only, ...others] = totals;
    const single = !('edits' in request) && others.length === 0 ? only : undefined;
    const facts = {
      sql: writer.tried.map(({ statement }) => statement.trim()).join(';\n\n'),
      totals: single ?? totals,
      held: await writer.held(),
    };
    return { ...result, facts };
  });

const describe = <O extends SliceOperation, S extends Slice | null>(
  operation: O,
  { pf_user, note = null }: { pf_user: string; note?: string | null | undefined },
  slice: S,
) => ({ operation, slice, pf_user, note });

function checkIncrement(
  role: 'value' | 'units',
  increment: number,
  columns: readonly ForecastColumn[],
): void {
  const field = `${role}_incr`;
  const measure = requireMeasure(role, field, columns);
  const kind = measureKind(measure);
  if (!kind.exact) return;
  // A numeric without a scale is rounded to at least 2 decimals.
  const decimals = kind.scale ?? 2;
  if (Math.abs(increment) >= exactBelow(decimals)) {
    throw new AppError(
      422,
      `${field} ${increment} is too large for its decimals: JSON carries amounts of "${measure.name}" exactly only below ${exactBelow(decimals)}`,
      { field, column: measure.name },
    );
  }
  if (increment !== 0 && kind.scale !== null) {
    if (Math.abs(movePoint(increment, kind.scale)) < 0.5) {
      throw new AppError(
        422,
        `${field} ${increment} rounds to zero in "${measure.name}", which has ${kind.scale} ${kind.scale === 1 ? 'decimal' : 'decimals'}`,
        { field, column: measure.name },
      );
    }
  }
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

const AMOUNTS = ['pct', 'value_incr', 'units_incr', 'value_pct', 'units_pct'] as const;

/** Returns the names of the amounts in a scale. */
const amountFields = (edit: ScaleEdit) => AMOUNTS.filter((field) => edit[field] != null);

/** Returns the name of the only amount in a scale; undefined if there are several. */
const amountField = (edit: ScaleEdit): string | undefined => {
  const [only, ...others] = amountFields(edit);
  return others.length === 0 ? only : undefined;
};

/** Returns the values of `{{set_clause}}`, with the dimensions derived from a new date. */
async function assignments(
  db: Queryable,
  set: SetClause,
  columns: readonly ForecastColumn[],
): Promise<SqlText> {
  checkSet(set, columns);
  const derived = new Map<string, string | null>();
  for (const { date, derived: dimensions } of derivations(set, columns)) {
    await requireCalendar(db);
    const day = set[date.name];
    const period = await blameClient(columnPlace('set', date.name), () =>
      periodOf(
        db,
        day == null ? null : String(day),
        dimensions.map((d) => d.periodColumn),
      ),
    );
    dimensions.forEach((d, i) => derived.set(d.name, period[i] ?? null));
  }
  return setClause(set, columns, derived);
}
