/** Compares the changes of a workbook with the plan as it is now, and makes the edits that are written of them. */
import { isSingleRole } from '../../contract/columns';
import { roundTo, type FixedDecimals } from '../../contract/decimals';
import type { ImportCell, ImportEdit } from '../../contract/imports';
import type { LogEntry } from '../../contract/log';
import { tidy } from '../../pivot/values/cell-value';
import { totalOf } from '../../contract/measures';
import { isNear, type FileChange, type FileFault } from './workbook-changes';

/** What to write into a cell that somebody else has also changed: the number of the file, or its change. */
export type WorkbookChoice = 'number' | 'change';

/** An entry that changed a cell after the export. */
interface Other {
  /** Undefined if it is not in the log any more. */
  entry: LogEntry | undefined;
  amount: number;
}

/** A number that the file has changed, compared with the plan as it is now. */
export interface ComparedChange extends FileChange {
  now: number;
  /** The state of the cell that it was compared with. */
  seen: string;
  /** Whether somebody else has changed it meanwhile, so that the planner has to choose. */
  isConflict: boolean;
  others: readonly Other[];
}

const REFUSALS = {
  no_rows: 'It has no rows any more.',
  excluded: 'Changes skip every row of this cell.',
  locked: 'Every row of it is locked, or its months are closed.',
  read_only: 'Your territories let you see rows of it, but not change them.',
} as const satisfies Record<NonNullable<ImportCell['refusal']>, string>;

/** Returns an amount with the decimals of its measure. */
function roundedAs(measure: string, amount: number, fixed: FixedDecimals): number {
  const decimals = fixed[measure] ?? null;
  return decimals === null ? tidy(amount) : roundTo(tidy(amount), decimals);
}

/**
 * Returns one edit for each slice. The measures of one cell are one edit.
 *
 * @param amountOf the amount of each change
 */
export function editsOf<Change extends FileChange>(
  changes: readonly Change[],
  amountOf: (change: Change) => Omit<ImportEdit, 'slice'>,
): { edits: ImportEdit[]; places: number[] } {
  const known = new Map<string, number>();
  const edits: ImportEdit[] = [];
  const places = changes.map((change) => {
    const { slice } = change;
    const key = JSON.stringify(slice);
    const place = known.get(key) ?? edits.length;
    known.set(key, place);
    const [before, amount] = [edits[place], amountOf(change)];
    const measures = { ...before?.measures, ...amount.measures };
    const further = Object.keys(measures).length > 0 && { measures };
    edits[place] = { ...before, slice, ...amount, ...further };
    return place;
  });
  return { edits, places };
}

const amountOf = (
  measure: string,
  kind: 'total' | 'incr',
  amount: number,
): Omit<ImportEdit, 'slice'> =>
  isSingleRole(measure)
    ? { [`${measure}_${kind}`]: amount }
    : { measures: { [measure]: { [kind]: amount } } };

/** The amount of a change as its new total. */
export const asTotal = ({ measure, file }: FileChange) => amountOf(measure, 'total', file);

/**
 * Compares changes with the cells as they are now.
 *
 * @param cells the cell of each change
 * @param entries the entries of the log
 */
export function compare(
  changes: readonly FileChange[],
  cells: readonly (ImportCell | undefined)[],
  entries: readonly LogEntry[],
  fixed: FixedDecimals,
): { changes: ComparedChange[]; faults: FileFault[] } {
  const entryOf = new Map(entries.map((entry) => [entry.id, entry]));
  const faults: FileFault[] = [];
  const compared = changes.flatMap((change, i): ComparedChange[] => {
    const { address, name, measure, was } = change;
    const cell = cells[i];
    if (!cell || cell.refusal) {
      faults.push({ address, name, why: REFUSALS[cell?.refusal ?? 'no_rows'] });
      return [];
    }
    const now = roundedAs(measure, totalOf(cell, measure) ?? 0, fixed);
    const isConflict = !isNear(now, was, fixed[measure] ?? null);
    const others = (cell.entries ?? []).flatMap((each): Other[] => {
      const amount = totalOf(each, measure) ?? 0;
      return amount === 0 ? [] : [{ entry: entryOf.get(each.logid), amount }];
    });
    return [{ ...change, now, seen: cell.state, isConflict, others }];
  });
  return { changes: compared, faults };
}

/** Returns what a cell becomes; null while nobody has decided. */
export function amountAfter(
  { address, isConflict, file, was, now, measure }: ComparedChange,
  choices: Readonly<Record<string, WorkbookChoice>>,
  fixed: FixedDecimals,
): number | null {
  if (!isConflict) return file;
  const choice = choices[address];
  if (choice === undefined) return null;
  return choice === 'number' ? file : roundedAs(measure, now + file - was, fixed);
}

/** The amount of a change as it is written: its change is an increment, so that it is right whoever writes meanwhile. */
export const asChosen =
  (choices: Readonly<Record<string, WorkbookChoice>>, fixed: FixedDecimals) =>
  (change: ComparedChange): Omit<ImportEdit, 'slice'> => {
    const { measure, file, was, isConflict, address, seen } = change;
    if (!isConflict || choices[address] !== 'change') return { ...asTotal(change), seen };
    return { ...amountOf(measure, 'incr', roundedAs(measure, file - was, fixed)), seen };
  };
