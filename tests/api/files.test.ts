import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import type { FilePreview } from '../../src/lib/contract/files';
import { XLSX } from '../../src/lib/contract/primitives';
import { it as base } from '../support/api';
import type { Answer } from '../support/http';
import { hold, untilWaiting } from '../support/race';
import { startService, type Service } from '../support/service';

const LIMIT = 20_000_000;
const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-files-test-'));

/** The server's own folder for temporary files, so that a test can see what is left there. */
const it = base.extend('env', { scope: 'file' }, { PF_FILE_LIMIT: `${LIMIT}`, TMPDIR: folder });
it.afterAll(() => rmSync(folder, { recursive: true }));
it.afterEach(() => expect(readdirSync(folder)).toEqual([]));

const SALES = 'Region,Order Date,Amount\nNorth,2027-01-31,"1,204.50"\nSouth,2027-02-28,(20.00)\n';

/** A wait for a state of the folder. */
const PATIENT = { interval: 10, timeout: 300_000 };

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream;

function send(
  { api }: Pick<Service, 'api'>,
  path: '/files' | '/files/preview',
  body: Body,
  query: Record<string, string> = {},
  type = 'text/csv',
): Promise<Answer> {
  const options = { method: 'POST', body, headers: { 'content-type': type }, duplex: 'half' };
  return api.send(`${path}?${new URLSearchParams({ name: 'sales.csv', ...query })}`, options);
}

const preview = async (service: Service, body: Body, query?: Record<string, string>) => {
  const answer = await send(service, '/files/preview', body, query);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body as FilePreview;
};

const tables = async ({ query }: Service): Promise<string[]> =>
  (
    await query<{ relname: string }>(
      `SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('pf_files') AND relkind = 'r' ORDER BY 1`,
    )
  ).map(({ relname }) => relname);

