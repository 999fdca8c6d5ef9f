// Tests docs/contract/11-endpoints.md.
import { describe, expect } from 'vitest';
import type { Service } from '../../support/service';
import { it, ok, refused } from './orders';

const LAYOUT = {
  group_by: ['region', 'a"b'],
  filter: [['region', 'in', ['North', null]]],
  columns_config: { constructor: { number_color_mode: 'bar' } },
  constructor: 1,
};

const create = ({ api }: Service, sourceId: number, more: Record<string, unknown>) =>
  api.post(`/sources/${sourceId}/views`, { layout: LAYOUT, pf_user: 'ann', ...more });

describe('POST /sources/:id/views', () => {
  it('stores a layout under a name, unchanged', async ({ service, sourceId }) => {
    const { status, body } = await create(service, sourceId, { name: "Año ｎ' {{x}} $&" });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "Año ｎ' {{x}} $&", layout: LAYOUT, created_by: 'ann' });
    const [kept] = await service.query('SELECT layout FROM pf.view WHERE id = $1', [body.id]);
    expect(kept.layout).toEqual(LAYOUT);
  });

  it('refuses an existing name, and accepts it in another source', async ({
    service,
    sourceId,
  }) => {
    ok(await create(service, sourceId, { name: 'Taken' }));
    await refused(
      service,
      () => create(service, sourceId, { name: 'Taken' }),
      409,
      'The source has a view named "Taken" already',
    );
    const other = ok(
      await service.api.post('/sources', { schema: 'public', tname: 'superstore' }),
    ).body;
    expect((await create(service, other.id, { name: 'Taken' })).status).toBe(201);
  });

  it.for<[string, Record<string, unknown>, string | RegExp]>([
    ['no name', {}, /name is missing/],
    ['a blank name', { name: ' ' }, 'name: must not be empty'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, /200/],
    ['a layout that is a list', { name: 'x', layout: [] }, 'layout: must be an object'],
    ['a layout that is text', { name: 'x', layout: 'group_by' }, 'layout: must be an object'],
    ['no layout', { name: 'x', layout: undefined }, /layout/],
    ['a layout that cannot be stored', { name: 'x', layout: { a: '\u0000' } }, /layout/],
    ['no user', { name: 'x', pf_user: undefined }, /pf_user is missing/],
  ])('refuses %s', async ([, body, message], { service, sourceId }) => {
    await refused(service, () => create(service, sourceId, body), 400, message);
  });

  it('returns 404 for an unknown source', async ({ service }) => {
    await refused(service, () => create(service, 2147483647, { name: 'x' }), 404, /source/);
    await refused(service, () => service.api.get('/sources/2147483647/views'), 404, /source/);
  });
});

describe('GET /sources/:id/views', () => {
  it('lists by name, ignoring case', async ({ service, sourceId }) => {
    await service.query('DELETE FROM pf.view');
    for (const name of ['beta', 'Alpha', 'Gamma'])
      ok(await create(service, sourceId, { name, layout: {} }));
    const { body } = await service.api.get(`/sources/${sourceId}/views`);
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['Alpha', 'beta', 'Gamma']);
  });
});

describe('PATCH /views/:id', () => {
  it('changes name and layout independently', async ({ service, sourceId }) => {
    const { id } = ok(await create(service, sourceId, { name: 'First' })).body;
    const patch = (body: object) => service.api.patch(`/views/${id}`, body);
    expect((await patch({ name: 'Second' })).body).toMatchObject({
      name: 'Second',
      layout: LAYOUT,
    });
    const layout = { split_by: ['select'] };
    expect((await patch({ layout })).body).toMatchObject({ name: 'Second', layout });
    expect((await patch({})).body).toMatchObject({ name: 'Second', layout, created_by: 'ann' });
    ok(await create(service, sourceId, { name: 'Third' }));
    await refused(service, () => patch({ name: 'Third' }), 409, /"Third"/);
    await refused(service, () => patch({ name: '' }), 400);
    await refused(service, () => patch({ layout: [] }), 400, 'layout: must be an object');
    await refused(service, () => patch({ layout: null }), 400, 'layout: must be an object');
    await refused(
      service,
      () => service.api.patch('/views/2147483647', { name: 'x' }),
      404,
      /view/,
    );
  });
});

describe('DELETE /views/:id', () => {
  it('deletes a view once', async ({ service, sourceId }) => {
    const { id } = ok(await create(service, sourceId, { name: 'Passing' })).body;
    const gone = await service.api.del(`/views/${id}`);
    expect([gone.status, gone.bytes.length]).toEqual([204, 0]);
    await refused(service, () => service.api.del(`/views/${id}`), 404, /view/);
    await refused(service, () => service.api.del('/views/x'), 400, /whole number/);
  });
});
