/** The part of a log entry that a sender who reads a part of its version may see. */
import { shapeOf } from '../../../contract/amounts';
import type { LogEntry, UndoneEntry } from '../../../contract/log';
import type { SetClause, Shift } from '../../../contract/movement';
import type { StoredShape } from '../../../contract/shapes';
import type { Slice } from '../../../contract/slices';
import { keyColumns } from '../../sql/lookups';
import type { SliceFields } from '../../sql/slice';
import type { LimitedVersion } from './forecast-version';
import { isInside } from './slices-inside';

/**
 * An entry that has rows inside, as the sender may see it: without `slice` and `params` if they name anything beyond
 * the sender's territories, or may do so.
 */
export const entryInside = <Entry extends LogEntry>(target: LimitedVersion, entry: Entry): Entry =>
  asksInside(target, entry) ? entry : { ...entry, slice: null, params: null };

/**
 * The undone entries that wrote no row outside, which their requests show. The rows of others are gone, so nothing
 * tells how many of them were inside. By an attribute, a row that was inside may be outside now, so entries that are
 * inside only by one are left out.
 */
export function undoneInside(target: LimitedVersion, undone: readonly UndoneEntry[]) {
  const isColumn = (name: string) => target.columns.some((column) => column.name === name);
  const lasting = target.part.read.filter((slice) => Object.keys(slice).every(isColumn));
  return undone.filter(({ entry }) => asksInside(target, entry, lasting));
}

/**
 * Whether an entry reads and writes only rows inside, by its request alone.
 *
 * @param read the slices that are inside
 */
function asksInside(target: LimitedVersion, entry: LogEntry, read = target.part.read): boolean {
  const { slice, params } = entry;
  if (!tellsSlices(entry)) return false;
  const within = params?.within ?? [];
  const areInside = (rows: Slice, written = (each: Slice) => each): boolean =>
    [[rows], ...within.map((list) => list.map((limit) => ({ ...rows, ...limit })))].some((list) =>
      list.every((each) => isInside(written(each), read)),
    );
  const moves = slice && params && 'set' in params ? params : undefined;
  return (
    slicesNamed(entry).every((named) => areInside(named)) &&
    (!slice || !moves || areInside(slice, (each) => movedTo(each, moves, target)))
  );
}

/** The slices that the request of an entry names, also those whose rows it only reads or holds. */
export function slicesNamed({ slice, params }: LogEntry): Slice[] {
  const named = slice ? [slice] : [];
  if (params === null) return named;
  const hold = 'hold' in params ? (params.hold ?? []) : [];
  const edits = 'edits' in params ? params.edits : [params];
  return [...named, ...edits.flatMap(slicesOfEdit), ...hold];
}

const slicesOfEdit = (edit: object): Slice[] => {
  const { slice, keep, spread }: StoredEdit = edit;
  return [slice, keep, shapeOf({ spread })?.like?.slice].filter((each) => each !== undefined);
};

interface StoredEdit {
  slice?: Slice;
  keep?: Slice | undefined;
  spread?: string | StoredShape | undefined;
}

/** Whether the request of an entry tells all slices that it names, reads or writes. */
function tellsSlices({ slice, params }: LogEntry): boolean {
  if (params === null || (slice === null && !('edits' in params))) return false;
  return !('edit_count' in params && params.edit_count !== undefined);
}

/** The slice of the rows that a recode or clone writes, without the columns and attributes whose new values are unknown. */
function movedTo(
  slice: Slice,
  { set, shift = {} }: { set: SetClause; shift?: Shift | undefined },
  { columns, attributes }: SliceFields,
): Slice {
  const isMoved = (date: string) => Object.hasOwn(set, date) || Object.hasOwn(shift, date);
  const isUnknown = (name: string) => {
    const column = columns.find((each) => each.name === name);
    if (column) return isMoved(column.periodColumn ?? name);
    const attribute = attributes.find((each) => each.name === name);
    if (!attribute || 'problem' in attribute) return true;
    return keyColumns(attribute.lookup).some((key) => isMoved(key.periodColumn ?? key.name));
  };
  const kept = Object.entries(slice).filter(([name]) => !isUnknown(name));
  return { ...Object.fromEntries(kept), ...set };
}
