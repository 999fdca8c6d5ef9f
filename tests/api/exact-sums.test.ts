// Tests docs/contract/06-log.md#sums-of-doubles.
import { expect } from 'vitest';
import { it } from '../support/api';
import { plan, type SourceRow, type TableColumn } from '../support/planned';
import type { Service } from '../support/service';

const COLUMNS: TableColumn[] = [
  { name: 'Day', type: 'date', role: 'date' },
  { name: 'Region', type: 'text', role: 'dimension' },
  { name: 'Sales', type: 'double precision', role: 'value' },
  { name: 'Cost', type: 'double precision', role: 'measure' },
];
const AMOUNTS = [0.1, 0.2, 0.3, 1e15, 0.7, -1e15, 1.1];
const row = (amount: number): SourceRow => ({
  ...{ Day: '2027-01-05', Region: 'A', Sales: amount, Cost: amount },
});

/** Every total of a version whose rows were loaded in an order. */
async function totalsOf(service: Service, amounts: readonly number[]) {
  const { path } = await plan(service, COLUMNS, amounts.map(row));
  const must = async (answer: ReturnType<typeof service.api.get>) => {
    const { body } = await answer;
    expect(body.error).toBeUndefined();
    return body;
  };
  await must(service.api.post(`${path}/baseline`, { pf_user: 'ann', note: 'x' }));
  const slice = { Region: 'A' };
  const { plan: all, months } = await must(service.api.get(`${path}/totals`));
  const log = await must(service.api.get(`${path}/log`));
  const explained = await must(service.api.post(`${path}/explain`, { slice }));
  const one = await must(service.api.post(`${path}/slice`, { slice, by: ['Day'], unit: 'month' }));
  const { slices } = await must(service.api.post(`${path}/slices`, { slices: [slice] }));
  const edits = [{ slice, value_incr: 1 }];
  const { cells } = await must(service.api.post(`${path}/import/preview`, { edits, since: 0 }));
  const { entries } = cells[0];
  const sums = [cells[0], entries[0], all, months[0], log, log.entries[0], explained.included, one];
  return [...sums, one.groups[0], slices[0]].map((totals) => [
    totals.value_total,
    totals.measures.Cost,
  ]);
}

it('adds up doubles exactly, in any order of the rows', async ({ service }) => {
  const one = await totalsOf(service, AMOUNTS);
  expect(await totalsOf(service, AMOUNTS.toReversed())).toEqual(one);
  expect(
    await totalsOf(
      service,
      AMOUNTS.toSorted((a, b) => a - b),
    ),
  ).toEqual(one);
});

it('has no rest of digits in a sum of doubles', async ({ service }) => {
  for (const amounts of [
    [0.1, 0.2, 0.3],
    [0.3, 0.2, 0.1],
  ]) {
    for (const totals of await totalsOf(service, amounts)) expect(totals).toEqual([0.6, 0.6]);
  }
});

it('answers 0 where doubles cancel out, within an entry and over entries', async ({ service }) => {
  for (const totals of await totalsOf(service, [0.1, 0.2, -0.30000000000000004])) {
    expect(totals).toEqual([0, 0]);
  }
  const { path } = await plan(service, COLUMNS, [row(100.1)]);
  const post = (to: string, body: object) =>
    service.api.post(`${path}/${to}`, { pf_user: 'ann', ...body });
  await post('baseline', {});
  for (const value_incr of [-100, -0.09999999999999432]) {
    expect((await post('scale', { slice: {}, value_incr })).body.error).toBeUndefined();
  }
  const { body: log } = await service.api.get(`${path}/log`);
  const { body: totals } = await service.api.get(`${path}/totals`);
  const { body: slice } = await post('slice', { slice: {} });
  expect([log.value_total, totals.plan.value_total, slice.value_total]).toEqual([0, 0, 0]);
});
