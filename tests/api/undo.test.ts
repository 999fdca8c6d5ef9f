import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UndoneAnswer } from '../../src/lib/contract/log';
import { startServer, type Server } from '../../src/demo/server';
import { apiAt, type Api } from '../support/http';
import { plan, type Planned } from '../support/planned';
import { changeUnnoticed, startService, type Service } from '../support/service';

/**
 * The answer of an undo and its recorded totals, with and without cached totals
 * (docs/contract/06-log.md#delete-loglogid).
 */

const REGIONS = ['North', 'South', 'West', null];

let service: Service;
const others: Server[] = [];
const apis = {} as Record<'the same server' | 'another one' | 'one that keeps nothing', Api>;

beforeAll(async () => {
  service = await startService();
  apis['the same server'] = service.api;
  for (const [name, env] of [
    ['another one', {}],
    ['one that keeps nothing', { PF_KEEP_ENTRIES: '0' }],
  ] as const) {
    const server = await startServer({ database: service.database, env });
    others.push(server);
    apis[name] = apiAt(server.url);
  }
});
afterAll(async () => {
  for (const server of others) await server.stop();
  await service.stop();
});

/** Creates a loaded version of two rows per region. */
async function version(type: string, grain: boolean): Promise<Planned> {
  const planned = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension', grain },
      { name: 'Product', type: 'text', role: 'dimension' },
      { name: 'Sales', type, role: 'value' },
      { name: 'Pieces', type: 'bigint', role: 'units' },
    ],
    REGIONS.flatMap((Region) =>
      ['Chair', 'Table'].map((Product) => ({ Region, Product, Sales: '100.25', Pieces: 4 })),
    ),
  );
  expect((await service.api.post(`${planned.path}/baseline`, { pf_user: 'ann' })).status).toBe(200);
  return planned;
}

/** Scales all rows through the first server. @returns the new entry in the log, and its rows' keys */
async function scaled({ path, table }: Planned) {
  const body = { pf_user: 'ann', slice: {}, pct: 10 };
  expect((await service.api.post(`${path}/scale`, body)).status).toBe(200);
  // The server without a cache reads the stored rows.
  const { entries } = (await apis['one that keeps nothing'].get(`${path}/log`)).body;
  const [entry] = entries as { id: number }[];
  const rows = await service.query<{ id: number }>(
    `SELECT pf_id::int AS id FROM ${table} WHERE pf_logid = ${entry!.id} ORDER BY 1`,
  );
  return { entry: entry!, ids: rows.map(({ id }) => id) };
}

/** Undoes an entry without requesting the keys of its rows. */
const undoMinimal = (api: Api, logid: number, headers: Record<string, string> = {}) =>
  api.send(`/log/${logid}`, {
    method: 'DELETE',
    headers: { prefer: 'return=minimal', ...headers },
  });

const undone = async ({ path }: Planned) =>
  v.parse(UndoneAnswer, (await service.api.get(`${path}/undone`)).body)[0]!;

