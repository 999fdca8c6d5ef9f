import fc from 'fast-check';
import { expect } from 'vitest';
import { it } from '../support/api';
import { add, show, sum, ZERO, type Fraction } from '../support/exact';
import { inSlice, type Slice } from '../support/model';
import { bytes, plan, stored, type StoredRow, type TableColumn } from '../support/planned';
import {
  firstDay,
  shapedScale,
  visible,
  type Measure,
  type ShapedScale,
  type Spread,
  type Unit,
  type Wanted,
} from '../support/shapes-model';
import type { Service } from '../support/service';

const REGIONS = ['North', 'North ', '', 'null', 'Zürich', null];
const DAYS = [
  ...['2026-12-28', '2026-12-31', '2027-01-01', '2027-01-31', '2027-02-01', '2027-02-28'],
  ...['2027-03-31', '2027-04-01', '2027-05-17', '2027-06-30', '2028-02-29'],
];
const region = fc.constantFrom(...REGIONS);
const day = fc.constantFrom(...DAYS);

const table = fc.record({
  value: fc.constantFrom('numeric(12,2)', 'numeric', 'numeric(20,6)', 'bigint', 'numeric(12,-2)'),
  units: fc.constantFrom('integer', 'numeric(12,3)'),
  reference: fc.boolean(),
  rows: fc.array(
    fc.record({
      Region: region,
      Size: fc.constantFrom('1', '1.50', '1.5', '0', null),
      'Order Date': fc.oneof({ weight: 9, arbitrary: day }, fc.constant(null)),
      Sales: fc.oneof(
        { weight: 12, arbitrary: fc.integer({ min: 1, max: 999_999 }) },
        fc.integer({ min: -9999, max: 0 }),
        fc.constant(null),
      ),
      Units: fc.oneof(
        { weight: 12, arbitrary: fc.integer({ min: 1, max: 300 }) },
        fc.integer({ min: -20, max: 0 }),
        fc.constant(null),
      ),
    }),
    { minLength: 3, maxLength: 30 },
  ),
});

const range = fc.tuple(day, day).map((days) => {
  const [from, to] = days.toSorted() as [string, string];
  return { from, to };
});
const slice: fc.Arbitrary<Slice> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Slice>({}) },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        Region: fc.oneof(region, fc.array(region, { minLength: 1, maxLength: 4 })),
        'Order Date': range,
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Slice>,
  },
);
/** A slice with few rows, to be held or locked. */
const few: fc.Arbitrary<Slice> = fc.oneof(
  region.map((Region) => ({ Region })),
  fc.constantFrom('2027-01', '2027-02', '2027-04').map((month) => ({
    'Order Date': { from: `${month}-01`, to: `${month}-28` },
  })),
);

const unit = fc.constantFrom<Unit>('day', 'week', 'month', 'quarter', 'year');
const missing = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ missing: 'leave_out' as const }) },
  fc.constant({}),
);
const weight = fc.constantFrom(0, 1, 4, 4, 5, 0.1, 1 / 3, 1e-7, 12_345.678);
const weights = unit.chain((unit) =>
  fc
    .array(fc.tuple(day, weight), { minLength: 1, maxLength: 9 })
    .map((all) => Object.fromEntries(all.map(([at, w]) => [firstDay(at, unit), w])))
    .filter((all) => Object.values(all).some(Boolean))
    .map((weights) => ({ unit, weights })),
);
const spread: fc.Arbitrary<Spread> = fc
  .tuple(
    missing,
    fc.oneof(
      fc
        .oneof(
          weights,
          unit.map((unit) => ({ unit, even: true as const })),
          unit.map((unit) => ({ unit, days: true as const })),
        )
        .map((profile) => ({ profile: { column: 'Order Date', ...profile } })),
      fc
        .record(
          {
            slice,
            by: fc.subarray(['Region', 'Size', 'Order Date'], { minLength: 1 }),
            origins: fc.constantFrom<string[]>(['reference', 'baseline'], ['scale', 'baseline']),
            measure: fc.constantFrom<Measure>('value', 'units'),
            unit,
          },
          { requiredKeys: ['slice', 'by', 'unit'] },
        )
        .map(({ unit, ...like }) => ({
          like: { ...like, ...(like.by.includes('Order Date') && { unit }) },
        })),
    ),
  )
  .map(([missing, way]) => ({ ...way, ...missing }));

const amounts = (most: number): fc.Arbitrary<Wanted> => {
  const amount = fc.oneof(fc.constantFrom(1, 100, 0.01, -37.77, 0.005, 1e-6, 0), {
    weight: 5,
    arbitrary: fc.integer({ min: -most, max: most }).map((n) => n / 100),
  });
  return fc.oneof(
    { weight: 4, arbitrary: amount.map((incr) => ({ incr })) },
    { weight: 4, arbitrary: amount.map((total) => ({ total })) },
    { weight: 3, arbitrary: fc.constant<Wanted>({ total: 'keep' }) },
    { weight: 3, arbitrary: fc.constant<Wanted>(undefined) },
  );
};
const scale: fc.Arbitrary<ShapedScale> = fc
  .record({
    slice,
    hold: fc.oneof(
      { weight: 2, arbitrary: fc.constant<Slice[]>([]) },
      fc.array(few, { minLength: 1, maxLength: 2 }),
    ),
    value: amounts(100_000_000),
    units: amounts(100_000),
    spread,
  })
  .filter(({ value, units }) => value !== undefined || units !== undefined);

