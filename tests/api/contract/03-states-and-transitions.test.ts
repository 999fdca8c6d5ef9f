// Tests docs/contract/03-states-and-transitions.md.
import { describe, expect } from 'vitest';
import type { SliceOperation } from '../../../src/lib/contract/operations';
import type { Answer } from '../../support/http';
import type { Service } from '../../support/service';
import { it, makePlan, ok, refused } from './orders';

describe('Version status', () => {
  it('is closed with a time and a name, and open without them', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const closed = await service.api.post(`${path}/close`, { pf_user: 'eve' });
    expect(closed.body).toMatchObject({ status: 'closed', closed_by: 'eve' });
    expect(Date.parse(closed.body.closed_at)).not.toBeNaN();
    const again = () => service.api.post(`${path}/close`, { pf_user: 'eve' });
    await refused(service, again, 409, /closed already/);

    const opened = await service.api.post(`${path}/open`, { pf_user: 'eve' });
    expect(opened.body).toMatchObject({ status: 'open', closed_at: null, closed_by: null });
    const open = () => service.api.post(`${path}/open`, { pf_user: 'eve' });
    await refused(service, open, 409, /open already/);
    await refused(service, () => service.api.post(`${path}/close`, {}), 400, /pf_user/);
  });

  describe('a closed version', () => {
    let path: string;
    let baseline: number;

    it.beforeAll(async ({ service, sourceId }) => {
      ({ path, baseline } = await makePlan(service, sourceId));
      ok(await service.api.post(`${path}/close`, { pf_user: 'eve' }));
    });

    const user = { pf_user: 'ann' };
    const operation = { ...user, slice: {} };
    it.for<[string, (service: Service) => Promise<Answer>]>([
      ['POST baseline', (service) => service.api.post(`${path}/baseline`, user)],
      ['POST reference', (service) => service.api.post(`${path}/reference`, user)],
      ['PUT baseline', (service) => service.api.put(`${path}/baseline/${baseline}`, user)],
      ['DELETE baseline', (service) => service.api.del(`${path}/baseline`)],
      ['POST scale', (service) => service.api.post(`${path}/scale`, { ...operation, pct: 1 })],
      [
        'POST recode',
        (service) => service.api.post(`${path}/recode`, { ...operation, set: { region: 'x' } }),
      ],
      ['POST clone', (service) => service.api.post(`${path}/clone`, { ...operation, set: {} })],
      ['DELETE log', (service) => service.api.del(`/log/${baseline}`)],
      ['PATCH version', (service) => service.api.patch(path, { name: 'Other' })],
      ['DELETE version', (service) => service.api.del(path)],
    ])('refuses %s', async ([, request], { service }) => {
      await refused(service, () => request(service), 403, 'Version is closed');
    });

    it('can still be read, and its notes can be edited', async ({ service }) => {
      for (const what of ['', '/data', '/log', '/segments']) {
        expect((await service.api.get(path + what)).status).toBe(200);
      }
      const edited = await service.api.patch(`/log/${baseline}`, { note: 'agreed' });
      expect([edited.status, edited.body.note]).toEqual([200, 'agreed']);
    });
  });
});

describe('Source status', () => {
  it('omits an archived source from the list, and refuses new versions of it', async ({
    service,
    sourceId,
  }) => {
    ok(await service.api.patch(`/sources/${sourceId}`, { status: 'archived' }));
    expect((await service.api.get('/sources')).body).toEqual([]);
    expect((await service.api.get('/sources?status=all')).body).toMatchObject([
      { id: sourceId, status: 'archived' },
    ]);
    await refused(
      service,
      () => service.api.post(`/sources/${sourceId}/versions`, { name: 'New' }),
      409,
      /archived/,
    );
    ok(await service.api.patch(`/sources/${sourceId}`, { status: 'active' }));
    expect((await service.api.get('/sources')).body).toHaveLength(1);
  });
});