describe('A file', () => {
  it('becomes a table with types that can be planned with, up to an undone change', async ({
    service,
  }) => {
    const { api, query } = service;
    const made = await send(service, '/files', SALES, { name: 'Sales 2027.csv' });
    expect([made.status, made.body]).toEqual([
      201,
      {
        schema: 'pf_files',
        tname: 'Sales 2027',
        row_count: 2,
        columns: [
          { cname: 'Region', type: 'text' },
          { cname: 'Order Date', type: 'date' },
          { cname: 'Amount', type: 'numeric(38,2)' },
        ],
        left_out: { row_count: 0, rows: [] },
      },
    ]);
    expect(await query('SELECT * FROM pf_files."Sales 2027"')).toEqual([
      { Region: 'North', 'Order Date': '2027-01-31', Amount: '1204.50' },
      { Region: 'South', 'Order Date': '2027-02-28', Amount: '-20.00' },
    ]);

    const { id } = (await api.post('/sources', { schema: 'pf_files', tname: 'Sales 2027' })).body;
    await api.put(`/sources/${id}/columns`, [
      { cname: 'Region', role: 'dimension' },
      { cname: 'Order Date', role: 'date' },
      { cname: 'Amount', role: 'value' },
    ]);
    await api.post(`/sources/${id}/sql`);
    const version = (await api.post(`/sources/${id}/versions`, { name: 'Plan' })).body;
    const load = await api.post(`/versions/${version.id}/baseline`, { pf_user: 'ann' });
    expect(load.body).toMatchObject({ row_count: 2 });
  });

  it('is previewed without a trace in the database', async ({ service }) => {
    const before = await tables(service);
    const file = await preview(service, 'Größe;Preis\nXL;5,20 €\n', { name: 'prices.csv' });
    expect(file).toEqual({
      tname: 'prices',
      taken: false,
      encoding: 'utf-8',
      delimiter: 'semicolon',
      header: 'yes',
      decimal: 'comma',
      date_order: 'dmy',
      unsure: [],
      questions: [],
      notes: [],
      row_count: 1,
      columns: [
        { cname: 'Größe', type: 'text', decimals: null, nearly: null },
        { cname: 'Preis', type: 'numeric', decimals: 2, nearly: null },
      ],
      rows: [{ Größe: 'XL', Preis: 5.2 }],
      misfits: { row_count: 0, rows: [] },
    });
    expect(await tables(service)).toEqual(before);
  });

  it('keeps texts, formulas and quotes as they are, and empty cells as NULL', async ({
    service,
  }) => {
    const names = ['say "hi"', "a'b", 'select', 'a"; DROP TABLE pf.source; --'];
    const header = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(',');
    const row = '"=1+1","tab\there\\. \\N","","line\r\nline"';
    const made = await send(service, '/files', `${header}\r\n${row}\r\n,NULL,NA,00123\r\n`, {
      name: 'texts"; DROP TABLE x; --',
    });
    expect([made.status, made.body.columns.map((c: { cname: string }) => c.cname)]).toEqual([
      201,
      names,
    ]);
    expect(await service.query(`SELECT * FROM pf_files."texts""; DROP TABLE x; --"`)).toEqual([
      {
        [names[0]!]: '=1+1',
        [names[1]!]: 'tab\there\\. \\N',
        [names[2]!]: null,
        [names[3]!]: 'line\r\nline',
      },
      { [names[0]!]: null, [names[1]!]: 'NULL', [names[2]!]: 'NA', [names[3]!]: '00123' },
    ]);
    expect(await service.query('SELECT FROM pf.source')).not.toBeUndefined();
  });

  it('may be in UTF-16 or Windows-1252, with CR at the end of each line', async ({ service }) => {
    const text = 'Größe\tPreis\rXL\t5\r';
    const utf16 = new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));
    const latin = new Uint8Array(Buffer.from(text, 'latin1'));
    for (const [bytes, encoding] of [
      [utf16, 'utf-16le'],
      [latin, 'windows-1252'],
    ] as const) {
      const file = await preview(service, bytes);
      expect(file).toMatchObject({ encoding, delimiter: 'tab', rows: [{ Größe: 'XL', Preis: 5 }] });
    }
  });

  it('with several choices says what is open, and takes what is said', async ({ service }) => {
    const text = 'when,amount\n1/2/2027,1.204\n';
    expect(await preview(service, text)).toMatchObject({
      unsure: ['decimal', 'date_order'],
      rows: [{ when: '2027-01-02', amount: 1.204 }],
    });
    const said = { decimal: 'comma', date_order: 'dmy', types: ',text', header: 'yes' };
    expect(await preview(service, text, said)).toMatchObject({
      unsure: [],
      rows: [{ when: '2027-02-01', amount: '1.204' }],
    });
    expect(await preview(service, text, { decimal: 'comma' })).toMatchObject({
      rows: [{ when: '2027-02-01', amount: 1204 }],
    });
  });

  it('whose name is taken is refused, and the table stays', async ({ service }) => {
    expect((await send(service, '/files', 'a\n1\n', { name: 'twice' })).status).toBe(201);
    expect(await preview(service, 'a\n1\n', { name: 'twice.csv' })).toMatchObject({ taken: true });
    const again = await send(service, '/files', 'a\n2\n', { name: 'twice.csv' });
    expect([again.status, again.body]).toEqual([
      409,
      { error: 'There is a table pf_files.twice already; choose another name', field: 'name' },
    ]);
    const both = await Promise.all(
      [1, 2].map((n) => send(service, '/files', `a\n${n}\n`, { name: 'race' })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    expect(await service.query('SELECT a FROM pf_files.twice')).toEqual([{ a: 1 }]);
  });
});

it('A file becomes a table while another program creates the schema', async ({ service }) => {
  await service.query('DROP SCHEMA IF EXISTS pf_files CASCADE');
  const other = await hold(service, 'CREATE SCHEMA pf_files');
  const made = send(service, '/files', 'a\n1\n', { name: 'first' });
  await untilWaiting(service, 1);
  await other.commit();
  expect((await made).body).toMatchObject({ tname: 'first', row_count: 1 });
});

