import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { FilePreview } from '../../src/lib/contract/files';
import { XLSX } from '../../src/lib/contract/primitives';
import { it } from '../support/api';
import type { Answer } from '../support/http';
import type { Service } from '../support/service';
import { filesOf, zipped } from '../support/workbook-files';

type Body = Uint8Array<ArrayBuffer>;

/** A workbook that LibreOffice has saved. */
const saved = (name: string): Body =>
  new Uint8Array(readFileSync(`tests/fixtures/workbooks/${name}`));

function send(
  { api }: Pick<Service, 'api'>,
  path: '/files' | '/files/preview',
  body: Body,
  query: Record<string, string> = {},
): Promise<Answer> {
  const options = { method: 'POST', body, headers: { 'content-type': XLSX } };
  return api.send(`${path}?${new URLSearchParams({ name: 'plan.xlsx', ...query })}`, options);
}

const preview = async (service: Service, body: Body, query?: Record<string, string>) => {
  const answer = await send(service, '/files/preview', body, query);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body as FilePreview;
};

/** Makes a table of a workbook and returns its rows. */
async function rowsOf(service: Service, body: Body, query: Record<string, string>) {
  const answer = await send(service, '/files', body, query);
  expect([answer.status, answer.body.error]).toEqual([201, undefined]);
  const { schema, tname } = answer.body;
  expect(schema).toBe('pf_files');
  return service.query(`SELECT * FROM pf_files."${tname}"`);
}

const typesOf = ({ columns }: FilePreview) => columns.map(({ cname, type }) => [cname, type]);

