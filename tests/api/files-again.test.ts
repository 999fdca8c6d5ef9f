import { expect } from 'vitest';
import type { FileEffect } from '../../src/lib/contract/files';
import { it } from '../support/api';
import type { Answer } from '../support/http';
import type { Service } from '../support/service';

/** Uploads into a table that was made from a file before. */

const SALES = `Region,Order Date,Amount,Code
North,2027-01-31,100.50,7
North,2027-02-28,200.00,7
South,2027-02-10,40.25,8
`;

const send = (
  { api }: Pick<Service, 'api'>,
  path: '/files' | '/files/preview',
  body: string,
  query: Record<string, string> = {},
): Promise<Answer> =>
  api.send(`${path}?${new URLSearchParams({ name: 'new.csv', ...query })}`, {
    ...{ method: 'POST', body, headers: { 'content-type': 'text/csv' } },
  });

/** Makes a table of three sales. */
async function made(service: Service, tname: string) {
  const answer = await send(service, '/files', SALES, { name: tname });
  expect([answer.status, answer.body.error]).toEqual([201, undefined]);
  const table = `pf_files."${tname}"`;
  const rows = () => service.query(`SELECT * FROM ${table} ORDER BY 1, 2, 3`);
  /** Rows and sum by month, as SQL adds them up. */
  const months = () =>
    service.query(
      `SELECT to_char("Order Date", 'YYYY-MM-01') AS month, count(*)::int AS rows, sum("Amount")::float8 AS amount
       FROM ${table} GROUP BY 1 ORDER BY 1`,
    );
  return { table, rows, months };
}

/** Registers the table, loads a plan of it and changes the plan. */
async function planned({ api }: Service, tname: string) {
  const { id } = (await api.post('/sources', { schema: 'pf_files', tname })).body;
  await api.put(`/sources/${id}/columns`, [
    { cname: 'Region', role: 'dimension' },
    { cname: 'Order Date', role: 'date' },
    { cname: 'Amount', role: 'value' },
    { cname: 'Code', role: 'dimension' },
  ]);
  await api.post(`/sources/${id}/sql`);
  const version = (await api.post(`/sources/${id}/versions`, { name: 'Plan' })).body;
  expect(version.error).toBeUndefined();
  await api.post(`/versions/${version.id}/baseline`, { pf_user: 'ann' });
  return { sourceId: id as number, versionId: version.id as number };
}

/** What an effect says after the file, by month. */
const after = ({ months }: FileEffect) =>
  months.map(({ month, after: { row_count, amounts } }) => ({
    ...{ month, rows: row_count, amount: amounts.Amount },
  }));

// The columns come in another order, with a decimal comma.
const NEXT = `Code;Amount;Region;Order Date
7;1.000,75;North;28.02.2027
9;-3,50;West;31.03.2027
`;

it.for(['replace', 'append'] as const)(
  '%s: shows the difference by month before and after, and keeps roles and versions',
  async (mode, { service }) => {
    const { api } = service;
    const { rows, months } = await made(service, mode);
    const { sourceId, versionId } = await planned(service, mode);
    const setup = (await api.get(`/sources/${sourceId}/columns`)).body;
    const plan = (await api.get(`/versions/${versionId}/totals`)).body;
    const [before, stored] = [await months(), await rows()];

    const preview = await send(service, '/files/preview', NEXT, { table: mode, mode });
    expect([preview.status, preview.body.error]).toEqual([200, undefined]);
    expect(await rows()).toEqual(stored);
    const { effect } = preview.body;
    expect(preview.body).toMatchObject({ tname: mode, taken: true, row_count: 2 });
    expect(effect).toMatchObject({ mode, date_col: 'Order Date', month_count: 3 });
    expect(effect.before).toEqual({ row_count: 3, amounts: { Amount: 340.75 } });

    const answer = await send(service, '/files', NEXT, { table: mode, mode });
    expect([answer.status, answer.body]).toMatchObject([
      201,
      { schema: 'pf_files', tname: mode, row_count: 2, effect },
    ]);
    const isGone = ({ rows: count }: { rows: number }) => count > 0;
    expect(after(effect).filter(isGone)).toEqual(await months());
    expect(
      effect.months.flatMap((each: FileEffect['months'][number]) =>
        each.before.row_count === 0
          ? []
          : [
              {
                month: each.month,
                rows: each.before.row_count,
                amount: each.before.amounts.Amount,
              },
            ],
      ),
    ).toEqual(before);
    const sent = [
      { Region: 'North', 'Order Date': '2027-02-28', Amount: '1000.75', Code: 7 },
      { Region: 'West', 'Order Date': '2027-03-31', Amount: '-3.50', Code: 9 },
    ];
    expect(await rows()).toHaveLength(mode === 'replace' ? 2 : 5);
    expect(await rows()).toEqual(
      expect.arrayContaining(mode === 'replace' ? sent : [...stored, ...sent]),
    );

    expect((await api.get(`/sources/${sourceId}/columns`)).body).toEqual(setup);
    expect((await api.get(`/versions/${versionId}/totals`)).body).toEqual(plan);
    const load = await api.post(`/versions/${versionId}/reference`, { pf_user: 'ann' });
    expect(load.body).toMatchObject({ row_count: mode === 'replace' ? 2 : 5 });
  },
);

