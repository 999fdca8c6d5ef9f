/** The longest text that a cell may hold. */
const LONGEST_TEXT = 32_767;

/** Characters that XML cannot hold, and texts that would be read as one of them. */
const UNWRITABLE = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]|_(?=x[\da-f]{4}_)/giu;

const escapedCode = (character: string): string =>
  `_x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}_`;

const MARKS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Texts and names as a sheet's XML writes them. */
export const texts = {
  /** What stands between two tags. */
  content: (text: string): string =>
    text
      .toWellFormed()
      .slice(0, LONGEST_TEXT)
      // A pair that was cut in two.
      .toWellFormed()
      .replace(UNWRITABLE, escapedCode)
      .replace(/\r/g, '_x000D_')
      .replace(/[&<>]/g, (mark) => MARKS[mark] ?? mark),
  /** What stands in an attribute. */
  attribute: (text: string): string => texts.content(text).replaceAll('"', '&quot;'),
  /** The name of a column by its place: A, B, … Z, AA. */
  letters(x: number): string {
    const last = String.fromCharCode(65 + (x % 26));
    return x < 26 ? last : texts.letters(Math.floor(x / 26) - 1) + last;
  },
};

/** A whole file. */
export const xml = (content: string): string =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${content}`;

/** A column of the sheet: how wide it is, and how deep in the outline. */
export function columnXml({ width, level }: { width: number; level: number }, x: number): string {
  const outline = level > 0 ? ` outlineLevel="${level}"` : '';
  return `<col min="${x + 1}" max="${x + 1}" width="${width}" customWidth="1"${outline}/>`;
}

/** One cell. A number that no sheet can hold leaves it empty. @param y counts from 1 */
export function cellXml(
  x: number,
  y: number,
  value: string | number | boolean,
  style: number,
): string {
  const start = `<c r="${texts.letters(x)}${y}" s="${style}"`;
  if (typeof value === 'boolean') return `${start} t="b"><v>${value ? 1 : 0}</v></c>`;
  if (typeof value === 'number') {
    return Number.isFinite(value) ? `${start}><v>${value}</v></c>` : `${start}/>`;
  }
  return `${start} t="inlineStr"><is><t xml:space="preserve">${texts.content(value)}</t></is></c>`;
}
