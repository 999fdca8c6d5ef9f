/** Export of the pivot as an Excel workbook. */
import { XLSX } from '../../contract/primitives';
import { aboutSheet, type Fact } from './about-sheet';
import { originSheet, type WorkbookOrigin, type OriginLines } from './origin-sheet';
import { pivotSheet, whyNoWorkbook, type TakenPivot } from './pivot-sheet';
import { writeWorkbook } from './workbook';

/** Thrown for a pivot that is too large for a workbook; the message says what to do instead. */
class WorkbookError extends Error {
  override readonly name = 'WorkbookError';
}

/**
 * Returns the pivot as an Excel workbook with three sheets: the shown cells, facts about the pivot, and a hidden one
 * by which the workbook can be read back. This module is loaded on demand.
 *
 * @param origin where the numbers are from, and the slices of their rows and columns
 * @throws WorkbookError if the pivot is too large
 */
export async function pivotWorkbook(
  pivot: TakenPivot,
  facts: readonly Fact[],
  origin: Omit<WorkbookOrigin, 'sheet' | 'headers'> & OriginLines,
): Promise<Blob> {
  const tooMuch = whyNoWorkbook(pivot);
  if (tooMuch !== null) throw new WorkbookError(tooMuch);
  const sheet = pivotSheet(pivot);
  // Two sheets are made of these rows.
  const shown = { ...sheet, rows: [...sheet.rows] };
  const { rows, columns, ...from } = origin;
  const hidden = originSheet(from, { rows, columns }, shown);
  const parts = await writeWorkbook([shown, aboutSheet(facts), hidden]);
  return new Blob(parts, { type: XLSX });
}
