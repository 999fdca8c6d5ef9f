/** Why a workbook cannot be read. */

/** A workbook that cannot be read, with a sentence for the person who sent it. */
export class WorkbookFault extends Error {
  override name = 'WorkbookFault';
}

/** A workbook that breaks the rules of its format. @param problem where, and which rule */
export const damaged = (problem: string): WorkbookFault =>
  new WorkbookFault(`The workbook is damaged: ${problem}`);

/** Number of characters of a text in a sentence. */
const QUOTED = 40;

/** The beginning of a text from a file, for a sentence. */
export const shortened = (text: string): string =>
  text.length > QUOTED ? `${text.slice(0, QUOTED).replace(/[\ud800-\udbff]$/, '')}…` : text;
