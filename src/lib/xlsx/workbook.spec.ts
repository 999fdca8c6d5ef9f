import { openAsBlob } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { filesOf, zipped } from '../../../tests/support/workbook-files';
import { blobBytes } from './bytes';
import type { SheetFacts } from './sheet';
import { Workbook } from './workbook';

/** A workbook that LibreOffice has saved. */
const saved = async (name: string): Promise<Workbook> =>
  Workbook.open(blobBytes(await openAsBlob(`tests/fixtures/workbooks/${name}`)));

/** The rows of the first visible sheet, as `number: cells`, and its facts. */
async function read(workbook: Workbook): Promise<{ rows: string[]; facts: SheetFacts }> {
  const sheet = await workbook.sheet(workbook.sheets.findIndex(({ isHidden }) => !isHidden));
  const rows: string[] = [];
  for await (const batch of sheet.rows()) {
    for (const { row, cells } of batch) {
      const texts = cells.map(({ column, kind, text, isFormula }) =>
        [column, kind, ...(isFormula ? ['formula'] : []), text].join(' '),
      );
      rows.push(`${row}: ${texts.join(' | ')}`);
    }
  }
  return { rows, facts: sheet.facts };
}

const rowsOf = async (workbook: Workbook): Promise<string[]> => (await read(workbook)).rows;

const openBytes = (bytes: Uint8Array<ArrayBuffer>) => Workbook.open(blobBytes(new Blob([bytes])));
const made = (cells: string, more?: Record<string, string>) =>
  openBytes(zipped(filesOf(cells, more)));
const failure = async (workbook: Promise<Workbook>): Promise<string> => {
  try {
    await rowsOf(await workbook);
  } catch (error) {
    return error instanceof Error && error.name === 'WorkbookFault' ? error.message : String(error);
  }
  return 'was read';
};

it('reads texts, numbers, dates, times and booleans that LibreOffice has saved', async () => {
  expect(await rowsOf(await saved('kinds.xlsx'))).toEqual([
    '1: 0 text Code | 1 text When | 2 text Time | 3 text Share | 4 text Price | 5 text Open | 6 text Sum | 7 text Note',
    '2: 0 text 00123 | 1 date 2027-01-31 12:30:15 | 2 text 08:30:00 | 3 number 0.125 | 4 number 1204.5 | 5 boolean true | 6 number formula 0.3 | 7 text Zeile\n',
    '3: 0 text 00007 | 1 date 2027-02-01 00:00:01 | 2 text 17:05:00 | 3 number -0.5 | 4 number -3 | 5 boolean false | 6 number formula -6 | 7 text   Größe, „Ж“ 你好 😀 ',
  ]);
});

it('names sheets, and those that are hidden', async () => {
  const { sheets, hasMacros } = await saved('hidden-sheets.xlsx');
  expect(sheets.map(({ name, isHidden }) => [name, isHidden])).toEqual([
    ['Plan', false],
    ['Settings', true],
    ['Old & "new"', false],
  ]);
  expect(hasMacros).toBe(false);
});

it('counts formulas, errors, hidden rows and merged cells', async () => {
  const formulas = await read(await saved('formulas.xlsx'));
  expect(formulas.rows[2]).toBe(
    '3: 0 text South | 1 number 20 | 2 number 0 | 3 error formula #DIV/0!',
  );
  expect(formulas.facts).toMatchObject({ formulas: 5, errors: 3, firstError: 'D3', unknown: 0 });
  const merged = await read(await saved('merged.xlsx'));
  expect(merged.facts).toMatchObject({ merged: 1, hiddenRows: 1 });
});

it('counts days from 1904 where a workbook says so', async () => {
  const rows = await rowsOf(await saved('dates-1904.xlsx'));
  expect(rows.slice(1)).toEqual([
    '2: 0 date 1904-01-02 | 1 number 1',
    '3: 0 date 2027-03-01 | 1 number 2',
    '4: 0 date 2000-02-29 | 1 number 3',
  ]);
});

it('leaves the numbers of days that Excel does not have as numbers', async () => {
  const styles =
    '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>';
  const days = ['0', '1', '59', '60', '61', '-5', '2958465', '2958466', '46053.520833333'];
  const cells = days.map((day) => `<c s="1"><v>${day}</v></c>`).join('');
  expect(await rowsOf(await made(cells, { 'xl/styles.xml': styles }))).toEqual([
    '1: 0 number 0 | 1 date 1900-01-01 | 2 date 1900-02-28 | 3 number 60 | 4 date 1900-03-01 | 5 number -5 | 6 date 9999-12-31 | 7 number 2958466 | 8 date 2026-01-31 12:30:00',
  ]);
});

