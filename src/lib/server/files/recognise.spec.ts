import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { blobBytes } from '../../xlsx/bytes';
import { ConvertedRows, misfitSentence } from './copy-rows';
import { EncodingEvidence } from './encoding';
import { columnNames, tableNameOf } from './names';
import { type FileChoices, recognise } from './recognise';

async function* parts(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += 11) yield bytes.subarray(i, i + 11);
}

async function read(file: string | Uint8Array, choices: Partial<FileChoices> = {}) {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  const evidence = new EncodingEvidence();
  for await (const part of parts(bytes)) evidence.take(part);
  const open = () => parts(bytes);
  const plan = await recognise({
    name: 'file',
    open,
    bytes: blobBytes(new Blob([Uint8Array.from(bytes)])),
    isWorkbook: false,
    encoding: evidence.encoding(),
    lines: evidence.lines,
    choices: { types: [], ...choices },
  });
  const rows = new ConvertedRows(plan);
  let copied = '';
  for await (const text of rows.copyText()) copied += text.toString();
  return { ...plan, types: plan.columns.map(({ type }) => type), rows, copied };
}

describe('The encoding', () => {
  const text = 'Größe;Preis\nXL;5 €\n';
  it.each([
    ['utf-8', Buffer.from(text)],
    ['utf-8', Buffer.concat([Buffer.from('\ufeff'), Buffer.from(text)])],
    ['utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf-16le', Buffer.from(text, 'utf16le')],
    ['utf-16be', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['utf-16be', Buffer.from(text, 'utf16le').swap16()],
    ['windows-1252', Buffer.from(text.replace('€', '\x80'), 'latin1')],
  ])('%s is recognised', async (encoding, bytes) => {
    const file = await read(bytes);
    expect(file.encoding).toBe(encoding);
    expect(file.columns.map(({ cname }) => cname)).toEqual(['Größe', 'Preis']);
    expect(file.copied).toBe('XL\t5\n');
  });

  it('that was chosen must fit', async () => {
    const bytes = Buffer.from('a\n\xff', 'latin1');
    await expect(read(bytes, { encoding: 'utf-8' })).rejects.toThrow(
      'The file is not text in the encoding utf-8; choose another',
    );
  });
});

describe('The delimiter', () => {
  it.each([
    ['comma', 'a,b\n1,2\n'],
    ['semicolon', 'a;b\n1,5;2,5\n'],
    ['tab', 'a\tb\n"1,5"\t2\n'],
    ['pipe', 'a|b\n1|2'],
    ['semicolon', 'sep=;\na;b\n1;2\n'],
    ['comma', 'only\n1\n2\n'],
    ['semicolon', 'Nord;1,5\nSüd;2,5\n'],
    ['semicolon', '1,5;2,5;3,5\n4,5;5,5;6,5\n'],
    ['comma', '1,2\n3,4\n'],
    ['comma', 'a,b,note\n1,2,x;y\n3,4,z;w\n'],
    ['tab', 'Nord\t1,5\nSüd\t2,5\n'],
    ['comma', 'a,note\n1,"x;y;z"\n2,"x;y;z"\n'],
  ])('%s is recognised', async (delimiter, text) => {
    expect((await read(text)).delimiter).toBe(delimiter);
  });
});

describe('Types', () => {
  const typeOf = async (...cells: string[]) =>
    (await read(['name', ...cells].map((cell) => `"${cell}"`).join('\n'))).types[0];

  it.each([
    ['integer', ['1', '', '-20']],
    ['integer', ['1,234', '12']],
    ['numeric', ['1', '2.50']],
    ['text', ['12345678901234567890']],
    ['numeric', ['12345678901234567890.5']],
    ['numeric', ['5%', '7.5%']],
    ['numeric', ['€5.00', '€6.50']],
    ['numeric', ['(5.00)', '6.00']],
    ['date', ['2027-01-31', '2027-02-01']],
    ['date', ['2027-01-31 00:00:00', '2027-02-01']],
    ['timestamp', ['2027-01-31 08:00', '2027-02-01']],
    ['timestamptz', ['2027-01-31T08:00:00Z', '2027-02-01T00:00:00+02:00']],
    ['text', ['2027-01-31T08:00:00Z', '2027-02-01 00:00']],
    ['text', ['2027-01-31T08:00:00Z', '2027-02-01']],
    ['boolean', ['true', 'FALSE']],
    ['text', ['00123', '12']],
    ['text', ['1', 'NA']],
    ['text', ['NULL', '1']],
    ['text', ['5%', '7']],
    ['text', ['€5', '$5']],
    ['text', ['€5', '5']],
    ['text', ['yes', 'no']],
    ['text', ['2027-01-31', '2027-02-30']],
    ['text', ['=1+1', '=2+2']],
    ['text', ['a'.repeat(100), '1']],
  ])('%s is recognised in %j', async (type, cells) => {
    expect(await typeOf(...cells)).toBe(type);
  });

  it('that were chosen keep offsets from UTC', async () => {
    const cells = '2027-01-31T08:00:00+02:00\n2027-02-01 09:30\n';
    const moments = await read(`t\n${cells}`, { types: ['timestamp'] });
    expect([moments.copied, moments.rows.misfits]).toEqual([
      '2027-02-01 09:30:00\n',
      {
        row_count: 1,
        rows: [
          {
            line: 2,
            cname: 't',
            problem: '“2027-01-31T08:00:00+02:00” is not a date without an offset from UTC',
          },
        ],
      },
    ]);
    const days = await read('t\n2027-01-31T00:00:00Z\n2027-02-01T00:00\n', { types: ['date'] });
    expect(days.copied).toBe('2027-02-01\n');
    const [column] = (await read(`t\n${cells}`)).columns;
    expect(column).toMatchObject({ type: 'text', nearly: null });
  });

  it('come from all rows: the last one counts', async () => {
    const rows = Array.from({ length: 5000 }, (_, i) => `${i}`);
    expect(await typeOf(...rows)).toBe('integer');
    expect(await typeOf(...rows, '1.5')).toBe('numeric');
    const file = await read(['n', ...rows, 'x'].join('\n'));
    expect(file.columns[0]).toMatchObject({
      type: 'text',
      nearly: { type: 'integer', row_count: 1, lines: [5002] },
    });
  });

  it('do not depend on rows with too many or too few cells', async () => {
    const { types, rows } = await read(
      'day,n,t\n2027-01-01,1,x\nTotal,y\n5,6,7,8\n2027-01-02,2,y,\n',
    );
    expect([types, rows.rowCount, rows.misfits.row_count]).toEqual([
      ['date', 'integer', 'text'],
      2,
      2,
    ]);
    const none = await read('a,b\n1\n2\n', { delimiter: 'comma' });
    expect([none.types, none.rows.misfits.row_count]).toEqual([['text', 'text'], 2]);
  });

  it('have as many decimals as the cells', async () => {
    const { columns } = await read('a,b\n1.5,10%\n2.25,12.5%\n');
    expect(columns.map(({ scale }) => scale)).toEqual([2, 3]);
  });

  it('keep numbers exact in the preview', async () => {
    const { rows } = await read(
      'a,b,c\n123456789012345678,0.10,1234567890.123456789\n9007199254740992,-5.50,2\n',
      { types: ['integer'] },
    );
    expect(rows.first).toEqual([
      { a: '123456789012345678', b: 0.1, c: '1234567890.123456789' },
      { a: 9007199254740992, b: -5.5, c: 2 },
    ]);
  });

  it('that were chosen list the rows that do not fit', async () => {
    const { rows, copied } = await read('a,b\n1,x\ny,z\n2,w\n1,2,3\n4\n5,v,\n', {
      types: ['integer'],
    });
    expect(copied).toBe('1\tx\n2\tw\n5\tv\n');
    expect(rows.misfits).toEqual({
      row_count: 3,
      rows: [
        { line: 3, cname: 'a', problem: '“y” is not a whole number' },
        { line: 5, cname: null, problem: 'it has 3 cells, and the table 2 columns' },
        { line: 6, cname: null, problem: 'it has only 1 of 2 cells' },
      ],
    });
    expect(misfitSentence(rows.misfits)).toBe(
      '3 rows do not fit, and no table was made. Change the types, or leave these rows out. line 3, “a”: “y” is not a whole number; line 5: it has 3 cells, and the table 2 columns; line 6: it has only 1 of 2 cells',
    );
    await expect(read('a\n1', { types: ['integer', 'text'] })).rejects.toThrow(
      'types: the file has 1 columns, not 2',
    );
  });
});

describe('Notations', () => {
  it('follow the columns that leave no choice', async () => {
    const german = await read('a;b\n1.234;1,5\n2.500;2,5\n');
    expect([german.decimal, german.unsure, german.copied]).toEqual([
      'comma',
      [],
      '1234\t1.5\n2500\t2.5\n',
    ]);
    const english = await read('a;b\n1.234;1.5\n');
    expect([english.decimal, english.unsure]).toEqual(['point', []]);
  });

  it('that the file leaves open are reported', async () => {
    const file = await read('a,d\n1.234,1/2/2027\n1.500,3/4/2027\n');
    expect(file).toMatchObject({
      decimal: 'point',
      dateOrder: 'mdy',
      unsure: ['decimal', 'date_order'],
    });
    const chosen = { decimal: 'comma', dateOrder: 'dmy' } as const;
    const other = await read('a,d\n1.234,1/2/2027\n', chosen);
    expect([other.unsure, other.copied]).toEqual([[], '1234\t2027-02-01\n']);
  });

  it('follow the columns of which almost all cells fit', async () => {
    const days = Array.from({ length: 60 }, (_, i) => `${(i % 28) + 1}/${(i % 12) + 1}/2027`);
    const dates = ['d', ...days, 'n/a'].join('\n');
    for (const types of [[], ['date']] as const) {
      const { dateOrder, unsure } = await read(dates, { types });
      expect([dateOrder, unsure]).toEqual(['dmy', []]);
    }
    const chosen = await read(dates, { types: ['date'] });
    expect([chosen.copied.split('\n')[4], chosen.rows.misfits.row_count]).toEqual([
      '2027-05-05',
      1,
    ]);
    const amounts = await read('a;b\n1,5;1.234\n2,5;1.500\n3,5;\n4,5;\n5,5;\nn/a;\n');
    expect([amounts.decimal, amounts.unsure]).toEqual(['comma', []]);
  });

  it('follow a column whose type was chosen, with any number of cells that do not fit', async () => {
    const rest = Array.from({ length: 100 }, () => 'n/a');
    const late = ['d', '1/2/2027', ...rest, '13/2/2027'].join('\n');
    expect(await read(late, { types: ['date'] })).toMatchObject({ dateOrder: 'dmy', unsure: [] });
    expect(await read(late)).toMatchObject({ unsure: [] });
  });

  it('that are left open by almost all cells, or by the chosen type, are reported', async () => {
    const five = ['1.204', '1.300', '1.400', '1.500', '1.600', 'n/a'];
    expect((await read(['a', ...five].join('\n'))).unsure).toEqual(['decimal']);
    expect((await read('a\n1.204\nn/a\n')).unsure).toEqual([]);
    expect((await read('a\n1.204\nn/a\n', { types: ['numeric'] })).unsure).toEqual(['decimal']);
    expect((await read('a\n1/2/2027\nn/a\n', { types: ['date'] })).unsure).toEqual(['date_order']);
  });

  it('of dates follow a day that is no month', async () => {
    const file = await read('d\n1/2/2027\n13/2/2027\n');
    expect(file).toMatchObject({
      dateOrder: 'dmy',
      unsure: [],
      copied: '2027-02-01\n2027-02-13\n',
    });
    const iso = await read('d\n2027-02-01\n');
    expect(iso).toMatchObject({ dateOrder: 'ymd', unsure: [] });
  });
});

describe('The header', () => {
  it.each([
    ['yes', 'Region,Amount\nNorth,5\n'],
    ['no', 'North,5\nSouth,6\n'],
    ['yes', 'Region,City\nNorth,Kiel\n'],
    ['yes', 'Region,2026,2027\nNorth,5,6\n'],
    ['yes', 'Day\n2027-01-01\n'],
    ['no', '2027-01-01\n2027-01-02\n'],
  ])('%s is recognised in %j', async (header, text) => {
    expect((await read(text)).header).toBe(header);
  });

  it('needs rows below it', async () => {
    await expect(read('a,b\n')).rejects.toThrow('The file has a line with names and no rows');
    await expect(read('\n , \n')).rejects.toThrow('The file is empty');
    await expect(read('a,b\n', { header: 'no' })).resolves.toMatchObject({ copied: 'a\tb\n' });
  });

  it('may lack the name of a column that has cells', async () => {
    const { columns, rows } = await read('a,,c,\n1,2,3,\n');
    expect(columns.map(({ cname }) => cname)).toEqual(['a', 'Column 2', 'c']);
    expect(rows.misfits.row_count).toBe(0);
  });
});

describe('Names', () => {
  it('of columns are different, one line, and not too long', () => {
    const long = 'é'.repeat(40);
    expect(columnNames(['a', 'A', 'a', ' a ', '', 'x\ny', 'ctid', 'say "hi"', long, long])).toEqual(
      [
        'a',
        'A',
        'a 2',
        'a 3',
        'Column 5',
        'x y',
        'ctid 2',
        'say "hi"',
        'é'.repeat(31),
        `${'é'.repeat(30)} 2`,
      ],
    );
  });

  it('of tables come from those of files', () => {
    expect(tableNameOf('Sales 2027.csv')).toBe('Sales 2027');
    expect(tableNameOf('sales.v2.TSV')).toBe('sales.v2');
    expect(tableNameOf(`${'x'.repeat(70)}.csv`)).toBe('x'.repeat(63));
    expect(tableNameOf('.csv')).toBe('');
  });
});

it('Texts stay as they are, and empty cells become NULL', async () => {
  const { copied } = await read('a,b\n" x ","tab\there\\ and\nline"\n"","  "\n=SUM(A1),NULL\n');
  expect(copied).toBe(' x \ttab\\there\\\\ and\\nline\n=SUM(A1)\tNULL\n');
});