describe('Row origin (pf_iter)', () => {
  it('names the operation that wrote the row, and operations skip the excluded ones', async ({
    service,
    sourceId,
  }) => {
    const { path, table } = await makePlan(service, sourceId);
    const user = { pf_user: 'ann' };
    ok(await service.api.post(`${path}/reference`, user));
    const north = { slice: { region: 'North' }, ...user };
    const before = (
      await service.query(
        `SELECT sum(amount) FILTER (WHERE pf_iter <> 'reference') AS plan FROM ${table} WHERE region = 'North'`,
      )
    )[0].plan;
    expect(before).toBe('175.75');
    ok(await service.api.post(`${path}/scale`, { ...north, pct: 100 }));
    ok(await service.api.post(`${path}/clone`, { ...north, set: { region: 'West' } }));
    ok(await service.api.post(`${path}/recode`, { ...north, set: { region: 'Up' } }));
    const sums = await service.query(
      `SELECT region, pf_iter, sum(amount) AS amount FROM ${table}
       WHERE region IN ('North', 'West', 'Up') GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    expect(sums.map((r) => `${r.region} ${r.pf_iter} ${r.amount}`)).toEqual([
      'North baseline 175.75',
      'North recode -351.50',
      'North reference 175.75',
      'North scale 175.75',
      'Up recode 351.50',
      'West clone 351.50',
    ]);
  });

  it('skips exactly the origins named by the version', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId, { exclude_iters: ['baseline', 'clone'] });
    const scale = () => service.api.post(`${path}/scale`, { slice: {}, pct: 10, pf_user: 'ann' });
    await refused(service, scale, 422, /excluded/);
    ok(await service.api.patch(path, { exclude_iters: [] }));
    expect((await scale()).status).toBe(200);
  });
});

describe('Baseline edit guard', () => {
  it('counts every entry that is not a load, including unknown operations', async ({
    service,
    sourceId,
  }) => {
    const { path, versionId, baseline } = await makePlan(service, sourceId);
    const [known] = await service.query(
      `SELECT pg_get_constraintdef(oid) AS check FROM pg_constraint WHERE conname = 'log_operation_check'`,
    );
    await service.query(`
      ALTER TABLE pf.log DROP CONSTRAINT log_operation_check;
      INSERT INTO pf.log (version_id, pf_user, operation) VALUES (${versionId}, 'ann', 'shift')`);
    const edit = () => service.api.put(`${path}/baseline/${baseline}`, { pf_user: 'ann' });
    await refused(service, edit, 409, /undo/);
    await service.query(`
      DELETE FROM pf.log WHERE operation = 'shift';
      ALTER TABLE pf.log ADD CONSTRAINT log_operation_check ${known.check}`);
    expect((await edit()).status).toBe(200);
  });

  it('refuses to edit a segment while an operation exists, and allows it after its undo', async ({
    service,
    sourceId,
  }) => {
    const { path, baseline } = await makePlan(service, sourceId);
    const reference = ok(await service.api.post(`${path}/reference`, { pf_user: 'ann' })).body
      .logid;
    const bodies = {
      scale: { slice: {}, pct: 5, pf_user: 'ann' },
      recode: { slice: { region: 'North' }, set: { region: 'West' }, pf_user: 'ann' },
      clone: { slice: { region: 'North' }, set: {}, pf_user: 'ann' },
    } satisfies Record<SliceOperation, object>;
    for (const [operation, body] of Object.entries(bodies)) {
      ok(await service.api.post(`${path}/${operation}`, body));
      for (const logid of [baseline, reference]) {
        const edit = () => service.api.put(`${path}/baseline/${logid}`, { pf_user: 'ann' });
        await refused(service, edit, 409, /undo/);
      }
      const { entries } = (await service.api.get(`${path}/log`)).body;
      ok(await service.api.del(`/log/${entries[0].id}`));
    }
    expect((await service.api.put(`${path}/baseline/${baseline}`, { pf_user: 'ann' })).status).toBe(
      200,
    );
    expect(
      (await service.api.put(`${path}/baseline/${reference}`, { pf_user: 'ann' })).status,
    ).toBe(200);
  });
});
