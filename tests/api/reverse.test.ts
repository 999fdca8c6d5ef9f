import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { cases } from '../support/cases.js';
import { bytes } from '../support/planned';
import type { Service } from '../support/service';
import { version } from '../support/small-version';

type Row = Record<string, unknown>;

const ROWS: [string, number, number][] = [
  ['A', 100, 10],
  ['B', 50, 5],
  ['C', 25, 2],
];

/** A version with a clone-like scale of +10 % on all rows, and helpers for its log. */
async function scaled(service: Service, rows = ROWS) {
  const { api } = service;
  const made = await version(service, 'numeric(12,2)', rows);
  const entries = async () => (await api.get(`${made.path}/log`)).body.entries;
  const scale = async (body: object) => {
    const answer = await made.call('scale', body);
    expect(answer.body.error).toBeUndefined();
    return (await entries())[0].id as number;
  };
  const logid = await scale({ slice: {}, pct: 10 });
  const reverse = (id: number, body: object = {}) =>
    api.post(`/log/${id}/reverse`, { pf_user: 'bob', ...body });
  /** Checks that a reverse is refused and changes nothing. */
  const refused = async (id: number, body: object, status: number) => {
    const before = await bytes(service, made);
    const answer = await reverse(id, body);
    expect(answer.status).toBe(status);
    expect(await bytes(service, made)).toEqual(before);
    return answer.body;
  };
  const totals = async (): Promise<Row[]> =>
    service.query(
      `SELECT "Region", sum("Sales")::float8 AS sales, sum("Units")::int AS units FROM ${made.table}
       WHERE pf_iter <> 'reference' GROUP BY 1 ORDER BY 1`,
    );
  return { ...made, entries, scale, logid, reverse, refused, totals };
}

const amounts = (rows: Row[]) =>
  rows
    .map(({ Region, Sales, Units }) => [Region, Sales, Units])
    .toSorted((a, b) => String(a[0]).localeCompare(String(b[0])));

describe('a reverse', () => {
  it('negates what the entry added to the slice, and is undone byte for byte', async ({
    service,
  }) => {
    const plan = await scaled(service);
    const before = await bytes(service, plan);
    const answer = await plan.reverse(plan.logid, {
      slice: { Region: ['A', 'B'] },
      note: 'Too high',
    });
    expect(answer.status).toBe(200);
    expect(amounts(answer.body)).toEqual([
      ['A', -10, -1],
      ['B', -5, -1],
    ]);
    expect(answer.body[0]).toMatchObject({
      pf_iter: 'reverse',
      pf_op: 'reverse',
      pf_note: 'Too high',
    });
    const [entry] = await plan.entries();
    expect(entry).toMatchObject({
      operation: 'reverse',
      slice: { Region: ['A', 'B'] },
      params: { reverse_of: plan.logid },
      pf_user: 'bob',
      note: 'Too high',
      row_count: 2,
      value_total: -15,
      units_total: -2,
    });
    expect(await plan.totals()).toMatchObject([{ sales: 100 }, { sales: 50 }, { sales: 27.5 }]);
    const { body } = await plan.call('explain', { slice: { Region: 'A' }, pf_user: undefined });
    expect(body.entries.map((e: Row) => [e.operation, e.value_total])).toEqual([
      ['baseline', 100],
      ['scale', 10],
      ['reverse', -10],
    ]);
    expect((await service.api.del(`/log/${entry.id}`)).status).toBe(200);
    expect(await bytes(service, plan)).toEqual(before);
  });

  it('takes back what earlier ones have left, and then nothing', async ({ service }) => {
    const plan = await scaled(service);
    await plan.reverse(plan.logid, { slice: { Region: 'A' } });
    expect((await plan.refused(plan.logid, { slice: { Region: 'A' } }, 422)).error).toBe(
      `Nothing of entry ${plan.logid} is left in this slice to take back`,
    );
    const rest = await plan.reverse(plan.logid);
    expect(amounts(rest.body).map(([region]) => region)).toEqual(['B', 'C']);
    expect(await plan.totals()).toEqual([
      { Region: 'A', sales: 100, units: 10 },
      { Region: 'B', sales: 50, units: 5 },
      { Region: 'C', sales: 25, units: 2 },
    ]);
    await plan.refused(plan.logid, {}, 422);
    // The rows of other entries are not looked at.
    await plan.scale({ slice: {}, value_incr: 7 });
    await plan.refused(plan.logid, {}, 422);
  });

  it('of a recode moves back the part inside the slice', async ({ service }) => {
    const plan = await scaled(service);
    await plan.call('recode', { slice: { Region: 'A' }, set: { Region: 'B' }, factor: 0.5 });
    const [{ id }] = await plan.entries();
    expect(amounts((await plan.reverse(id, { slice: { Region: 'B' } })).body)).toEqual([
      ['B', -55, -6],
    ]);
    expect(amounts((await plan.reverse(id, { slice: null })).body)).toEqual([['A', 55, 6]]);
  });

  it('leaves locked rows alone, so that it works where an undo is refused', async ({ service }) => {
    const plan = await scaled(service);
    const lock = { slice: { Region: 'A' }, pf_user: 'eve' };
    const { id } = (await service.api.post(`${plan.path}/locks`, lock)).body;
    expect((await service.api.del(`/log/${plan.logid}`)).status).toBe(423);
    expect((await plan.refused(plan.logid, { slice: { Region: 'A' } }, 422)).error).toBe(
      `Every row of entry ${plan.logid} in this slice is locked; there is nothing to take back`,
    );
    expect(amounts((await plan.reverse(plan.logid)).body).map(([region]) => region)).toEqual([
      'B',
      'C',
    ]);
    await service.api.del(`/locks/${id}`);
    expect(amounts((await plan.reverse(plan.logid)).body)).toEqual([['A', -10, -1]]);
  });

  it('of a load takes back its rows', async ({ service }) => {
    const plan = await scaled(service);
    const baseline = (await plan.entries()).at(-1).id;
    await service.api.del(`/log/${plan.logid}`);
    await plan.reverse(baseline, { slice: { Region: 'C' } });
    expect(await plan.totals()).toMatchObject([{ sales: 100 }, { sales: 50 }, { sales: 0 }]);
    // It counts as an operation for the guard of loads.
    const edit = await service.api.put(`${plan.path}/baseline/${baseline}`, { pf_user: 'ann' });
    expect([edit.status, edit.body.error]).toEqual([
      409,
      'The version has a scale, recode, clone, reverse, actual, refresh or import; undo those before editing a load',
    ]);
  });
});

