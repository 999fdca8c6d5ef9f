// Tests docs/contract/11-endpoints.md.
import { describe, expect } from 'vitest';
import type { Service } from '../../support/service';
import { it, makeSource, ok, ORDER_COLUMNS, refused } from './orders';

const create = ({ api }: Service, sourceId: number, more: Record<string, unknown>) =>
  api.post(`/sources/${sourceId}/formulas`, {
    ...{ expression: 'amount / pieces', pf_user: 'ann' },
    ...more,
  });

/** Registers a copy of the orders as a source of its own, with a measure whose name needs quotes. */
async function ownSource(service: Service, table: string): Promise<number> {
  await service.query(`CREATE TABLE public.${table} AS
    SELECT *, amount AS "Net ""sales""" FROM public.orders`);
  return makeSource(service, table, ORDER_COLUMNS);
}

describe('POST /sources/:id/formulas', () => {
  it('stores an expression and a format under a name', async ({ service, sourceId }) => {
    const format = { style: 'currency', currency: 'EUR', decimals: 3 };
    const formula = { name: "Größe % ' {{x}}", expression: ' -(amount*2.5)\n/pieces ', format };
    const { status, body } = await create(service, sourceId, formula);
    expect(status).toBe(201);
    expect(body).toEqual({
      ...formula,
      id: expect.any(Number),
      source_id: sourceId,
      created_by: 'ann',
      created_at: expect.any(String),
      problem: null,
    });
    const { body: all } = await service.api.get(`/sources/${sourceId}/formulas`);
    expect(all).toContainEqual(body);
  });

  it('takes names in quotes', async ({ service }) => {
    const id = await ownSource(service, 'quoted');
    const columns = [
      { cname: 'amount', role: 'ignore' },
      { cname: 'Net "sales"', role: 'value' },
    ];
    ok(await service.api.put(`/sources/${id}/columns`, columns));
    const expression = '"Net ""sales""" / pieces';
    expect((await create(service, id, { name: 'Each', expression })).status).toBe(201);
    await refused(
      service,
      () => create(service, id, { name: 'Other', expression: '"Net sales" / pieces' }),
      400,
      'expression: at character 1: There is no measure “Net sales”.',
    );
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
      'The source has a formula named "Taken" already',
    );
    const other = await ownSource(service, 'another');
    expect((await create(service, other, { name: 'Taken' })).status).toBe(201);
  });

  it.for<[string, RegExp]>([
    ['amount', /^The source has a column named "amount"$/],
    ['secret', /^The source has a column named "secret"$/],
    ['Order Date (month)', /begins with "Order Date \("/],
    ['amount of North', /begins with "amount of "/],
    ['pf_id', /reserved for the service/],
    ['psp_okey', /reserved for the service/],
  ])('refuses the name %s, which columns need', async ([name, message], { service, sourceId }) => {
    await refused(service, () => create(service, sourceId, { name }), 409, message);
  });

  it.for<[string, Record<string, unknown>, string | RegExp]>([
    ['no name', {}, /name is missing/],
    ['a blank name', { name: ' ' }, 'name: must not be empty'],
    ['a name with a space at its end', { name: 'x ' }, /name: must not begin or end with a space/],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, /200/],
    ['a name of a part', { name: 'x: Δ' }, /name: must not contain ": "/],
    ['no expression', { name: 'x', expression: undefined }, /expression is missing/],
    ['an expression that is a number', { name: 'x', expression: 1 }, /expression/],
    [
      'an empty expression',
      { name: 'x', expression: ' ' },
      'expression: at character 1: The formula is empty.',
    ],
    ['a long expression', { name: 'x', expression: '1'.repeat(1001) }, /1000 characters/],
    [
      'an unknown measure',
      { name: 'x', expression: 'amount - cost' },
      'expression: at character 10: There is no measure “cost”.',
    ],
    [
      'a column that is no measure',
      { name: 'x', expression: 'region' },
      'expression: at character 1: There is no measure “region”.',
    ],
    [
      'a function',
      { name: 'x', expression: 'sqrt(amount)' },
      'expression: at character 1: There is no measure “sqrt”.',
    ],
    [
      'an open bracket',
      { name: 'x', expression: '(amount' },
      'expression: at character 8: A closing bracket is missing here.',
    ],
    ['another sign', { name: 'x', expression: 'amount; DROP TABLE x' }, /character 7: “;” cannot/],
    ['a format that is text', { name: 'x', format: 'percent' }, /format/],
    ['an unknown style', { name: 'x', format: { style: 'bold' } }, /format\.style/],
    ['no style', { name: 'x', format: {} }, /format\.style is missing/],
    ['a currency without a code', { name: 'x', format: { style: 'currency' } }, /format\.currency/],
    [
      'a code of two letters',
      { name: 'x', format: { style: 'currency', currency: 'EU' } },
      /format\.currency: must be a currency code/,
    ],
    [
      'a percentage with a currency',
      { name: 'x', format: { style: 'percent', currency: 'EUR' } },
      /format\.currency/,
    ],
    [
      'half a decimal',
      { name: 'x', format: { style: 'number', decimals: 0.5 } },
      /format\.decimals: must be a whole number from 0 to 10/,
    ],
    ['11 decimals', { name: 'x', format: { style: 'number', decimals: 11 } }, /0 to 10/],
    ['no user', { name: 'x', pf_user: undefined }, /pf_user is missing/],
  ])('refuses %s', async ([, body, message], { service, sourceId }) => {
    await refused(service, () => create(service, sourceId, body), 400, message);
  });

  it('returns 404 for an unknown source', async ({ service }) => {
    await refused(service, () => create(service, 2147483647, { name: 'x' }), 404, /source/);
    await refused(service, () => service.api.get('/sources/2147483647/formulas'), 404, /source/);
  });
});

