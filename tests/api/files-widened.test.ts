import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { it } from '../support/api';
import type { Answer } from '../support/http';
import type { Service } from '../support/service';

/** Files whose columns are wider than those of the table, and readings that a parameter chooses. */

const file = (name: string): string => readFileSync(`tests/fixtures/files/${name}`, 'utf8');

const send = (
  { api }: Pick<Service, 'api'>,
  path: '/files' | '/files/preview',
  body: string,
  query: Record<string, string> = {},
): Promise<Answer> =>
  api.send(`${path}?${new URLSearchParams({ name: 'new.csv', ...query })}`, {
    ...{ method: 'POST', body, headers: { 'content-type': 'text/csv' } },
  });

/** Makes a table of the first month, registers it, and loads a plan of it. */
async function planned(service: Service, tname: string) {
  const { api, query } = service;
  const made = await send(service, '/files', file('append1.csv'), { name: tname });
  expect([made.status, made.body.error]).toEqual([201, undefined]);
  const { id } = (await api.post('/sources', { schema: 'pf_files', tname })).body;
  await api.put(`/sources/${id}/columns`, [
    { cname: 'Month', role: 'date' },
    { cname: 'Region', role: 'dimension' },
    { cname: 'Amount', role: 'value' },
    { cname: 'Returns', role: 'dimension' },
  ]);
  await api.post(`/sources/${id}/sql`);
  const version = (await api.post(`/sources/${id}/versions`, { name: 'Plan' })).body;
  await api.post(`/versions/${version.id}/baseline`, { pf_user: 'ann' });
  const types = async (schema: string, table: string) =>
    Object.fromEntries(
      (
        await query<{ name: string; type: string }>(
          `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
           WHERE attrelid = '${schema}."${table}"'::regclass AND attnum > 0 AND NOT attisdropped`,
        )
      ).map(({ name, type }) => [name, type]),
    );
  return {
    ...{ versionId: version.id as number },
    ofTable: () => types('pf_files', tname),
    ofVersion: () => types('pf', `fc_${tname}_${version.id}`),
  };
}

const WIDENING = {
  columns: [
    { cname: 'Amount', from: 'bigint', to: 'numeric(38,2)' },
    { cname: 'Returns', from: 'text', to: 'bigint' },
  ],
  version_count: 1,
};

describe('A file with cents for a table of whole numbers', () => {
  it('is refused, and says which types would hold it', async ({ service }) => {
    const { ofTable } = await planned(service, 'asked');
    const before = await ofTable();
    const query = { table: 'asked', mode: 'append' };
    const preview = await send(service, '/files/preview', file('append2.csv'), query);
    expect([preview.body.widening, preview.body.misfits.row_count]).toEqual([WIDENING, 1]);
    const refused = await send(service, '/files', file('append2.csv'), query);
    expect([refused.status, refused.body.error]).toEqual([
      422,
      expect.stringContaining('“100.50” is not a whole number'),
    ]);
    expect(await ofTable()).toEqual(before);
    const fits = await send(service, '/files/preview', file('append1.csv'), query);
    expect(fits.body.widening).toBeUndefined();
  });

  it.for(['append', 'replace'])(
    'goes in by %s once the types may change',
    async (mode, { service }) => {
      const tname = `wider_${mode}`;
      const { versionId, ofTable, ofVersion } = await planned(service, tname);
      const query = { table: tname, mode, widen: 'apply' };
      const preview = await send(service, '/files/preview', file('append2.csv'), query);
      expect(preview.body.widening).toEqual(WIDENING);
      expect(preview.body.misfits.row_count).toBe(0);
      expect(await ofTable()).toMatchObject({ Amount: 'bigint' });
      const done = await send(service, '/files', file('append2.csv'), query);
      expect([done.status, done.body.error, done.body.widening]).toEqual([
        201,
        undefined,
        WIDENING,
      ]);
      expect(await ofTable()).toMatchObject({ Amount: 'numeric(38,2)', Returns: 'bigint' });
      expect(await ofVersion()).toMatchObject({ Amount: 'numeric', Returns: 'bigint' });
      const rows = await service.query(
        `SELECT "Amount"::text AS amount, "Returns" AS returns FROM pf_files."${tname}" ORDER BY "Month" DESC LIMIT 1`,
      );
      expect(rows).toEqual([{ amount: '100.50', returns: -5 }]);
      await service.api.post(`/versions/${versionId}/baseline`, { pf_user: 'ann' });
      const totals = await service.query<{ sum: number }>(
        `SELECT sum("Amount")::float8 AS sum FROM pf."fc_${tname}_${versionId}"`,
      );
      expect(totals).toEqual([{ sum: mode === 'append' ? 700.5 : 400.5 }]);
    },
  );

  it('is refused if a view uses the column', async ({ service }) => {
    const { ofTable } = await planned(service, 'viewed');
    await service.query('CREATE VIEW pf_files.viewing AS SELECT "Amount" FROM pf_files.viewed');
    const query = { table: 'viewed', mode: 'append', widen: 'apply' };
    const answer = await send(service, '/files', file('append2.csv'), query);
    expect([answer.status, answer.body.error]).toEqual([
      422,
      expect.stringMatching(/^The types of the table pf_files\.viewed cannot change: .*view/),
    ]);
    expect(await ofTable()).toMatchObject({ Amount: 'bigint' });
    await service.query('DROP VIEW pf_files.viewing');
  });
});

describe('A reading with alternatives', () => {
  it.for([
    ['sku.csv', { types: 'integer' }, ['types', 'text'], [['SKU', '1E5']], [['SKU', 100000]]],
    ['dash.csv', { dashes: 'empty' }, ['dashes', 'zero'], [['A', 1234.5]], [['A', 1234.5]]],
    [
      'yyyymmdd.csv',
      { types: 'integer' },
      ['types', 'date'],
      [['D', '2026-01-05']],
      [['D', 20260105]],
    ],
    [
      'header-one-short.csv',
      { missing_name: 'last' },
      ['missing_name', 'first'],
      [['Region', 'North']],
      [['Region', 1]],
    ],
    [
      'dmy.csv',
      { date_order: 'mdy' },
      ['date_order', 'dmy'],
      [['DATE', '2024-01-01']],
      [['DATE', '2024-01-01']],
    ],
  ] as const)(
    'of %s is asked, and %j chooses',
    async ([name, query, asked, own, other], { service }) => {
      const one = await send(service, '/files/preview', file(name));
      const { unsure, questions, rows } = one.body;
      expect(unsure).toEqual([asked[0]]);
      expect(questions[0]).toMatchObject({ parameter: asked[0], value: asked[1] });
      expect(rows[0]).toMatchObject(Object.fromEntries(own));
      const two = await send(service, '/files/preview', file(name), query);
      expect(two.body.unsure).toEqual([]);
      expect(two.body.rows[0]).toMatchObject(Object.fromEntries(other));
    },
  );

  it.for([
    ['totals', 'some'],
    ['dashes', 'no'],
    ['short_rows', 'no'],
    ['missing_name', 'no'],
    ['decimals', '16'],
    ['decimals', '1,x'],
  ] as const)('is refused for %s=%s', async ([parameter, value], { service }) => {
    const answer = await send(service, '/files/preview', file('sku.csv'), { [parameter]: value });
    expect([answer.status, answer.body.field]).toEqual([400, parameter]);
  });
});
