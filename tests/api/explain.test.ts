import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { plan } from '../support/planned';
import type { Service } from '../support/service';

const COLUMNS = [
  { name: 'Region', type: 'text', role: 'dimension' as const },
  { name: 'Product', type: 'text', role: 'dimension' as const },
  { name: 'Order Date', type: 'date', role: 'date' as const },
  { name: 'Sales', type: 'numeric(12,2)', role: 'value' as const },
  { name: 'Units', type: 'integer', role: 'units' as const },
];

/** Creates a version with a baseline, a reference, and three changes by two people. */
async function planned(service: Service, columns: Parameters<typeof plan>[1] = COLUMNS) {
  const rows = ['x', 'y', 'z'].flatMap((Product, i) =>
    ['A', 'B', null].map((Region, j) => ({
      Region,
      Product,
      'Order Date': j === 0 ? null : `2027-0${i + 1}-01`,
      Sales: 10.01 * (i + 1) + j,
      Units: i - j,
    })),
  );
  const made = await plan(service, columns, rows);
  const { path } = made;
  const post = async (operation: string, body: object) => {
    const answer = await service.api.post(`${path}/${operation}`, { pf_user: 'ann', ...body });
    expect(answer.body.error).toBeUndefined();
  };
  await post('baseline', { note: 'all' });
  await post('reference', { date_offset: '-1 year' });
  await post('scale', { slice: { Region: 'A' }, pct: 10, pf_user: 'bob', note: 'Messe' });
  await post('recode', { slice: { Region: 'B', Product: 'x' }, set: { Region: 'A' } });
  await post('clone', { slice: { Product: 'z' }, set: {}, scale_factor: 0.5 });
  return made;
}

describe('POST /versions/:id/explain', () => {
  it('returns the amounts that each entry added to a slice, oldest first', async ({ service }) => {
    const { path } = await planned(service);
    const { entries: log } = (await service.api.get(`${path}/log`)).body;
    const { status, body } = await service.api.post(`${path}/explain`, {
      slice: { Region: 'A', Product: 'x', typo: 1 },
    });
    expect(status).toBe(200);
    const [baseline, reference, scale, recode] = log.toReversed();
    const facts = (entry: Record<string, unknown>) => ({
      logid: entry.id,
      operation: entry.operation,
      pf_user: entry.pf_user,
      stamp: entry.stamp,
      note: entry.note,
    });
    expect(body).toEqual({
      entries: [
        { ...facts(baseline), excluded: false, row_count: 1, value_total: 10.01, units_total: 0 },
        { ...facts(reference), excluded: true, row_count: 1, value_total: 10.01, units_total: 0 },
        { ...facts(scale), excluded: false, row_count: 1, value_total: 1, units_total: 0 },
        { ...facts(recode), excluded: false, row_count: 1, value_total: 11.01, units_total: -1 },
      ],
      included: { row_count: 3, value_total: 22.02, units_total: -1 },
      excluded: { row_count: 1, value_total: 10.01, units_total: 0 },
      skipped: ['typo'],
    });
  });

  it('adds up to the sums of the database, also at a grain', async ({ service }) => {
    const grain = COLUMNS.map((c) => (c.name === 'Region' ? { ...c, grain: true } : c));
    for (const columns of [COLUMNS, grain]) {
      const { path, table } = await planned(service, columns);
      for (const [slice, where] of [
        [{}, 'TRUE'],
        [{ Region: null }, '"Region" IS NULL'],
        [{ Product: ['x', 'z'] }, `"Product" IN ('x', 'z')`],
        [{ 'Order Date': { from: '2027-02-01' } }, `"Order Date" >= '2027-02-01'`],
        [{ Region: 'nobody' }, 'FALSE'],
      ] as const) {
        const { body } = await service.api.post(`${path}/explain`, { slice });
        const sums = (condition: string) =>
          service.query(
            `SELECT pf_logid AS logid, pf_iter = 'reference' AS excluded, count(*) AS row_count,
               sum("Sales")::float8 AS value_total, sum("Units")::int AS units_total
             FROM ${table} WHERE ${condition} GROUP BY 1, 2 ORDER BY 1`,
          );
        const totals = (rows: Record<string, unknown>[]) =>
          rows.map(({ logid, excluded, row_count, value_total, units_total }) => ({
            logid,
            excluded,
            row_count,
            value_total,
            units_total,
          }));
        expect(totals(body.entries)).toEqual(await sums(where));
        const [all] = await service.query(
          `SELECT count(*) AS row_count, COALESCE(sum("Sales"), 0)::float8 AS value_total,
             COALESCE(sum("Units"), 0)::int AS units_total
           FROM ${table} WHERE ${where} AND pf_iter <> 'reference'`,
        );
        expect(body.included).toEqual(all);
        const preview = (await service.api.post(`${path}/slice`, { slice })).body;
        expect(preview).toMatchObject({ ...body.included, excluded: body.excluded });
      }
    }
  });

  it('has null for a missing measure', async ({ service }) => {
    const { path } = await planned(
      service,
      COLUMNS.filter((c) => c.role !== 'units'),
    );
    const { body } = await service.api.post(`${path}/explain`, { slice: { Region: 'A' } });
    expect(body.entries[0].units_total).toBeNull();
    expect([body.included.units_total, body.excluded.units_total]).toEqual([null, null]);
  });

  it('answers for a closed version, and refuses an invalid slice', async ({ service }) => {
    const { path } = await planned(service);
    await service.api.post(`${path}/close`, { pf_user: 'ann' });
    const status = async (body: object) => {
      const answer = await service.api.post(`${path}/explain`, body);
      return [answer.status, answer.body.field];
    };
    expect(await status({ slice: {} })).toEqual([200, undefined]);
    expect(await status({})).toEqual([400, 'slice']);
    expect(await status({ slice: { 'Order Date': 'x' } })).toEqual([400, 'slice.Order Date']);
    expect((await service.api.post('/versions/999999/explain', { slice: {} })).status).toBe(404);
  });
});
