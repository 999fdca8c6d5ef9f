import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { plan } from '../support/planned';
import type { Service } from '../support/service';

/** The rows behind a slice (docs/contract/06-log.md#post-versionsidrows). */

const COLUMNS = [
  { name: 'Region', type: 'text', role: 'dimension' as const },
  { name: 'Product', type: 'text', role: 'dimension' as const },
  { name: 'Order Date', type: 'date', role: 'date' as const },
  { name: 'Express', type: 'boolean', role: 'dimension' as const },
  { name: 'pf_user', type: 'text', role: 'dimension' as const },
  { name: 'Sales', type: 'numeric(12,2)', role: 'value' as const },
  { name: 'Units', type: 'integer', role: 'units' as const },
];
const PRODUCTS = Array.from({ length: 60 }, (_, i) => `p${i}`);

/** Creates a version of 180 baseline and 180 reference rows, and three changes by two people. */
async function planned(service: Service, columns: Parameters<typeof plan>[1] = COLUMNS) {
  const rows = PRODUCTS.flatMap((Product, i) =>
    ['A', 'B', null].map((Region, j) => ({
      ...{ Region, Product, Express: j === 1, pf_user: 'of the source' },
      'Order Date': j === 0 ? null : `2027-0${1 + (i % 9)}-01`,
      ...{ Sales: 10.01 * (i + 1) + j, Units: i - j },
    })),
  );
  const made = await plan(service, columns, rows);
  const post = async (operation: string, body: object) => {
    const answer = await service.api.post(`${made.path}/${operation}`, { pf_user: 'ann', ...body });
    expect(answer.body.error).toBeUndefined();
  };
  await post('baseline', { note: 'all, "of it"' });
  await post('reference', { date_offset: '-1 year' });
  await post('scale', { slice: { Region: 'A' }, pct: 10, pf_user: 'bob', note: '=1+1' });
  await post('recode', { slice: { Region: 'B', Product: 'p1' }, set: { Region: 'A' } });
  return { ...made, post };
}

type Listed = Record<string, unknown>;

/** Reads the whole list, page by page. */
async function all({ api }: Service, path: string, slice: object): Promise<Listed[]> {
  const rows: Listed[] = [];
  let after: unknown;
  do {
    const { status, body } = await api.post(`${path}/rows`, { slice, after });
    expect([status, body.error]).toEqual([200, undefined]);
    expect(body.rows.length).toBeLessThanOrEqual(100);
    rows.push(...body.rows);
    after = body.next;
    if (after) expect(body.rows).toHaveLength(100);
    const logids = [...new Set(body.rows.map((row: Listed) => row.pf_logid))];
    expect(body.entries.map(({ logid }: Listed) => logid)).toEqual(logids);
  } while (after);
  return rows;
}