it('reads every way to write a cell', async () => {
  const shared =
    '<sst><si><t>one</t></si><si><r><t>two </t></r><rPh><t>guide</t></rPh><r><t xml:space="preserve"> parts</t></r></si></sst>';
  const cells = [
    '<x:c r="A1" t="s"><x:v>1</x:v></x:c>',
    '<c r="C1" t="inlineStr"><is><t>a&lt;b&#x41; _x000D__x005F_x0041_</t></is></c>',
    "<c t = 'str'  r= 'D1' ><f>A1&amp;\"x\"</f><v>if &gt; 5</v></c>",
    '<c r="AA1"><v>1.5E-7</v></c>',
    '<c r="AB1" t="b"><v>1</v></c><c r="AC1" t="e"><v>#N/A</v></c>',
    '<c r="AD1" t="d"><v>2027-01-31T00:00:00</v></c>',
    '<c r="AE1"><f>A1+1</f></c><c r="AF1" s="7"/><c r="AG1"><v><![CDATA[8]]></v></c>',
    '<!-- > no cell <c> --><c r="AH1" t="str"><f>""</f><v></v></c>',
  ];
  const workbook = await made(cells.join('\n'), { 'xl/sharedStrings.xml': shared });
  const { rows, facts } = await read(workbook);
  expect(rows).toEqual([
    '1: 0 text two  parts | 2 text a<bA \r_x0041_ | 3 text formula if > 5 | 26 number 1.5E-7 | 27 boolean true | 28 error #N/A | 29 date 2027-01-31 | 30 unknown formula =A1+1 | 32 number 8',
  ]);
  expect(facts).toMatchObject({ formulas: 3, unknown: 1, firstUnknown: 'AE1', firstError: 'AC1' });
});

it('reads a sheet repeatedly, whose rows are many parts of the archive', async () => {
  const row = (y: number) =>
    `<row r="${y}"><c r="A${y}"><v>${y}</v></c><c r="B${y}" t="inlineStr"><is><t>Größe ${y}</t></is></c></row>`;
  const cells = Array.from({ length: 20_000 }, (_, i) => row(i + 1)).join('');
  const workbook = await made(cells);
  const first = await rowsOf(workbook);
  expect([first.length, first.at(-1)]).toEqual([
    20_000,
    '20000: 0 number 20000 | 1 text Größe 20000',
  ]);
  expect(await rowsOf(workbook)).toEqual(first);
});

it.each([
  [
    'a file that is cut off',
    (bytes: Uint8Array<ArrayBuffer>) => bytes.slice(0, -100),
    /the end of the archive is missing/,
  ],
  ['an empty file', () => new Uint8Array(), /the end of the archive is missing/],
  [
    'bytes that were changed',
    (bytes: Uint8Array<ArrayBuffer>) =>
      bytes.map((byte, i) => (i > 400 && i < 420 ? byte ^ 0x55 : byte)),
    /damaged/,
  ],
])('refuses %s', async (_, change, sentence) => {
  expect(await failure(openBytes(change(zipped(filesOf('<c><v>1</v></c>')))))).toMatch(sentence);
});

it.each([
  [
    'declared entities',
    '<!DOCTYPE x [<!ENTITY a "aaaa">]><c><v>1</v></c>',
    /declares a document type/,
  ],
  ['unknown entities', '<c t="str"><v>&a;</v></c>', /its XML has “&a;”/],
  ['XML that is cut off', '<c><v>1</v>', /not in its place|cut off|damaged/],
  ['numbers without digits', '<c r="B1"><v>five</v></c>', /B1 has “five” for a number/],
  [
    'cells that are not in order',
    '<c r="B1"><v>1</v></c><c r="A1"><v>1</v></c>',
    /the cell A1 is not in its place in row 1/,
  ],
  [
    'columns that Excel does not have',
    '<c r="XFE1"><v>1</v></c>',
    /the cell XFE1 is not in its place/,
  ],
  [
    'rows that Excel does not have',
    '<row r="1048577"><c><v>1</v></c></row>',
    /row 0 is followed by row 1048577/,
  ],
  ['texts that are not there', '<c t="s"><v>5</v></c>', /A1 refers to a text that is not there/],
  ['the character U+0000', '<c t="inlineStr"><is><t>a_x0000_</t></is></c>', /U\+0000/],
  [
    'cells that are too long',
    `<c t="str"><v>${'a'.repeat(100_001)}</v></c>`,
    /A1 has more than 100000 characters/,
  ],
  [
    'rows that are too long',
    `<c t="str"><v>${'a'.repeat(99_000)}</v></c>`.repeat(11),
    /Row 1 has more than 1000000 characters/,
  ],
  [
    'tags that are too long',
    `<c r="${' '.repeat(1_100_000)}"/>`,
    /a tag in .* has more than 65536 characters/,
  ],
  [
    'tags with very many values that contain the end of a tag',
    `<c ${'a=">"'.repeat(180_000)}/>`,
    /a tag in .* has more than 65536 characters/,
  ],
  [
    'texts that are too long',
    `<c t="str"><v>${'a'.repeat(1_100_000)}</v></c>`,
    /a comment or text in .* has more than 1000000 characters/,
  ],
  [
    'rows that are not closed',
    '<row r="1"><c><v>1</v></c><row r="2"><c><v>1</v></c></row></row>',
    /row 1 is not closed/,
  ],
])('refuses %s', async (_, cells, sentence) => {
  expect(await failure(made(cells))).toMatch(sentence);
});