describe('A workbook', () => {
  it('becomes a table with the types of its cells', async ({ service }) => {
    const file = await preview(service, saved('plain.xlsx'), { name: 'Sales 2027.xlsx' });
    expect(file).toMatchObject({
      ...{ tname: 'Sales 2027', taken: false, encoding: null, delimiter: null, header: 'yes' },
      row_count: 3,
      workbook: { sheet: 'Sales', sheets: [{ name: 'Sales', hidden: false }], notes: [] },
    });
    expect(await rowsOf(service, saved('plain.xlsx'), { name: 'Sales 2027.xlsx' })).toEqual([
      { Region: 'North', 'Order Date': '2027-01-31', Amount: '1204.50', Pieces: 3 },
      { Region: 'South', 'Order Date': '2027-02-28', Amount: '-20.00', Pieces: 4 },
      { Region: 'East & "West" <1>', 'Order Date': '1999-12-31', Amount: '0.30', Pieces: 0 },
    ]);
  });

  it('keeps codes as texts, and percentages and amounts as their numbers', async ({ service }) => {
    const file = await preview(service, saved('kinds.xlsx'));
    expect(typesOf(file)).toEqual([
      ['Code', 'text'],
      ['When', 'timestamp'],
      ['Time', 'text'],
      ['Share', 'numeric'],
      ['Price', 'numeric'],
      ['Open', 'boolean'],
      ['Sum', 'numeric'],
      ['Note', 'text'],
    ]);
    expect(file.rows[0]).toEqual({
      Code: '00123',
      When: '2027-01-31 12:30:15',
      Time: '08:30:00',
      Share: 0.125,
      Price: 1204.5,
      Open: true,
      Sum: 0.3,
      Note: 'Zeile\n',
    });
  });

  it('has the digits that Excel shows, not those of the binary form', async ({ service }) => {
    const digits = ['0.30000000000000004', '1234567.8900000001', '-5.0999999999999996', '1E-7'];
    const cells = digits.map((v) => `<row><c><v>${v}</v></c></row>`).join('');
    const body = zipped(filesOf(`<row><c t="str"><v>Amount</v></c></row>${cells}`));
    const rows = await rowsOf(service, body, { name: 'digits' });
    expect(rows.map(({ Amount }) => Number(Amount))).toEqual([0.3, 1234567.89, -5.1, 1e-7]);
    expect(rows[0]).toEqual({ Amount: '0.3000000' });
  });

  it('may mix numbers with texts that have a decimal comma', async ({ service }) => {
    expect(typesOf(await preview(service, saved('german.xlsx')))).toEqual([
      ['Größe', 'text'],
      ['Datum', 'date'],
      ['Umsatz', 'numeric'],
    ]);
    const text = (value: string) => `<c t="str"><v>${value}</v></c>`;
    const body = zipped(
      filesOf(
        `<row>${text('Plan')}${text('Ist')}</row><row>${text('1.204,50')}<c><v>1.204</v></c></row>`,
      ),
    );
    expect(await rowsOf(service, body, { name: 'mixed' })).toEqual([
      { Plan: '1204.50', Ist: '1.204' },
    ]);
  });

  it('may count its days from 1904', async ({ service }) => {
    const rows = await rowsOf(service, saved('dates-1904.xlsx'), { name: 'old days' });
    expect(rows.map(({ Day }) => Day)).toEqual(['1904-01-02', '2027-03-01', '2000-02-29']);
  });

  it('with dates before 1900 has rows that do not fit', async ({ service }) => {
    const file = await preview(service, saved('dates-old.xlsx'), { types: 'date' });
    expect(file.misfits).toEqual({
      row_count: 1,
      rows: [{ line: 5, cname: 'Day', problem: '“-18109” is not a date' }],
    });
  });

  it('is read from its first visible sheet, or from the one that is named', async ({ service }) => {
    const sheets = '<sheet name="Cover" sheetId="3" r:id="s3"/>';
    const hidden = '<sheet name="Rates" sheetId="1" state="hidden" r:id="s1"/>';
    const files = filesOf('<c t="str"><v>rate</v></c>');
    const body = zipped({
      ...files,
      'xl/workbook.xml': `<workbook><sheets>${hidden}${sheets}<sheet name="Plan" sheetId="2" r:id="s2"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships>${[1, 2, 3].map((n) => `<Relationship Id="s${n}" Type="x/worksheet" Target="worksheets/sheet${n}.xml"/>`).join('')}</Relationships>`,
      'xl/worksheets/sheet2.xml':
        '<worksheet><sheetData><row><c t="str"><v>Amount</v></c></row><row><c><v>5</v></c></row></sheetData></worksheet>',
      'xl/worksheets/sheet3.xml': '<worksheet><sheetData/></worksheet>',
    });
    const { workbook, rows } = await preview(service, body);
    expect(rows).toEqual([{ Amount: 5 }]);
    expect(workbook).toEqual({
      sheet: 'Plan',
      sheets: [
        { name: 'Rates', hidden: true },
        { name: 'Cover', hidden: false },
        { name: 'Plan', hidden: false },
      ],
      notes: [],
    });
    const named = await preview(service, saved('hidden-sheets.xlsx'), { sheet: 'Settings' });
    expect(named.rows).toEqual([{ Key: 'rate', Value: 1.1 }]);
    const missing = await send(service, '/files', body, { sheet: 'Budget' });
    expect([missing.status, missing.body]).toEqual([
      400,
      { error: 'sheet: the workbook has no sheet “Budget”', field: 'sheet' },
    ]);
    const empty = await send(service, '/files', body, { sheet: 'Cover' });
    expect([empty.status, empty.body.error]).toEqual([422, 'The sheet is empty']);
  });

  it('is searched for a sheet with cells up to the twentieth', async ({ service }) => {
    const withCells = (last: number) => {
      const numbers = Array.from({ length: last }, (_, i) => i + 1);
      const sheets = numbers.map((n) => `<sheet name="S${n}" r:id="${n === last ? 's1' : 's9'}"/>`);
      const files = filesOf('<row><c t="str"><v>A</v></c></row><row><c><v>1</v></c></row>');
      const list = files['xl/_rels/workbook.xml.rels'] ?? '';
      const empty = list.replace(/.*?(<Relationship Id="s1"[^>]*>).*/, '$1');
      return zipped({
        ...files,
        'xl/workbook.xml': `<workbook><sheets>${sheets.join('')}</sheets></workbook>`,
        'xl/_rels/workbook.xml.rels': list.replace(
          '</Relationships>',
          `${empty.replace('"s1"', '"s9"').replace('sheet1', 'sheet9')}</Relationships>`,
        ),
        'xl/worksheets/sheet9.xml': '<worksheet><sheetData/></worksheet>',
      });
    };
    expect((await preview(service, withCells(20))).workbook?.sheet).toBe('S20');
    const { status, body } = await send(service, '/files/preview', withCells(21));
    expect([status, body.error]).toEqual([
      422,
      'The first 20 sheets are empty. Choose the sheet to read',
    ]);
    expect((await preview(service, withCells(21), { sheet: 'S21' })).row_count).toBe(1);
  });

  it('says what its formulas, errors, merged cells and hidden rows become', async ({ service }) => {
    const { workbook, columns } = await preview(service, saved('formulas.xlsx'));
    expect(workbook?.notes).toEqual([
      '5 cells are formulas. Their saved values are taken.',
      '3 cells have an error such as #N/A, the first in D3.',
    ]);
    expect(columns[3]).toEqual({ cname: 'Total', type: 'text', decimals: null, nearly: null });
    const said = await preview(service, saved('formulas.xlsx'), { types: ',numeric,,numeric' });
    expect(said.misfits.rows).toEqual([
      { line: 3, cname: 'Total', problem: '“#DIV/0!” is not a number' },
      { line: 4, cname: 'Amount', problem: '“#N/A” is not a number' },
    ]);
    const merged = await preview(service, saved('merged.xlsx'));
    expect(merged.workbook?.notes).toEqual([
      '1 area of cells is merged. The value is in the first cell of each; the others are empty.',
      'Hidden rows and columns are read, too: 1 hidden row.',
    ]);
    expect(merged.rows[1]).toEqual({ Region: null, Month: '2027-02', Amount: 2 });
    const unknown = await preview(
      service,
      zipped(
        filesOf(
          '<row><c t="str"><v>Amount</v></c></row><row><c><f>1+1</f></c></row><row><c><v>2</v></c></row>',
          { 'xl/vbaProject.bin': '' },
        ),
      ),
    );
    expect(unknown.rows).toEqual([{ Amount: '=1+1' }, { Amount: '2' }]);
    expect(unknown.workbook?.notes).toEqual([
      '1 formula has no saved value, the first in A2. Open the workbook in a spreadsheet and save it again.',
      'The workbook has macros. They are not run.',
    ]);
  });

  it('may begin anywhere in its sheet, with empty cells at the end of rows', async ({
    service,
  }) => {
    const gaps = await preview(service, saved('gaps.xlsx'));
    expect(gaps.rows).toEqual([
      { Region: 'North', Amount: 1 },
      { Region: 'South', Amount: 2 },
    ]);
    const rows =
      '<row><c t="str"><v>Region</v></c><c t="str"><v>Amount</v></c></row><row><c t="str"><v>North</v></c><c><v>1</v></c><c t="str"><v>a note</v></c></row><row><c t="str"><v>South</v></c></row>';
    const files = filesOf(rows);
    const sheet = files['xl/worksheets/sheet1.xml'] ?? '';
    const wide = sheet.replace('<sheetData>', '<dimension ref="A1:XFD3"/><sheetData>');
    const noted = await preview(service, zipped({ ...files, 'xl/worksheets/sheet1.xml': wide }));
    expect(noted.rows).toEqual([
      { Region: 'North', Amount: 1, 'Column 3': 'a note' },
      { Region: 'South', Amount: null, 'Column 3': null },
    ]);
  });

  it('may have titles above its table, and another row can be chosen', async ({ service }) => {
    const titled = saved('titles.xlsx');
    const recognised = await preview(service, titled);
    expect(recognised.start).toEqual({ line: 5, titles: ['Sales plan 2027', 'Unit EUR'] });
    expect(recognised.rows).toEqual([
      { Region: 'North', Product: 'Chair', Sales: 1204.5 },
      { Region: 'South', Product: 'Desk', Sales: 20 },
    ]);
    const later = await preview(service, titled, { first_line: '6', header: 'no' });
    expect(later.start?.titles).toEqual(['Sales plan 2027', 'Unit EUR', 'Region Product Sales']);
    expect(later.rows[0]).toEqual({ 'Column 1': 'North', 'Column 2': 'Chair', 'Column 3': 1204.5 });
    const first = await preview(service, titled, { first_line: '1' });
    expect([first.start, first.columns[0]?.cname]).toEqual([undefined, 'Sales plan 2027']);
    const gone = await send(service, '/files/preview', titled, { first_line: '99' });
    expect([gone.status, gone.body]).toEqual([
      400,
      { error: 'first_line: the file has no row from line 99 on', field: 'first_line' },
    ]);
    expect(await rowsOf(service, titled, { name: 'titled' })).toHaveLength(2);

    const text = 'Sales plan 2027\n"Unit";EUR\n\nRegion;Product;Day;Sales\nN;C;31.01.2027;1,5\n';
    const csv = await preview(service, new Uint8Array(Buffer.from(text)), { name: 'titled.csv' });
    expect([csv.start, csv.rows]).toEqual([
      { line: 4, titles: ['Sales plan 2027', 'Unit EUR'] },
      [{ Region: 'N', Product: 'C', Day: '2027-01-31', Sales: 1.5 }],
    ]);
  });

  it('with a column for each month becomes a table with a row for each', async ({ service }) => {
    const named = await preview(service, saved('months-names.xlsx'));
    expect(named.months).toMatchObject({ as: 'rows', year: 2027, asks_year: true });
    expect(typesOf(named)).toEqual([
      ['Region', 'text'],
      ['Product', 'text'],
      ['Month', 'date'],
      ['Amount', 'integer'],
    ]);
    await rowsOf(service, saved('months-names.xlsx'), { name: 'months' });
    const sums = await service.query(
      `SELECT "Region", count(*), sum("Amount"), min("Month"), max("Month") FROM pf_files.months GROUP BY 1 ORDER BY 1`,
    );
    expect(sums).toEqual([
      { Region: 'North', count: 12, sum: '78', min: '2027-01-01', max: '2027-12-01' },
      { Region: 'South', count: 11, sum: '720', min: '2027-01-01', max: '2027-12-01' },
    ]);
    const dated = await rowsOf(service, saved('months-dates.xlsx'), { name: 'dated' });
    expect(dated[3]).toEqual({ Konto: 4711, Month: '2027-01-01', Amount: '3.25' });
    const columns = await preview(service, saved('months-names.xlsx'), { months: 'columns' });
    expect(columns.columns.length).toBe(15);
  });

  it('as text may have a column for each month, too', async ({ service }) => {
    const body = new TextEncoder().encode('Region;Jan;Feb;Mär\nNord;1,5;2;x\n');
    const open = await preview(service, body, { name: 'plan.csv' });
    expect(open.months).toEqual({
      ...{ as: 'columns', year: null, asks_year: true },
      names: ['Jan', 'Feb', 'Mär'],
    });
    const titled = new TextEncoder().encode('Plan 2027\nRegion;Jan;Feb;Mär\nNord;1;2;3\n');
    const dated = await preview(service, titled, { name: 'plan 2026-11-27.csv' });
    expect(dated.months).toMatchObject({ as: 'rows', year: 2027, asks_year: true });
    const said = await preview(service, body, { year: '2028', types: ',date,numeric' });
    expect(said.rows).toEqual([
      { Region: 'Nord', Month: '2028-01-01', Amount: 1.5 },
      { Region: 'Nord', Month: '2028-02-01', Amount: 2 },
    ]);
    const gaps = new TextEncoder().encode('Region;Jan;Feb;Mär\nNord;1;2;3\nSüd;;;\n');
    const made = await send(service, '/files', gaps, { name: 'gaps.csv', year: '2028' });
    expect([made.body.row_count, made.body.months]).toMatchObject([
      3,
      { as: 'rows', year: 2028, empty_lines: { count: 1, lines: [3] } },
    ]);
    expect(said.misfits.rows).toEqual([
      { line: 2, cname: 'Amount', problem: '“x” is not a number' },
    ]);
    const query = { months: 'rows' };
    const asked = await send(service, '/files', body, query);
    expect([asked.status, asked.body]).toEqual([
      400,
      { error: 'year is missing: the months are named without their year', field: 'year' },
    ]);
    const far = await send(service, '/files/preview', body, { year: '3000' });
    expect([far.status, far.body.field]).toEqual([400, 'year']);
  });

  it.for<[name: string, body: Body, status: number, error: string]>([
    [
      'an old format',
      saved('plain.xls'),
      422,
      'The file is an old Excel workbook (.xls), which cannot be read: save it as .xlsx',
    ],
    [
      'OpenDocument',
      saved('plain.ods'),
      422,
      'The file is an OpenDocument file (.ods), which cannot be read: save it as .xlsx',
    ],
    ['another archive', zipped({ 'a.txt': 'a' }), 422, 'The file is an archive without a workbook'],
    [
      'an end that is missing',
      saved('plain.xlsx').slice(0, -50),
      422,
      'The workbook is damaged: the end of the archive is missing; the file may be cut off',
    ],
    [
      'a sheet that unpacks to too much',
      zipped(filesOf(`<c/>${' '.repeat(70_000_000)}`)),
      422,
      'xl/worksheets/sheet1.xml unpacks to 70000067 bytes, which is too much',
    ],
    [
      'too many columns',
      zipped(filesOf(`<row>${'<c><v>1</v></c>'.repeat(501)}</row>`)),
      422,
      'Row 1 of the sheet has more than 500 columns',
    ],
    [
      'a million cells in a row',
      zipped(filesOf(`<row>${'<c><v>1</v></c>'.repeat(1_000_000)}</row>`)),
      422,
      'The workbook is damaged: the cell 16385 is not in its place in row 1',
    ],
    [
      'declared entities',
      zipped(filesOf('<!DOCTYPE a [<!ENTITY b "bbbb">]><c t="str"><v>&b;</v></c>')),
      422,
      'The workbook cannot be read: xl/worksheets/sheet1.xml declares a document type, which workbooks do not have',
    ],
    [
      'names and no rows',
      zipped(filesOf('<c t="str"><v>a</v></c><c t="str"><v>b</v></c>')),
      422,
      'The file has a line with names and no rows',
    ],
  ])('with %s is refused with a sentence', async ([, body, status, error], { service }) => {
    for (const path of ['/files/preview', '/files'] as const) {
      const answer = await send(service, path, body, { name: 'hostile' });
      expect([answer.status, answer.body.error]).toEqual([status, error]);
    }
  });
});
