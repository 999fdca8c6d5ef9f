import { describe, expect, it } from 'vitest';
import { startServer } from '../../src/demo/server';
import { makePlan, makeSource, ok, refused } from './contract/orders';
import { databaseInEncoding, dropDatabase, onCitus, serverEnvironment } from '../support/cluster';
import { apiAt } from '../support/http';
import { queryOn, type Service } from '../support/service';

/** Runs a test on a service whose database has a given encoding. */
async function withService(
  encoding: 'LATIN1' | 'SQL_ASCII',
  test: (service: Service) => Promise<void>,
): Promise<void> {
  const database = await databaseInEncoding(encoding);
  const { query, end } = queryOn(database);
  const server = await startServer({ database, env: serverEnvironment() });
  const { url } = server;
  try {
    await test({ url, api: apiAt(url), server, database, query, stop: async () => {} });
  } finally {
    await server.stop();
    await end();
    await dropDatabase(database);
  }
}

const COLUMNS = [
  { cname: 'region', role: 'dimension' as const },
  { cname: 'day', role: 'date' as const },
  { cname: 'amount', role: 'value' as const },
  { cname: 'channel', role: 'filter' as const },
];

describe.skipIf(onCitus)('a database in LATIN1', () => {
  it('refuses a character that it cannot store, and names the field', async () => {
    await withService('LATIN1', async (service) => {
      const { api, query } = service;
      await query(`CREATE TABLE sales (region text, day date, amount numeric(12,2), channel text);
        INSERT INTO sales VALUES ('Köln', '2026-01-01', 100, 'web'), ('Bonn', '2026-01-02', 50, 'web')`);
      const sourceId = await makeSource(service, 'sales', COLUMNS);
      const { path, versionId, baseline } = await makePlan(service, sourceId);
      const by = { pf_user: 'ann' };
      const slice = { region: 'Köln' };
      const post = (to: string, body: object) => () => api.post(to, body);
      const cases: [string, () => ReturnType<typeof api.get>, string?][] = [
        ['note', post(`${path}/scale`, { slice, pct: 1, note: '5 €', ...by })],
        ['note', post(`${path}/scale/preview`, { slice, pct: 1, note: '5 €', ...by })],
        ['pf_user', post(`${path}/scale`, { slice, pct: 1, pf_user: '€' })],
        ['set.region', post(`${path}/recode`, { slice, set: { region: 'İ€' }, ...by }), 'region'],
        ['set.region', post(`${path}/clone`, { slice, set: { region: '€' }, ...by }), 'region'],
        ['slice.region', post(`${path}/slice`, { slice: { region: '€' } }), 'region'],
        ['slice.region', post(`${path}/explain`, { slice: { region: '€' } }), 'region'],
        ['slice.region', post(`${path}/rows`, { slice: { region: '€' } }), 'region'],
        ['slice.region.1', post(`${path}/scale`, { slice: { region: ['a', '€'] }, pct: 1, ...by })],
        [
          'edits.1.slice.region',
          post(`${path}/scale`, {
            edits: [
              { slice, pct: 1 },
              { slice: { region: '€' }, pct: 1 },
            ],
            ...by,
          }),
        ],
        ['note', post(`${path}/baseline`, { note: '€', ...by })],
        ['raw_where', post(`${path}/baseline`, { raw_where: `region = '€'`, ...by })],
        ['where_clause', post(`${path}/baseline/preview`, { where_clause: `region = '€'` })],
        [
          'filters.0.0.value',
          post(`${path}/reference`, {
            filters: [[{ cname: 'region', op: '=', value: '€' }]],
            ...by,
          }),
        ],
        ['date_offset', post(`${path}/baseline`, { date_offset: '1 €', ...by })],
        ['note', () => api.patch(`/log/${baseline}`, { note: '€' })],
        ['name', post(`/sources/${sourceId}/versions`, { name: '€' })],
        ['description', () => api.patch(`/versions/${versionId}`, { description: '€' })],
        ['name', post(`${path}/copy`, { name: '€', ...by })],
        ['name', post(`${path}/replay`, { name: '€', ...by })],
        ['note', post(`${path}/locks`, { slice, note: '€', ...by })],
        ['slice.region', post(`${path}/locks`, { slice: { region: '€' }, ...by })],
        ['text', post(`${path}/comments`, { slice, text: '€', ...by })],
        ['user', () => api.get('/comments/mentions?user=%E2%82%AC')],
        ['pf_user', post(`${path}/close`, { pf_user: '€' })],
        ['label', () => api.patch(`/sources/${sourceId}`, { label: '€' })],
        [
          'default_layout.title',
          () => api.patch(`/sources/${sourceId}`, { default_layout: { title: '€' } }),
        ],
        [
          '0.label',
          () => api.put(`/sources/${sourceId}/columns`, [{ cname: 'region', label: '€' }]),
        ],
        ['name', post(`/sources/${sourceId}/views`, { name: '€', layout: {}, ...by })],
        [
          'name',
          post(`/sources/${sourceId}/profiles`, { name: '€', weights: Array(12).fill(1), ...by }),
        ],
        ['name', post(`/sources/${sourceId}/formulas`, { name: '€', expression: '1', ...by })],
        ['search', () => api.get(`/sources/${sourceId}/values?cname=region&search=%E2%82%AC`)],
      ];
      for (const [field, request, column] of cases) {
        let answer: Awaited<ReturnType<typeof request>> | undefined;
        const sentence = await refused(service, async () => (answer = await request()), 422);
        const character = sentence.includes('“İ”') ? 'İ' : '€';
        expect([field, sentence]).toEqual([
          field,
          `${field}: The database cannot store the character “${character}” (U+${character === '€' ? '20AC' : '0130'}), which its encoding does not have`,
        ]);
        expect(answer!.body.field).toBe(field);
        if (column !== undefined) expect(answer!.body.column).toBe(column);
      }
      // Characters of the encoding work as usual.
      const scaled = await api.post(`${path}/scale`, { slice, pct: 10, note: 'für Köln', ...by });
      expect([scaled.status, scaled.body[0]]).toMatchObject([
        200,
        { region: 'Köln', amount: 10, pf_note: 'für Köln' },
      ]);
    });
  });
});

