// Tests POST /versions/:id/slice of docs/contract/05-operations.md, and that its answer predicts the rows of
// a scale.
import { describe, expect } from 'vitest';
import type { Service } from '../../support/service';
import { it, makePlan, makeSource, ok, refused } from './orders';

const user = { pf_user: 'ann' };

interface Preview {
  row_count: number;
  value_total: number;
  units_total: number;
  value_decimals: number | null;
  units_decimals: number | null;
  held: { row_count: number; value_total: number; units_total: number };
  free: Omit<Preview, 'held' | 'free'> & {
    value_gross: number | null;
    units_gross: number | null;
  };
}

const reach = async (service: Service, path: string, body: object): Promise<Preview> =>
  ok(await service.api.post(`${path}/slice`, body)).body;

/** Returns the amounts that a scale added to value and units. */
const added = async (service: Service, path: string, body: object): Promise<number[]> => {
  const rows: Record<string, number>[] = ok(
    await service.api.post(`${path}/scale`, { ...body, ...user }),
  ).body;
  const sum = (name: string) => rows.reduce((all, row) => all + (row[name] ?? 0), 0);
  return [Number(sum('amount').toFixed(6)), sum('pieces')];
};

describe('POST /versions/:id/slice', () => {
  it('separates locked and held rows from those that a scale changes', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/locks`, { slice: { region: 'South' }, ...user }));
    const slice = { region: ['North', 'South'] };
    const hold = [{ 'sub-category': 'Tables' }];
    const found = await reach(service, path, { slice, hold });
    expect(found).toMatchObject({
      row_count: 6,
      value_total: 531.5,
      units_total: 52,
      value_decimals: 2,
      units_decimals: 0,
      held: { row_count: 4, value_total: 381, units_total: 37 },
      free: {
        row_count: 2,
        value_total: 150.5,
        units_total: 15,
        value_decimals: 2,
        units_decimals: 0,
        value_gross: null,
        units_gross: null,
      },
    });
    expect(await added(service, path, { slice, hold, pct: -8 })).toEqual([-12.04, -1]);
    await refused(
      service,
      () => service.api.post(`${path}/slice`, { slice, hold: [{ typo: 1 }] }),
      400,
      /hold\.0/,
    );
  });

  it('counts every row of the slice as held if all are locked', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    for (const region of ['North', 'South'])
      ok(await service.api.post(`${path}/locks`, { slice: { region }, ...user }));
    const slice = { region: ['North', 'South'] };
    const found = await reach(service, path, { slice });
    expect(found.held.row_count).toBe(6);
    expect(found.free).toMatchObject({ row_count: 0, value_total: 0, units_total: 0 });
    await refused(
      service,
      () => service.api.post(`${path}/scale`, { slice, pct: 5, ...user }),
      422,
      /held or locked/,
    );
  });

  it("returns the sum of the leaves' absolute amounts if they cancel each other out", async ({
    service,
  }) => {
    await service.query(`
      CREATE TABLE public.offset_amounts (k text, side text, amount numeric(12,2), pieces integer);
      INSERT INTO public.offset_amounts VALUES
        ('near', 'a', 1000, 3), ('near', 'b', -998, 3), ('exact', 'a', 500, 1), ('exact', 'b', -500, 1),
        ('plain', 'a', 10, 1), ('zero', 'a', 0, 0), ('zero', 'b', 0, 0)`);
    const id = await makeSource(service, 'offset_amounts', [
      { cname: 'k', role: 'dimension' },
      { cname: 'side', role: 'dimension' },
      { cname: 'amount', role: 'value' },
      { cname: 'pieces', role: 'units' },
    ]);
    const { path } = await makePlan(service, id);
    const gross = async (k: string) => {
      const { free } = await reach(service, path, { slice: { k } });
      return [free.row_count, free.value_total, free.value_gross, free.units_gross];
    };
    expect(await gross('near')).toEqual([2, 2, 1998, null]);
    expect(await gross('exact')).toEqual([2, 0, 1000, null]);
    expect(await gross('plain')).toEqual([1, 10, null, null]);
    expect(await gross('zero')).toEqual([2, 0, null, null]);

    // The sum of the parts' absolute amounts is as many increments as the gross has totals.
    const parts: { amount: number }[] = ok(
      await service.api.post(`${path}/scale`, { slice: { k: 'near' }, value_incr: 298, ...user }),
    ).body;
    expect(parts.map(({ amount }) => amount).toSorted((a, b) => a - b)).toEqual([-148702, 149000]);

    // A row that offsets another row of the same leaf does not count as cancelling out.
    ok(
      await service.api.post(`${path}/scale`, { slice: { k: 'plain' }, value_incr: -9.9, ...user }),
    );
    expect(await gross('plain')).toEqual([2, 0.1, null, null]);
    await refused(
      service,
      () => service.api.post(`${path}/scale`, { slice: { k: 'exact' }, value_incr: 5, ...user }),
      422,
      /cancel each other out/,
    );
    expect(await added(service, path, { slice: { k: 'zero' }, value_incr: 5 })).toEqual([5, 0]);
  });

  it('returns the decimals to which amounts are rounded', async ({ service }) => {
    await service.query('CREATE DOMAIN public.thousandths AS numeric(12,3)');
    const cases = [
      ['numeric', '1.005', 3],
      ['numeric', '1', 2],
      ['numeric(12,3)', '1', 3],
      ['integer', '1', 0],
      ['double precision', '1.005', null],
      ['public.thousandths', '1', 3],
    ] as const;
    for (const [i, [type, amount, decimals]] of cases.entries()) {
      const tname = `typed_${i}`;
      await service.query(`CREATE TABLE public.${tname} (k text, amount ${type});
        INSERT INTO public.${tname} VALUES ('a', ${amount}), ('b', 2)`);
      const id = await makeSource(service, tname, [
        { cname: 'k', role: 'dimension' },
        { cname: 'amount', role: 'value' },
      ]);
      const { path } = await makePlan(service, id);
      const found = await reach(service, path, { slice: {} });
      expect([type, found.value_decimals]).toEqual([type, decimals]);
      expect([type, found.free.value_decimals]).toEqual([type, decimals]);
      expect(found.units_decimals).toBeNull();
    }
  });
});

describe('POST /versions/:id/slices', () => {
  const SLICES = [
    { region: 'North' },
    { region: ['North', null], 'sub-category': ['Chairs', 'Lamps'] },
    { region: 'North', 'Order Date': { from: '2026-02-01', to: '2026-02-28' } },
    { region: 'South', 'Order Date': { from: '2026-03-15', to: '2026-03-31' } },
    { region: '', 'Order Date': { to: '2026-05-05' } },
    { region: 'East', 'Order Date': null },
    { 'a"b': null, 'Order Year': 2026 },
    { 'Order Date': '2026-04-01' },
    { region: 'Nowhere' },
    { region: 'North', typo: { a: 1 } },
    {},
  ];

  it('answers each slice as POST slice does', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/reference`, user));
    ok(await service.api.post(`${path}/locks`, { slice: { region: 'South' }, ...user }));
    const body = { slices: SLICES, by: ['Order Date'], unit: 'quarter' };
    const { slices } = ok(await service.api.post(`${path}/slices`, body)).body;
    const alone: unknown[] = [];
    for (const slice of SLICES) alone.push(await reach(service, path, { ...body, slice }));
    expect(slices).toEqual(alone);
    expect(slices).toMatchObject([
      { row_count: 3, value_total: 175.75, free: { row_count: 3 }, excluded: { row_count: 3 } },
      { row_count: 3, value_total: 160.5, units_total: 16 },
      { row_count: 2, value_total: 75.75 },
      { row_count: 2, value_total: 375.75, held: { row_count: 2 }, free: { row_count: 0 } },
      { row_count: 1, value_total: 11 },
      { row_count: 1, value_total: 1.5, groups: [{ group: [null], value_total: 1.5 }] },
      { row_count: 2, value_total: 55.75 },
      { row_count: 2, value_total: -10, held: { row_count: 1, value_total: -20 } },
      { row_count: 0, value_total: 0, value_decimals: null, groups: [] },
      { row_count: 3, skipped: ['typo'] },
      { row_count: 12, value_total: 1554, units_total: 155, skipped: [] },
    ]);
    // The same slices without one that selects everything, so that the service reads fewer rows.
    const same = SLICES.slice(2, 4);
    expect(ok(await service.api.post(`${path}/slices`, { slices: same })).body.slices).toEqual(
      await Promise.all(same.map((slice) => reach(service, path, { slice }))),
    );
  });

  it("returns the sum of the leaves' absolute amounts of each slice that cancels out", async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    for (const pieces of ['Tables', 'Chairs']) {
      const slice = { region: 'South', 'sub-category': pieces };
      ok(await service.api.post(`${path}/scale`, { slice, value_total: 100, ...user }));
    }
    const slice = { region: 'South', 'sub-category': 'Chairs' };
    ok(await service.api.post(`${path}/scale`, { slice, value_total: -99, ...user }));
    const slices = [{ region: 'South' }, { region: 'North' }, { 'sub-category': 'Tables' }];
    const answer = ok(await service.api.post(`${path}/slices`, { slices })).body.slices;
    expect(answer[0].free).toMatchObject({ value_total: 1, units_gross: null });
    expect(answer[0].free.value_gross).toBeGreaterThan(198);
    expect(answer[1].free.value_gross).toBeNull();
    expect(answer).toEqual(
      await Promise.all(slices.map((each) => reach(service, path, { slice: each }))),
    );
  });

  it('refuses lists that are empty or too long, and names the slice that cannot be used', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    const ask = (slices: unknown[]) => () => service.api.post(`${path}/slices`, { slices });
    await refused(service, ask([]), 400, /slices: must not be an empty list/);
    await refused(service, ask(Array(201).fill({})), 400, /slices: must be at most 200/);
    const day = { 'Order Date': '2026-02-31' };
    await refused(service, ask([{}, day]), 400, /2026-02-31/);
    expect((await ask([{}, day])()).body).toMatchObject({
      ...{ field: 'slices.1.Order Date', column: 'Order Date' },
    });
  });
});

describe('amounts that a double cannot represent', () => {
  it('are refused by a scale, which names field and column', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const scale = (amounts: object) =>
      service.api.post(`${path}/scale`, { slice: { region: 'North' }, ...amounts, ...user });
    // JSON reads 4503599627370500.05 as this double.
    const refusal = await scale({ value_incr: Number('4503599627370500.05') });
    expect(refusal.status).toBe(422);
    expect(refusal.body).toMatchObject({ field: 'value_incr', column: 'amount' });
    expect((await scale({ units_incr: -4503599627370496 })).status).toBe(422);
    const edits = [{ slice: { region: 'North' }, value_incr: 1e15 }];
    expect((await service.api.post(`${path}/scale`, { edits, ...user })).body).toMatchObject({
      field: 'edits.0.value_incr',
    });
    expect(
      await added(service, path, { slice: { region: 'North' }, value_incr: 45035996273704.95 }),
    ).toEqual([45035996273704.95, 0]);
  });
});
