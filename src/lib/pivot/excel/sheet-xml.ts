/** Writes columns, cells and texts as the XML of a sheet. */
import { columnLetters } from '../../xlsx/addresses';
import { LONGEST_EXCEL_CELL } from '../../xlsx/limits';

/** Characters that XML cannot contain, and texts that would be read as an escaped character. */
const UNWRITABLE = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]|_(?=x[\da-f]{4}_)/giu;

const escapedCode = (character: string): string =>
  `_x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}_`;

const MARKS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes texts for the XML of a sheet. */
export const texts = {
  /** Escapes the text between two tags. */
  content: (text: string): string =>
    text
      .toWellFormed()
      .slice(0, LONGEST_EXCEL_CELL)
      // The cut may have split a surrogate pair.
      .toWellFormed()
      .replace(UNWRITABLE, escapedCode)
      .replace(/\r/g, '_x000D_')
      .replace(/[&<>]/g, (mark) => MARKS[mark] ?? mark),
  /** Escapes the value of an attribute. */
  attribute: (text: string): string => texts.content(text).replaceAll('"', '&quot;'),
};

/** Adds the XML declaration to the content of a file. */
export const xml = (content: string): string =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${content}`;

/** Returns the XML of a column, with its width and its outline level. */
export function columnXml({ width, level }: { width: number; level: number }, x: number): string {
  const outline = level > 0 ? ` outlineLevel="${level}"` : '';
  return `<col min="${x + 1}" max="${x + 1}" width="${width}" customWidth="1"${outline}/>`;
}

/**
 * Returns the XML of a cell, which stays empty for a number that sheets cannot contain. @param y row number,
 * from 1
 */
export function cellXml(
  x: number,
  y: number,
  value: string | number | boolean,
  style: number,
): string {
  const start = `<c r="${columnLetters(x)}${y}" s="${style}"`;
  if (typeof value === 'boolean') return `${start} t="b"><v>${value ? 1 : 0}</v></c>`;
  if (typeof value === 'number') {
    return Number.isFinite(value) ? `${start}><v>${value}</v></c>` : `${start}/>`;
  }
  return `${start} t="inlineStr"><is><t xml:space="preserve">${texts.content(value)}</t></is></c>`;
}
