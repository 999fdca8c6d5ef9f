// Tests scales of further measures: docs/contract/02-resources-and-their-fields.md#measures.
import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { measured, NORTH, IN_NORTH } from '../support/measured';
import { plan } from '../support/planned';

describe('A scale of further measures', () => {
  it('adds an amount to one of them, exactly, and nothing to the others', async ({ service }) => {
    const { done, sums } = await measured(service);
    const before = await sums(IN_NORTH);
    await done('scale', { slice: NORTH, measures: { cost: { incr: 100.001 } } });
    const entry = await sums(`pf_iter = 'scale'`);
    expect(entry).toMatchObject({
      ...{ value_total: 0, units_total: 0 },
      measures: { cost: 100.001, hours: 0, share: 0 },
    });
    // Every leaf is within one unit of its share.
    const off = await service.query(
      `SELECT FROM ${(await newest(service)).table} AS w JOIN (
         SELECT "Region", "Product", "Order Date", sum(cost) AS own FROM ${(await newest(service)).table}
         WHERE pf_iter = 'baseline' GROUP BY 1, 2, 3) AS leaf USING ("Region", "Product", "Order Date")
       WHERE w.pf_iter = 'scale' AND abs(w.cost - leaf.own * 100.001 / ${before.measures.cost}) > 0.001`,
    );
    expect(off).toEqual([]);
  });

  it('becomes a total or adds a percentage, beside value and units, in one entry', async ({
    service,
  }) => {
    const { done, sums, one } = await measured(service);
    const before = await sums(IN_NORTH);
    const tenth = await one('round(sum(hours)::numeric * 0.1, 9)', IN_NORTH);
    await done('scale', {
      slice: NORTH,
      value_incr: 7,
      units_total: 200,
      measures: { cost: { total: 5000 }, hours: { pct: 10 }, share: { incr: -3 } },
    });
    const after = await sums(IN_NORTH);
    expect(after.value_total).toBe(Number((before.value_total + 7).toFixed(2)));
    expect(after).toMatchObject({ units_total: 200, measures: { cost: 5000 } });
    expect(after.measures.share).toBeCloseTo(before.measures.share! - 3, 9);
    expect(after.measures.hours).toBeCloseTo(before.measures.hours! + Number(tenth), 8);
    const [entry] = (await service.api.get(`${(await newest(service)).path}/log`)).body.entries;
    expect(entry.params).toEqual({
      ...{ value_incr: 7, units_incr: null, units_total: 200 },
      measures: { cost: { total: 5000 }, hours: { pct: 10 }, share: { incr: -3 } },
    });
  });

  it('stays if it follows a value that does not change', async ({ service }) => {
    const { done, sums } = await measured(service);
    const before = await sums(IN_NORTH);
    await done('scale', {
      slice: NORTH,
      ...{ value_incr: 0, units_incr: 5, with: ['cost', 'hours'] },
    });
    const after = await sums(IN_NORTH);
    expect(after.units_total).toBe(before.units_total + 5);
    expect(after.measures.cost).toBe(before.measures.cost);
    expect(after.measures.hours).toBeCloseTo(before.measures.hours!, 9);
    const { table } = await newest(service);
    const [{ missing }] = await service.query(
      `SELECT count(*)::int AS missing FROM ${table}
        WHERE pf_iter = 'scale' AND (cost IS NULL OR hours IS NULL)`,
    );
    expect(missing).toBe(0);
  });

  it('changes every measure by a percentage without names', async ({ service }) => {
    const { done, one } = await measured(service);
    const wanted = await one('round(sum(cost) * 0.05, 3)');
    await done('scale', { slice: {}, pct: 5 });
    expect(await one('sum(cost)', `pf_iter = 'scale'`)).toBe(wanted);
    expect(Number(await one('sum(hours)', `pf_iter = 'scale'`))).toBeCloseTo(
      Number(await one(`sum(hours) * 0.05`, `pf_iter = 'baseline'`)),
      9,
    );
  });

  it('lets measures follow the percentage of value', async ({ service }) => {
    const { done, sums, one } = await measured(service);
    const wanted = await one('round(sum(cost) * 0.05, 3)', IN_NORTH);
    await done('scale', { slice: NORTH, value_pct: 5, with: ['cost', 'hours'] });
    expect(await one('sum(cost)', `pf_iter = 'scale'`)).toBe(wanted);
    const entry = await sums(`pf_iter = 'scale'`);
    expect(entry.measures.share).toBe(0);
    expect(entry.measures.hours).toBeCloseTo(
      Number(await one('sum(hours) * 0.05', `pf_iter = 'baseline' AND ${IN_NORTH}`)),
      8,
    );
  });

  it('follows value leaf by leaf if an amount is spread equally', async ({ service }) => {
    const { done, one, table } = await measured(service);
    await done('scale', { slice: NORTH, value_incr: 480, spread: 'equal', with: ['cost'] });
    const leaves = await one('count(*)', `pf_iter = 'scale'`);
    // The running sums of what each leaf has to change by, rounded.
    const off = await service.query(
      `WITH leaf AS (
         SELECT "Product", "Order Date", sum("Sales") AS value, sum(cost) AS cost FROM ${table}
         WHERE pf_iter = 'baseline' AND ${IN_NORTH} GROUP BY 1, 2
       ), wanted AS (
         SELECT *, round(sum(round(480::numeric / ${leaves}, 30) * cost / value) OVER (ORDER BY "Product" COLLATE "C", "Order Date"), 3) AS up_to FROM leaf
       ), written AS (
         SELECT "Product", "Order Date", sum(cost) OVER (ORDER BY "Product" COLLATE "C", "Order Date") AS up_to
         FROM ${table} WHERE pf_iter = 'scale'
       )
       SELECT * FROM wanted JOIN written USING ("Product", "Order Date") WHERE wanted.up_to <> written.up_to`,
    );
    expect(off).toEqual([]);
  });

  it('computes the example of the contract', async ({ service }) => {
    const planned = await plan(
      service,
      [
        { name: 'Region', type: 'text', role: 'dimension' },
        { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
        { name: 'cost', type: 'numeric(12,2)', role: 'measure' },
      ],
      [
        { Region: 'A', Sales: 100, cost: 60 },
        { Region: 'B', Sales: 300, cost: 90 },
      ],
    );
    const post = (path: string, body: object) =>
      service.api.post(`${planned.path}/${path}`, { pf_user: 'ann', ...body });
    await post('baseline', {});
    const amounts = async (spread: string) => {
      const body = { slice: {}, value_incr: 40, spread, with: ['cost'] };
      const { rows } = (await post('scale/preview', body)).body;
      return rows.map((row: Record<string, unknown>) => [row.Region, row.Sales, row.cost]);
    };
    expect(await amounts('proportional')).toEqual([
      ['A', 10, 6],
      ['B', 30, 9],
    ]);
    expect(await amounts('equal')).toEqual([
      ['A', 20, 12],
      ['B', 20, 6],
    ]);
  });

  it('leaves held rows alone and keeps the totals of a containing slice', async ({ service }) => {
    const { done, sums } = await measured(service);
    const before = [await sums(), await sums(`"Product" = 'Lamp'`)];
    await done('scale', {
      slice: { ...NORTH, Product: 'Desk' },
      measures: { cost: { incr: 50 } },
      keep: {},
      hold: [{ Product: 'Lamp' }],
    });
    expect((await sums()).measures.cost).toBe(before[0]!.measures.cost);
    expect((await sums(`"Product" = 'Lamp'`)).measures.cost).toBe(before[1]!.measures.cost);
    expect((await sums(`${IN_NORTH} AND pf_iter = 'scale'`)).measures.cost).toBe(50);
  });

  it('parts amounts by a shape, to the last digit', async ({ service }) => {
    const { done, sums, one } = await measured(service);
    const total = (await sums(`"Order Date" < '2026-01-01'`)).measures.cost;
    const year = { 'Order Date': { from: '2025-01-01', to: '2025-12-31' } };
    const months = Array.from({ length: 12 }, (_, i) => [
      `2025-${String(i + 1).padStart(2, '0')}-01`,
      i + 1,
    ]);
    const profile = { column: 'Order Date', unit: 'month', weights: Object.fromEntries(months) };
    const measures = { cost: { total: 'keep' }, hours: { incr: 78 } };
    const { groups } = await done('scale/preview', { slice: year, measures, spread: { profile } });
    await done('scale', { slice: year, measures, spread: { profile } });
    expect((await sums(`"Order Date" < '2026-01-01'`)).measures.cost).toBe(total);
    const march = `"Order Date" BETWEEN '2025-03-01' AND '2025-03-31'`;
    const upTo = (month: number) =>
      `round(${total}::numeric * ${(month * (month + 1)) / 2} / 78, 3)`;
    expect(await one('sum(cost)', march)).toBe(
      await one(`SELECT ${upTo(3)} - ${upTo(2)}`, 'TRUE LIMIT 1'),
    );
    expect(groups[2].weights.measures).toEqual({ cost: 3, hours: 3, share: 3 });
    expect(groups[2].after.measures.cost).toBe(Number(await one('sum(cost)', march)));
    expect(Number(await one('sum(hours)', `${march} AND pf_iter = 'scale'`))).toBeCloseTo(3, 9);
  });

  it('parts a measure like its own amounts in another slice', async ({ service }) => {
    const { done, one } = await measured(service);
    const west = `"Region" = 'West' AND pf_iter = 'baseline'`;
    const like = { slice: { Region: 'West' }, by: ['Product'] };
    const { groups } = await done('slice', { slice: { Region: 'West' }, by: ['Product'] });
    expect(groups.map((g: { measures: { cost: number } }) => g.measures.cost)).toEqual([
      Number(await one('sum(cost)', `${west} AND "Product" = 'Desk'`)),
      Number(await one('sum(cost)', `${west} AND "Product" = 'Lamp'`)),
    ]);
    await done('scale', { slice: NORTH, measures: { cost: { incr: 1000 } }, spread: { like } });
    const desk = await one('sum(cost)', `pf_iter = 'scale' AND "Product" = 'Desk'`);
    const wanted = await one(
      `round(1000 * sum(cost) FILTER (WHERE "Product" = 'Desk') / sum(cost), 3)`,
      west,
    );
    expect(desk).toBe(wanted);
    expect(await one('sum(cost)', `pf_iter = 'scale'`)).toBe('1000.000');
  });

  it('parts every measure like a further measure of another slice', async ({ service }) => {
    const { done, refused, one } = await measured(service);
    const like = { slice: { Region: 'West' }, by: ['Product'], measure: 'cost' };
    const body = { slice: NORTH, value_incr: 1000, measures: { hours: { incr: 90 } } };
    await done('scale', { ...body, spread: { like } });
    const west = `"Region" = 'West' AND pf_iter = 'baseline'`;
    const part = (of: number, digits: number) =>
      one(
        `round(${of} * sum(cost) FILTER (WHERE "Product" = 'Desk') / sum(cost), ${digits})`,
        west,
      );
    const desk = `pf_iter = 'scale' AND "Product" = 'Desk'`;
    expect(await one('sum("Sales")', desk)).toBe(await part(1000, 2));
    expect(Number(await one('sum(hours)', desk))).toBeCloseTo(Number(await part(90, 15)), 9);
    const wrong = await refused(
      'scale',
      { ...body, spread: { like: { ...like, measure: 'Sales' } } },
      400,
    );
    expect(wrong).toMatchObject({ field: 'spread.like.measure' });
    expect(wrong.error).toContain('"Sales"');
  });

  it('names every measure where its rows cancel each other out', async ({ service }) => {
    const { path } = await plan(
      service,
      [
        { name: 'Region', type: 'text', role: 'dimension' },
        { name: 'cost', type: 'integer', role: 'measure' },
      ],
      [
        { Region: 'A', cost: 100 },
        { Region: 'B', cost: -100 },
      ],
    );
    const post = (operation: string, body: object) =>
      service.api.post(`${path}/${operation}`, { pf_user: 'ann', ...body });
    expect((await post('baseline', {})).status).toBe(200);
    const answer = await post('scale', { slice: {}, measures: { cost: { incr: 5 } } });
    expect([answer.status, answer.body.error]).toEqual([
      422,
      expect.stringMatching(/cancel each other out.*scale all measures by percent$/),
    ]);
  });

  it('is refused with the field to blame', async ({ service }) => {
    const { refused } = await measured(service);
    const refusal = (body: object, status: number) =>
      refused('scale', { slice: {}, ...body }, status);
    const cases: [object, number, string | undefined, RegExp][] = [
      [{ measures: { nope: { incr: 1 } } }, 422, 'measures.nope.incr', /no measure "nope"/],
      [{ measures: { Sales: { incr: 1 } } }, 422, 'measures.Sales.incr', /is the value column/],
      [{ measures: { Region: { pct: 1 } } }, 422, 'measures.Region.pct', /no measure/],
      [{ measures: { cost: { incr: 1, pct: 2 } } }, 400, 'measures', /one of incr, pct and total/],
      [{ measures: { cost: {} } }, 400, 'measures', /one of incr, pct and total/],
      [{ measures: { cost: { incr: '1' } } }, 400, 'measures.cost.incr', /number/],
      [{ measures: { cost: { total: 'keep' } } }, 400, 'measures', /shape/],
      [{ measures: { cost: { incr: 0 } } }, 422, 'measures.cost.incr', /zero/],
      [{ measures: { cost: { incr: 0.0004 } } }, 422, 'measures.cost.incr', /3 decimals/],
      [{ pct: 5, measures: { cost: { incr: 1 } } }, 400, undefined, /not both/],
      [{ measures: {} }, 400, undefined, /Send pct, measures/],
      [{ value_pct: 5, with: ['share', 'share'] }, 400, 'with', /twice/],
      [{ value_pct: 5, with: [] }, 400, 'with', /empty/],
      [{ value_pct: 5, with: ['Units'] }, 422, 'with', /units column/],
      [{ units_pct: 5, with: ['cost'] }, 400, 'with', /value_incr/],
      [{ pct: 5, with: ['cost'] }, 400, 'with', /value_incr/],
      [{ value_pct: 5, with: ['cost'], measures: { cost: { pct: 1 } } }, 400, 'with', /of its own/],
      [{ edits: [{ slice: {}, pct: 1 }], slice: null, with: ['cost'] }, 400, 'with', /left out/],
    ];
    for (const [body, status, field, message] of cases) {
      const answer = await refusal(body, status);
      expect([body, answer.field]).toEqual([body, field]);
      expect(answer.error).toMatch(message);
    }
  });
});

/** The newest version. */
async function newest({ query }: { query: (sql: string) => Promise<Record<string, unknown>[]> }) {
  const [row] = await query(
    `SELECT v.id, quote_ident('fc_' || s.tname || '_' || v.id) AS name FROM pf.version v
     JOIN pf.source s ON s.id = v.source_id ORDER BY v.id DESC LIMIT 1`,
  );
  return { path: `/versions/${row!.id}`, table: `pf.${row!.name}` };
}
