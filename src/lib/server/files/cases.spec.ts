import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blobBytes } from '../../xlsx/bytes';
import { ConvertedRows } from './copy-rows';
import { EncodingEvidence } from './encoding';
import { type FileChoices, recognise } from './recognise';

/** Reads a file, and gives its rows as a COPY has them, with its questions by parameter. */
async function read(file: string | Uint8Array, choices: Partial<FileChoices> = {}) {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  const evidence = new EncodingEvidence();
  evidence.take(bytes);
  async function* open() {
    yield bytes;
  }
  const encoding = evidence.encoding();
  const plan = await recognise({
    ...{ name: 'file', open, bytes: blobBytes(new Blob([Uint8Array.from(bytes)])) },
    ...{ isWorkbook: false, encoding, lines: encoding.startsWith('utf') ? [] : evidence.lines },
    choices: { types: [], ...choices },
  });
  const rows = new ConvertedRows(plan);
  let copied = '';
  for await (const text of rows.copyText()) copied += text.toString();
  const ask = (parameter: string) => plan.questions.find((each) => each.parameter === parameter);
  return {
    ...plan,
    types: plan.columns.map(({ type }) => type),
    scales: plan.columns.map(({ type, scale }) => (type === 'numeric' ? scale : null)),
    names: plan.columns.map(({ cname }) => cname),
    rows: copied.split('\n').slice(0, -1),
    misfits: rows.misfits.row_count,
    ask,
    /** The first example of each reading. */
    readings: (parameter: string) =>
      Object.fromEntries(
        (ask(parameter)?.readings ?? []).map(({ value, examples }) => [value, examples[0]?.reads]),
      ),
  };
}

const saved = (name: string, choices?: Partial<FileChoices>) =>
  read(readFileSync(`tests/fixtures/files/${name}`), choices);

describe('Codes', () => {
  it('with an exponent stay texts, and are asked', async () => {
    const file = await saved('sku.csv');
    expect([file.types, file.unsure]).toEqual([['text', 'integer'], ['types']]);
    expect(file.rows).toEqual(['1E5\t5', '2E10\t6', '10E4\t7']);
    expect(file.ask('types')).toMatchObject({ cname: 'SKU', value: 'text' });
    expect(file.readings('types')).toEqual({ text: '1E5', integer: '100000' });
    expect((await saved('sku.csv', { types: ['numeric'] })).rows[0]).toBe('100000\t5');
  });

  it.each([
    ['1234567890123456', 'text'],
    ['123456789012345', 'integer'],
    ['1,234,567,890,123,456', 'integer'],
    ['€1234567890123456', 'integer'],
    ['007', 'text'],
    ['1E+5', 'integer'],
    ['1.0E5', 'integer'],
    ['2e-3', 'numeric'],
  ])('%s alone is %s', async (cell, type) => {
    expect((await read(`A,B\n"${cell}",x\n`)).types[0]).toBe(type);
  });

  it('that become one number are asked', async () => {
    const file = await read('Version,Amount\n1.1,1\n1.10,2\n1.2,3\n');
    expect([file.types[0], file.unsure]).toEqual(['numeric', ['types']]);
    expect(file.ask('types')?.why).toBe('Different texts are one number, such as 1.1 and 1.10.');
    expect(file.readings('types')).toEqual({ numeric: '1.10', text: '1.10' });
    expect((await read('A\n1.10\n2.20\n')).questions).toEqual([]);
  });
});

describe('Digits', () => {
  it('from a binary number are left out, and decimals can be chosen', async () => {
    const file = await saved('noise.csv');
    expect(file.rows).toEqual(['North\t100', 'South\t250.5', 'East\t0.3']);
    expect(file.scales).toEqual([null, 2]);
    expect(file.readings('decimals')).toMatchObject({ '1': '0.3', '2': '0.30' });
    const full = await saved('noise.csv', { decimals: [undefined, 15] });
    expect([full.rows[2], full.scales[1]]).toEqual(['East\t0.300000000000000', 15]);
    expect(full.ask('decimals')?.why).toContain('amounts from 4.50 on cannot be typed exactly');
    expect((await saved('noise.csv', { decimals: [undefined, 0] })).rows).toEqual([
      'North\t100',
      'South\t251',
      'East\t0',
    ]);
  });

  it.each([
    ['100.10000000000001', '100.1'],
    ['0.10000000000000001', '0.1'],
    ['-5.000000000000001', '-5'],
    ['1234567890.123456789', '1234567890.123456789'],
    ['0.123456789012345', '0.123456789012345'],
    ['123456789012345678.25', '123456789012345678.25'],
  ])('of %s give %s', async (cell, text) => {
    expect((await read(`A,B\n${cell},x\n`)).rows).toEqual([`${text}\tx`]);
  });
});

