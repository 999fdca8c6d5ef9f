import * as v from 'valibot';
import { movePoint } from '../../contract/decimal-point';
import type { NewEntry } from '../../contract/log';
import type {
  CloneRequest,
  RecodeRequest,
  ScaleRequest,
  SetClause,
  Slice,
  SliceOperation,
  SlicePreview,
  SliceRequests,
} from '../../contract/operations';
import type { Column } from '../arrow/column-plan';
import { periodOf } from '../db/calendar';
import type { Database, Queryable } from '../db/database';
import { sliceTotals } from '../db/forecast';
import type { WriteKey } from '../db/idempotency';
import { AppError, columnPlace, fieldPlace } from '../errors';
import type { ForecastColumn } from '../sql/forecast-columns';
import { measureColumns, measureKind } from '../sql/forecast-columns';
import type { Identifier, SqlText } from '../sql/quote';
import { sql, typedLiteral } from '../sql/quote';
import { checkSet, derivations, setClause } from '../sql/set';
import { excludeClause } from '../sql/slice';
import type { TokenValues } from '../sql/tokens';
import { requireCalendar } from './calendar';
import { blameClient } from './client-faults';
import type { EntryWriter, Held, Resources } from './entries';
import { writingRows } from './entries';
import { readVersion, sliceOf, storedTemplate } from './forecast-version';
import { keptColumns } from './idempotency';

/** What an operation answers. */
export const OperationResult = v.object({
  /** The rows it wrote (docs/contract/05-operations.md). */
  columns: keptColumns,
  /** The slice keys that it did not use, percent-encoded, with commas between. */
  skipped: v.string(),
});
export type OperationResult = v.InferOutput<typeof OperationResult>;

/**
 * Most characters of the header that lists unused keys. Clients refuse answers with longer headers
 * (docs/contract/10-authentication-and-limits.md#limits).
 */
const MAX_SKIPPED = 4096;

/** Names for a header, percent-encoded and with commas between. Names that do not fit are left out. */
function listed(names: readonly string[]): string {
  let list = '';
  for (const name of names) {
    const longer = list + (list === '' ? '' : ',') + encodeURIComponent(name);
    if (longer.length > MAX_SKIPPED) break;
    list = longer;
  }
  return list;
}

type SliceEntry = Extract<NewEntry, { operation: SliceOperation }>;

const numeric = (amount: number | null | undefined) => typedLiteral(amount ?? null, sql`numeric`);

/**
 * Adds to a slice's totals, spread over its leaves
 * (docs/contract/14-what-the-operations-compute.md#scale).
 *
 * @throws AppError 400; 422 if there is nothing to scale or no way to spread
 */
async function scale(writer: EntryWriter, request: ScaleRequest): Promise<OperationResult> {
  const pct = request.pct ?? null;
  const increments = { value: request.value_incr ?? null, units: request.units_incr ?? null };
  const asked = increments.value !== null || increments.units !== null;
  if (pct !== null && asked) {
    throw new AppError(400, 'Send either pct or value_incr and units_incr, not both');
  }
  if (pct === null && !asked) throw new AppError(400, 'Send pct, value_incr or units_incr');

  const { target } = writer;
  for (const role of ['value', 'units'] as const) {
    if (increments[role] !== null) checkIncrement(role, increments[role], target.columns);
  }
  if (pct === 0 || (pct === null && !increments.value && !increments.units)) {
    throw new AppError(422, 'The change is zero; there is nothing to write', {
      field: amountField(request),
    });
  }
  return write(
    writer,
    {
      ...describe('scale', request),
      params:
        pct === null ? { value_incr: increments.value, units_incr: increments.units } : { pct },
    },
    {
      pct: numeric(pct),
      value_incr: numeric(increments.value),
      units_incr: numeric(increments.units),
    },
    pct === null
      ? 'The rows of this slice cancel each other out, so an amount cannot be spread over them; narrow the slice, or scale both measures by percent'
      : 'The change rounds to zero on every leaf; there is nothing to write',
  );
}

/**
 * Moves a slice to other dimensions or dates; totals stay
 * (docs/contract/14-what-the-operations-compute.md#recode).
 *
 * @throws AppError 400; 422 if nothing would move
 */
async function recode(writer: EntryWriter, request: RecodeRequest): Promise<OperationResult> {
  const { tx, target } = writer;
  if (Object.keys(request.set).length === 0) {
    throw new AppError(422, 'set names nothing to change, so there is nothing to move', {
      field: 'set',
    });
  }
  return write(
    writer,
    { ...describe('recode', request), params: { set: request.set } },
    { set_clause: await assignments(tx, request.set, target.columns) },
    'The slice is there already, or it nets to nothing; there is nothing to move',
  );
}

/**
 * Adds a copy of a slice, times a factor, in place or elsewhere
 * (docs/contract/14-what-the-operations-compute.md#clone).
 *
 * @throws AppError 400; 422 if nothing would be copied
 */
async function clone(writer: EntryWriter, request: CloneRequest): Promise<OperationResult> {
  const factor = request.scale_factor ?? 1;
  const { tx, target } = writer;
  return write(
    writer,
    { ...describe('clone', request), params: { set: request.set, scale_factor: factor } },
    {
      set_clause: await assignments(tx, request.set, target.columns),
      scale_factor: numeric(factor),
    },
    'The copy nets to nothing or rounds to zero on every leaf; there is nothing to write',
  );
}

