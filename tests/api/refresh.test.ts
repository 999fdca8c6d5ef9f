import { tableFromIPC } from 'apache-arrow';
import { describe, expect } from 'vitest';
import type { RefreshParams } from '../../src/lib/contract/refreshes';
import { it } from '../support/api';
import { openEvents } from '../support/events';
import { CHANGES, planToRefresh, type Row, type SourceLine } from '../support/refreshing';
import { changeUnnoticed } from '../support/service';

const BASELINE = `pf_iter = 'baseline'`;

/** A leaf with twice the amounts: two loads have it. */
const doubled = (leaf: unknown[]) => [
  ...leaf.slice(0, 4),
  ...leaf.slice(4).map((n) => 2 * Number(n)),
];

describe('a refresh', () => {
  it('brings a load up to the source, leaf by leaf, and leaves what people changed', async ({
    service,
  }) => {
    const plan = await planToRefresh(service);
    const logid = await plan.load();
    await plan.done('scale', { slice: { Region: 'A' }, pct: 10 });
    await plan.done('recode', { slice: { Region: 'B' }, set: { Region: 'A' }, factor: 0.5 });
    await plan.done('clone', { slice: { Product: 'x' }, set: { Product: 'w' } });
    const planned = await plan.leaves(`NOT ${BASELINE}`);
    await plan.change(CHANGES);

    const before = await plan.state();
    const answer = await plan.refreshed({ note: 'Night' });
    expect(answer).toEqual({
      ...{ logid: expect.any(Number), row_count: 7, outside_calendar: 0 },
      loads: [
        {
          ...{ logid, rows_before: 7, rows_now: 9 },
          before: { value_total: 327, units_total: 31, measures: { Cost: 175 } },
          after: { value_total: 313.75, units_total: 30, measures: { Cost: 171 } },
        },
      ],
      left_alone: { closed: 0, locked: 0, reviewed: 0, forecasts: [] },
    });
    expect(await plan.leaves(BASELINE)).toEqual(await plan.sourceLeaves());
    expect(await plan.leaves(`NOT ${BASELINE}`)).toEqual(planned);
    const [entry] = await plan.entries();
    expect(entry).toMatchObject({
      ...{ id: answer.logid, operation: 'refresh', pf_user: 'bob', note: 'Night', slice: null },
      ...{ row_count: 7, value_total: -13.25, params: { loads: [{ logid, rows: 9 }] } },
    });

    // Nothing differs any more: no entry, whose id would be the next one.
    const after = await plan.state();
    const again = await plan.refreshed();
    expect(again).toMatchObject({ logid: null, row_count: 0 });
    expect(again.loads[0]).toMatchObject({
      rows_before: 9,
      rows_now: 9,
      before: again.loads[0].after,
    });
    expect(await plan.state()).toEqual(after);

    expect((await service.api.del(`/log/${answer.logid}`)).body.rows_deleted).toBe(7);
    expect(await plan.state()).toEqual(before);
    const redone = await service.api.post(`${plan.path}/redo/${answer.logid}`, { pf_user: 'eve' });
    expect(redone.body).toEqual({ ...answer, logid: expect.any(Number) });
    expect(await plan.leaves(BASELINE)).toEqual(await plan.sourceLeaves());
  });

  it('keeps a reference apart, and loads that overlap', async ({ service }) => {
    const plan = await planToRefresh(service);
    const whole = await plan.load();
    const part = await plan.load({ raw_where: `"Region" = 'A'` });
    const reference = await plan.load({ date_offset: '0 days' }, 'reference');
    const forecast = await plan.ok(
      await plan.post('forecast', {
        ...{ history: { through: '2025-12-31' }, unit: 'month', missing: 'leave_out' },
        ...{ horizon: { from: '2026-01-01', through: '2026-03-31' }, method: 'last_year' },
      }),
    ).logid;
    await plan.change(CHANGES);
    const forecastRows = await plan.leaves(`pf_logid = ${forecast}`);

    const all = await plan.refreshed();
    expect(all.loads.map((load: Row) => load.logid)).toEqual([whole, part, reference]);
    expect(all.left_alone.forecasts).toEqual([forecast]);
    expect(await plan.leaves(`pf_logid = ${forecast}`)).toEqual(forecastRows);
    const [both, alone] = [await plan.leaves(BASELINE), await plan.leaves(`pf_iter = 'reference'`)];
    expect(alone).toEqual(await plan.sourceLeaves('TRUE', '0 days'));

    // One of two loads with the same leaves is refreshed, undone and refreshed again.
    await plan.change(`UPDATE SOURCE SET "Sales" = "Sales" + 1000 WHERE "Region" = 'A'`);
    const one = await plan.refreshed({ loads: [part, part] });
    expect(one).toMatchObject({ row_count: 2, loads: [{ logid: part, rows_before: 5 }] });
    expect(one.loads[0].after.value_total - one.loads[0].before.value_total).toBe(4000);
    expect(await plan.refreshed({ loads: [part] })).toMatchObject({ logid: null });
    expect(await plan.leaves(`pf_iter = 'reference'`)).toEqual(alone);
    await service.api.del(`/log/${one.logid}`);
    expect(await plan.leaves(BASELINE)).toEqual(both);
    const rest = await plan.refreshed({ loads: [whole, reference] });
    await service.api.del(`/log/${all.logid}`);
    // Without the first refresh, the second holds only what came later.
    await plan.refreshed();
    const expected = (await plan.sourceLeaves()).map((leaf) =>
      leaf[0] === 'A' ? doubled(leaf) : leaf,
    );
    expect(await plan.leaves(BASELINE)).toEqual(expected);
    expect(await plan.leaves(`pf_iter = 'reference'`)).toEqual(
      await plan.sourceLeaves('TRUE', '0 days'),
    );
    await service.api.del(`/log/${rest.logid}`);
    await plan.refreshed();
    expect(await plan.leaves(BASELINE)).toEqual(expected);
  });

  it('leaves closed months and rows of locks and reviews alone, and the preview names them', async ({
    service,
  }) => {
    const { api } = service;
    const plan = await planToRefresh(service);
    await plan.load();
    const closed = await plan.ok(
      await plan.post('actuals', { raw_where: 'FALSE', from: '2026-01-01', through: '2026-01-31' }),
    ).logid;
    const lock = await plan.ok(await plan.post('locks', { slice: { Region: 'B' } })).id;
    const review = await plan.ok(
      await plan.post('reviews', { slice: { Region: 'A', Product: 'y' }, reviewers: ['rosa'] }),
    ).id;
    plan.ok(await api.post(`/reviews/${review}/submit`, { pf_user: 'bob' }));
    await plan.change(CHANGES);
    const expected = (await plan.leaves(BASELINE)).filter(Boolean);

    const state = await plan.state();
    const preview = await plan.preview({ pf_user: undefined });
    expect(await plan.state()).toEqual(state);
    expect(preview.left_alone).toEqual({
      ...{ closed: 2, locked: 3, reviewed: 2, forecasts: [] },
      held: [
        {
          ...{ kind: 'closed', id: expect.any(Number) },
          slice: { 'Order Date': { from: '2026-01-01', to: '2026-01-31' } },
          months: [{ month: '2026-01-01', rows: 2 }],
        },
        {
          ...{ kind: 'locked', id: lock, slice: { Region: 'B' } },
          months: [
            { month: '2026-02-01', rows: 1 },
            { month: '2026-03-01', rows: 1 },
            { month: null, rows: 1 },
          ],
        },
        {
          ...{ kind: 'reviewed', id: review, slice: { Region: 'A', Product: 'y' } },
          months: [{ month: '2026-02-01', rows: 2 }],
        },
      ],
    });
    expect(preview).toMatchObject({ row_count: 0, months: [] });
    const { held: _, ...left_alone } = preview.left_alone;
    expect(await plan.refreshed()).toMatchObject({ logid: null, left_alone });
    expect(await plan.leaves(BASELINE)).toEqual(expected);

    // A reviewer may change what others may not; nobody changes closed months.
    const byRosa = await plan.refreshed({ pf_user: 'rosa' });
    expect(byRosa).toMatchObject({
      row_count: 2,
      left_alone: { reviewed: 0, locked: 3, closed: 2 },
    });
    plan.ok(await api.del(`/locks/${lock}`));
    plan.ok(await api.post(`/reviews/${review}/approve`, { pf_user: 'rosa' }));
    expect(await plan.refreshed()).toMatchObject({ row_count: 3, left_alone: { closed: 2 } });
    plan.ok(await api.del(`/log/${closed}`));
    expect(await plan.refreshed()).toMatchObject({ row_count: 2, left_alone: { closed: 0 } });
    expect(await plan.leaves(BASELINE)).toEqual(await plan.sourceLeaves());
  });

  it('previews the rows that it would write, by month and origin', async ({ service }) => {
    const plan = await planToRefresh(service);
    await plan.load();
    await plan.load({ raw_where: `"Region" = 'B'` }, 'reference');
    await plan.change(CHANGES);
    const state = await plan.state();
    const { months, column, left_alone, ...facts } = await plan.preview();
    expect([await plan.state(), column, left_alone.held]).toEqual([state, 'Order Date', []]);
    const { logid, ...written } = await plan.refreshed();
    expect({ ...facts, left_alone: written.left_alone }).toEqual(written);
    const amounts = (value_total: number, units_total: number, Cost: number) => ({
      ...{ value_total, units_total, measures: { Cost } },
    });
    expect(months).toEqual([
      {
        ...{ month: '2026-01-01', iter: 'baseline', rows: 2, difference: amounts(11.5, 1, 6) },
        ...{ before: amounts(140, 14, 80), after: amounts(151.5, 15, 86) },
      },
      {
        ...{ month: '2026-02-01', iter: 'baseline', rows: 3, difference: amounts(5.25, 0, 5) },
        ...{ before: amounts(130, 13, 65), after: amounts(135.25, 13, 70) },
      },
      {
        ...{ month: '2026-02-01', iter: 'reference', rows: 1, difference: amounts(5.25, 0, 5) },
        ...{ before: amounts(50, 5, 25), after: amounts(55.25, 5, 30) },
      },
      {
        ...{ month: '2026-03-01', iter: 'baseline', rows: 1, difference: amounts(-30, -3, -15) },
        ...{ before: amounts(50, 3, 25), after: amounts(20, 0, 10) },
      },
      {
        ...{ month: '2026-03-01', iter: 'reference', rows: 1, difference: amounts(-30, -3, -15) },
        ...{ before: amounts(30, 3, 15), after: amounts(0, 0, 0) },
      },
      {
        ...{ month: null, iter: 'baseline', rows: 1, difference: amounts(0, 1, 0) },
        ...{ before: amounts(7, 1, 5), after: amounts(7, 2, 5) },
      },
      {
        ...{ month: null, iter: 'reference', rows: 1, difference: amounts(0, 1, 0) },
        ...{ before: amounts(7, 1, 5), after: amounts(7, 2, 5) },
      },
    ]);
    expect(await plan.entries()).toMatchObject([{ id: logid }, {}, {}]);
  });

  it('gives its rows later times than earlier refreshes have, also after the clock went back', async ({
    service,
  }) => {
    const plan = await planToRefresh(service);
    const whole = await plan.load();
    const part = await plan.load({ raw_where: `"Region" = 'A'` });
    await plan.change(CHANGES);
    const { logid } = await plan.refreshed();
    const times = async () =>
      ((await plan.entries())[0] as { params: RefreshParams }).params.loads.map(
        ({ written_at }) => written_at,
      );
    const later = (at: string) => `2126${at.slice(4)}`;
    const before = await times();
    for (const at of before) {
      await service.query(
        `UPDATE ${plan.table} SET pf_created_at = '${later(at)}' WHERE pf_logid = ${logid} AND pf_created_at = '${at}';
         UPDATE pf.log SET params = replace(params::text, '${at}', '${later(at)}')::jsonb WHERE id = ${logid}`,
      );
    }
    const written = before.map(later);
    for (const load of [part, whole]) {
      await plan.change(`UPDATE SOURCE SET "Sales" = "Sales" + 1000 WHERE "Region" = 'A'`);
      await plan.refreshed({ loads: [load] });
      written.push(...(await times()));
    }
    expect(written).toHaveLength(4);
    expect(written).toEqual([...new Set(written)].toSorted());
    await plan.refreshed({ loads: [part] });
    expect(await plan.leaves(BASELINE)).toEqual(
      (await plan.sourceLeaves()).map((leaf) => (leaf[0] === 'A' ? doubled(leaf) : leaf)),
    );
  });

  it('cancels out the rows that it added to loads that were undone or cleared', async ({
    service,
  }) => {
    const { api } = service;
    const plan = await planToRefresh(service);
    const [whole, part] = [await plan.load(), await plan.load({ raw_where: `"Region" = 'B'` })];
    await plan.load({}, 'reference');
    await plan.change(CHANGES);
    await plan.refreshed();
    plan.ok(await api.del(`/log/${part}`));
    const after = await plan.refreshed();
    expect(after.loads).toMatchObject([
      { logid: whole },
      {},
      { logid: part, rows_before: 2, rows_now: 0, after: { value_total: 0, units_total: 0 } },
    ]);
    expect(await plan.leaves(BASELINE)).toEqual(await plan.sourceLeaves());
    expect(await plan.refreshed()).toMatchObject({ logid: null, loads: [{}, {}] });

    const cleared = await api.del(`${plan.path}/baseline`);
    expect(cleared.body).toMatchObject({ log_entries_deleted: 3 });
    expect(await plan.entries()).toMatchObject([{ operation: 'reference', row_count: 7 }]);
    expect(await plan.leaves(BASELINE)).toEqual([]);
    await plan.refreshed();
    expect(await plan.leaves('TRUE')).toEqual(await plan.sourceLeaves());
  });

  it('is carried by a copy, which goes on refreshing, and skipped by a replay', async ({
    service,
  }) => {
    const { api } = service;
    const plan = await planToRefresh(service);
    const loads = [await plan.load(), await plan.load({ raw_where: `"Region" = 'A'` })];
    await plan.change(CHANGES);
    const { logid } = await plan.refreshed({ note: 'Night' });
    const scaled = await plan.done('scale', { slice: {}, pct: 10 });
    const copy = await api.post(`${plan.path}/copy`, { name: 'Copy', pf_user: 'ann' });
    const path = `/versions/${copy.body.id}`;
    await plan.change(`UPDATE SOURCE SET "Sales" = 1 WHERE "Region" = 'A'`);
    const ofCopy = (await api.post(`${path}/refresh`, { pf_user: 'ann' })).body;
    expect(ofCopy).toMatchObject({ loads: [{ rows_before: 9 }, { rows_before: 5 }] });
    const here = await plan.refreshed();
    expect(ofCopy.row_count).toBe(here.row_count);
    const table = plan.table.replace(/_\d+"$/, `_${copy.body.id}"`);
    expect(await plan.leaves(BASELINE, table)).toEqual(await plan.leaves(BASELINE));
    const copied = (await api.get(`${path}/log`)).body.entries
      .map(({ id }: Row) => id)
      .toReversed();
    expect(ofCopy.loads.map((load: Row) => load.logid)).toEqual(copied.slice(0, 2));
    await api.del(`/log/${ofCopy.logid}`);
    await api.del(`/log/${here.logid}`);
    expect(await plan.leaves('TRUE', table)).toEqual(await plan.leaves('TRUE'));

    const replay = await api.post(`${plan.path}/replay`, { name: 'Replay', pf_user: 'ann' });
    expect(
      replay.body.entries.map((e: Row) => [e.from, e.operation, e.to === null, e.reason]),
    ).toEqual([
      ...loads.map((id) => [id, 'baseline', false, null]),
      [logid, 'refresh', true, 'The loads of a replay read the source as it is'],
      [scaled, 'scale', false, null],
    ]);
    const replayed = plan.table.replace(/_\d+"$/, `_${replay.body.version.id}"`);
    await plan.refreshed();
    expect(await plan.leaves(BASELINE, replayed)).toEqual(await plan.leaves(BASELINE));
  });

  it('is told by explain and accuracy, is taken back in part, and stops edits of loads', async ({
    service,
  }) => {
    const { api } = service;
    const plan = await planToRefresh(service);
    const load = await plan.load();
    const reference = await plan.load({}, 'reference');
    await plan.change(CHANGES);
    const { logid } = await plan.refreshed();
    const steps = async () =>
      (await api.post(`${plan.path}/explain`, { slice: { Region: 'B' } })).body.entries.map(
        (e: Row) => [e.logid, e.operation, e.iter, e.excluded, e.value_total],
      );
    expect(await steps()).toEqual([
      [load, 'baseline', undefined, false, 87],
      [reference, 'reference', undefined, true, 87],
      [logid, 'refresh', 'baseline', false, -24.75],
      [logid, 'refresh', 'reference', true, -24.75],
    ]);
    const [entry] = await plan.entries();
    expect(entry).toMatchObject({
      ...{ row_count: 14, value_total: -26.5 },
      origins: [
        { iter: 'baseline', row_count: 7, value_total: -13.25 },
        { iter: 'reference', row_count: 7, value_total: -13.25 },
      ],
    });
    const edit = await api.put(`${plan.path}/baseline/${load}`, { pf_user: 'bob' });
    expect([edit.status, edit.body.error]).toEqual([409, expect.stringContaining('refresh')]);

    // Only rows of the plan are taken back, and the next refresh leaves that as it is.
    const back = await api.post(`/log/${logid}/reverse`, {
      slice: { Region: 'B' },
      pf_user: 'eve',
    });
    expect(back.body).toHaveLength(3);
    expect((await steps()).at(-1).at(-1)).toBe(24.75);
    expect(await plan.refreshed()).toMatchObject({ logid: null });
    expect((await api.del(`/log/${logid}`)).status).toBe(409);

    plan.ok(
      await plan.post('actuals', {
        raw_where: 'TRUE',
        date_offset: '1 year',
        through: '2026-03-31',
      }),
    );
    const accuracy = (await api.get(`${plan.path}/accuracy`)).body;
    expect(accuracy.entries.map((e: Row) => e.logid)).toEqual([load, logid, back.body[0].pf_logid]);
    const wape = accuracy.entries.map(({ value }: { value: { wape: number } }) => value.wape);
    expect(wape[0]).toBeGreaterThan(0);
    expect(wape[1]).toBe(0);
    expect(accuracy.people.map((p: Row) => p.pf_user)).toEqual(['eve']);
    expect(accuracy.reference.value.wape).toBe(0);
  });

  it('adds up its rows by origin once for the log', async ({ service }) => {
    const plan = await planToRefresh(service);
    await plan.load();
    await plan.load({}, 'reference');
    await plan.change(CHANGES);
    const { logid } = await plan.refreshed();
    const before = await plan.entries();
    expect(before[0]).toMatchObject({ id: logid, origins: [{ row_count: 7 }, { row_count: 7 }] });
    await changeUnnoticed(
      service,
      `UPDATE ${plan.table} SET "Sales" = "Sales" + 1 WHERE pf_logid = ${logid}`,
    );
    expect(await plan.entries()).toEqual(before);
  });

  it('sends its entry to pages, whose rows are the difference alone, at the grain too', async ({
    service,
  }) => {
    const { api } = service;
    const plan = await planToRefresh(service);
    await plan.load();
    const stream = await openEvents(service.url, plan.path);
    await plan.refreshed();
    await plan.change(CHANGES);
    const { logid, row_count } = await plan.refreshed();
    const [event] = await stream.events(1);
    expect([event?.event, event?.data]).toEqual([
      'written',
      { logid, operation: 'refresh', pf_user: 'bob' },
    ]);
    const rows = async (read: 'data' | 'agg') => {
      const answer = await api.send(`${plan.path}/${read}?logid=${logid}`, { method: 'GET' });
      return tableFromIPC(answer.bytes)
        .toArray()
        .map((row) => row.toJSON());
    };
    const data = await rows('data');
    expect(data).toHaveLength(row_count);
    expect(new Set(data.map((row) => row.pf_iter))).toEqual(new Set(['baseline']));
    const [byLeaf, byGrain] = [data, await rows('agg')].map((all) =>
      all.reduce((sum, row) => sum + Number(row.Sales), 0),
    );
    expect(byGrain).toBe(byLeaf);
  });

  it('writes doubles to their precision, and nothing when it is repeated', async ({ service }) => {
    const lines: SourceLine[] = [0.1, 0.2, 1e15].map((amount) => [
      'A',
      'x',
      '2025-01-10',
      amount,
      1,
    ]);
    const plan = await planToRefresh(service, lines, 'double precision');
    await plan.load();
    await plan.change(`UPDATE SOURCE SET "Sales" = 0.7 WHERE "Sales" = 1e15;
      INSERT INTO SOURCE ("Region", "Sales") VALUES ('B', 0.1), ('B', 0.2), ('B', -0.3)`);
    await plan.refreshed();
    const [leaf] = await plan.leaves(BASELINE);
    expect(leaf![4]).toBeCloseTo(1, 9);
    expect(await plan.refreshed()).toMatchObject({ logid: null });
  });

  it('counts new rows outside of the calendar, and is answered once for a key', async ({
    service,
  }) => {
    const { api } = service;
    const plan = await planToRefresh(service);
    await plan.load();
    await plan.change(
      `INSERT INTO SOURCE ("Region", "Order Date", "Sales") VALUES ('A', '1990-01-01', 5)`,
    );
    const send = (body: object) =>
      api.send(`${plan.path}/refresh`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'night' },
        body: JSON.stringify({ pf_user: 'job', ...body }),
      });
    const first = await send({});
    expect(first.body).toMatchObject({ row_count: 1, outside_calendar: 1 });
    await plan.change(CHANGES);
    expect((await send({})).body).toEqual(first.body);
    expect((await send({ note: 'x' })).status).toBe(409);
    expect(await plan.entries()).toHaveLength(2);
  });

  it('is refused as a whole, and names the load that cannot be read again', async ({ service }) => {
    const plan = await planToRefresh(service);
    const first = await plan.load();
    const second = await plan.load({ raw_where: '"Status" IS NULL' });
    const scaled = await plan.done('scale', { slice: {}, pct: 1 });
    await plan.change(CHANGES);
    const refused = async (body: object, status: number) => {
      const before = await plan.state();
      for (const path of ['refresh', 'refresh/preview']) {
        const answer = await plan.post(path, body);
        expect([path, answer.status]).toEqual([path, status]);
        expect(await plan.state()).toEqual(before);
        if (path === 'refresh') continue;
        return answer.body;
      }
    };
    expect(await refused({ loads: [first, scaled] }, 422)).toEqual({
      error: `loads.1: entry ${scaled} is not a load of this version`,
      field: 'loads.1',
    });
    await refused({ loads: [] }, 400);
    await refused({ loads: Array.from({ length: 101 }, (_, i) => i) }, 400);
    await plan.change(`INSERT INTO SOURCE ("Region", "Cost") VALUES ('A', 'NaN')`);
    expect((await refused({}, 422)).error).toBe('"Cost" holds NaN or infinity; nothing was loaded');
    const asMeasure = (role: string) =>
      service.api.put(`/sources/${plan.sourceId}/columns`, [{ cname: 'Cost', role }]);
    plan.ok(await asMeasure('dimension'));
    expect((await refused({}, 409)).error).toContain('generate the SQL again');
    plan.ok(await asMeasure('measure'));
    await plan.change(
      `DELETE FROM SOURCE WHERE "Cost" = 'NaN'; ALTER TABLE SOURCE DROP COLUMN "Status"`,
    );
    const { error } = await refused({}, 422);
    expect(error).toContain(`Load ${second} cannot be read again, so nothing was refreshed`);
    expect(await plan.refreshed({ loads: [first] })).toMatchObject({ row_count: 7 });
    plan.ok(await plan.post('close'));
    expect((await plan.refresh({ loads: [first] })).status).toBe(403);
    expect((await plan.post('refresh/preview', { loads: [first] })).status).toBe(200);
  });
});
