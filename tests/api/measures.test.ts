// Tests further measures: docs/contract/02-resources-and-their-fields.md#measures and the pages it names.
import { tableFromIPC } from 'apache-arrow';
import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { expectTotals, measured, NAMES } from '../support/measured';
import { plan } from '../support/planned';

const FILE = { name: 'plan.xlsx', sha256: '0'.repeat(64) };
const NORTH = { Region: 'North' };
const IN_NORTH = `"Region" = 'North'`;

describe('A column with the role measure', () => {
  it('is refused if it is not numeric, and if its name stands for value or units', async ({
    service: { api, query },
  }) => {
    await query(
      `CREATE TABLE public.odd (value integer, units integer, name text, cost money, region text)`,
    );
    const { id } = (await api.post('/sources', { schema: 'public', tname: 'odd' })).body;
    const save = (cname: string) => api.put(`/sources/${id}/columns`, [{ cname, role: 'measure' }]);
    for (const cname of ['name', 'cost', 'value', 'units']) {
      const { status, body } = await save(cname);
      expect([status, body.field, body.column]).toEqual([400, '0.role', cname]);
    }
    expect((await save('name')).body.error).toContain('measure needs a numeric column');
    expect((await api.get(`/sources/${id}/columns`)).body).toMatchObject(
      Array.from({ length: 5 }, () => ({ role: 'ignore' })),
    );
  });

  it('is as wide in forecast tables as value is, and one of any number', async ({ service }) => {
    const { table, sourceId } = await measured(service, { isEmpty: true });
    const types = await service.query(
      `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
       WHERE attrelid = '${table}'::regclass AND attname IN ('cost', 'hours', 'share') ORDER BY attnum`,
    );
    expect(types).toEqual([
      { name: 'cost', type: 'numeric' },
      { name: 'hours', type: 'double precision' },
      { name: 'share', type: 'numeric' },
    ]);
    const { body } = await service.api.get(`/sources/${sourceId}/columns`);
    expect(body.filter((c: { role: string }) => c.role === 'measure')).toHaveLength(3);
  });

  it('waits for the SQL if it was the value column when the SQL was generated', async ({
    service,
  }) => {
    const { sourceId, refused } = await measured(service);
    const roles = [
      { cname: 'Sales', role: 'measure' },
      { cname: 'cost', role: 'value' },
    ];
    expect((await service.api.put(`/sources/${sourceId}/columns`, roles)).status).toBe(200);
    const { error } = await refused('scale', { slice: {}, pct: 10 }, 409);
    expect(error).toContain('another role');
  });

  it('may hold no value that is not a number', async ({ service }) => {
    const { refused } = await measured(service);
    await service.query(
      `INSERT INTO public.${await lastTable(service)} ("Region", cost) VALUES ('X', 'NaN')`,
    );
    const { column } = await refused('baseline', { raw_where: `"Region" = 'X'` }, 422);
    expect(column).toBe('cost');
  });
});

/** The quoted name of the table of the newest source. */
async function lastTable({
  query,
}: {
  query: (sql: string) => Promise<Record<string, unknown>[]>;
}) {
  const [row] = await query(
    'SELECT quote_ident(tname) AS name FROM pf.source ORDER BY id DESC LIMIT 1',
  );
  return String(row!.name);
}

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

