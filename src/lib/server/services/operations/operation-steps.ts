/** Writes an operation step by step: the log entry, then the rows of each step. */
import * as v from 'valibot';
import type { NewEntry } from '../../../contract/log';
import type {
  EntryOperation,
  FileOperation,
  LogOperation,
  SliceOperation,
} from '../../../contract/operations';
import { isSliceOperation } from '../../../contract/operations';
import type { AskedSlice, Slice } from '../../../contract/slices';
import type { Column } from '../../arrow/column-plan';
import { sliceTotals } from '../../db/totals/totals';
import { AppError, inEntry } from '../../errors';
import { headerList } from '../../header-list';
import { measureColumns } from '../../sql/forecast-columns';
import type { SqlText } from '../../sql/quote';
import { sql, typedLiteral } from '../../sql/quote';
import { excludeClause } from '../../sql/slice';
import type { TokenValues } from '../../sql/tokens';
import { blameClient } from '../client-faults';
import type { OperationWriter } from '../entries/open-entry';
import type { ForecastVersion } from '../version/forecast-version';
import { insideOf, storedTemplate } from '../version/forecast-version';
import { indexedSlice } from '../version/indexed-slice';
import type { HeldRows } from '../entries/held';
import { withoutHeld } from '../entries/held';
import { keptColumns } from '../entries/idempotency';
import { holdingAny } from '../version/locks';

/** The result of an operation. */
export const OperationResult = v.object({
  /** The rows that the operation wrote (docs/contract/05-operations.md). */
  columns: keptColumns,
  /** The ignored slice keys, percent-encoded, separated by commas. */
  skipped: v.string(),
});
export type OperationResult = v.InferOutput<typeof OperationResult>;

/** An amount as SQL. */
export const numeric = (amount: number | string | null | undefined): SqlText =>
  typedLiteral(amount ?? null, sql`numeric`);

/** The common part of an entry and of the request that makes it. */
export const describe = <
  O extends SliceOperation | EntryOperation | FileOperation,
  S extends Slice | null,
>(
  operation: O,
  { pf_user, note = null }: { pf_user: string; note?: string | null | undefined },
  slice: S,
) => ({ operation, slice, pf_user, note });

type OperationEntry = Extract<
  NewEntry,
  { operation: SliceOperation | EntryOperation | FileOperation }
>;

/** One statement of an operation: the stored template with its tokens. */
export interface Step {
  /** Path of the step in the body, if there may be several. */
  at?: string | undefined;
  slice: AskedSlice;
  /** The field of the body that holds the slice, if it is not `slice`. The step compensates for another one. */
  from?: string | undefined;
  /** Keys of other slices of the step that are not dimension or date columns. */
  skipped?: readonly string[] | undefined;
  /** The rows of the slice that the step does not change. */
  held?: HeldRows | undefined;
  /**
   * The tokens of the template, or a function that computes them when the step runs; null if there is nothing to
   * write.
   */
  tokens: TokenValues | ((slice: SqlText) => Promise<TokenValues | null>);
  /** A form of the statement that is not stored; the stored template by default. */
  template?: SqlText | undefined;
  /** A token that the template must contain. */
  needs?: SqlText | undefined;
  /** The rows of the slice that the template reads, if not all of them. */
  among?: SqlText | undefined;
  /** The error sentence if the template reads no row of the slice. */
  noRows?: string | undefined;
  /** The error sentence if the slice has rows and the step writes none. */
  otherwise: string;
  /** The error sentence if all rows of the slice are held. */
  allHeld?: string | undefined;
}

const ALL_HELD = 'Every row of the slice is held or locked; there is nothing to spread over';

/**
 * Writes one operation: its log entry, then its rows step by step. If a step writes no row, everything is
 * rolled back, and the error gives the reason.
 *
 * @param together one step that writes the rows of all steps. If it writes none, the steps are run one by one
 */
