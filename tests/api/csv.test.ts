import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { tableFromIPC } from 'apache-arrow';
import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { plan, type SourceRow } from '../support/planned';
import { until } from '../support/race';
import type { Service } from '../support/service';

const COLUMNS = [
  { name: 'Order Date', type: 'date', role: 'date' as const },
  { name: 'Region, "all"', type: 'text', role: 'dimension' as const },
  { name: 'Express', type: 'boolean', role: 'dimension' as const },
  { name: 'Ref', type: 'uuid', role: 'dimension' as const },
  { name: 'Sales', type: 'numeric(12,2)', role: 'value' as const },
  { name: 'Units', type: 'double precision', role: 'units' as const },
];
const REF = '3f2504e0-4f89-11d3-9a0c-0305e82c3301';

const ROWS: SourceRow[] = [
  {
    'Order Date': '2027-01-31',
    'Region, "all"': 'Nord, "A"',
    Express: true,
    Ref: REF,
    Sales: 10.5,
    Units: 0.1,
  },
  { 'Order Date': null, 'Region, "all"': '', Express: false, Ref: null, Sales: -0.01, Units: 1e21 },
  {
    'Order Date': '2028-02-29',
    'Region, "all"': null,
    Express: null,
    Ref: null,
    Sales: null,
    Units: -3,
  },
  {
    'Order Date': '2027-12-31',
    'Region, "all"': 'Zürich\n→ 日本 🎉',
    Express: true,
    Ref: null,
    Sales: 0,
    Units: 0,
  },
];

const read = (service: Service, path: string, accept = 'text/csv') =>
  service.api.send(path, { headers: { accept } });