type Operate<O extends SliceOperation> = (
  writer: EntryWriter,
  request: SliceRequests[O],
) => Promise<OperationResult>;

const OPERATE: { [O in SliceOperation]: Operate<O> } = { scale, recode, clone };

/**
 * Runs one operation on a slice of a version: one log entry with its rows
 * (docs/contract/05-operations.md, docs/contract/14-what-the-operations-compute.md).
 *
 * @throws AppError 400 for a request that cannot be used, 403 if the version is closed, 404 if it does
 * not exist, 409 if the stored SQL is outdated, 422 if there is nothing to write, or more than memory
 * allows; 503 for waiting too long
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

/** As {@link operate}, within a write that is open already. */
export const operateIn = <O extends SliceOperation>(
  writer: EntryWriter,
  operation: O,
  request: SliceRequests[O],
): Promise<OperationResult> => OPERATE[operation](writer, request);

/** Totals of what an operation on a slice would touch, and of what it would skip. @throws AppError 400, 404, 409 */
export const previewSlice = (
  db: Database,
  versionId: number,
  slice: Slice,
): Promise<SlicePreview> =>
  db.versionRead(versionId, async (tx) => {
    const target = await readVersion(tx, versionId);
    const { version, columns, table } = target;
    const { where, skipped } = sliceOf(target, slice);
    const exclude = excludeClause(version.exclude_iters);
    const totals = await blameClient(fieldPlace('slice'), () =>
      sliceTotals(tx, table, columns, where, exclude),
    );
    return { ...totals.included, excluded: totals.excluded, skipped };
  });

const describe = <O extends SliceOperation>(
  operation: O,
  request: { slice: Slice; pf_user: string; note?: string | null },
) => ({ operation, slice: request.slice, pf_user: request.pf_user, note: request.note ?? null });

/**
 * Writes one operation: its log entry, then the stored template with the request filled in. A
 * statement that writes no row takes its entry back with it, and says why.
 */
async function write(
  writer: EntryWriter,
  entry: SliceEntry,
  tokens: TokenValues,
  otherwise: string,
): Promise<OperationResult> {
  const { tx, target } = writer;
  const { version, source, columns, table } = target;
  const { operation } = entry;
  const template = await storedTemplate(tx, source.id, operation);
  if (measureColumns(columns).length === 0) {
    throw new AppError(422, `The source has neither a value nor a units column to ${operation}`);
  }
  const { where, skipped } = sliceOf(target, entry.slice);
  const written = await writer.write(
    entry,
    template,
    { where_clause: where, ...tokens },
    { words: operation },
  );
  if (written.rowCount === 0) {
    const exclude = excludeClause(version.exclude_iters);
    const reason = await whyNothing(tx, table, columns, where, exclude);
    throw new AppError(422, reason ?? otherwise, reason === undefined ? {} : { field: 'slice' });
  }
  checkAmounts(written.columns);
  return { columns: written.columns, skipped: listed(skipped) };
}

/** A numeric goes far beyond a double; as one it is infinite, and the version could not be read. */
function checkAmounts(columns: readonly Column[]): void {
  for (const { name, data } of columns) {
    if (!(data.values instanceof Float64Array)) continue;
    if (data.values.some((amount) => Math.abs(amount) === Infinity)) {
      throw new AppError(422, `"${name}" would hold an amount beyond ±1.8e308`, { column: name });
    }
  }
}

/** Why a slice has no rows to work on; undefined if it has some. */
async function whyNothing(
  db: Queryable,
  table: Identifier,
  columns: readonly ForecastColumn[],
  where: SqlText,
  exclude: SqlText,
): Promise<string | undefined> {
  const { included, excluded } = await sliceTotals(db, table, columns, where, exclude);
  if (included.row_count > 0) return undefined;
  return excluded.row_count > 0
    ? 'Every row of the slice is excluded from operations in this version'
    : 'The slice matches no row';
}

function checkIncrement(
  role: 'value' | 'units',
  increment: number,
  columns: readonly ForecastColumn[],
): void {
  const measure = measureColumns(columns).find((c) => c.role === role);
  const field = `${role}_incr`;
  if (!measure) {
    throw new AppError(422, `The source has no ${role} column, so ${field} has no use`, { field });
  }
  const kind = measureKind(measure);
  if (increment !== 0 && kind.exact && kind.scale !== null) {
    if (Math.abs(movePoint(increment, kind.scale)) < 0.5) {
      throw new AppError(
        422,
        `${field} ${increment} rounds to zero in "${measure.name}", which has ${kind.scale} decimals`,
        { field, column: measure.name },
      );
    }
  }
}

/** The one amount that a request to scale carries; undefined if it carries both increments. */
const amountField = ({ pct, value_incr, units_incr }: ScaleRequest): string | undefined => {
  if (pct != null) return 'pct';
  if (value_incr != null && units_incr != null) return undefined;
  return value_incr != null ? 'value_incr' : 'units_incr';
};

/** `{{set_clause}}`, with the dimensions that a new date's period decides. */
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