describe('The other operations', () => {
  it('move, copy, take back and undo further measures to the last digit', async ({ service }) => {
    const { done, sums, path, one } = await measured(service);
    const before = await sums();
    await done('recode', { slice: NORTH, set: { Region: 'South' }, factor: 0.3 });
    expectTotals(await sums(), { ...before, row_count: (await sums()).row_count });
    const third = await one('round(sum(cost) * 0.3, 3)', `${IN_NORTH} AND pf_iter = 'baseline'`);
    expect(await one('sum(cost)', `"Region" = 'South'`)).toBe(third);

    await done('clone', { slice: { Region: 'South' }, set: { Region: 'East' }, scale_factor: 0.7 });
    expect(await one('sum(cost)', `"Region" = 'East'`)).toBe(
      await one('round(sum(cost) * 0.7, 3)', `"Region" = 'South'`),
    );
    const [clone] = (await service.api.get(`${path}/log`)).body.entries;
    const reversed = await service.api.post(`/log/${clone.id}/reverse`, { pf_user: 'ann' });
    expect(reversed.status).toBe(200);
    expectTotals(await sums(`"Region" = 'East'`), {
      ...(await sums('FALSE')),
      row_count: (await sums(`"Region" = 'East'`)).row_count,
    });

    const [reverse] = (await service.api.get(`${path}/log`)).body.entries;
    const totals = await sums(`pf_logid = ${clone.id}`);
    await service.api.del(`/log/${reverse.id}`);
    await service.api.del(`/log/${clone.id}`);
    const [undone] = (await service.api.get(`${path}/undone`)).body;
    expectTotals(undone, totals);
    await done(`redo/${clone.id}`);
    const [redone] = (await service.api.get(`${path}/log`)).body.entries;
    expectTotals(redone, totals);
  });

  it('redo and replay a scale with its further measures', async ({ service }) => {
    const { done, sums, path } = await measured(service);
    await done('scale', {
      slice: NORTH,
      value_total: 6000,
      with: ['hours'],
      measures: { cost: { total: 4000 } },
    });
    const before = await sums();
    const [entry] = (await service.api.get(`${path}/log`)).body.entries;
    await service.api.del(`/log/${entry.id}`);
    await done(`redo/${entry.id}`);
    expectTotals(await sums(), before);
    const { version, entries } = await done('replay', { name: 'Again' });
    const replayed = (await service.api.get(`/versions/${version.id}/log`)).body;
    expectTotals({ ...replayed, row_count: before.row_count }, before);
    expect(entries.at(-1).measures.cost).toBe((await sums(`pf_iter = 'scale'`)).measures.cost);
    const { before: was } = (await service.api.get(`/versions/${version.id}/replayed`)).body.at(-1);
    expectTotals(was, await sums(`pf_iter = 'scale'`));
    const copy = await done('copy', { name: 'Copy' });
    const copied = (await service.api.get(`/versions/${copy.id}/log`)).body;
    expectTotals({ ...copied, row_count: before.row_count }, before);
  });

  it('import totals and increments of further measures, exact to the last digit in each cell', async ({
    service,
  }) => {
    const { done, refused, sums, id } = await measured(service);
    const before = { north: await sums(IN_NORTH), west: await sums(`"Region" = 'West'`) };
    const [{ id: since }] = (await service.api.get(`/versions/${id}/log`)).body.entries;
    const added = { slice: NORTH, measures: { cost: { incr: 7.125 } } };
    await done('scale', added);
    const [{ id: logid }] = (await service.api.get(`/versions/${id}/log`)).body.entries;
    const edits = [
      { slice: NORTH, value_total: 9000, measures: { cost: { total: 5000.001 } } },
      { slice: { Region: 'West' }, measures: { share: { incr: -3 }, hours: { total: 100.5 } } },
    ];
    const { cells } = await done('import/preview', { edits, since });
    const { row_count: _, ...north } = await sums(IN_NORTH);
    expectTotals(cells[0], { ...(await sums(IN_NORTH)), ...north });
    expectTotals(cells[1], before.west);
    expect(cells.map((cell: { refusal: null }) => cell.refusal)).toEqual([null, null]);
    expect(cells[0].entries).toMatchObject([
      { logid, value_total: 0, units_total: 0, measures: { cost: 7.125, hours: 0, share: 0 } },
    ]);
    expect(cells[1].entries).toEqual([]);

    const stale = { file: FILE, edits, seen: since };
    expect((await refused('import', stale, 409)).field).toBe('seen');
    await done('import', { ...stale, seen: logid });
    expect(await sums(IN_NORTH)).toMatchObject({
      ...{ value_total: 9000, units_total: before.north.units_total },
      measures: { cost: 5000.001, share: before.north.measures.share },
    });
    const west = await sums(`"Region" = 'West'`);
    expect(west).toMatchObject({
      ...{ value_total: before.west.value_total, measures: { cost: before.west.measures.cost } },
    });
    expect(west.measures.hours).toBeCloseTo(100.5, 9);
    expect(west.measures.share).toBeCloseTo(before.west.measures.share! - 3, 9);
    const [entry] = (await service.api.get(`/versions/${id}/log`)).body.entries;
    expect(entry.params).toEqual({ file: FILE, edits });
    expectTotals(entry, await sums(`pf_logid = ${entry.id}`));

    // A part of it is taken back, it is undone and redone, and it runs again in a replay.
    const reversed = await service.api.post(`/log/${entry.id}/reverse`, {
      ...{ slice: { Region: 'West' }, pf_user: 'ann' },
    });
    expect(reversed.body.error).toBeUndefined();
    expectTotals({ ...(await sums(`"Region" = 'West'`)), row_count: 48 }, before.west);
    const [reverse] = (await service.api.get(`/versions/${id}/log`)).body.entries;
    await service.api.del(`/log/${reverse.id}`);
    await service.api.del(`/log/${entry.id}`);
    await done('scale', { slice: NORTH, pct: 10 });
    await done(`redo/${entry.id}`);
    expect(await sums(IN_NORTH)).toMatchObject({ value_total: 9000, measures: { cost: 5000.001 } });
    const { version } = await done('replay', { name: 'Again' });
    const again = await service.api.post(`/versions/${version.id}/slice`, { slice: NORTH });
    expect(again.body).toMatchObject({ value_total: 9000, measures: { cost: 5000.001 } });
  });

  it('refuse a cell of an import with the measure to blame', async ({ service }) => {
    const { refused, done } = await measured(service);
    const cell = (measures: object, slice: object = NORTH) => ({ slice, measures });
    const cases: [edits: object[], status: number, field: string, column?: string][] = [
      [[cell({ cost: {} })], 400, 'edits.0.measures.cost', 'cost'],
      [[cell({ cost: { total: 1, incr: 1 } })], 400, 'edits.0.measures.cost', 'cost'],
      [[cell({ cost: { pct: 1 } })], 400, 'edits.0.measures.cost', 'cost'],
      [[cell({ cost: { total: 'keep' } })], 400, 'edits.0.measures.cost.total', 'cost'],
      [[cell({ cost: { total: null } })], 400, 'edits.0.measures.cost', 'cost'],
      [[cell({})], 400, 'edits.0'],
      [[cell({ Sales: { total: 1 } })], 422, 'edits.0.measures.Sales.total', 'Sales'],
      [[cell({ profit: { total: 1 } })], 422, 'edits.0.measures.profit.total', 'profit'],
      [[cell({ cost: { total: 1e14 } })], 422, 'edits.0.measures.cost.total', 'cost'],
      [
        [cell({ cost: { total: 1 } }), cell({ cost: { incr: 1 } }, { Product: 'Desk' })],
        ...[400 as const, 'edits.1.slice'],
      ] as [object[], number, string],
    ];
    for (const [edits, status, field, column] of cases) {
      const answer = await refused('import', { file: FILE, edits }, status);
      expect([answer.field ?? answer.error.split(':')[0], answer.column]).toEqual([field, column]);
    }
    // Two measures of the same rows may be in different cells.
    await done('import', {
      file: FILE,
      edits: [cell({ cost: { total: 1 } }), cell({ share: { incr: 1 } }, { Product: 'Desk' })],
    });
    await done('locks', { slice: NORTH });
    const { error } = await refused(
      'import',
      { file: FILE, edits: [cell({ cost: { total: 2 } })] },
      422,
    );
    expect(error).toBe('Nothing was written, because every row of edits.0 is locked');
  });

  it('answer further measures in previews, one after the other', async ({ service }) => {
    const { done, sums } = await measured(service);
    const before = await sums(IN_NORTH);
    const scale = { operation: 'scale', slice: NORTH, measures: { cost: { total: 1 } } };
    const clone = { operation: 'clone', slice: NORTH, set: { Region: 'East' } };
    const { steps, totals } = await done('preview', { operations: [scale, clone] });
    expectTotals(steps[0].totals.before, before);
    expect(steps[0].totals.after.measures.cost).toBe(1);
    expectTotals(totals.before, await sums());
    expect(totals.after.measures.cost).toBe(2 + (await sums(`"Region" = 'West'`)).measures.cost!);
    expectTotals(await sums(IN_NORTH), before);
  });
});