it('keeps in memory only the texts that cells share, not the file that they were cut from', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const texts = Array.from({ length: 200 }, (_, i) => `The text with the number ${i}`);
  const notes = `<!--${'-'.repeat(60_000)}-->`;
  const shared = `<sst>${texts.map((text) => `<si><t>${text}</t></si>${notes}`).join('')}</sst>`;
  const cells = texts.map((_, i) => `<c t="s"><v>${i}</v></c>`).join('');
  const workbook = await made(cells, { 'xl/sharedStrings.xml': shared });
  collect();
  const before = process.memoryUsage().heapUsed;
  const sheet = await workbook.sheet(0);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(4_000_000);
  for await (const batch of sheet.rows()) {
    for (const { cells } of batch) expect(cells.map(({ text }) => text)).toEqual(texts);
  }
});

it('refuses a shared text that is too long, even if it has no end', async () => {
  const shared = `<sst><si><t>${`${'a'.repeat(60_000)}<!-- -->`.repeat(2)}</t></si></sst>`;
  const endless = shared.replace('</t></si>', '');
  for (const text of [shared, endless]) {
    expect(await failure(made('<c t="s"><v>0</v></c>', { 'xl/sharedStrings.xml': text }))).toBe(
      'A text has more than 100000 characters',
    );
  }
});

it.each([
  ['an OpenDocument file', 'plain.ods', /OpenDocument/],
  ['a workbook of the old format', 'plain.xls', /old Excel workbook/],
])('names %s', async (_, name, sentence) => {
  expect(await failure(saved(name))).toMatch(sentence);
});

it('names a workbook that is encrypted', async () => {
  const container = new Uint8Array(2_048);
  container.set([0xd0, 0xcf, 0x11, 0xe0]);
  container.set(Buffer.from('EncryptedPackage', 'utf16le'), 640);
  expect(await failure(openBytes(container))).toBe(
    'The workbook is encrypted: save it without a password',
  );
});

it('refuses archives without a workbook, and those that unpack to too much', async () => {
  expect(await failure(openBytes(zipped({ 'a.txt': 'a' })))).toBe(
    'The file is an archive without a workbook',
  );
  const bomb = filesOf(`<c><v>1</v></c>${' '.repeat(70_000_000)}`);
  expect(await failure(openBytes(zipped(bomb)))).toMatch(
    /sheet1\.xml unpacks to 70000\d+ bytes, which is too much/,
  );
  const styles = { 'xl/styles.xml': ' '.repeat(20_000_000) };
  expect(await failure(made('<c><v>1</v></c>', styles))).toMatch(
    /styles\.xml unpacks to 20000000 bytes/,
  );
  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`${i}`, '']));
  expect(await failure(openBytes(zipped(many)))).toMatch(/more than 10000 files/);
});

it('refuses an archive that lies about the size of a file', async () => {
  const bytes = zipped(filesOf(`<c><v>1</v></c>${' '.repeat(1_000_000)}`));
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length - 46; at++) {
    const isEntry = view.getUint32(at, true) === 0x02014b50;
    if (isEntry && view.getUint32(at + 24, true) > 1_000_000) view.setUint32(at + 24, 500, true);
  }
  expect(await failure(openBytes(bytes))).toMatch(/unpacks to more bytes than the archive says/);
});

it('calls a step after each unpacked part, so that reading can end', async () => {
  const row = '<row><c><v>1</v></c></row>';
  const bytes = zipped(filesOf(`${row}${' '.repeat(1_000_000)}`));
  let steps = 0;
  const workbook = await Workbook.open({
    ...blobBytes(new Blob([bytes])),
    step: () => {
      if (++steps > 10) throw new Error('It takes too long');
      return Promise.resolve();
    },
  });
  expect(await failure(Promise.resolve(workbook))).toBe('Error: It takes too long');
});