describe('GET /sources/:id/formulas', () => {
  it('lists by name, ignoring case', async ({ service, sourceId }) => {
    await service.query('DELETE FROM pf.formula');
    for (const name of ['beta', 'Alpha', 'Gamma']) ok(await create(service, sourceId, { name }));
    const { body } = await service.api.get(`/sources/${sourceId}/formulas`);
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['Alpha', 'beta', 'Gamma']);
  });

  it('says why a formula cannot be used after roles of columns changed', async ({ service }) => {
    const id = await ownSource(service, 'changing');
    ok(await create(service, id, { name: 'Price', expression: '2 * (amount / pieces)' }));
    ok(await create(service, id, { name: 'Half', expression: 'amount / 2' }));
    const problems = async () =>
      ok(await service.api.get(`/sources/${id}/formulas`)).body.map(
        ({ problem }: { problem: string | null }) => problem,
      );
    expect(await problems()).toEqual([null, null]);
    const save = (role: string) =>
      service.api.put(`/sources/${id}/columns`, [{ cname: 'pieces', role }]);
    ok(await save('ignore'));
    expect(await problems()).toEqual([null, 'at character 15: There is no measure “pieces”.']);
    ok(await save('units'));
    expect(await problems()).toEqual([null, null]);
  });

  it('names a column that the table has gained under the name of a formula', async ({
    service,
  }) => {
    const id = await ownSource(service, 'gaining');
    ok(await create(service, id, { name: 'margin' }));
    await service.query('ALTER TABLE public.gaining ADD COLUMN margin numeric');
    const [{ problem }] = ok(await service.api.get(`/sources/${id}/formulas`)).body;
    expect(problem).toBe('The source has a column named "margin"');
  });
});

describe('PATCH /formulas/:id', () => {
  it('changes name, expression and format independently', async ({ service, sourceId }) => {
    const { id } = ok(await create(service, sourceId, { name: 'First' })).body;
    const patch = (body: object) => service.api.patch(`/formulas/${id}`, body);
    const expression = 'pieces / amount';
    const format = { style: 'percent', decimals: 0 };
    expect((await patch({ name: 'Second' })).body).toMatchObject({
      name: 'Second',
      expression: 'amount / pieces',
      format: { style: 'number' },
    });
    expect((await patch({ expression })).body).toMatchObject({ name: 'Second', expression });
    expect((await patch({ format })).body).toMatchObject({ expression, format });
    expect((await patch({})).body).toMatchObject({ name: 'Second', expression, format });
    ok(await create(service, sourceId, { name: 'Third' }));
    await refused(
      service,
      () => patch({ name: 'Third' }),
      409,
      'The source has a formula named "Third" already',
    );
    await refused(service, () => patch({ name: 'region' }), 409, /column named "region"/);
    await refused(service, () => patch({ name: '' }), 400);
    await refused(service, () => patch({ expression: 'pieces /' }), 400, /at character 9/);
    await refused(service, () => patch({ format: null }), 400, /format/);
    const gone = () => service.api.patch('/formulas/2147483647', { name: 'x' });
    await refused(service, gone, 404, 'There is no formula 2147483647');
  });

  it('changes the name and the format of a formula that cannot be used', async ({ service }) => {
    const id = await ownSource(service, 'unusable');
    const made = ok(await create(service, id, { name: 'Price' })).body;
    const ignored = [{ cname: 'pieces', role: 'ignore' }];
    ok(await service.api.put(`/sources/${id}/columns`, ignored));
    const edit = { name: 'Per piece', format: { style: 'number', decimals: 4 } };
    expect(ok(await service.api.patch(`/formulas/${made.id}`, edit)).body).toMatchObject({
      ...edit,
      problem: 'at character 10: There is no measure “pieces”.',
    });
    expect(
      ok(await service.api.patch(`/formulas/${made.id}`, { expression: 'amount' })).body,
    ).toMatchObject({ expression: 'amount', problem: null });
  });
});

describe('DELETE /formulas/:id', () => {
  it('deletes a formula once', async ({ service, sourceId }) => {
    const { id } = ok(await create(service, sourceId, { name: 'Passing' })).body;
    const deleted = await service.api.del(`/formulas/${id}`);
    expect([deleted.status, deleted.bytes.length]).toEqual([204, 0]);
    await refused(service, () => service.api.del(`/formulas/${id}`), 404, /formula/);
    await refused(service, () => service.api.del('/formulas/x'), 400, /whole number/);
  });
});