describe('Reads', () => {
  it.for([false, true])(
    'carry further measures as columns, with a grain: %s',
    async (grain, { service }) => {
      const { path, sums } = await measured(service, { grain });
      const wanted = await sums();
      const { bytes } = await service.api.get(`${path}/${grain ? 'agg' : 'data'}`);
      const rows = tableFromIPC(bytes);
      for (const name of NAMES) {
        const values = [...rows.getChild(name)!].map(Number);
        expect(values.reduce((a, b) => a + b, 0)).toBeCloseTo(wanted.measures[name]!, 6);
      }
      const csv = await service.api.send(`${path}/${grain ? 'agg' : 'data'}`, {
        headers: { accept: 'text/csv' },
      });
      const [head] = new TextDecoder().decode(csv.bytes).split('\n');
      expect(head!.split(',')).toEqual(expect.arrayContaining(NAMES));
    },
  );

  it('add them up in the log, by month, by entry and in a slice', async ({ service }) => {
    const { done, sums, path } = await measured(service);
    await done('reference', { date_offset: '1 year' });
    await done('scale', { slice: NORTH, pct: 3 });
    const log = (await service.api.get(`${path}/log`)).body;
    expectTotals({ ...log, row_count: 0 }, { ...(await sums()), row_count: 0 });
    for (const entry of log.entries) expectTotals(entry, await sums(`pf_logid = ${entry.id}`));
    // Once more, from the cache.
    const again = (await service.api.get(`${path}/log`)).body;
    expect(again.entries).toEqual(log.entries);
    expectTotals({ ...again, row_count: 0 }, { ...(await sums()), row_count: 0 });

    for (let i = 0; i < 2; i++) {
      const totals = (await service.api.get(`${path}/totals`)).body;
      expect(totals.measure_types).toEqual({
        cost: 'numeric(12,3)',
        hours: 'double precision',
        share: 'numeric',
      });
      expectTotals(totals.plan, await sums(`pf_iter <> 'reference'`));
      expectTotals(totals.reference, await sums(`pf_iter = 'reference'`));
      const march = totals.months.find(({ month }: { month: string }) => month === '2025-03-01');
      expectTotals(
        march,
        await sums(`pf_iter <> 'reference' AND date_trunc('month', "Order Date") = '2025-03-01'`),
      );
    }

    const explained = await done('explain', { slice: NORTH });
    expectTotals(explained.included, await sums(`${IN_NORTH} AND pf_iter <> 'reference'`));
    expectTotals(explained.excluded, await sums(`${IN_NORTH} AND pf_iter = 'reference'`));
    const slice = await done('slice', { slice: NORTH, hold: [{ Product: 'Lamp' }] });
    expectTotals(slice, await sums(`${IN_NORTH} AND pf_iter <> 'reference'`));
    expectTotals(
      slice.held,
      await sums(`${IN_NORTH} AND pf_iter <> 'reference' AND "Product" = 'Lamp'`),
    );
    expect(slice.measure_decimals).toEqual({ cost: 3, hours: null, share: 2 });
    expect(slice.free.measure_gross).toEqual({ cost: null, hours: null, share: null });
    const [segment] = (await service.api.get(`${path}/segments`)).body;
    expectTotals(segment, await sums(`pf_iter = 'baseline'`));
    const preview = await done('baseline/preview', { raw_where: `"Region" = 'North'` });
    expectTotals(preview, await sums(`${IN_NORTH} AND pf_iter = 'baseline'`));
  });

  it('tell how much of a measure cancels out', async ({ service }) => {
    const { done } = await measured(service);
    const north = await done('slice', { slice: { Region: 'North', Product: 'Desk' } });
    const clone = {
      slice: { Region: 'North', Product: 'Desk' },
      set: { Product: 'Back' },
      scale_factor: -1,
    };
    await done('clone', clone);
    const { free } = await done('slice', { slice: NORTH });
    expect(free.measure_gross.cost).toBeNull();
    const { free: both } = await done('slice', {
      slice: { Region: 'North', Product: ['Desk', 'Back'] },
    });
    expect(both.measures.cost).toBe(0);
    expect(both.measure_gross.cost).toBeCloseTo(2 * north.measures.cost, 6);
  });

  it('of a source without further measures have no such field', async ({ service }) => {
    const { done, path } = await measured(service, {
      columns: [
        { name: 'cost', type: 'numeric(12,3)', role: 'ignore' },
        { name: 'Region', type: 'text', role: 'dimension' },
        { name: 'Product', type: 'text', role: 'dimension' },
        { name: 'Order Date', type: 'date', role: 'date' },
        { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
        { name: 'Units', type: 'integer', role: 'units' },
        { name: 'hours', type: 'double precision', role: 'ignore' },
        { name: 'share', type: 'numeric', role: 'filter' },
      ],
    });
    await done('scale', { slice: {}, pct: 1 });
    const answers = [
      (await service.api.get(`${path}/log`)).body,
      (await service.api.get(`${path}/totals`)).body,
      await done('slice', { slice: {} }),
      await done('explain', { slice: {} }),
      await done('scale/preview', { slice: {}, pct: 1 }),
    ];
    expect(JSON.stringify(answers)).not.toContain('measure');
    await service.api.del(`/log/${answers[0].entries[0].id}`);
    expect(JSON.stringify((await service.api.get(`${path}/undone`)).body)).not.toContain('measure');
  });
});

describe('Closed months and forecasts', () => {
  it('close further measures on what happened, and tell how good their forecast was', async ({
    service,
  }) => {
    const { done, one, sums, path } = await measured(service);
    await done('scale', { slice: NORTH, measures: { cost: { pct: 10 } } });
    const days = `"Order Date" BETWEEN '2025-01-01' AND '2025-02-28'`;
    const body = { through: '2025-02-28' };
    const preview = await done('actuals/preview', body);
    const january = preview.months[0];
    const inJanuary = `"Order Date" < '2025-02-01'`;
    expectTotals(january.before, await sums(inJanuary));
    expectTotals(january.actual, await sums(`${inJanuary} AND pf_iter = 'baseline'`));
    const added = await one('sum(cost)', `${inJanuary} AND pf_iter = 'scale'`);
    expect(january.difference.measures.cost).toBe(-Number(added));
    const forecast = Number(await one('sum(abs(cost))', `${days} AND pf_iter = 'scale'`));
    const actual = Number(await one('sum(cost)', `${days} AND pf_iter = 'baseline'`));
    const { after } = await done('actuals', body);
    expectTotals(
      { ...after, row_count: 0 },
      { ...(await sums(`${days} AND pf_iter = 'baseline'`)), row_count: 0 },
    );
    expect(await one('sum(cost)', days)).toBe(
      await one('sum(cost)', `${days} AND pf_iter = 'baseline'`),
    );
    const accuracy = (await service.api.get(`${path}/accuracy?by=Region&by=Product`)).body;
    expect(accuracy.entries).toHaveLength(2);
    expect(accuracy.forecast.measures.cost.wape).toBeCloseTo(forecast / actual, 9);
    expect(accuracy.forecast.value).toEqual({ wape: 0, bias: 0 });
    expect(accuracy.people[0].measures.cost.after).toEqual(accuracy.forecast.measures.cost);

    // Only the cost was off: there are worst cells of it, and none of value.
    expect(accuracy.worst).toEqual([]);
    const worst = (await service.api.get(`${path}/accuracy?by=Region&by=Product&measure=cost`)).body
      .worst;
    const off = worst.map((each: Record<'forecast' | 'actual', { measures: { cost: number } }>) =>
      Math.abs(each.forecast.measures.cost - each.actual.measures.cost),
    );
    expect(off[0]).toBe(Math.max(...off));
    const total = off.reduce((sum: number, each: number) => sum + each, 0);
    expect(total).toBeCloseTo(forecast, 6);
  });

  it('are fitted and written for each measure that is named', async ({ service }) => {
    const { done, one, refused, sums } = await measured(service, { isEmpty: true });
    const body = {
      history: { through: '2026-12-31' },
      horizon: { from: '2027-01-01', through: '2027-03-31' },
      ...{ unit: 'month', by: ['Region'], method: 'theta' },
    };
    const asked = { ...body, measures: ['value', 'cost', 'hours'] };
    const preview = await done('forecast/preview', asked);
    expect(preview.groups.map((g: { measure: string }) => g.measure)).toEqual([
      'value',
      'cost',
      'hours',
      'value',
      'cost',
      'hours',
    ]);
    const { logid } = await done('forecast', asked);
    for (const { group, measure, forecast } of preview.groups) {
      const column = measure === 'value' ? '"Sales"' : measure;
      const written = await one(
        `sum(${column})`,
        `"Region" = '${group.Region}' AND "Order Date" < '2027-02-01'`,
      );
      expect(Number(written)).toBeCloseTo(forecast[0], measure === 'hours' ? 8 : 6);
    }
    // Measures that are not named keep the amounts of the rows that carry the others.
    expect((await sums()).units_total).toBeGreaterThan(0);
    const before = await sums();
    await service.api.del(`/log/${logid}`);
    await done(`redo/${logid}`);
    expectTotals(await sums(), before);
    const { field, column } = await refused('forecast', { ...body, measures: ['nope'] }, 422);
    expect([field, column]).toEqual(['measures.0', 'nope']);
  });
});
