// Tests docs/contract/01-what-the-service-does.md.
import { describe, expect } from 'vitest';
import { startServer } from '../../../src/demo/server';
import { onCitus } from '../../support/cluster';
import { apiAt } from '../../support/http';
import { startService } from '../../support/service';
import { decode, it, makePlan, ok } from './orders';

describe('What the service does', () => {
  it('plans from a table to a scaled cell and back, all under /api', async ({
    service,
    sourceId,
  }) => {
    const { path, table } = await makePlan(service, sourceId);
    expect(table).toMatch(/^pf\."fc_orders_\d+"$/);
    const loaded = decode((await service.api.get(`${path}/data`)).bytes).rows;
    const rows = ok(
      await service.api.post(`${path}/scale`, {
        slice: { region: 'North' },
        pct: 10,
        pf_user: 'ann',
      }),
    ).body;
    const { pf_ids } = ok(await service.api.del(`/log/${rows[0].pf_logid}`)).body;
    expect(new Set(pf_ids)).toEqual(new Set(rows.map((r: { pf_id: number }) => r.pf_id)));
    expect(decode((await service.api.get(`${path}/data`)).bytes).rows).toEqual(loaded);
  });

  it('works in any time zone of the test run', () => {
    const zone = process.env.TZ;
    expect(zone).toBeTruthy();
    expect(Intl.DateTimeFormat().resolvedOptions().timeZone).toMatch(
      zone === 'Asia/Kolkata' ? /Kolkata|Calcutta/ : new RegExp(zone!),
    );
    expect(new Date(2026, 0, 1).getTimezoneOffset()).not.toBe(0);
  });

  it('gives the same answers from two servers on one database', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const second = await startServer({ database: service.database, env: { TZ: 'UTC' } });
    try {
      const other = apiAt(second.url);
      const rows = ok(
        await other.post(`${path}/scale`, { slice: { region: 'South' }, pct: 10, pf_user: 'bob' }),
      ).body;
      for (const what of ['/data', '/log', '/segments', '']) {
        const [a, b] = [await service.api.get(path + what), await other.get(path + what)];
        if (onCitus && what === '/data') {
          // The workers answer in any order, so the order of the rows is undefined.
          const inOrder = [a, b].map(({ bytes }) =>
            decode(bytes).rows.sort((one, other) => Number(one.pf_id) - Number(other.pf_id)),
          );
          expect(inOrder[0]).toEqual(inOrder[1]);
        } else {
          expect(Buffer.from(a.bytes).equals(Buffer.from(b.bytes))).toBe(true);
        }
      }
      expect((await service.api.del(`/log/${rows[0].pf_logid}`)).body.rows_deleted).toBe(3);
    } finally {
      await second.stop();
    }
  });
});

describe('Display grain is optional', () => {
  it('loads the sample row by row, or at the grain of its source', async () => {
    for (const template of ['raw', 'grain'] as const) {
      const sample = await startService(template);
      try {
        const [{ id }] = await sample.query('SELECT id FROM pf.version');
        const agg = await sample.api.get(`/versions/${id}/agg`);
        expect(agg.status).toBe(template === 'grain' ? 200 : 404);
        const data = await sample.api.get(`/versions/${id}/data`);
        expect(data.headers.get('x-row-count')).toBe('9994');
        const [{ sales }] = await sample.query(
          `SELECT sum("Sales")::float8 AS sales FROM pf.fc_superstore_${id}`,
        );
        const { rows } = decode(template === 'grain' ? agg.bytes : data.bytes);
        expect(rows.reduce((sum, r) => sum + Number(r.Sales), 0)).toBeCloseTo(sales, 4);
        if (template === 'grain') expect(rows.length).toBeLessThan(9994);
      } finally {
        await sample.stop();
      }
    }
  });
});