describe('Rows', () => {
  it('that end before the last column are filled', async () => {
    const file = await saved('short-rows.csv');
    expect([file.rows.length, file.misfits]).toEqual([20, 0]);
    expect(file.rows.at(-1)).toBe('2026-02-01\tNorth\t119\t\\N');
    expect(file.ask('short_rows')).toMatchObject({
      why: '4 rows end before the last column, from line 18 on.',
      value: 'fill',
    });
    expect((await saved('short-rows.csv', { shortRows: 'misfit' })).misfits).toBe(4);
  });

  it('with one cell more than the header give it one name', async () => {
    const file = await saved('header-one-short.csv');
    expect(file.names).toEqual(['Column 1', 'Region', 'Amount']);
    expect(file.rows).toEqual(['1\tNorth\t5', '2\tSouth\t7']);
    expect(file.unsure).toEqual(['missing_name']);
    expect(file.readings('missing_name')).toEqual({
      first: '(no name), Region, Amount',
      last: 'Region, Amount, (no name)',
    });
    const last = await saved('header-one-short.csv', { missingName: 'last' });
    expect(last.names).toEqual(['Region', 'Amount', 'Column 3']);
    expect((await read('A,B\n1,2,\n3,4,\n')).names).toEqual(['A', 'B']);
  });

  it('and columns that add up others are left out unless they are kept', async () => {
    const file = await saved('wide.csv');
    expect(file.months?.names).toEqual(['Jan-26', 'Feb-26', 'Mar-26']);
    expect([file.rows.length, file.rows[0]]).toEqual([6, 'North\t2026-01-01\t1']);
    expect(file.ask('totals')).toMatchObject({
      value: 'leave_out',
      why: '1 column adds up months: “Full Year”. 1 row adds up the rows above: “Total” in line 4.',
    });
    const kept = await saved('wide.csv', { totals: 'keep' });
    expect([kept.names, kept.rows.length]).toEqual([['Region', 'Full Year', 'Month', 'Amount'], 9]);
  });

  it.each([
    ['subtotals and a total', 'N,1\nN,2\nN total,3\nS,4\nTotal S,4\nGrand Total,7\n', 3],
    ['a comma', 'N,"1,5"\nS,"2,5"\nSumme,"4,0"\n', 1],
    ['rounded amounts', 'N,1.4\nS,1.4\nTotal,2.9\n', 0],
    ['another sum', 'N,1\nS,2\nTotal,9\n', 0],
    ['zeros', 'N,0\nTotal,0\n', 0],
    ['a customer', 'Total SE,1\nShell,2\nTotal SE,5\n', 0],
  ])('that add up others are found among %s', async (_, text, count) => {
    const rows = text.split('\n').length - 1;
    expect((await read(`Region,Amount\n${text}`)).rows.length).toBe(rows - count);
  });

  it('that are named like a total and are none are said', async () => {
    expect((await read('R,A\nN,1\nS,2\nTotal,9\n')).notes).toEqual([
      'Line 4 is named “Total” and is not the sum of the rows above. It is read as a row.',
    ]);
  });
});

describe('Dates', () => {
  it('of eight digits are dates, and are asked', async () => {
    const file = await saved('yyyymmdd.csv');
    expect(file.rows).toEqual(['2026-01-05\t5', '2026-02-06\t6']);
    expect([file.types, file.unsure]).toEqual([['date', 'integer'], ['types']]);
    expect(file.readings('types')).toEqual({
      ...{ date: '2026-01-05', integer: '20260105', text: '20260105' },
    });
    expect((await saved('yyyymmdd.csv', { types: ['integer'] })).rows[0]).toBe('20260105\t5');
    expect((await read('D,A\n20260105,1\n20261305,2\n')).types[0]).toBe('integer');
    expect((await read('D,A\n20260105,1\nx,2\n', { types: ['date'] })).rows).toEqual([
      '2026-01-05\t1',
    ]);
  });

  it('that are the first days of consecutive months are, and are asked', async () => {
    const file = await saved('dmy.csv');
    expect([file.dateOrder, file.unsure]).toEqual(['dmy', ['date_order']]);
    expect(file.rows.map((row) => row.slice(5, 10))).toEqual(
      Array.from({ length: 24 }, (_, i) => `${String((i % 12) + 1).padStart(2, '0')}-01`),
    );
    expect(file.ask('date_order')?.readings.map(({ examples }) => examples[1]?.reads)).toEqual([
      '2024-03-01',
      '2024-01-03',
    ]);
    expect((await read('D\n01/01/2024\n02/01/2024\n03/01/2024\n')).dateOrder).toBe('mdy');
    expect((await read('D\n01.01.2024\n01.02.2024\n01.04.2024\n')).dateOrder).toBe('mdy');
  });

  it('with two-digit years are shown', async () => {
    expect((await read('D,A\n31.01.27,1\n')).notes).toEqual([
      'Years of “D” have two digits: 31.01.27 is 2027-01-31.',
    ]);
  });
});