const columns = (value: string, units: string): TableColumn[] => [
  { name: 'Region', type: 'text', role: 'dimension' },
  { name: 'Size', type: 'numeric', role: 'dimension' },
  { name: 'Order Date', type: 'date', role: 'date' },
  { name: 'Sales', type: value, role: 'value' },
  { name: 'Units', type: units, role: 'units' },
];

function body({ slice, hold, value, units, spread }: ShapedScale): object {
  const fields = Object.entries({ value, units }).flatMap(([m, wanted]) => {
    if (!wanted) return [];
    return 'incr' in wanted ? [[`${m}_incr`, wanted.incr]] : [[`${m}_total`, wanted.total]];
  });
  return { slice, hold, spread, pf_user: 'ann', ...Object.fromEntries(fields) };
}

/** What rows add up to by group, the measures side by side. */
function totals(rows: readonly StoredRow[], groupOf: (row: StoredRow) => string) {
  const keys = [...new Set(rows.map(groupOf))];
  return new Map(
    keys.map((key) => {
      const of = rows.filter((row) => groupOf(row) === key);
      const total = (m: Measure) => sum(of.map((row) => row[m]?.at ?? ZERO));
      return [key, { value: total('value'), units: total('units') }];
    }),
  );
}

const shown = (amounts: ReadonlyMap<string, Record<Measure, Fraction>>) =>
  Object.fromEntries(
    [...amounts].map(([key, { value, units }]) => [key, `${show(value)} ${show(units)}`]),
  );

/** The rows of an entry without what a redo renews. */
const renewed = (rows: readonly StoredRow[]) =>
  rows.map(({ plain: { pf_id: _, pf_logid: __, ...plain } }) => plain);

it('parts every amount exactly over the groups, leaves held rows alone, and is undone and redone', async ({
  service,
}) => {
  const done = { written: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.array(few, { maxLength: 1 }),
      fc.array(scale, { minLength: 2, maxLength: 5 }),
      async (source, locks, scales) => {
        const planned = await planOf(service, source, locks);
        for (const next of scales) {
          const isWritten = await check(service, planned, locks, next);
          done[isWritten ? 'written' : 'refused'] += 1;
        }
      },
    ),
    { numRuns: 40 },
  );
  // The cases must include both.
  expect(done.written).toBeGreaterThan(40);
  expect(done.refused).toBeGreaterThan(15);
});

async function planOf(
  service: Service,
  { value, units, reference, rows }: typeof table extends fc.Arbitrary<infer T> ? T : never,
  locks: readonly Slice[],
) {
  const cents = value.includes(',') || value === 'numeric' ? 100 : 1;
  const planned = await plan(
    service,
    columns(value, units),
    rows.map((row) => ({ ...row, Sales: row.Sales === null ? null : row.Sales / cents })),
  );
  const post = async (path: string, body: object) => {
    const answer = await service.api.post(`${planned.path}/${path}`, { pf_user: 'ann', ...body });
    expect(answer.body.error).toBeUndefined();
  };
  await post('baseline', {});
  if (reference) await post('reference', { date_offset: '1 month' });
  for (const slice of locks) await post('locks', { slice });
  return planned;
}

/** Runs a scale, compares it with the model, and undoes and redoes it. Returns whether it wrote rows. */
async function check(
  service: Service,
  planned: Awaited<ReturnType<typeof planOf>>,
  locks: readonly Slice[],
  next: ShapedScale,
): Promise<boolean> {
  const { api } = service;
  const { shape, path } = planned;
  const rows = await stored(service, planned);
  const before = await bytes(service, planned);
  const outcome = shapedScale({ rows, locks, shape }, next);
  const answer = await api.post(`${path}/scale`, body(next));
  if ('refused' in outcome) {
    expect([outcome.refused, answer.status]).toEqual([outcome.refused, 422]);
    expect(await bytes(service, planned)).toEqual(before);
    return false;
  }
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);

  const [{ id }] = (await api.get(`${path}/log`)).body.entries;
  const written = await stored(service, planned, id);
  expect(await bytes(service, planned, id)).toEqual(before);
  expect(written.every((row) => inSlice(row, next.slice, shape))).toBe(true);
  const held = [...next.hold, ...locks];
  expect(written.filter((row) => held.some((of) => inSlice(row, of, shape)))).toEqual([]);

  const { gains, groupOf } = outcome;
  const inside = (all: readonly StoredRow[]) =>
    visible(all).filter((row) => inSlice(row, next.slice, shape));
  const wanted = totals(inside(rows), groupOf);
  for (const [key, gain] of gains) {
    const group = wanted.get(key)!;
    wanted.set(key, { value: add(group.value, gain.value), units: add(group.units, gain.units) });
  }
  expect(shown(totals(inside([...rows, ...written]), groupOf))).toEqual(shown(wanted));

  expect((await api.del(`/log/${id}`)).status).toBe(200);
  expect(await bytes(service, planned)).toEqual(before);
  const redone = await api.post(`${path}/redo/${id}`, { pf_user: 'ann' });
  expect(redone.body.error).toBeUndefined();
  const [again] = (await api.get(`${path}/log`)).body.entries;
  expect(renewed(await stored(service, planned, again.id))).toEqual(renewed(written));
  return true;
}