describe('Rows that do not fit', () => {
  const text = `n,t\n${Array.from({ length: 25 }, () => 'x,y\n').join('')}1,"a\nb"\n2\n3,c\n`;
  const listed = { line: 2, cname: 'n', problem: '“x” is not a whole number' };

  it('are listed by their lines, 20 of them, and counted', async ({ service }) => {
    const { row_count, rows, misfits } = await preview(service, text, { types: 'integer' });
    expect([row_count, rows]).toEqual([
      2,
      [
        { n: 1, t: 'a\nb' },
        { n: 3, t: 'c' },
      ],
    ]);
    expect([misfits.row_count, misfits.rows.length, misfits.rows[0]]).toEqual([26, 20, listed]);
  });

  it('prevent the table', async ({ service }) => {
    const { status, body } = await send(service, '/files', text, { types: 'integer', name: 'no' });
    expect(status).toBe(422);
    expect(body.error).toMatch(
      /^26 rows do not fit, and no table was made\..* line 2, “n”: “x” is not a whole number; .*; and 6 more$/,
    );
    expect(await tables(service)).not.toContain('no');
  });

  it('are left out if that is said', async ({ service }) => {
    const query = { types: 'integer', name: 'some', misfits: 'leave_out' };
    const { status, body } = await send(service, '/files', text, query);
    expect([status, body.row_count, body.left_out.row_count]).toEqual([201, 2, 26]);
    expect(await service.query('SELECT n FROM pf_files.some')).toEqual([{ n: 1 }, { n: 3 }]);
    const none = await send(service, '/files', 'a\nx\n', { types: 'date', misfits: 'leave_out' });
    expect([none.status, none.body.error, await tables(service)]).toEqual([
      422,
      'No row fits, and no table was made. Change the types. line 2, “a”: “x” is not a date',
      expect.not.arrayContaining(['sales']),
    ]);
  });
});

describe('A hostile file', () => {
  it.for<[string, Body, number, string]>([
    ['nothing', '', 400, 'The body is missing; send the file as the body'],
    ['blank lines', '\n,,\n \n', 422, 'The file is empty'],
    ['a header alone', 'a,b\n', 422, 'The file has a line with names and no rows'],
    [
      'U+0000',
      'a\nb\0c\n',
      422,
      'The file cannot be read: line 2: the text contains the character U+0000',
    ],
    [
      'an open quote',
      'a,b\n"x,y\nz,w\n',
      422,
      'The file cannot be read: line 2: a quote opens a cell and is never closed',
    ],
    [
      'a million columns',
      `a\n${'1,'.repeat(1_000_000)}\n`,
      422,
      'The file cannot be read: line 2: a row has more than 500 cells',
    ],
    [
      'an endless cell',
      `a\n${'x'.repeat(5_000_000)}`,
      422,
      'The file cannot be read: line 2: a cell has more than 100000 characters',
    ],
    [
      'the beginning of a workbook',
      Uint8Array.from([0x50, 0x4b, 3, 4, 20, 0, 6, 0]),
      422,
      'The workbook is damaged: the end of the archive is missing; the file may be cut off',
    ],
    [
      'random bytes',
      Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919 + (i >> 3)) % 256),
      422,
      '',
    ],
  ])('with %s is refused with a sentence', async ([, body, status, error], { service }) => {
    for (const path of ['/files', '/files/preview'] as const) {
      const answer = await send(service, path, body, { name: 'hostile' });
      expect([answer.status, answer.body.error]).toEqual([status, error || expect.any(String)]);
    }
    expect(await tables(service)).not.toContain('hostile');
  });

  it('larger than the limit is refused, whether or not it says its length', async ({ service }) => {
    const sentence = `The file is larger than ${LIMIT} bytes, the limit of PF_FILE_LIMIT`;
    const bytes = new Uint8Array(LIMIT + LIMIT / 2).fill(0x61);
    const known = await send(service, '/files', bytes);
    expect([known.status, known.body]).toEqual([413, { error: sentence }]);
    let sent = 0;
    const stream = new ReadableStream({
      pull(controller) {
        if (sent > LIMIT) return controller.close();
        sent += 1_000_000;
        controller.enqueue(new Uint8Array(1_000_000).fill(0x61));
      },
    });
    const streamed = await send(service, '/files/preview', stream);
    expect([streamed.status, streamed.body]).toEqual([413, { error: sentence }]);
  });

  it.for<[Record<string, string>, string, string]>([
    [{ name: '.csv' }, 'name', 'name must not be empty'],
    [{ name: 'a\0' }, 'name', 'name must not contain the character U+0000'],
    [
      { encoding: 'latin1' },
      'encoding',
      'encoding must be one of: utf-8, utf-16le, utf-16be, windows-1252, windows-1250, windows-1251, macintosh, shift_jis',
    ],
    [{ delimiter: ',' }, 'delimiter', 'delimiter must be one of: comma, semicolon, tab, pipe'],
    [
      { types: 'money' },
      'types',
      'types must be words with commas between, each empty or one of: integer, numeric, date, timestamp, timestamptz, boolean, text',
    ],
    [{ types: ',,,' }, 'types', 'types: the file has 3 columns, not 4'],
  ])('with the parameter %j is refused', async ([query, field, error], { service }) => {
    const answer = await send(service, '/files/preview', SALES, query);
    expect([answer.status, answer.body]).toEqual([400, { error, field }]);
  });

  it('of another type is refused', async ({ service }) => {
    for (const type of ['application/json', 'text/plain', 'multipart/form-data']) {
      const answer = await send(service, '/files', SALES, {}, type);
      expect([answer.status, answer.body.error]).toEqual([
        415,
        `Send the file itself as the body, with content-type: text/csv or ${XLSX}`,
      ]);
    }
    const json = await service.api.send('/sources', {
      method: 'POST',
      body: 'a',
      headers: { 'content-type': 'text/csv' },
    });
    expect(json.status).toBe(415);
  });

  it('with more columns than a row can hold is refused with the reason', async ({ service }) => {
    const columns = Array.from({ length: 500 }, (_, i) => `c${i}`).join(',');
    const row = Array.from({ length: 500 }, (_, i) =>
      createHash('sha256').update(`${i}`).digest('base64'),
    ).join(',');
    const { status, body } = await send(service, '/files', `${columns}\n${row}\n`, {
      name: 'wide',
    });
    expect([status, body.error]).toEqual([
      422,
      expect.stringMatching(/^The database cannot store the file: row is too big/),
    ]);
    expect(await tables(service)).not.toContain('wide');
  });

  it('that ends in the middle leaves nothing', async ({ service }) => {
    const broken = new AbortController();
    const stream = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('a,b\n1,2\n')),
    });
    const options = { method: 'POST', body: stream, headers: { 'content-type': 'text/csv' } };
    const cut = service.api
      .send('/files?name=cut', { ...options, duplex: 'half', signal: broken.signal } as RequestInit)
      .catch(() => undefined);
    await expect.poll(() => readdirSync(folder), PATIENT).toHaveLength(1);
    broken.abort();
    await cut;
    await expect.poll(() => readdirSync(folder), PATIENT).toEqual([]);
    expect(await tables(service)).not.toContain('cut');
  });
});

