// Tests docs/contract/20-who-is-signed-in.md.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/lib/contract/audit';
import { apiAt, type Api } from '../../support/http';
import { plan, type Planned } from '../../support/planned';
import { startService, type Service } from '../../support/service';
import { REGIONAL, signedIn, SIGNED_IN } from '../../support/territories';
import { ok } from './orders';

const ROWS = [{ Day: '2027-01-31', Region: 'A', Product: 'x', Sales: 100 }];

let service: Service;
let planned: Planned;
let admin: Api;
beforeAll(async () => {
  service = await startService('service', SIGNED_IN);
  admin = apiAt(service.url, signedIn('eve', 'admins'));
  planned = await plan({ ...service, api: admin }, REGIONAL, ROWS);
});
afterAll(() => service?.stop());

const entries = async (query = ''): Promise<AuditEntry[]> =>
  ok(await admin.get(`/audit?${query}`)).body.entries;

/** Who did what to which fields since an entry, oldest first. */
async function since(id: number, query = '') {
  const found = await entries(`after=${id}&${query}`);
  return found.map(({ pf_user, action, before, after }) => [pf_user, action, before, after]);
}

const newest = async (): Promise<number> => (await entries('limit=1'))[0]?.id ?? 1;

describe('The audit', () => {
  it('has the changes of territories, with who and what', async () => {
    const last = await newest();
    const { sourceId } = planned;
    const territory = { member: 'ann', read: { Region: 'A' }, write: null };
    const { id } = ok(await admin.post(`/sources/${sourceId}/territories`, territory)).body;
    ok(await admin.patch(`/territories/${id}`, { write: { Region: 'A' } }));
    ok(await admin.patch(`/territories/${id}`, { member: 'ann' }));
    ok(await admin.del(`/territories/${id}`));
    expect(await since(last)).toEqual([
      ['eve', 'territory created', null, territory],
      ['eve', 'territory changed', { write: null }, { write: { Region: 'A' } }],
      ['eve', 'territory deleted', { ...territory, write: { Region: 'A' } }, null],
    ]);
    const [entry] = await entries('limit=1');
    expect(entry).toMatchObject({ source_id: sourceId, territory_id: id, version_id: null });
  });

  it('has the changes of columns and settings, and closes of versions', async () => {
    const last = await newest();
    const { sourceId, path } = planned;
    const column = { cname: 'Product', role: 'dimension', label: 'Article' };
    ok(await admin.put(`/sources/${sourceId}/columns`, [column]));
    ok(await admin.patch(`/sources/${sourceId}`, { label: 'Sales' }));
    ok(await admin.patch(path, { exclude_iters: ['reference', 'scale'] }));
    ok(await admin.post(`${path}/close`));
    ok(await admin.post(`${path}/open`));
    const name = 'Second';
    const made = ok(await admin.post(`/sources/${sourceId}/versions`, { name })).body;
    ok(await admin.del(`/versions/${made.id}`));
    expect(await since(last, `source=${sourceId}`)).toEqual([
      [
        'eve',
        'columns changed',
        { Product: expect.objectContaining({ label: null }) },
        { Product: expect.objectContaining({ label: 'Article' }) },
      ],
      ['eve', 'source changed', { label: null }, { label: 'Sales' }],
      [
        'eve',
        'version changed',
        { exclude_iters: ['reference'] },
        { exclude_iters: ['reference', 'scale'] },
      ],
      ['eve', 'version closed', { status: 'open' }, { status: 'closed' }],
      ['eve', 'version opened', { status: 'closed' }, { status: 'open' }],
      ['eve', 'version deleted', expect.objectContaining({ name }), null],
    ]);
  });

  it('has no change that was rolled back', async () => {
    const last = await newest();
    const column = { cname: 'Day', role: 'value' };
    const refused = await admin.put(`/sources/${planned.sourceId}/columns`, [column]);
    expect([refused.status, await since(last)]).toEqual([400, []]);
  });

  it('counts refused attempts by person and endpoint, and a flood is a few rows', async () => {
    const last = await newest();
    const rita = apiAt(service.url, signedIn('rita', 'staff'));
    const { sourceId, path } = planned;
    const attempts = Array.from({ length: 300 }, (_, i) => rita.del(`/territories/${i + 1}`));
    expect(new Set((await Promise.all(attempts)).map(({ status }) => status))).toEqual(
      new Set([403]),
    );
    await rita.post(`${path}/scale`, { slice: {}, pct: 1 });
    await service.api.get(`/sources/${sourceId}`);
    const found = await entries(`after=${last}`);
    const shown = found.map((e) => [e.pf_user, e.action, e.request, e.status, e.count]);
    expect(shown).toHaveLength(3);
    expect(shown).toEqual(
      expect.arrayContaining([
        ['rita', 'refused', expect.stringMatching(/^DELETE \/territories\/\d+$/), 403, 300],
        ['rita', 'refused', `POST ${path}/scale`, 403, 1],
        [null, 'refused', `GET /sources/${sourceId}`, 401, 1],
      ]),
    );
    expect(found.find(({ request }) => request?.startsWith('POST'))).toMatchObject({
      source_id: sourceId,
      version_id: Number(path.split('/').at(-1)),
    });

    // Each read records the counts so far. It makes no room for further kinds, so the second one can only add to the
    // rows of other requests.
    const floods = [60, 90];
    const flooded: AuditEntry[] = [];
    for (const [turn, size] of floods.entries()) {
      for (let i = 0; i < size; i++) {
        await apiAt(service.url, signedIn(`user ${turn}.${i}`, 'staff')).get('/audit');
      }
      const last = (flooded.at(-1) ?? found.at(-1)!).id;
      flooded.push(...(await entries(`after=${last}&limit=1000`)));
    }
    expect(flooded.reduce((sum, { count }) => sum + count, 0)).toBe(150);
    const others = flooded.filter(({ request }) => request === 'other requests');
    expect(others.map(({ pf_user }) => pf_user)).toEqual(others.map(() => null));
    // The minute may end in between, and had three kinds before.
    expect(flooded.length - others.length).toBeGreaterThanOrEqual(97);
    expect(others.length).toBeLessThanOrEqual(2);
  });

  it('is read by admins, in parts', async () => {
    const planner = apiAt(service.url, signedIn('pat'));
    expect((await planner.get('/audit')).status).toBe(403);
    const all = await entries('limit=1000');
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted((a, b) => b - a));
    const [first, second, third] = all;
    const older = await entries(`before=${second!.id}&limit=1`);
    expect(older).toEqual([third]);
    const newer = await entries(`after=${third!.id}&limit=1`);
    expect(newer).toEqual([second]);
    expect(first!.id).toBeGreaterThan(second!.id);
    const ofEve = await entries('pf_user=eve&limit=1000');
    expect(ofEve).toEqual(all.filter(({ pf_user }) => pf_user === 'eve'));
    for (const query of ['limit=0', 'limit=1001', 'before=x', 'after=-1', 'source=0']) {
      expect([query, (await admin.get(`/audit?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('only grows', async () => {
    const change = (statement: string) => service.query(statement);
    for (const statement of [
      `UPDATE pf.audit SET pf_user = 'somebody'`,
      'DELETE FROM pf.audit',
      'TRUNCATE pf.audit',
    ]) {
      await expect(change(statement)).rejects.toThrow('Rows of pf.audit are only added');
    }
    const [{ rights }] = await service.query(
      `SELECT array_agg(privilege_type::text ORDER BY privilege_type) AS rights
       FROM pg_class, aclexplode(relacl) WHERE oid = 'pf.audit'::regclass`,
    );
    expect(rights).toEqual(['INSERT', 'REFERENCES', 'SELECT', 'TRIGGER']);
  });

  it('has its people in the log', () => {
    const lines = service.server.output().split('\n');
    const request = lines.find((line) => line.includes('"path":"/api/territories/7"'));
    expect(JSON.parse(request!)).toMatchObject({ status: 403, user: 'rita', method: 'DELETE' });
  });
});