describe.each(['the same server', 'another one', 'one that keeps nothing'] as const)(
  'an undo through %s',
  (through) => {
    it.each(['numeric(12,2)', 'numeric', 'double precision'])(
      'returns the ids of the rows and records their totals: %s',
      async (type) => {
        const planned = await version(type, false);
        const { entry, ids } = await scaled(planned);
        const { status, body, headers } = await apis[through].del(`/log/${entry.id}`);
        expect(headers.has('content-length')).toBe(false);
        expect(headers.has('preference-applied')).toBe(false);
        expect({ status, ...body }).toEqual({
          ...{ status: 200, rows_deleted: 2 * REGIONS.length },
          pf_ids: expect.toSatisfy(
            (all: number[]) => `${all.toSorted((a, b) => a - b)}` === `${ids}`,
          ),
        });
        const { row_count, value_total, units_total, entry: stored } = await undone(planned);
        expect({ ...stored, row_count, value_total, units_total }).toEqual(entry);
        expect((await apis[through].del(`/log/${entry.id}`)).status).toBe(404);
        expect(await service.query(`SELECT FROM ${planned.table} WHERE pf_iter = 'scale'`)).toEqual(
          [],
        );
      },
    );

    it('returns the keys of a grain', async () => {
      const planned = await version('numeric(12,2)', true);
      const { entry } = await scaled(planned);
      const { body } = await apis[through].del(`/log/${entry.id}`);
      const keys = REGIONS.map((region) => `${region ?? '\u001e'}\u001fscale\u001f${entry.id}`);
      expect({ ...body, pf_gkeys: body.pf_gkeys.toSorted() }).toEqual({
        rows_deleted: 2 * REGIONS.length,
        pf_gkeys: keys.toSorted(),
      });
    });

    it('returns the current grain keys of the rows', async () => {
      const planned = await version('numeric(12,2)', true);
      const { entry } = await scaled(planned);
      await changeUnnoticed(
        service,
        `UPDATE ${planned.table} SET "Region" = 'East' WHERE pf_logid = ${entry.id}`,
      );
      const { body } = await apis[through].del(`/log/${entry.id}`);
      expect(body.pf_gkeys).toEqual([`East\u001fscale\u001f${entry.id}`]);
      expect(body.rows_deleted).toBe(2 * REGIONS.length);
    });

    it.each(['after', 'before'])(
      'returns the keys of the current grain, if it has changed %s the operation',
      async (when) => {
        const planned = await version('numeric(12,2)', true);
        const finer = async () => {
          const columns = [{ cname: 'Product', role: 'dimension', in_grain: true }];
          const { status } = await service.api.put(`/sources/${planned.sourceId}/columns`, columns);
          expect(status).toBe(200);
        };
        if (when === 'before') await finer();
        const { entry } = await scaled(planned);
        if (when === 'after') await finer();
        const { body } = await apis[through].del(`/log/${entry.id}`);
        expect(body.pf_gkeys).toHaveLength(2 * REGIONS.length);
        expect(body.pf_gkeys).toContain(`North\u001fChair\u001fscale\u001f${entry.id}`);
      },
    );

    it('reads the totals of the entry only if they are not cached', async () => {
      const planned = await version('numeric(12,2)', false);
      const { entry, ids } = await scaled(planned);
      // Changed rows reveal whether they are read.
      await changeUnnoticed(
        service,
        `UPDATE ${planned.table} SET "Sales" = 1 WHERE pf_logid = ${entry.id}`,
      );
      const { body } = await apis[through].del(`/log/${entry.id}`);
      expect(body.pf_ids.toSorted((a: number, b: number) => a - b)).toEqual(ids);
      const total = through === 'the same server' ? 80.2 : 8;
      expect(await undone(planned)).toMatchObject({ row_count: 8, value_total: total });
    });

    it.each([false, true])(
      'returns only the number of rows on request; grain: %s',
      async (grain) => {
        const planned = await version('numeric(12,2)', grain);
        const { entry } = await scaled(planned);
        const { status, body, headers } = await undoMinimal(apis[through], entry.id);
        expect([status, body]).toEqual([200, { rows_deleted: 2 * REGIONS.length }]);
        expect(headers.get('preference-applied')).toBe('return=minimal');
        expect(await undone(planned)).toMatchObject({ row_count: 8, value_total: 80.2 });
        expect(await service.query(`SELECT FROM ${planned.table} WHERE pf_iter = 'scale'`)).toEqual(
          [],
        );
        expect((await undoMinimal(apis[through], entry.id)).status).toBe(404);
      },
    );

    it('records the totals of the remaining rows if rows were deleted by SQL and only their number is requested', async () => {
      const planned = await version('numeric(12,2)', false);
      const { entry, ids } = await scaled(planned);
      await changeUnnoticed(
        service,
        `DELETE FROM ${planned.table} WHERE pf_id IN (${ids.slice(1)})`,
      );
      expect((await undoMinimal(apis[through], entry.id)).body).toEqual({ rows_deleted: 1 });
      expect(await undone(planned)).toMatchObject({ row_count: 1, value_total: 10.03 });
    });

    it('returns the existing rows if some were deleted by hand', async () => {
      const planned = await version('numeric(12,2)', false);
      const { entry, ids } = await scaled(planned);
      await changeUnnoticed(
        service,
        `DELETE FROM ${planned.table} WHERE pf_id IN (${ids.slice(1)})`,
      );
      expect((await apis[through].del(`/log/${entry.id}`)).body).toEqual({
        rows_deleted: 1,
        pf_ids: [ids[0]],
      });
      expect(await undone(planned)).toMatchObject({ row_count: 1, value_total: 10.03 });
    });
  },
);

it.each([
  ['return=minimal', true],
  ['respond-async, Return="minimal"; wait=5', true],
  ['return=representation', false],
  ['return=minimalist', false],
])('Prefer: %s omits the keys: %s', async (prefer, isMinimal) => {
  const planned = await version('numeric(12,2)', false);
  const { entry } = await scaled(planned);
  const { body } = await undoMinimal(service.api, entry.id, { prefer });
  expect(Object.keys(body)).toEqual(isMinimal ? ['rows_deleted'] : ['rows_deleted', 'pf_ids']);
});

it('returns the first answer for a repeated key, although the repeat has another preference', async () => {
  const planned = await version('numeric(12,2)', false);
  const { entry } = await scaled(planned);
  const headers = { 'idempotency-key': 'one-undo' };
  const first = await undoMinimal(service.api, entry.id, headers);
  const second = await service.api.send(`/log/${entry.id}`, { method: 'DELETE', headers });
  expect([second.status, second.body]).toEqual([200, first.body]);
  expect(second.headers.get('preference-applied')).toBe('return=minimal');
});
