import { expect } from 'vitest';
import { it } from '../support/api';
import { planTable } from '../support/planned-table';

const MOST = 10_000;

it('a forecast has at most 10,000 groups', async ({ service }) => {
  await service.query(`CREATE TABLE public.many
      (item text, day date, amount numeric(12,2));
    INSERT INTO public.many
      SELECT 'Item ' || i, day, i FROM generate_series(0, ${MOST}) i, unnest('{2026-01-01,2026-02-01}'::date[]) day`);
  const { versionId } = await planTable(service, 'many', {
    item: 'dimension',
    day: 'date',
    amount: 'value',
  });
  const preview = (filters: object[], levels: string[][] = []) =>
    service.api.post(`/versions/${versionId}/forecast/preview`, {
      history: { through: '2026-02-28' },
      horizon: { from: '2026-03-01', through: '2026-03-31' },
      ...{ unit: 'month', by: ['item'], filters: [filters], levels },
    });
  const most = await preview([{ cname: 'amount', op: '>', value: 0 }]);
  expect([most.status, most.body.error]).toEqual([200, undefined]);
  expect(most.body.groups).toHaveLength(MOST);
  const more = await preview([{ cname: 'amount', op: '>=', value: 0 }]);
  expect(more.status).toBe(422);
  expect(more.body).toMatchObject({
    error: `There are more than ${MOST} groups; name fewer dimensions`,
    field: 'by',
  });
  // Those of coarser levels count too.
  const fewer = [{ cname: 'amount', op: '>', value: 1 }];
  const withTotal = await preview(fewer, [[]]);
  expect([withTotal.status, withTotal.body.error]).toEqual([200, undefined]);
  const { groups, sums } = withTotal.body;
  expect([groups.length, sums.length]).toEqual([MOST - 1, 1]);
  const total = groups.reduce(
    (sum: number, { forecast: [amount] }: { forecast: number[] }) => sum + amount!,
    0,
  );
  expect(sums[0].forecast[0]).toBeCloseTo(total, 2);
  expect((await preview([{ cname: 'amount', op: '>', value: 0 }], [[]])).body).toMatchObject({
    error: `There are more than ${MOST} groups of all levels; name fewer levels`,
    field: 'levels',
  });
});