describe('a reverse is refused', () => {
  it('for an entry that is gone, a closed version, and bad bodies', async ({ service }) => {
    const plan = await scaled(service);
    expect((await plan.refused(999_999, {}, 404)).error).toMatch(/log entry 999999/);
    expect((await plan.refused(plan.logid, { pf_user: '' }, 400)).field).toBe('pf_user');
    const slice = { 'Order Date': 'x' };
    expect((await plan.refused(plan.logid, { slice }, 400)).field).toBe('slice.Order Date');
    expect((await plan.refused(plan.logid, { slice: { Region: 'Z' } }, 422)).error).toBe(
      `Entry ${plan.logid} has no rows in this slice`,
    );
    await service.api.post(`${plan.path}/close`, { pf_user: 'ann' });
    expect((await plan.refused(plan.logid, {}, 403)).error).toBe('Version is closed');
    const preview = await service.api.post(`/log/${plan.logid}/reverse/preview`, {
      pf_user: 'ann',
    });
    expect(preview.status).toBe(200);
  });

  it('for excluded origins, and for a reverse', async ({ service }) => {
    const plan = await scaled(service);
    await service.api.post(`${plan.path}/reference`, { pf_user: 'ann' });
    const [{ id: reference }] = await plan.entries();
    expect((await plan.refused(reference, {}, 422)).error).toBe(
      'Operations skip rows of the origin reference in this version',
    );
    await service.api.patch(plan.path, { exclude_iters: ['reference', 'reverse'] });
    expect((await plan.refused(plan.logid, {}, 422)).error).toMatch(/the origin reverse/);
    await service.api.patch(plan.path, { exclude_iters: ['reference'] });
    await plan.reverse(plan.logid, { slice: { Region: 'A' } });
    const [{ id }] = await plan.entries();
    expect((await plan.refused(id, {}, 422)).error).toBe(
      `Entry ${id} takes back another entry; undo it instead`,
    );
  });
});

