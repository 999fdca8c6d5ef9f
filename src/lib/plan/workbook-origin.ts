/** Where the numbers of an exported workbook are from, so that it can be read back. */
import type { WorkbookOrigin, OriginLines } from '../pivot/excel/origin-sheet';
import type { HeaderSlices, ReadHeader } from '../pivot/grid/reading/header-slices';
import { unmarkedDimensions } from '../pivot/slice/slice-values';
import { endsInOthers } from '../pivot/values/others';
import type { PlanSession } from './session.svelte';
import { NOT_THE_PLAN } from './selection/selected-slice';

/** Maximum number of cells of a workbook that can be read back. */
const MOST_CELLS = 100_000;

/** The part of the exported pivot that decides what can be read back. */
interface Exported {
  group_by: readonly string[];
  count: number;
  columns: readonly { measure: string }[];
}

/** Returns why a workbook of the pivot on screen could not be read back, as a sentence; null if it can. */
export function whyNotReadBack(
  { planned, arrangement, trial }: Pick<PlanSession, 'planned' | 'arrangement' | 'trial'>,
  { group_by, count, columns }: Exported,
): string | null {
  if (planned.asOf)
    return 'This workbook shows an earlier state of the plan, so it cannot be read back.';
  if (arrangement.entries.isolated)
    return 'This workbook shows the rows of one entry only, so it cannot be read back.';
  if (trial.lines.length > 0)
    return 'This workbook includes changes that were only tried, so it cannot be read back.';
  if (group_by.length === 0)
    return 'This workbook lists single rows, so it cannot be read back. Group the rows, and export again.';
  if (count * columns.length > MOST_CELLS)
    return `This workbook has more than ${MOST_CELLS.toLocaleString()} numbers, so it cannot be read back. Close some levels, and export again.`;
  return null;
}

/** @param problem why it cannot be read back @param headers its headers; null if there is a problem */
export function workbookOrigin(
  session: Pick<PlanSession, 'planned' | 'loading' | 'pivot'>,
  problem: string | null,
  headers: HeaderSlices | null,
): Omit<WorkbookOrigin, 'sheet' | 'headers'> & OriginLines {
  const { planned, loading, pivot } = session;
  const entries = [...(pivot?.entries() ?? [])];
  return {
    version: { id: planned.id, name: planned.current.name },
    source: { id: planned.source.id, name: `${planned.source.schema}.${planned.source.tname}` },
    timeline: loading.history.timeline,
    newest: entries.reduce((most, id) => Math.max(most, id), 0),
    exported: new Date().toISOString(),
    problem,
    rows: (headers?.rows ?? []).map((header) => ({
      path: [...header.rowPath],
      ...lineOf(session, header),
    })),
    columns: (headers?.columns ?? []).map((header) => ({
      path: [...(header.columnPath ?? [])],
      ...measureOf(session, header),
    })),
  };
}

/** Returns the slice of a line, or why it has none. */
function lineOf({ planned }: Pick<PlanSession, 'planned'>, header: ReadHeader) {
  const { slice } = header;
  const [part] = header.notHeld;
  const [unmarked] = unmarkedDimensions(slice, planned.columns);
  const why =
    (endsInOthers(header.rowPath)
      ? 'Others adds up several groups. Change them one by one, or type into Others on the page.'
      : null) ??
    header.impossible ??
    (part ? `Operations cannot select rows by “${part.text}”, which restricts this cell.` : null) ??
    (unmarked === undefined ? null : `“${planned.labelOf(unmarked)}” is not a key column.`);
  return why === null ? { slice, why } : { slice: null, why };
}

/** Returns what a column shows, with its slice, or why its numbers cannot be changed. */
function measureOf(session: Pick<PlanSession, 'planned' | 'pivot'>, header: ReadHeader) {
  const { planned, pivot } = session;
  const name = header.measure ?? '';
  const line = lineOf(session, header);
  const part = pivot?.origins.of(name);
  const computed = (why: string) => ({ measure: null, slice: null, why });
  if (pivot?.grid.shown.reader?.wayOf(name))
    return computed('This number is a share, a running total or a rank. Change the amount.');
  if (part?.origin === 'price') return computed('A price is computed. Change value or units.');
  if (part?.origin === 'formula')
    return computed('This number is computed by a formula. Change the measures that it uses.');
  if (planned.conversionOf(name))
    return computed('This number is converted. Change the measure that it converts.');
  if (part) return computed(NOT_THE_PLAN[part.origin]);
  if (header.aggregate !== 'sum') return computed('This number is no sum. Change a sum instead.');
  const measure = planned.keyOf(name);
  return measure === null ? computed('This number is no measure.') : { measure, ...line };
}
