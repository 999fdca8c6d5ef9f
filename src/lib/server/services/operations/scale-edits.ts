/** Makes the edits of a scale in one pass over the version, if none depends on another one. */
import { changesOf, shapeOf, waySpread } from '../../../contract/amounts';
import { measureKey } from '../../../contract/columns';
import type { ScaleEdit } from '../../../contract/operations';
import type { Slice } from '../../../contract/slices';
import { isDateRange, usableSlice } from '../../../contract/slices';
import { cellsOf } from '../../db/totals/cells';
import { inEntry } from '../../errors';
import { editedLeaves } from '../../sql/edited-leaves';
import { measureKind, measureOf } from '../../sql/forecast-columns';
import { commas, literal, sql } from '../../sql/quote';
import { excludeClause } from '../../sql/slice';
import { scaleEditsTemplate } from '../../sql/templates/scale-edits';
import { amountOf, groupColumns } from '../../sql/templates/parting';
import type { OperationWriter } from '../entries/open-entry';
import { sliceOf } from '../version/forecast-version';
import type { HeldRows } from '../entries/held';
import type { Step } from './operation-steps';
import { numeric } from './operation-steps';
import { boxOf } from './slice-box';
import type { AskedChange } from './scale-amounts';
import { askedChanges, incrementOf } from './scale-amounts';

/** Number of ways in which the slices of edits may name columns: each is a join of its own. */
const MOST_FORMS = 8;

/**
 * Returns one step that writes the rows that the edits of a scale write one by one. It nets their slices once for the
 * totals and once for the rows, instead of each slice twice (docs/decisions/0007-operations-in-one-statement.md).
 *
 * @returns null if the edits have to be made one by one: if one of them changes what another one reads, if one is
 * refused, if they are not increments and totals that are spread in the same way, or if the sender changes a part of
 * the version only
 * @throws AppError 400, 409 for a slice that cannot be used
 */
export async function editsTogether(
  { tx, target, isTrial }: OperationWriter,
  edits: readonly ScaleEdit[],
  held: HeldRows | undefined,
): Promise<Step | null> {
  const { columns } = target;
  const [first] = edits;
  if (!first || edits.length < 2 || isTrial) return null;
  if (target.disputed.length > 0 || target.limit) return null;
  if (!edits.every((edit) => isPlain(edit) && isSpreadLike(edit, first))) return null;
  for (const [i, { slice }] of edits.entries()) {
    const { skipped } = await inEntry(`edits.${i}`, () => sliceOf(target, slice));
    if (skipped.length > 0) return null;
  }
  const slices = edits.map(({ slice }) => usableSlice(slice));
  if (new Set(slices.map(formOf)).size > MOST_FORMS) return null;
  const box = boxOf(slices);
  if (Object.keys(box).length === 0) return null;

  const changes = edits.map((edit) => askedChanges(edit, columns));
  const follow = first.with ?? [];
  const cells = await cellsOf(
    tx,
    {
      ...target,
      seen: excludeClause(target.version.exclude_iters),
      free: held ? sql`(${held.where}) IS NOT TRUE` : sql`TRUE`,
      among: sliceOf(target, box).where,
    },
    edits.map(({ slice }, number) => {
      const changed = changes[number]?.map(({ measure }) => measureKey(measure)) ?? [];
      return { number, slice, keys: new Set([...changed, ...follow]) };
    }),
  );
  if (cells.length < edits.length) return null;

  const { group, amounts } = groupColumns(columns);
  const edited = cells.map((cell) => {
    const asked = changes[cell.number] ?? [];
    const increments = new Map(
      asked.map((change) => [measureKey(change.measure), incrementOf(change, cell)]),
    );
    const isMade =
      cell.isFree &&
      cell.shared === cell.number &&
      asked.every((change) => hasItsDecimals(change, cell.decimals)) &&
      [...increments.values()].some((increment) => Number(increment) !== 0);
    const values = [...amounts.keys()].map((key) => numeric(increments.get(key) ?? '0'));
    return isMade ? { number: cell.number, slice: edits[cell.number]?.slice ?? {}, values } : null;
  });
  const made = edited.filter((edit) => edit !== null);
  if (made.length < edits.length) return null;
  const value = measureOf('value', columns);
  return {
    slice: box,
    held,
    template: scaleEditsTemplate(columns),
    tokens: {
      groups: editedLeaves(made, target, [group, ...amounts.values()]),
      pct: numeric(null),
      spread: literal(waySpread(first) ?? 'proportional'),
      with: sql`ARRAY[${commas(follow.map(literal))}]::text[]`,
      with_incr: value ? amountOf(value, { group, amounts }) : numeric(null),
    },
    otherwise: 'The changes round to zero on every leaf; there is nothing to write',
  };
}

/** Whether an edit changes its own leaves only, by amounts that its totals give. */
const isPlain = (edit: ScaleEdit): boolean =>
  edit.pct == null &&
  !edit.keep &&
  !shapeOf(edit) &&
  waySpread(edit) !== 'price' &&
  changesOf(edit).every(({ kind }) => kind !== 'pct');

const isSpreadLike = (edit: ScaleEdit, other: ScaleEdit): boolean =>
  waySpread(edit) === waySpread(other) &&
  JSON.stringify(edit.with ?? []) === JSON.stringify(other.with ?? []);

/** Whether the amounts of a cell have no more decimals than the measure is rounded to. */
function hasItsDecimals({ measure }: AskedChange, decimals: Record<string, number>): boolean {
  const kind = measureKind(measure);
  return !kind.exact || kind.scale === null || (decimals[measureKey(measure)] ?? 0) <= kind.scale;
}

/** How a slice names its columns: slices that name them alike are joined with their leaves at once. */
const formOf = (slice: Slice): string =>
  JSON.stringify(
    Object.entries(slice)
      .map(([name, value]) => {
        if (isDateRange(value)) return [name, ...Object.keys(value)];
        if (!Array.isArray(value)) return [name, value === null];
        // A list with null is a condition of its own.
        return [name, value.length > 1, value.includes(null) && value];
      })
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
