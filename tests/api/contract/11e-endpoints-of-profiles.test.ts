// Tests docs/contract/11-endpoints.md.
import { describe, expect } from 'vitest';
import type { Service } from '../../support/service';
import { it, makePlan, ok, refused } from './orders';

const WEIGHTS = [4, 4, 5, 4, 4, 5, 4, 4, 5, 4, 4, 5];
const JANUARY_ONLY = [1, ...Array.from({ length: 11 }, () => 0)];

const create = ({ api }: Service, sourceId: number, more: Record<string, unknown>) =>
  api.post(`/sources/${sourceId}/profiles`, { weights: WEIGHTS, pf_user: 'ann', ...more });

describe('POST /sources/:id/profiles', () => {
  it('stores the weights of the months under a name, with all their digits', async ({
    service,
    sourceId,
  }) => {
    const weights = [0.1, 1 / 3, 1e-300, 1e300, Number.MAX_SAFE_INTEGER, 0, 5, 6, 7, 8, 9.99, 12];
    const { status, body } = await create(service, sourceId, { name: "4-4-5 ｎ' {{x}}", weights });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      source_id: sourceId,
      name: "4-4-5 ｎ' {{x}}",
      weights,
      created_by: 'ann',
      created_at: expect.any(String),
    });
    const { body: all } = await service.api.get(`/sources/${sourceId}/profiles`);
    expect(all).toContainEqual(body);
    expect((await create(service, sourceId, { name: 'J', weights: JANUARY_ONLY })).status).toBe(
      201,
    );
  });

  it('refuses an existing name, and accepts it in another source and for a view', async ({
    service,
    sourceId,
  }) => {
    ok(await create(service, sourceId, { name: 'Taken' }));
    await refused(
      service,
      () => create(service, sourceId, { name: 'Taken' }),
      409,
      'The source has a profile named "Taken" already',
    );
    const view = { name: 'Taken', layout: {}, pf_user: 'ann' };
    expect((await service.api.post(`/sources/${sourceId}/views`, view)).status).toBe(201);
    const other = ok(
      await service.api.post('/sources', { schema: 'public', tname: 'superstore' }),
    ).body;
    expect((await create(service, other.id, { name: 'Taken' })).status).toBe(201);
  });

  it.for<[string, Record<string, unknown>, string | RegExp]>([
    ['no name', {}, /name is missing/],
    ['a blank name', { name: ' ' }, 'name: must not be empty'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, /200/],
    ['no weights', { name: 'x', weights: undefined }, /weights is missing/],
    ['weights that are no list', { name: 'x', weights: { 0: 1 } }, /weights/],
    [
      '11 weights',
      { name: 'x', weights: WEIGHTS.slice(1) },
      'weights: must be 12 numbers, January first',
    ],
    [
      '13 weights',
      { name: 'x', weights: [...WEIGHTS, 4] },
      'weights: must be 12 numbers, January first',
    ],
    [
      'a weight below 0',
      { name: 'x', weights: WEIGHTS.with(2, -0.01) },
      'weights.2: must be 0 or more',
    ],
    ['a weight that is text', { name: 'x', weights: ['4', ...WEIGHTS.slice(1)] }, /weights\.0/],
    ['a weight of null', { name: 'x', weights: [...WEIGHTS.slice(1), null] }, /weights\.11/],
    [
      'weights of 0',
      { name: 'x', weights: WEIGHTS.map(() => 0) },
      'weights: must have one above 0',
    ],
    ['no user', { name: 'x', pf_user: undefined }, /pf_user is missing/],
  ])('refuses %s', async ([, body, message], { service, sourceId }) => {
    await refused(service, () => create(service, sourceId, body), 400, message);
  });

  it('returns 404 for an unknown source', async ({ service }) => {
    await refused(service, () => create(service, 2147483647, { name: 'x' }), 404, /source/);
    await refused(service, () => service.api.get('/sources/2147483647/profiles'), 404, /source/);
  });
});

describe('GET /sources/:id/profiles', () => {
  it('lists by name, ignoring case', async ({ service, sourceId }) => {
    await service.query('DELETE FROM pf.profile');
    for (const name of ['beta', 'Alpha', 'Gamma']) ok(await create(service, sourceId, { name }));
    const { body } = await service.api.get(`/sources/${sourceId}/profiles`);
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['Alpha', 'beta', 'Gamma']);
  });
});

describe('PATCH /profiles/:id', () => {
  it('changes name and weights independently', async ({ service, sourceId }) => {
    const { id } = ok(await create(service, sourceId, { name: 'First' })).body;
    const patch = (body: object) => service.api.patch(`/profiles/${id}`, body);
    expect((await patch({ name: 'Second' })).body).toMatchObject({
      name: 'Second',
      weights: WEIGHTS,
    });
    const weights = JANUARY_ONLY;
    expect((await patch({ weights })).body).toMatchObject({ name: 'Second', weights });
    expect((await patch({})).body).toMatchObject({ name: 'Second', weights, created_by: 'ann' });
    ok(await create(service, sourceId, { name: 'Third' }));
    await refused(
      service,
      () => patch({ name: 'Third' }),
      409,
      'The source has a profile named "Third" already',
    );
    await refused(service, () => patch({ name: '' }), 400);
    await refused(service, () => patch({ weights: null }), 400, /weights/);
    await refused(service, () => patch({ weights: weights.slice(1) }), 400, /12 numbers/);
    await refused(service, () => patch({ weights: weights.with(0, 0) }), 400, /one above 0/);
    await refused(service, () => patch({ weights: weights.with(1, -1) }), 400, /0 or more/);
    const gone = () => service.api.patch('/profiles/2147483647', { name: 'x' });
    await refused(service, gone, 404, 'There is no profile 2147483647');
  });
});

describe('DELETE /profiles/:id', () => {
  it('deletes a profile once', async ({ service, sourceId }) => {
    const { id } = ok(await create(service, sourceId, { name: 'Passing' })).body;
    const deleted = await service.api.del(`/profiles/${id}`);
    expect([deleted.status, deleted.bytes.length]).toEqual([204, 0]);
    await refused(service, () => service.api.del(`/profiles/${id}`), 404, /profile/);
    await refused(service, () => service.api.del('/profiles/x'), 400, /whole number/);
  });

  it('keeps the entries that were written with its weights', async ({ service, sourceId }) => {
    const { id, weights } = ok(await create(service, sourceId, { name: 'Used' })).body;
    const { path } = await makePlan(service, sourceId);
    const profile = {
      column: 'Order Date',
      unit: 'month',
      weights: { '2026-01-01': weights[0], '2026-03-01': weights[2] },
    };
    const body = { slice: {}, value_incr: 90, spread: { profile }, pf_user: 'ann' };
    ok(await service.api.post(`${path}/scale`, body));
    ok(await service.api.del(`/profiles/${id}`));
    const [entry] = ok(await service.api.get(`${path}/log`)).body.entries;
    expect([entry.value_total, entry.params.spread]).toEqual([90, { profile }]);
  });
});
