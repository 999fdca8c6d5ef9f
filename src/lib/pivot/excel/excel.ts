/** Export of the pivot as an Excel workbook. */
import { XLSX } from '../../contract/primitives';
import { aboutSheet, type Fact } from './about-sheet';
import { pivotSheet, whyNoWorkbook, type TakenPivot } from './pivot-sheet';
import { writeWorkbook } from './workbook';

/** Thrown for a pivot that is too large for a workbook; the message says what to do instead. */
class WorkbookError extends Error {
  override readonly name = 'WorkbookError';
}

/**
 * Returns the pivot as an Excel workbook with two sheets: the shown cells, and facts about the pivot. This
 * module is loaded on demand.
 *
 * @throws WorkbookError if the pivot is too large
 */
export async function pivotWorkbook(pivot: TakenPivot, facts: readonly Fact[]): Promise<Blob> {
  const tooMuch = whyNoWorkbook(pivot);
  if (tooMuch !== null) throw new WorkbookError(tooMuch);
  const parts = await writeWorkbook([pivotSheet(pivot), aboutSheet(facts)]);
  return new Blob(parts, { type: XLSX });
}