export async function writeSteps(
  writer: OperationWriter,
  entry: OperationEntry,
  steps: readonly Step[],
  together: Step | null = null,
): Promise<OperationResult> {
  const { tx, target } = writer;
  const { operation } = entry;
  const stored = isSliceOperation(operation)
    ? await storedTemplate(tx, target.source.id, operation)
    : undefined;
  if (measureColumns(target.columns).length === 0) {
    throw new AppError(422, `The source has neither a value nor a units column to ${operation}`);
  }
  const open = await writer.open(entry);
  const skipped = new Set<string>();
  const run = (step: Step): Promise<readonly Column[] | null> =>
    inEntry(step.at, async () => {
      const slice = await blameClient({ words: operation }, () =>
        indexedSlice(tx, target, step.slice, step.from),
      );
      const others = [...(step.held?.skipped ?? []), ...(step.skipped ?? [])];
      for (const name of [...slice.skipped, ...others]) skipped.add(name);
      if (step.template) requireUndisputed(target);
      const template = step.template ?? stored;
      if (template === undefined) throw new Error(`There is no statement for ${operation}`);
      if (step.needs && !template.includes(step.needs)) throw outdated(operation);
      const isCompensation = step.from !== undefined;
      const where = insideOf(target, slice.where);
      const reach = { slice: where, held: step.held, isCompensation };
      const tokens = typeof step.tokens === 'function' ? await step.tokens(where) : step.tokens;
      if (tokens === null) return null;
      const written = await open.run(template, reach, tokens, { words: operation });
      if (written.rowCount === 0) {
        if (step === together) return null;
        const { among } = step;
        const read = among ? sql`${where} AND ${among}` : where;
        throw await nothing(writer, read, step, entry.pf_user);
      }
      checkAmounts(written.columns);
      return written.columns;
    });
  let columns = together && (await run(together));
  const isTogether = columns !== null;
  if (!columns) {
    columns = [];
    for (const step of steps) columns = (await run(step)) ?? columns;
  }
  // A statement answers the rows that it writes with their stored numbers.
  if ((!isTogether && steps.length > 1) || target.part?.rowKey) {
    const isGrain = columns.some(({ name }) => name === 'pf_gkey');
    ({ columns } = await open.rows(isGrain));
    checkAmounts(columns);
  }
  await open.close();
  return { columns: [...columns], skipped: headerList([...skipped]) };
}

/**
 * A statement that is not stored groups rows by the columns of the metadata. @throws AppError 409 if the forecast
 * table has others, since the statement would leave them empty
 */
export function requireUndisputed({ disputed: [name] }: ForecastVersion): void {
  if (name === undefined) return;
  throw new AppError(
    409,
    `"${name}" has gained or lost its role since the SQL was generated; restore the old role, or generate the SQL again`,
    { column: name },
  );
}

const outdated = (operation: LogOperation) =>
  new AppError(
    409,
    `The stored ${operation} template is too old for this request; generate the SQL of the source again`,
  );

/**
 * A numeric can exceed the range of a double. As a double it would be infinite, and the version could not be
 * read.
 */
function checkAmounts(columns: readonly Column[]): void {
  for (const { name, data } of columns) {
    if (!(data.values instanceof Float64Array)) continue;
    if (data.values.some((amount) => Math.abs(amount) === Infinity)) {
      throw new AppError(422, `"${name}" would hold an amount beyond ±1.8e308`, { column: name });
    }
  }
}

/** Returns the error of a step that has written no row. */
async function nothing(
  writer: OperationWriter,
  where: SqlText,
  { held, otherwise, allHeld = ALL_HELD, noRows = 'The slice matches no row' }: Step,
  user: string,
): Promise<AppError> {
  const { tx, target } = writer;
  const { version, columns, rows } = target;
  const exclude = excludeClause(version.exclude_iters);
  const totals = (of: SqlText) => sliceTotals(tx, rows, columns, of, exclude);
  const { included, excluded } = await totals(where);
  if (included.row_count === 0) {
    const reason =
      excluded.row_count > 0
        ? 'Every row of the slice is excluded from operations in this version'
        : noRows;
    return new AppError(422, reason, { field: 'slice' });
  }
  if (held && (await totals(withoutHeld(where, held))).included.row_count === 0) {
    const holding = await holdingAny(tx, target, await writer.locked(user), where);
    return new AppError(422, [allHeld, ...(holding?.review ? [holding.review] : [])].join('. '));
  }
  return new AppError(422, otherwise);
}
