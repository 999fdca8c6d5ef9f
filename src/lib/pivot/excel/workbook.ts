/** Writes sheets as an .xlsx file. */
import { strToU8, Zip, ZipDeflate } from 'fflate';
import { columnLetters } from '../../xlsx/addresses';
import { nextTask } from '../waiting';
import { cellXml, columnXml, texts, xml } from './sheet-xml';
import { Styles, type CellStyle } from './cell-styles';

/** A cell; null is an empty one. A text is written as text, so that =1+1 is not a formula. */
export interface Cell {
  value: string | number | boolean | null;
  style: CellStyle;
}

/** Largest number of outline levels in Excel. */
export const MOST_LEVELS = 7;

/** A row of cells with its outline level; rows of level 0 are always visible. */
export interface WorkbookRow {
  cells: readonly Cell[];
  level: number;
}

/** One sheet of a workbook. */
export interface Sheet {
  /** At most 31 characters, without `[]:*?/\`. */
  name: string;
  /** Widths in characters, and outline levels. */
  columns: readonly { width: number; level: number }[];
  /** Number of rows and columns at the start that stay in view. */
  frozen: { rows: number; columns: number };
  /** Whether total columns come before the columns that they add up. Total rows always come first. */
  totalsFirst: boolean;
  /** Deepest outline level of the rows. */
  depth: number;
  rows: Iterable<WorkbookRow>;
  /** Whether the workbook hides it. */
  isHidden?: boolean;
}

/** Number of characters that are compressed at a time, and longest time without a pause. */
const PIECE = 1 << 16;
const BUSY_MS = 40;

/**
 * Writes a workbook (docs/decisions/0034-a-workbook-of-our-own.md) in pieces, so that the page stays
 * responsive.
 *
 * @returns the bytes of an .xlsx file, in order
 */
export async function writeWorkbook(sheets: readonly Sheet[]): Promise<Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let failure: Error | null = null;
  const zip = new Zip((error, part) => {
    if (error) failure = error;
    // A copy, because the compressed part may be a view of a larger buffer that is reused.
    else parts.push(part.slice());
  });
  let since = performance.now();
  const add = async (name: string, pieces: Iterable<string>) => {
    const file = new ZipDeflate(name, { level: 4 });
    zip.add(file);
    let text = '';
    for (const piece of pieces) {
      text += piece;
      if (text.length < PIECE) continue;
      file.push(strToU8(text));
      text = '';
      if (performance.now() - since < BUSY_MS) continue;
      await nextTask();
      since = performance.now();
    }
    file.push(strToU8(text), true);
    if (failure) throw failure;
  };

  const styles = new Styles();
  for (const [name, text] of packaging(sheets)) await add(name, [text]);
  for (const [i, sheet] of sheets.entries()) {
    await add(`xl/worksheets/sheet${i + 1}.xml`, sheetXml(sheet, styles));
  }
  await add('xl/styles.xml', [styles.xml()]);
  zip.end();
  return parts;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

function packaging(sheets: readonly Sheet[]): [name: string, text: string][] {
  const ids = sheets.map(({ name, isHidden = false }, i) => ({ name, id: i + 1, isHidden }));
  const related = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  const part = (name: string, type: string) =>
    `<Override PartName="/xl/${name}.xml" ContentType="${TYPE}.${type}+xml"/>`;
  return [
    [
      '[Content_Types].xml',
      xml(`<Types xmlns="${PACKAGE}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
${part('workbook', 'sheet.main')}${part('styles', 'styles')}
${ids.map(({ id }) => part(`worksheets/sheet${id}`, 'worksheet')).join('')}</Types>`),
    ],
    [
      '_rels/.rels',
      xml(`<Relationships xmlns="${PACKAGE}/relationships">
${related('r1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`),
    ],
    [
      'xl/workbook.xml',
      xml(`<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>
${ids.map(sheetEntry).join('')}
</sheets></workbook>`),
    ],
    [
      'xl/_rels/workbook.xml.rels',
      xml(`<Relationships xmlns="${PACKAGE}/relationships">
${ids.map(({ id }) => related(`r${id}`, 'worksheet', `worksheets/sheet${id}.xml`)).join('')}
${related('styles', 'styles', 'styles.xml')}</Relationships>`),
    ],
  ];
}

const sheetEntry = ({ name, id, isHidden }: { name: string; id: number; isHidden: boolean }) =>
  `<sheet name="${texts.attribute(name)}" sheetId="${id}"${isHidden ? ' state="hidden"' : ''} r:id="r${id}"/>`;

function* sheetXml(sheet: Sheet, styles: Styles): Generator<string> {
  const { columns, frozen, totalsFirst, depth } = sheet;
  const across = Math.max(0, ...columns.map(({ level }) => level));
  yield xml(`<worksheet xmlns="${MAIN}">
<sheetPr><outlinePr summaryBelow="0" summaryRight="${totalsFirst ? 0 : 1}"/></sheetPr>
<sheetViews><sheetView workbookViewId="0">${pane(frozen)}</sheetView></sheetViews>
<sheetFormatPr defaultRowHeight="15" outlineLevelRow="${depth}" outlineLevelCol="${across}"/>`);
  if (columns.length > 0) yield `<cols>${columns.map(columnXml).join('')}</cols>`;
  yield '<sheetData>';
  let y = 0;
  for (const { cells, level } of sheet.rows) {
    y++;
    yield `<row r="${y}"${level > 0 ? ` outlineLevel="${level}"` : ''}>`;
    for (const [x, { value, style }] of cells.entries()) {
      if (value !== null) yield cellXml(x, y, value, styles.idOf(style));
    }
    yield '</row>';
  }
  yield '</sheetData></worksheet>';
}

function pane({ rows, columns }: Sheet['frozen']): string {
  if (rows === 0 && columns === 0) return '';
  const split = `${columns > 0 ? ` xSplit="${columns}"` : ''}${rows > 0 ? ` ySplit="${rows}"` : ''}`;
  const active = columns === 0 ? 'bottomLeft' : rows === 0 ? 'topRight' : 'bottomRight';
  const first = `${columnLetters(columns)}${rows + 1}`;
  return `<pane${split} topLeftCell="${first}" activePane="${active}" state="frozen"/>`;
}