describe('an entry of which a part is taken back', () => {
  it('is undone only after its reverses, and a load is edited and cleared only after them', async ({
    service,
  }) => {
    const { api } = service;
    const plan = await scaled(service);
    await plan.reverse(plan.logid, { slice: { Region: 'A' } });
    const [{ id }] = await plan.entries();
    const before = await bytes(service, plan);
    const refusal = await api.del(`/log/${plan.logid}`);
    expect([refusal.status, refusal.body.error]).toEqual([
      409,
      `Entry ${id} takes back a part of entry ${plan.logid}; undo entry ${id} first`,
    ]);
    const baseline = (await plan.entries()).at(-1).id;
    await plan.reverse(baseline, { slice: { Region: 'C' } });
    const [{ id: second }] = await plan.entries();
    expect((await api.del(`${plan.path}/baseline`)).status).toBe(409);
    expect((await api.put(`${plan.path}/baseline/${baseline}`, { pf_user: 'ann' })).status).toBe(
      409,
    );
    expect((await api.del(`/log/${second}`)).status).toBe(200);
    expect(await bytes(service, plan)).toEqual(before);
    for (const each of [id, plan.logid, baseline]) {
      expect((await api.del(`/log/${each}`)).status).toBe(200);
    }
    expect(await plan.totals()).toEqual([]);
  });

  it('is redone with its reverses, under new ids', async ({ service }) => {
    const { api } = service;
    const plan = await scaled(service);
    await plan.reverse(plan.logid, { slice: { Region: 'A' } });
    const wanted = await plan.totals();
    // Twice, so that an entry is redone that a redo has written.
    for (let round = 0; round < 2; round++) {
      const [{ id: reverse }, { id: scale }] = await plan.entries();
      await api.del(`/log/${reverse}`);
      await api.del(`/log/${scale}`);
      const early = await api.post(`${plan.path}/redo/${reverse}`, { pf_user: 'eve' });
      expect([early.status, early.body.error]).toEqual([422, expect.stringContaining(`${scale}`)]);
      await api.post(`${plan.path}/redo/${scale}`, { pf_user: 'eve' });
      expect((await api.post(`${plan.path}/redo/${reverse}`, { pf_user: 'eve' })).status).toBe(200);
      const [newest, second] = await plan.entries();
      expect(newest.params).toEqual({ reverse_of: second.id, redo_of: reverse });
      expect(await plan.totals()).toEqual(wanted);
    }
  });

  it('keeps its reverses in a copy and in a replay', async ({ service }) => {
    const { api } = service;
    const plan = await scaled(service);
    await plan.reverse(plan.logid, { slice: { Region: 'A' } });
    const sums = async (id: number) => {
      const { body } = await api.post(`/versions/${id}/slice`, { slice: {} });
      return [body.value_total, body.units_total];
    };
    const copy = (await api.post(`${plan.path}/copy`, { name: 'Copy', pf_user: 'ann' })).body;
    const replay = await api.post(`${plan.path}/replay`, { name: 'Replay', pf_user: 'ann' });
    expect(replay.body.error).toBeUndefined();
    for (const id of [copy.id, replay.body.version.id]) {
      expect(await sums(id)).toEqual(await sums(plan.id));
      const [reverse, scale] = (await api.get(`/versions/${id}/log`)).body.entries;
      expect(reverse.params.reverse_of).toBe(scale.id);
      // In the copy, too, nothing is left to take back, and the scale is undone after its reverse.
      const again = await api.post(`/log/${scale.id}/reverse`, {
        slice: { Region: 'A' },
        pf_user: 'ann',
      });
      expect(again.status).toBe(422);
      expect((await api.del(`/log/${scale.id}`)).status).toBe(409);
    }
  });

  it('that cannot be replayed takes its reverse with it', async ({ service }) => {
    const { api, query } = service;
    const plan = await scaled(service);
    const scale = await plan.scale({ slice: { Region: 'B' }, value_incr: 5 });
    await plan.reverse(scale);
    const [source] = await query(
      `SELECT format('%I.%I', schema, tname) AS name FROM pf.source WHERE id = ${plan.sourceId}`,
    );
    await query(`DELETE FROM ${source.name} WHERE "Region" = 'B'`);
    const { body } = await api.post(`${plan.path}/replay`, {
      name: 'Replay',
      pf_user: 'ann',
      on_failure: 'skip',
    });
    expect(body.entries.map((e: Row) => [e.operation, e.reason])).toEqual([
      ['baseline', null],
      ['scale', null],
      ['scale', 'The slice matches no row'],
      ['reverse', `Entry ${scale}, of which it takes back a part, was not replayed`],
    ]);
  });
});