const asCsv = ({ api }: Service, path: string, body: object) =>
  api.send(path, {
    method: 'POST',
    headers: { accept: 'text/csv', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const ids = (rows: readonly Listed[]) => rows.map(({ pf_id }) => Number(pf_id));

describe('POST /versions/:id/rows', () => {
  it('lists the rows of a slice with all columns, those of the newest entry first', async ({
    service,
  }) => {
    const { path } = await planned(service);
    const { entries: log } = (await service.api.get(`${path}/log`)).body;
    const { body } = await service.api.post(`${path}/rows`, {
      slice: { Region: 'A', Product: 'p1', typo: 1 },
    });
    const entry = ({ id, operation, pf_user, stamp, note }: Listed) => ({
      ...{ logid: id, operation, pf_user, stamp, note },
    });
    expect(body).toMatchObject({ entries: log.map(entry), next: null, skipped: ['typo'] });
    const same = { Region: 'A', Product: 'p1', pf_user: 'of the source' };
    expect(body.rows).toMatchObject([
      { ...same, 'Order Date': '2027-02-01', Express: true, Sales: 21.02, pf_iter: 'recode' },
      { ...same, 'Order Date': null, Express: false, Sales: 2, pf_iter: 'scale' },
      { ...same, 'Order Date': null, Express: false, Sales: 20.02, pf_iter: 'reference' },
      { ...same, 'Order Date': null, Express: false, Sales: 20.02, Units: 1, pf_iter: 'baseline' },
    ]);
    expect(body.rows.map(({ pf_logid }: Listed) => pf_logid)).toEqual(
      log.map(({ id }: Listed) => id),
    );
  });

  it('has each row once, page by page, for any slice and also at a grain', async ({ service }) => {
    const grain = COLUMNS.map((c) => (c.name === 'Region' ? { ...c, grain: true } : c));
    for (const columns of [COLUMNS, grain]) {
      const { path, table } = await planned(service, columns);
      for (const [slice, where] of [
        [{}, 'TRUE'],
        [{ Region: null }, '"Region" IS NULL'],
        [
          { Product: ['p1', 'p59'], Express: false },
          `"Product" IN ('p1', 'p59') AND NOT "Express"`,
        ],
        [{ 'Order Date': { from: '2026-05-01' } }, `"Order Date" >= '2026-05-01'`],
        [{ Region: 'nobody' }, 'FALSE'],
      ] as const) {
        const stored = await service.query(
          `SELECT pf_id FROM ${table} WHERE ${where} ORDER BY pf_logid DESC, pf_id`,
        );
        expect(ids(await all(service, path, slice))).toEqual(ids(stored));
      }
    }
  });

  it('continues at the same row while others write and undo', async ({ service }) => {
    const { path, post, table } = await planned(service);
    const before = await service.query(`SELECT pf_id FROM ${table} ORDER BY pf_logid DESC, pf_id`);
    const first = (await service.api.post(`${path}/rows`, { slice: {} })).body;
    expect(ids(first.rows)).toEqual(ids(before.slice(0, 100)));
    expect(first.next).toEqual({
      pf_logid: first.rows[99].pf_logid,
      pf_id: first.rows[99].pf_id,
    });
    await post('scale', { slice: {}, pct: 5 });
    const [{ id: undone }] = (await service.api.get(`${path}/log`)).body.entries.slice(1);
    await service.api.del(`/log/${undone}`);
    const second = (await service.api.post(`${path}/rows`, { slice: {}, after: first.next })).body;
    expect(ids(second.rows)).toEqual(ids(before.slice(100, 200)));
    // The row at which the first page ended is gone with its entry.
    const { entries } = (await service.api.get(`${path}/log`)).body;
    const reference = entries.find(({ operation }: Listed) => operation === 'reference');
    await service.api.del(`/log/${reference.id}`);
    const third = (await service.api.post(`${path}/rows`, { slice: {}, after: first.next })).body;
    const baseline = await service.query(
      `SELECT pf_id FROM ${table} WHERE pf_iter = 'baseline' ORDER BY pf_id`,
    );
    expect(ids(third.rows)).toEqual(ids(baseline.slice(0, 100)));
  });

  it('answers all rows as CSV, each with its entry', async ({ service }) => {
    const { path, table } = await planned(service);
    const csv = async (query: string, body: object) => {
      const answer = await asCsv(service, `${path}/rows${query}`, body);
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      const text = new TextDecoder().decode(answer.bytes);
      return text.trimEnd().split('\n');
    };
    const [head, ...lines] = await csv('', { slice: {} });
    expect(head).toMatch(/^Region,.*pf_id,.*,pf_op,pf_user_,pf_stamp,pf_note$/);
    const [{ count }] = await service.query(`SELECT count(*)::int FROM ${table}`);
    expect(lines).toHaveLength(count);
    expect(lines[0]).toMatch(/,recode,ann,.*,$/);
    expect(lines.at(-1)).toMatch(/,(true|false),.*,baseline,ann,.*,"all, ""of it"""$/);
    const scaled = (text: readonly string[]) => text.filter((line) => line.includes(',scale,bob,'));
    expect(scaled(lines)[0]).toMatch(/,=1\+1$/);
    expect(scaled(await csv('?formulas=protected', { slice: {} }))[0]).toMatch(/,'=1\+1$/);

    const { next } = (await service.api.post(`${path}/rows`, { slice: {} })).body;
    expect(await csv('', { slice: {}, after: next })).toEqual([head, ...lines.slice(100)]);
    expect(await csv('', { slice: { Region: 'nobody' } })).toEqual([head]);
    const ignored = await asCsv(service, `${path}/rows`, { slice: { Regoin: 'West' } });
    expect(ignored.headers.get('x-slice-skipped')).toBe('Regoin');
  });

  it('answers for a closed version, and refuses what cannot select rows', async ({ service }) => {
    const { path } = await planned(service);
    await service.api.post(`${path}/close`, { pf_user: 'ann' });
    const asJson = (body: object) => service.api.post(`${path}/rows`, body);
    expect((await asJson({ slice: {} })).status).toBe(200);
    for (const send of [asJson, (body: object) => asCsv(service, `${path}/rows`, body)]) {
      const refused = async (body: object) => {
        const answer = await send(body);
        return [answer.status, answer.body.field];
      };
      expect(await refused({})).toEqual([400, 'slice']);
      expect(await refused({ slice: { 'Order Date': 'x' } })).toEqual([400, 'slice.Order Date']);
      const after = { pf_logid: 1.5, pf_id: 1 };
      expect(await refused({ slice: {}, after })).toEqual([400, 'after.pf_logid']);
      expect(await refused({ slice: {}, after: {} })).toEqual([400, 'after.pf_logid']);
    }
    expect((await service.api.post('/versions/999999/rows', { slice: {} })).status).toBe(404);
  });
});
