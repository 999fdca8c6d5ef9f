import { strToU8, zipSync } from 'fflate';

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const related = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
const list = (content: string) => `<Relationships>${content}</Relationships>`;

/**
 * The files of a small workbook with one sheet.
 * @param cells the content of its one row, or all rows
 * @param more other files, and those that replace the first
 */
export const filesOf = (
  cells: string,
  more: Record<string, string> = {},
): Record<string, string> => ({
  '_rels/.rels': list(related('r1', 'officeDocument', 'xl/workbook.xml')),
  'xl/workbook.xml':
    '<workbook><sheets><sheet name="Data" sheetId="1" r:id="s1"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels': list(
    related('s1', 'worksheet', 'worksheets/sheet1.xml') +
      related('s2', 'sharedStrings', '/xl/sharedStrings.xml') +
      related('s3', 'styles', './styles.xml'),
  ),
  'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${cells.startsWith('<row') ? cells : `<row r="1">${cells}</row>`}</sheetData></worksheet>`,
  ...more,
});

/** Packs files into an archive. */
export const zipped = (files: Record<string, string>): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))),
  );