it('300,000 rows become a table while the service answers others', async ({ service }) => {
  const rows = Array.from(
    { length: 300_000 },
    (_, i) => `Store ${i % 97},${i},2027-01-${(i % 28) + 1},${i}.25\n`,
  );
  const text = `Store,Id,Day,Amount\n${rows.join('')}`;
  let isDone = false;
  const made = send(service, '/files', text, { name: 'many' }).finally(() => (isDone = true));
  const size = Buffer.byteLength(text);
  const arrived = () =>
    readdirSync(folder).map(
      (name) => statSync(join(folder, name, 'file'), { throwIfNoEntry: false })?.size,
    );
  await expect.poll(arrived, PATIENT).toEqual([size]);
  const { status } = await service.api.get('/health/live');
  // The service answers between two parts of the file, which it reads to its end afterwards.
  expect([status, isDone]).toEqual([200, false]);
  expect((await made).body).toMatchObject({ row_count: 300_000 });
  const [sums] = await service.query(
    'SELECT count(*), sum("Id") AS ids, sum("Amount") AS amounts FROM pf_files.many',
  );
  expect(sums).toEqual({ count: 300_000, ids: '44999850000', amounts: '44999925000.00' });
});

it('PF_FILES=0 turns files off', async () => {
  const service = await startService('service', { PF_FILES: '0' });
  onTestFinished(service.stop);
  expect((await service.api.get('/files')).body).toEqual({ accepted: false, limit: 0 });
  for (const path of ['/files', '/files/preview'] as const) {
    for (const body of [SALES, new Uint8Array(8_000_000).fill(0x61)]) {
      const answer = await send(service, path, body);
      expect([answer.status, answer.body]).toEqual([
        404,
        { error: 'Files are not accepted here: the service runs with PF_FILES=0' },
      ]);
    }
  }
});

it('says whether files are accepted', async ({ service }) => {
  expect((await service.api.get('/files')).body).toEqual({ accepted: true, limit: LIMIT });
});