/** Returns bytes as a text of a database without an encoding. */
const bytes = (hex: string) => `convert_from('\\x${hex}'::bytea, 'SQL_ASCII')`;

describe.skipIf(onCitus)('a database without an encoding (SQL_ASCII)', () => {
  const BAD = ['ff', 'e9', 'c3', 'c080', 'eda080', 'f4908080', '61e28261', 'f0808080'];
  const GOOD = ['', 'abc', 'Köln', '5 €', '😀', '\u{10FFFF}', '퟿', '\u0800', 'e\u0301'];

  it('refuses a load with text that is not UTF-8, and accepts all other text', async () => {
    await withService('SQL_ASCII', async (service) => {
      const { api, query } = service;
      await query('CREATE TABLE sales (region text, day date, amount numeric(12,2), channel text)');
      const sourceId = await makeSource(service, 'sales', COLUMNS);
      const versionId = ok(await api.post(`/sources/${sourceId}/versions`, { name: 'Plan' })).body
        .id;
      const path = `/versions/${versionId}`;
      for (const hex of BAD) {
        await query(`DELETE FROM sales;
          INSERT INTO sales VALUES ('fine', '2026-01-01', 1, 'x'), (${bytes(hex)}, '2026-01-01', 1, 'x')`);
        for (const load of ['baseline', 'reference']) {
          let answer: Awaited<ReturnType<typeof api.get>> | undefined;
          const request = async () =>
            (answer = await api.post(`${path}/${load}`, { pf_user: 'a' }));
          const sentence = await refused(service, request, 422);
          expect([hex, sentence]).toEqual([hex, expect.stringContaining('is not UTF-8')]);
          expect(answer!.body.column).toBe('region');
        }
        for (const to of ['/tables/public/sales', `/sources/${sourceId}/values?cname=region`]) {
          const sentence = await refused(service, () => api.get(to), 422);
          expect([hex, sentence]).toEqual([
            hex,
            expect.stringContaining('public.sales cannot be read'),
          ]);
        }
      }
      await query('DELETE FROM sales');
      for (const text of GOOD)
        await query('INSERT INTO sales VALUES ($1, $2, 1, $1)', [text, '2026-01-01']);
      ok(await api.post(`${path}/baseline`, { pf_user: 'ann', note: '€' }));
      const csv = await api.get(`${path}/data`, { accept: 'text/csv' });
      expect(csv.status).toBe(200);
      expect((await api.get(`${path}/data`)).status).toBe(200);
      const values = (await api.get(`/sources/${sourceId}/values?cname=region`)).body.values;
      expect(values.map(({ value }: { value: string }) => value).toSorted()).toEqual(
        GOOD.toSorted(),
      );
    });
  });
});