describe('a preview of a reverse', () => {
  it('answers the rows that it writes and the totals of the slice', async ({ service }) => {
    const plan = await scaled(service);
    const body = { slice: { Region: 'A', typo: 1 }, pf_user: 'ann' };
    const before = await bytes(service, plan);
    const tried = await service.api.post(`/log/${plan.logid}/reverse/preview`, body);
    expect(await bytes(service, plan)).toEqual(before);
    expect(tried.headers.get('x-slice-skipped')).toBe('typo');
    expect(amounts(tried.body.rows)).toEqual([['A', -10, -1]]);
    expect(tried.body.totals.before).toMatchObject({ value_total: 110, units_total: 11 });
    expect(tried.body.totals.after).toMatchObject({ value_total: 100, units_total: 10 });
    const done = await plan.reverse(plan.logid, body);
    expect(amounts(done.body)).toEqual(amounts(tried.body.rows));
    expect(done.headers.get('x-slice-skipped')).toBe('typo');
  });

  it('among several operations sees the earlier ones', async ({ service }) => {
    const plan = await scaled(service);
    const back = { operation: 'reverse', logid: plan.logid };
    const { body } = await plan.call('preview', {
      operations: [{ ...back, slice: { Region: 'A' } }, back],
    });
    expect(body.steps.map((step: { rows: Row[] }) => step.rows.length)).toEqual([1, 2]);
    expect(body.totals.after.value_total).toBe(175);
    const twice = await plan.call('preview', { operations: [back, back] });
    expect([twice.status, twice.body.error]).toEqual([
      422,
      `operations.1: Nothing of entry ${plan.logid} is left in this slice to take back`,
    ]);
    const other = await scaled(service);
    const foreign = { operation: 'reverse', logid: other.logid };
    const answer = await plan.call('preview', { operations: [foreign] });
    expect(answer.status).toBe(404);
  });
});

it('answers a repeated key as before, also when the entry is gone', async ({ service }) => {
  const { api } = service;
  const plan = await scaled(service);
  const send = () =>
    api.send(`/log/${plan.logid}/reverse`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'reverse-once' },
      body: JSON.stringify({ pf_user: 'ann' }),
    });
  const first = await send();
  expect(first.status).toBe(200);
  expect((await send()).body).toEqual(first.body);
  const [{ id }] = await plan.entries();
  await api.del(`/log/${id}`);
  await api.del(`/log/${plan.logid}`);
  const again = await send();
  expect([again.status, again.body]).toEqual([200, first.body]);
});

it('reverses any entry of a random plan to the plan without it, and is undone exactly', async ({
  service,
}) => {
  const region = fc.constantFrom('A', 'B', 'C');
  const amount = fc.integer({ min: -9999, max: 9999 }).map((n) => n / 100);
  const row = fc.tuple(region, amount, fc.integer({ min: -50, max: 50 }));
  const change = fc.oneof(
    fc.record({
      do: fc.constant('scale'),
      slice: fc.record({ Region: region }),
      value_incr: amount,
    }),
    fc.record({
      do: fc.constant('scale'),
      slice: fc.constant({}),
      pct: fc.integer({ min: 1, max: 80 }),
    }),
    fc.record({
      do: fc.constant('recode'),
      slice: fc.record({ Region: region }),
      set: fc.record({ Region: fc.constantFrom('A', 'D') }),
    }),
    fc.record({
      do: fc.constant('clone'),
      slice: fc.record({ Region: region }),
      set: fc.constant({}),
      scale_factor: fc.constantFrom(0.333, -2),
    }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 6 }),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.option(region),
      async (rows, changes, pick, locked) => {
        const { api, query } = service;
        const made = await version(service, 'numeric(12,2)', rows);
        for (const { do: operation, ...body } of changes) await made.call(operation, body);
        const log = (await api.get(`${made.path}/log`)).body.entries;
        const entry = log[pick % log.length];
        if (locked !== null) {
          await api.post(`${made.path}/locks`, { slice: { Region: locked }, pf_user: 'eve' });
        }
        const sums = (where: string) =>
          query(
            `SELECT "Region", sum("Sales") AS sales, sum("Units") AS units FROM ${made.table}
             WHERE ${where} GROUP BY 1 HAVING sum("Sales") <> 0 OR sum("Units") <> 0 ORDER BY 1`,
          );
        const isLocked = locked === null ? 'FALSE' : `"Region" = '${locked}'`;
        const expected = await sums(`pf_logid <> ${entry.id} OR ${isLocked}`);
        const before = await bytes(service, made);
        const back = await api.post(`/log/${entry.id}/reverse`, { pf_user: 'bob' });
        expect(await sums('TRUE')).toEqual(expected);
        if (back.status === 422) return;
        expect(back.status).toBe(200);
        expect((await api.post(`/log/${entry.id}/reverse`, { pf_user: 'bob' })).status).toBe(422);
        const [{ id }] = (await api.get(`${made.path}/log`)).body.entries;
        expect((await api.del(`/log/${id}`)).status).toBe(200);
        expect(await bytes(service, made)).toEqual(before);
      },
    ),
    { numRuns: cases(8) },
  );
});
