import { expect, it } from 'vitest';
import { ApiError } from '../../client/http';
import type { SlicePreview } from '../../contract/previews';
import type { Row } from '../../contract/primitives';
import { TriedRows } from './tried-rows';
import { refusalIn } from '../changes/trying';

const rows: Row[] = [
  { pf_logid: -7, region: 'North', day: '2027-01-05', amount: 0.1, pieces: 1 },
  { pf_logid: -7, region: 'South', day: '2027-02-05', amount: 0.2, pieces: null },
  { pf_logid: -8, region: 'North', day: '2027-01-05', amount: -40, pieces: -4 },
  { pf_logid: -8, region: null, day: '2027-01-31', amount: 40, pieces: 4 },
];
const answered = {
  count: rows.length,
  logid: -7,
  columns: new Map(Object.keys(rows[0] ?? {}).map((name) => [name, {} as never])),
  at: (name: string, y: number) => rows[y]?.[name] ?? null,
};
const tried = new TriedRows(answered, { value: 'amount', units: 'pieces' });

const totals = (row_count: number, value_total: number, units_total: number | null) => ({
  row_count,
  value_total,
  units_total,
});
const stored: SlicePreview = {
  ...totals(3, 100, 10),
  value_decimals: 2,
  units_decimals: 0,
  held: totals(1, 30, 3),
  free: {
    ...totals(2, 70, 7),
    value_decimals: 2,
    units_decimals: 0,
    value_gross: null,
    units_gross: null,
  },
  excluded: totals(5, 5, 5),
  skipped: [],
};

it('adds the tried rows of a slice to its stored totals', async () => {
  const whole = await tried.addTo(stored, {});
  expect(whole).toMatchObject(totals(7, 100.3, 11));
  expect(whole.free).toMatchObject(totals(6, 70.3, 8));
  expect(whole.held).toEqual(stored.held);
  expect(whole.excluded).toEqual(stored.excluded);

  const range = { day: { from: '2027-01-01', to: '2027-01-31' } };
  expect(await tried.addTo(stored, { ...range, region: 'North' })).toMatchObject(
    totals(5, 60.1, 7),
  );
  expect(await tried.addTo(stored, { region: [null, 'South'] })).toMatchObject(
    totals(5, 140.2, 14),
  );
  // The service ignores a column that the rows lack.
  expect(await tried.addTo(stored, { other: 'x' })).toMatchObject(totals(7, 100.3, 11));
});

it('counts rows of other slices as held, and leaves out a measure that the source lacks', async () => {
  const { held, free } = await tried.addTo(stored, {}, [{ region: 'North' }]);
  expect(held).toMatchObject(totals(3, -9.9, 0));
  expect(free).toMatchObject(totals(4, 110.2, 11));
  const without = { ...stored, units_total: null };
  expect((await tried.addTo(without, {})).units_total).toBeNull();
});

it('adds the tried amounts to the months, also to those that only tried rows have', async () => {
  const month = (day: string, value_total: number, units_total: number) => ({
    ...{ group: [day], value_total, units_total },
  });
  const grouped = { ...stored, groups: [month('2027-01-01', 100, 10)] };
  const january = month('2027-01-01', 100.1, 11);
  expect((await tried.addTo(grouped, {}, [], 'day')).groups).toEqual([
    january,
    month('2027-02-01', 0.2, 0),
  ]);
  expect((await tried.addTo(grouped, { region: 'North' }, [], 'day')).groups).toEqual([
    month('2027-01-01', 60.1, 7),
  ]);
  expect((await tried.addTo(stored, {}, [], 'day')).groups).toBeUndefined();
});

it('returns the effect of each step, and the moved amounts of one that adds up to 0', async () => {
  expect(await tried.effects()).toEqual(
    new Map([
      [-7, { rows: 2, amounts: { value: 0.3, units: 1 }, moved: { value: 0, units: 0 } }],
      [-8, { rows: 2, amounts: { value: 0, units: 0 }, moved: { value: 40, units: 4 } }],
    ]),
  );
});

it('adds the tried amounts of further measures, and returns them as effects', async () => {
  const measures = { value: 'amount', cost: 'pieces' };
  const further = new TriedRows(answered, measures);
  const whole = await further.addTo({ ...stored, measures: { cost: 50 } }, { region: 'North' });
  expect(whole).toMatchObject({ value_total: 60.1, units_total: 10, measures: { cost: 47 } });
  expect((await further.effects()).get(-8)).toEqual({
    ...{ rows: 2, amounts: { value: 0, cost: 0 }, moved: { value: 40, cost: 4 } },
  });
});

it('finds the refused operation and its sentence in an error', () => {
  const refused = (field: string | undefined, message: string) =>
    refusalIn(new ApiError(422, message, { field }));
  expect(refused('operations.1.slice', 'operations.1: The slice matches no row')).toEqual({
    at: 1,
    why: 'The slice matches no row',
  });
  expect(refused('operations.12', 'operations.12: Locked by eve')).toEqual({
    at: 12,
    why: 'Locked by eve',
  });
  expect(refused('operations', 'operations: must be at most 50')).toBeNull();
  expect(refused(undefined, 'The service is busy')).toBeNull();
  expect(refusalIn(new Error('operations.1: no'))).toBeNull();
});
