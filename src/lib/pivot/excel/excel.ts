import { aboutSheet, type Fact } from './about-sheet';
import { pivotSheet, whyNoWorkbook, type TakenPivot } from './pivot-sheet';
import { writeWorkbook } from './workbook';

/** Thrown for a pivot that is too much for a workbook; the message says what to do instead. */
class WorkbookError extends Error {
  override readonly name = 'WorkbookError';
}

/**
 * The pivot as an Excel workbook: what is shown on one sheet, and what it is on another. Loaded when it
 * is asked for.
 *
 * @throws WorkbookError if it is too much
 */
export async function pivotWorkbook(pivot: TakenPivot, facts: readonly Fact[]): Promise<Blob> {
  const tooMuch = whyNoWorkbook(pivot);
  if (tooMuch !== null) throw new WorkbookError(tooMuch);
  const parts = await writeWorkbook([pivotSheet(pivot), aboutSheet(facts)]);
  return new Blob(parts, {
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  });
}