describe('A dash among numbers', () => {
  it('is zero unless another reading is chosen', async () => {
    const file = await saved('dash.csv');
    expect(file.rows).toEqual(['x\t1234.50', 'y\t0', 'z\t2000.00']);
    expect([file.unsure, file.readings('dashes')]).toEqual([
      ['dashes'],
      { zero: '0', empty: '(empty)', text: '-' },
    ]);
    expect((await saved('dash.csv', { dashes: 'empty' })).rows[1]).toBe('y\t\\N');
    expect((await saved('dash.csv', { dashes: 'text' })).types).toEqual(['text', 'text']);
  });

  it.each(['–', '—', '−', '€ -', '- €', '-€'])('may be %s', async (dash) => {
    expect((await read(`A,B\n${dash},x\n5,y\n`)).rows[0]).toBe('0\tx');
  });

  it('is a text in a column without numbers', async () => {
    expect((await read('A,B\n-,x\n-,y\n')).rows).toEqual(['-\tx', '-\ty']);
  });
});

describe('The encoding', () => {
  const CZECH = 'Město;Částka\nPříbram;5\nŽďár nad Sázavou;6\nKroměříž;7\n';
  const POLISH = 'Miasto;Kwota\nŁódź;5\nGdańsk;6\nBiałystok;7\nŚwinoujście;8\n';
  const FRENCH = 'Ville;Montant\nBesançon;5\nOrléans;6\nSaint-Étienne;7\nNîmes à l’été;8\n';
  const GERMAN = 'Größe;Betrag\nMünchen;5\nKöln für Ärzte;6\nÜberlingen;7\n';
  const RUSSIAN = 'Город;Сумма\nМосква;5\nСанкт-Петербург;6\n';
  const JAPANESE = '都市;金額\n東京;5\nスーパー;6\n大阪の店;7\n';
  /** Encodes a text by the table that the decoder has. */
  const encoded = (text: string, encoding: string): Uint8Array => {
    const bytes = new Map<string, number[]>();
    const decode = (codes: number[]) =>
      new TextDecoder(encoding).decode(Uint8Array.from(codes), { stream: true });
    for (let i = 0; i < 256; i++) bytes.set(decode([i]), [i]);
    if (encoding === 'shift_jis') {
      for (let i = 0x81; i < 0xf0; i++)
        for (let j = 0x40; j < 0xfd; j++)
          if (!bytes.has(decode([i, j]))) bytes.set(decode([i, j]), [i, j]);
    }
    return Uint8Array.from([...text].flatMap((character) => bytes.get(character) ?? [0x3f]));
  };

  it.each([
    ['windows-1250', POLISH],
    ['windows-1250', CZECH],
    ['windows-1252', FRENCH],
    ['windows-1252', GERMAN],
    ['windows-1251', RUSSIAN],
    ['macintosh', GERMAN],
    ['macintosh', FRENCH],
    ['shift_jis', JAPANESE],
  ])('%s is recognised or asked', async (encoding, text) => {
    const file = await read(encoded(text, encoding));
    const offered = file.ask('encoding')?.readings.map(({ value }) => value);
    expect(offered).toContain(encoding);
    if (file.encoding !== encoding) expect(file.unsure).toContain('encoding');
    const chosen = await read(encoded(text, encoding), { encoding: encoding as 'shift_jis' });
    expect(chosen.rows.length).toBe(text.split('\n').length - 2);
    expect([chosen.names.join(';'), ...chosen.rows].join('\n').replaceAll('\t', ';')).toBe(
      text.trimEnd(),
    );
  });

  it.each([
    ['windows-1250', POLISH],
    ['windows-1252', GERMAN],
    ['windows-1251', RUSSIAN],
    ['macintosh', GERMAN],
    ['shift_jis', JAPANESE],
  ])('%s is recognised', async (encoding, text) => {
    const file = await read(encoded(text, encoding));
    expect([file.encoding, file.unsure.includes('encoding')]).toEqual([encoding, false]);
  });

  it('is asked with the first lines as they would read', async () => {
    const file = await read(encoded(CZECH, 'windows-1250'));
    expect(file.unsure).toContain('encoding');
    expect(file.readings('encoding')).toMatchObject({
      'windows-1250': 'Město;Částka',
      'windows-1252': 'Mìsto;Èástka',
    });
  });
});