it('adds up all columns of numbers of a table without roles, and rows without a date', async ({
  service,
}) => {
  await made(service, 'plain');
  const file = 'Region,Order Date,Amount,Code\nNorth,,0.25,\nEast,2026-12-31,,2\n';
  const { body } = await send(service, '/files/preview', file, { table: 'plain', mode: 'append' });
  expect(body.effect.months).toEqual([
    {
      month: '2026-12-01',
      before: { row_count: 0, amounts: { Amount: 0, Code: 0 } },
      after: { row_count: 1, amounts: { Amount: 0, Code: 2 } },
    },
    {
      month: '2027-01-01',
      before: { row_count: 1, amounts: { Amount: 100.5, Code: 7 } },
      after: { row_count: 1, amounts: { Amount: 100.5, Code: 7 } },
    },
    {
      month: '2027-02-01',
      before: { row_count: 2, amounts: { Amount: 240.25, Code: 15 } },
      after: { row_count: 2, amounts: { Amount: 240.25, Code: 15 } },
    },
    {
      month: null,
      before: { row_count: 0, amounts: { Amount: 0, Code: 0 } },
      after: { row_count: 1, amounts: { Amount: 0.25, Code: 0 } },
    },
  ]);
});

it.for<[name: string, file: string, query: Record<string, string>, status: number, error: RegExp]>([
  [
    'a file with other columns',
    'Region,Order Date,Total\nNorth,2027-01-31,5\n',
    {},
    422,
    /the file lacks “Amount”, “Code”, and the table lacks “Total”/,
  ],
  [
    'more decimals than the column has, which PostgreSQL would round',
    'Region,Order Date,Amount,Code\nNorth,2027-01-31,5.125,1\n',
    {},
    422,
    /^1 row does not fit, and the table was not changed\. .*line 2, “Amount”: “5\.125” has more than 2 decimals/,
  ],
  [
    'a row that does not fit after many that do',
    `${SALES}North,soon,5,1\n`,
    {},
    422,
    /line 5, “Order Date”: “soon” is not a date/,
  ],
  [
    'a number that its column cannot store',
    `${SALES}North,2027-01-01,${'9'.repeat(37)},1\n`,
    {},
    422,
    /cannot store the file/,
  ],
  ['a table that is not there', SALES, { table: 'missing' }, 404, /no table pf_files\.missing/],
  ['a view', SALES, { table: 'the view' }, 404, /no table pf_files\.the view/],
  ['a table without a mode', SALES, { mode: '' }, 400, /^mode/],
  ['types', SALES, { types: 'text' }, 400, /^types/],
])('refuses %s, and changes nothing', async ([name, file, query, status, error], { service }) => {
  const { rows, table } = await made(service, name);
  await service.query(`CREATE OR REPLACE VIEW pf_files."the view" AS SELECT * FROM ${table}`);
  const before = await rows();
  const asked = { table: name, mode: 'replace', ...query };
  const answer = await send(service, '/files', file, asked);
  expect(answer.status).toBe(status);
  expect(answer.body.error).toMatch(error);
  expect(await rows()).toEqual(before);
  await service.query('DROP VIEW pf_files."the view"');
});

it('leaves rows out that do not fit, and refuses a file without any other', async ({ service }) => {
  const { rows } = await made(service, 'left');
  const asked = { table: 'left', mode: 'append', misfits: 'leave_out' };
  const one = await send(service, '/files', `${SALES}North,soon,5,1\n`, asked);
  expect([one.status, one.body.left_out.row_count]).toEqual([201, 1]);
  expect(await rows()).toHaveLength(6);
  const none = await send(service, '/files', 'Region,Order Date,Amount,Code\nNorth,soon,5,1\n', {
    ...asked,
    mode: 'replace',
  });
  expect([none.status, none.body.error]).toMatchObject([
    422,
    expect.stringMatching(/^No row fits, and the table was not changed\./),
  ]);
  expect(await rows()).toHaveLength(6);
});

it('does not need a mode without a table, and refuses one', async ({ service }) => {
  const answer = await send(service, '/files/preview', SALES, { mode: 'append' });
  expect([answer.status, answer.body.field]).toEqual([400, 'table']);
});
