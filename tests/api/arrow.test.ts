import { RecordBatchReader, tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pivoted, pivotedTotals } from '../support/pivot-engine';
import { startService, type Service } from '../support/service';

const NOTE = `it's "so": {{logid}} $& $1 \\ ; -- 'end`;

/**
 * Creates a plan of a source whose column names need quoting everywhere, with a baseline, a scale and a
 * recode.
 */
async function plan(service: Service, inGrain: readonly string[]): Promise<string> {
  const { api, query } = service;
  await query(`CREATE TABLE public."Odd Names" (
      "Order Date" date, "sub-category" text, "select" text, "a""b" integer,
      "Net Sales" numeric(12,2), "from" integer
    );
    INSERT INTO public."Odd Names"
    SELECT DATE '2025-01-31' + i % 400, (ARRAY['null', '', NULL, 'Bücher|Karten'])[1 + i % 4],
      'v' || i % 7, NULLIF(i % 5, 0), (i % 901 - 300) / 100.0, i % 9
    FROM generate_series(1, 3000) AS i`);
  const { body: source } = await api.post('/sources', { schema: 'public', tname: 'Odd Names' });
  const roles = {
    'Order Date': 'date',
    'sub-category': 'dimension',
    select: 'dimension',
    'a"b': 'dimension',
    'Net Sales': 'value',
    from: 'units',
  };
  const saved = await api.put(
    `/sources/${source.id}/columns`,
    Object.entries(roles).map(([cname, role]) => ({
      cname,
      role,
      in_grain: inGrain.includes(cname),
    })),
  );
  expect(saved.status).toBe(200);
  expect((await api.post(`/sources/${source.id}/sql`)).status).toBe(200);
  const { body: version } = await api.post(`/sources/${source.id}/versions`, { name: 'Plan' });
  const path = `/versions/${version.id}`;
  const common = { pf_user: 'ann', note: NOTE };
  const writes = [
    await api.post(`${path}/baseline`, { ...common, date_offset: '1 year' }),
    await api.post(`${path}/scale`, {
      ...common,
      slice: { 'sub-category': [null, ''], select: 'v1' },
      value_incr: 99.99,
      units_incr: 7,
    }),
    await api.post(`${path}/recode`, {
      ...common,
      slice: { 'a"b': [1, null], 'Order Date': '2026-03-02' },
      set: { select: '"; DROP TABLE', 'a"b': 42 },
    }),
  ];
  expect(writes.map((w) => [w.status, w.body.error])).toEqual(writes.map(() => [200, undefined]));
  return path;
}

describe.each([
  { mode: 'raw', endpoint: 'data', inGrain: [] as string[] },
  { mode: 'grain', endpoint: 'agg', inGrain: ['sub-category', 'a"b', 'Order Date'] },
])('in $mode mode, /$endpoint', ({ mode, endpoint, inGrain }) => {
  let service: Service;
  let table: string;
  let bytes: Uint8Array;
  let rowCount: string | null;

  beforeAll(async () => {
    service = await startService('service');
    const path = await plan(service, inGrain);
    table = `pf."fc_Odd Names_${path.split('/').at(-1)}"`;
    const answer = await service.api.get(`${path}/${endpoint}`);
    expect(answer.status).toBe(200);
    bytes = answer.bytes;
    rowCount = answer.headers.get('x-row-count');
  });
  afterAll(() => service?.stop());

  const expectedRows = async (): Promise<number> => {
    const [{ n }] = await service.query(
      mode === 'raw'
        ? `SELECT count(*) AS n FROM ${table}`
        : `SELECT count(*) AS n FROM (SELECT 1 FROM ${table}
             GROUP BY "Order Date", "sub-category", "a""b", pf_iter, pf_logid) AS g`,
    );
    return n;
  };

  it('is one record batch with every row', async () => {
    const batches = [...RecordBatchReader.from(bytes)];
    expect(batches).toHaveLength(1);
    expect(batches[0]?.numRows).toBe(await expectedRows());
    expect(rowCount).toBe(String(await expectedRows()));
  });

  it('has the same sums as SQL, group by group, in apache-arrow', async () => {
    const sums = new Map<string, number[]>();
    for (const row of tableFromIPC(bytes)) {
      const key = JSON.stringify([row['sub-category'], row['a"b'], row.pf_iter]);
      const [sales = 0, units = 0] = sums.get(key) ?? [];
      sums.set(key, [sales + row['Net Sales'], units + row.from]);
    }
    const expected = await service.query(
      `SELECT "sub-category" AS s, "a""b"::int AS n, pf_iter, sum("Net Sales")::float8 AS sales,
         sum("from")::float8 AS units
       FROM ${table} GROUP BY 1, 2, 3`,
    );
    expect(sums.size).toBe(expected.length);
    for (const { s, n, pf_iter, sales, units } of expected) {
      const [gotSales, gotUnits] = sums.get(JSON.stringify([s, n, pf_iter])) ?? [];
      expect(gotSales).toBeCloseTo(sales, 8);
      expect(gotUnits).toBe(units);
    }
  });

  it('loads into the pivot engine with the same rows, types and sums', async () => {
    const { rows, schema } = await pivoted(bytes);
    expect(rows).toHaveLength(await expectedRows());
    expect(schema).toMatchObject({
      'Order Date': 'date',
      'sub-category': 'string',
      'a"b': 'integer',
      'Net Sales': 'float',
      from: 'float',
      pf_logid: 'integer',
      ...(mode === 'raw' ? { pf_id: 'integer', pf_note: 'string' } : { pf_gkey: 'string' }),
    });
    const groups = await pivotedTotals(bytes, 'a"b', ['Net Sales', 'from']);
    const expected = await service.query(
      // ROLLUP would be simpler, but a distributed table cannot run it.
      `WITH part AS (
         SELECT "a""b" AS n, sum("Net Sales") AS sales, sum("from") AS units FROM ${table} GROUP BY 1
       )
       SELECT n, sales::float8, units::float8 FROM (
         SELECT 0 AS depth, NULL AS n, sum(sales) AS sales, sum(units) AS units FROM part
         UNION ALL SELECT 1, n, sales, units FROM part
       ) AS row ORDER BY depth, n NULLS FIRST`,
    );
    expect(groups).toHaveLength(expected.length);
    groups.forEach((group, i) => {
      expect(group['Net Sales']).toBeCloseTo(expected[i].sales, 8);
      expect(group.from).toBe(expected[i].units);
    });
  });

  if (mode === 'raw') {
    it('has the notes and operations of the log', () => {
      const rows = [...tableFromIPC(bytes)];
      expect(new Set(rows.map((r) => r.pf_note))).toEqual(new Set([NOTE]));
      for (const row of rows) expect(row.pf_op).toBe(row.pf_iter);
    });
  } else {
    it('has unique keys, and neither notes nor operations', () => {
      const arrow = tableFromIPC(bytes);
      expect(arrow.schema.fields.map((f) => f.name)).toEqual([
        'Order Date',
        'sub-category',
        'a"b',
        'pf_iter',
        'pf_logid',
        'pf_gkey',
        'Net Sales',
        'from',
      ]);
      expect(new Set([...arrow].map((r) => r.pf_gkey)).size).toBe(arrow.numRows);
    });
  }
});