/** Requests CSV and reads only the head of the answer, which `fetch` cannot do. */
async function begin(service: Service, path: string): Promise<IncomingMessage> {
  const request = get(`${service.url}/api${path}`, { headers: { accept: 'text/csv' } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

const text = ({ bytes }: { bytes: Uint8Array }) => new TextDecoder().decode(bytes);

/** Returns the fields of CSV by RFC 4180, null distinct from an empty text. */
function parse(csv: string): (string | null)[][] {
  expect(csv.endsWith('\n')).toBe(true);
  const rows: (string | null)[][] = [[]];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    rows.at(-1)!.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    if (end === '\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

describe('GET /versions/:id/data as CSV', () => {
  it('has the content of the Arrow rows, with note and operation', async ({ service }) => {
    const { path, table } = await plan(service, COLUMNS, ROWS);
    await service.api.post(`${path}/baseline`, { pf_user: 'ann', note: 'one, "two"\nthree' });
    await service.api.post(`${path}/scale`, { slice: { Express: true }, pct: 10, pf_user: 'ann' });
    const answer = await read(service, `${path}/data`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const [head, ...rows] = parse(text(answer));
    const arrow = tableFromIPC((await service.api.get(`${path}/data`)).bytes);
    expect(head).toEqual(arrow.schema.fields.map(({ name }) => name));

    const stored = await service.query(
      `SELECT f.*, f.pf_created_at::text, f."Sales"::text, l.note, l.operation
       FROM ${table} AS f JOIN pf.log AS l ON l.id = f.pf_logid ORDER BY pf_id`,
    );
    const told = rows
      .map((row) => Object.fromEntries(head!.map((name, i) => [name, row[i]])))
      .toSorted((a, b) => Number(a.pf_id) - Number(b.pf_id));
    expect(told).toEqual(
      stored.map(({ note, operation, ...row }) => ({
        ...Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            value === null ? null : name === 'Units' && value === 1e21 ? '1e+21' : String(value),
          ]),
        ),
        pf_note: note,
        pf_op: operation,
      })),
    );
    const ids = stored.map((row) => row.pf_logid);
    const one = await read(service, `${path}/data?logid=${ids.at(-1)}&logid=999999`);
    expect(parse(text(one))).toEqual([
      head,
      ...rows.filter((row) => row[8] === String(ids.at(-1))),
    ]);
    // Null is an empty field; an empty text is not.
    expect(text(answer)).toContain('\n,"",false,,-0.01,1e+21,');
    expect(text(answer)).not.toContain('\r');
  });

  it('protects texts that a spreadsheet would run, if asked for', async ({ service }) => {
    const regions = ['=1+1', '+49 170', '@SUM(A1)', '\t=x', '\r-cmd', '-5', 'plain', '=a,"b"'];
    const day = { 'Order Date': '2027-01-31', Express: true, Ref: null, Sales: -1.5, Units: 1 };
    const rows = regions.map((region) => ({ ...day, 'Region, "all"': region }));
    const { path } = await plan(service, COLUMNS, rows);
    await service.api.post(`${path}/baseline`, { pf_user: 'ann', note: '=note()' });
    const [usual = '', guarded = ''] = await Promise.all(
      ['', '?formulas=protected'].map(async (query) =>
        text(await read(service, `${path}/data${query}`)),
      ),
    );
    const column = (csv: string, i: number) => parse(csv).map((row) => row[i]);
    expect(column(usual, 1).slice(1).toSorted()).toEqual(regions.toSorted());
    expect(column(guarded, 1).slice(1).toSorted()).toEqual(
      ["'=1+1", '+49 170', "'@SUM(A1)", "'\t=x", "'\r-cmd", '-5', 'plain', '\'=a,"b"'].toSorted(),
    );
    expect(column(guarded, 4)).toEqual(['Sales', ...rows.map(() => '-1.50')]);
    expect(column(guarded, 10)).toEqual(['pf_note', ...rows.map(() => "'=note()")]);
    const wrong = await read(service, `${path}/data?formulas=no`);
    expect([wrong.status, wrong.body.field]).toEqual([400, 'formulas']);
  });

  it('has its header also without rows', async ({ service }) => {
    const { path } = await plan(service, COLUMNS, []);
    const answer = await read(service, `${path}/data`);
    expect(text(answer)).toBe(
      'Order Date,"Region, ""all""",Express,Ref,Sales,Units,pf_id,pf_iter,pf_logid,pf_created_at,pf_note,pf_op\n',
    );
  });

  it('is returned to clients that prefer it to Arrow, and refused in JSON', async ({ service }) => {
    const { path } = await plan(service, COLUMNS, ROWS);
    const type = async (accept: string) =>
      (await read(service, `${path}/data`, accept)).headers.get('content-type');
    const arrow = 'application/vnd.apache.arrow.stream';
    expect(await type('text/html, TEXT/CSV;q=0.9, */*;q=0.1')).toBe('text/csv; charset=utf-8');
    expect(await type(`text/csv, ${arrow}`)).toBe('text/csv; charset=utf-8');
    expect(await type(`${arrow}, text/csv`)).toBe(arrow);
    expect(await type('text/csv;q=0, */*')).toBe(arrow);
    expect(await type('*/*')).toBe(arrow);
    const missing = await read(service, '/versions/999999/data');
    expect([missing.status, missing.headers.get('content-type')]).toEqual([
      404,
      'application/json',
    ]);
    expect((await read(service, `${path}/agg`)).body.error).toMatch(/get_agg/);
  });

  it('is read from one snapshot, at the speed of its client, and ends with it', async ({
    service,
  }) => {
    const many = 300_000;
    const { path, table } = await plan(service, COLUMNS, []);
    await service.api.post(`${path}/baseline`, { pf_user: 'ann' });
    await service.query(
      `INSERT INTO pf.log (version_id, pf_user, operation) SELECT id, 'ann', 'baseline'
       FROM pf.version ORDER BY id DESC LIMIT 1;
       INSERT INTO ${table} ("Region, ""all""", "Sales", pf_iter, pf_logid)
       SELECT 'region ' || n, n, 'baseline', (SELECT max(id) FROM pf.log)
       FROM generate_series(1, ${many}) AS n`,
    );
    const running = async () => {
      const [{ n }] = await service.query(
        `SELECT count(*) AS n FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE 'COPY%' AND state = 'active'`,
      );
      return n;
    };
    const leaving = await begin(service, `${path}/data`);
    // The statement waits for its client.
    expect(await running()).toBe(1);
    leaving.destroy();
    await until(async () => (await running()) === 0);

    const slow = await begin(service, `${path}/data`);
    expect(slow.headers['content-type']).toMatch(/csv/);
    await service.query(`DELETE FROM ${table}`);
    let lines = 0;
    for await (const chunk of slow) lines += String(chunk).split('\n').length - 1;
    expect(lines).toBe(1 + many);
    expect((await read(service, `${path}/data`)).status).toBe(200);
  });
});

describe('GET /versions/:id/agg as CSV', () => {
  it('has the rows of the grain, without note and operation', async ({ service }) => {
    const { path } = await plan(
      service,
      COLUMNS.map((c) => (c.name === 'Express' ? { ...c, grain: true } : c)),
      ROWS,
    );
    await service.api.post(`${path}/baseline`, { pf_user: 'ann' });
    const [head, ...rows] = parse(text(await read(service, `${path}/agg`)));
    expect(head).toEqual(['Express', 'pf_iter', 'pf_logid', 'pf_gkey', 'Sales', 'Units']);
    const told = rows.map(([express, iter, , , sales, units]) => [express, iter, sales, units]);
    expect(told.toSorted()).toEqual(
      [
        ['true', 'baseline', '10.50', '0.1'],
        ['false', 'baseline', '-0.01', '1e+21'],
        [null, 'baseline', null, '-3'],
      ].toSorted(),
    );
  });
});
