// Tests columns, reads, closes and forecasts of further measures: docs/contract/02-resources-and-their-fields.md#measures.
import { tableFromIPC } from 'apache-arrow';
import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { expectTotals, measured, NAMES, NORTH, IN_NORTH } from '../support/measured';

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
