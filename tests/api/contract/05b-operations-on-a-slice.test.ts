// Tests docs/contract/05-operations.md.
import { tableFromIPC } from 'apache-arrow';
import { describe, expect } from 'vitest';
import { ARROW } from '../../../src/lib/contract/primitives';
import { decode, GRAIN_COLUMNS, it, makePlan, makeSource, ok, ORDERS, refused } from './orders';

let grainId: number;

it.beforeAll(async ({ service }) => {
  await service.query(ORDERS.replaceAll('public.orders', 'public.grained'));
  grainId = await makeSource(service, 'grained', GRAIN_COLUMNS);
});

describe('POST /versions/:id/scale, recode and clone', () => {
  const RAW = [
    ...['Order Date', 'Order Year', 'region', 'sub-category', 'select', 'a"b', 'amount', 'pieces'],
    ...['pf_id', 'pf_iter', 'pf_logid', 'pf_created_at', 'pf_note', 'pf_op'],
  ];

  it('returns the new rows completely in raw mode, with note and operation', async ({
    service,
    sourceId,
  }) => {
    const { path, table } = await makePlan(service, sourceId);
    const { body } = await service.api.post(`${path}/scale`, {
      slice: { region: 'North', 'sub-category': 'Chairs' },
      value_incr: 30.1,
      pf_user: 'ann',
      note: 'why',
    });
    expect(body).toHaveLength(2);
    expect(body.map(Object.keys)).toEqual([RAW, RAW]);
    const logid = body[0].pf_logid;
    const stored = await service.query(
      `SELECT * FROM ${table} WHERE pf_logid = $1 ORDER BY pf_id`,
      [logid],
    );
    expect(body).toEqual(
      stored.map((r) => ({
        ...r,
        amount: Number(r.amount),
        pf_created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        pf_note: 'why',
        pf_op: 'scale',
      })),
    );
    expect(body.map((r: Record<string, unknown>) => [r['Order Date'], r.amount, r.pieces])).toEqual(
      [
        ['2026-01-31', 20, 0],
        ['2026-02-28', 10.1, 0],
      ],
    );
  });

  it('returns the negating rows of a recode before the new ones', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const { body } = await service.api.post(`${path}/recode`, {
      slice: { region: 'North' },
      set: { 'Order Date': '2027-07-04', region: 'West' },
      pf_user: 'ann',
    });
    expect(
      body.map((r: Record<string, unknown>) => [
        r['Order Date'],
        r['Order Year'],
        r.region,
        r.amount,
        r.pieces,
        r.pf_op,
        r.pf_note,
      ]),
    ).toEqual([
      ['2026-01-31', 2026, 'North', -100, -10, 'recode', null],
      ['2026-02-28', 2026, 'North', -50.5, -5, 'recode', null],
      ['2026-02-28', 2026, 'North', -25.25, -2, 'recode', null],
      ['2027-07-04', 2027, 'West', 100, 10, 'recode', null],
      ['2027-07-04', 2027, 'West', 50.5, 5, 'recode', null],
      ['2027-07-04', 2027, 'West', 25.25, 2, 'recode', null],
    ]);
    const ids = body.map((r: { pf_id: number }) => r.pf_id);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
  });

  it('returns the grain of its own rows in grain mode, with new keys', async ({ service }) => {
    const { path, table } = await makePlan(service, grainId);
    const before = decode((await service.api.get(`${path}/agg`)).bytes).rows.map((r) => r.pf_gkey);
    const recoded = await service.api.post(`${path}/recode`, {
      slice: { region: 'North' },
      set: { region: 'West' },
      pf_user: 'ann',
      note: 'moved',
    });
    const { body } = recoded;
    const logid = body[0].pf_logid;
    const key = (...parts: string[]) => [...parts, 'recode', logid].join('\u001f');
    const common = {
      'Order Year': 2026,
      'a"b': 'k',
      pf_iter: 'recode',
      pf_logid: logid,
      pf_note: 'moved',
      pf_op: 'recode',
    };
    expect(
      body.toSorted((a: { amount: number }, b: { amount: number }) => a.amount - b.amount),
    ).toEqual([
      {
        ...common,
        region: 'North',
        pf_gkey: key('2026', 'North', 'k'),
        amount: -175.75,
        pieces: -17,
      },
      { ...common, region: 'West', pf_gkey: key('2026', 'West', 'k'), amount: 175.75, pieces: 17 },
    ]);
    // Six rows were written. Appended to the loaded rows, they equal a new load.
    expect(
      await service.query(`SELECT count(*) AS n FROM ${table} WHERE pf_logid = $1`, [logid]),
    ).toEqual([{ n: 6 }]);
    const after = decode((await service.api.get(`${path}/agg`)).bytes).rows;
    expect(new Set(after.map((r) => r.pf_gkey))).toEqual(
      new Set([...before, ...body.map((r: { pf_gkey: string }) => r.pf_gkey)]),
    );
    expect(after.length).toBe(before.length + 2);

    for (const [operation, more] of [
      ['scale', { pct: 10 }],
      ['clone', { set: { region: 'Copy' }, scale_factor: 0.5 }],
    ] as const) {
      const rows = ok(
        await service.api.post(`${path}/${operation}`, {
          slice: { region: 'West' },
          pf_user: 'ann',
          ...more,
        }),
      ).body;
      expect(rows).toHaveLength(1);
      const fresh = decode((await service.api.get(`${path}/agg`)).bytes).rows.find(
        (r) => r.pf_gkey === rows[0].pf_gkey,
      );
      const { pf_note, pf_op, ...row } = rows[0];
      expect([pf_note, pf_op, row]).toEqual([null, operation, fresh]);
    }
  });

  it('returns the same rows as one Arrow batch if the client accepts Arrow', async ({
    service,
    sourceId,
  }) => {
    const plans = [await makePlan(service, sourceId), await makePlan(service, grainId)];
    for (const { path } of plans) {
      const send = (accept: string) =>
        service.api.send(`${path}/recode`, {
          method: 'POST',
          // The same write, answered twice.
          headers: {
            'content-type': 'application/json',
            'idempotency-key': `arrow ${path}`,
            accept,
          },
          body: JSON.stringify({
            slice: { region: 'North', typo: 1 },
            set: { region: null },
            pf_user: 'ann',
            note: 'Ü',
          }),
        });
      const arrow = await send(`text/html;q=0.9, ${ARROW};q=0.8`);
      const json = await send('*/*');
      expect(arrow.headers.get('content-type')).toBe(ARROW);
      expect(arrow.headers.get('content-length')).toBe(String(arrow.bytes.length));
      expect(arrow.headers.get('x-row-count')).toBe(String(json.body.length));
      expect(arrow.headers.get('x-slice-skipped')).toBe('typo');
      const table = tableFromIPC(arrow.bytes);
      expect(table.batches).toHaveLength(1);
      const dated = (name: string, value: unknown) =>
        typeof value !== 'number' || !/^(Order Date|pf_created_at)$/.test(name)
          ? value
          : new Date(value).toISOString().slice(0, name === 'Order Date' ? 10 : undefined);
      const rows = table
        .toArray()
        .map((row) =>
          Object.fromEntries(
            Object.entries(row.toJSON()).map(([name, value]) => [name, dated(name, value)]),
          ),
        );
      expect(rows).toEqual(json.body);
      expect((await send(ARROW)).bytes).toEqual(arrow.bytes);
    }
  });

  it('skips unknown slice keys and names them', async ({ service, sourceId }) => {
    const { path, table } = await makePlan(service, sourceId);
    const answer = await service.api.post(`${path}/scale`, {
      slice: { region: 'North', pf_iter: 'baseline', 'über, ä=1': 1, amount: 5, channel: 'web' },
      pct: 10,
      pf_user: 'ann',
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-slice-skipped')).toBe(
      'pf_iter,%C3%BCber%2C%20%C3%A4%3D1,amount,channel',
    );
    expect(answer.headers.get('x-slice-skipped')!.split(',').map(decodeURIComponent)).toEqual([
      'pf_iter',
      'über, ä=1',
      'amount',
      'channel',
    ]);
    const [{ added }] = await service.query(
      `SELECT sum(amount) AS added FROM ${table} WHERE pf_iter = 'scale'`,
    );
    expect(added).toBe('17.58');
    const plain = await service.api.post(`${path}/scale`, {
      slice: { region: 'North' },
      pct: 10,
      pf_user: 'ann',
    });
    expect(plain.headers.has('x-slice-skipped')).toBe(false);
  });

  it('selects by scalar, null, list, date and the whole version', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const matched = async (slice: object) => {
      const { body } = await service.api.post(`${path}/slice`, { slice });
      return [body.row_count, body.value_total];
    };
    expect(await matched({})).toEqual([12, 1554]);
    expect(await matched({ region: 'North' })).toEqual([3, 175.75]);
    expect(await matched({ region: null })).toEqual([1, 10]);
    expect(await matched({ region: '' })).toEqual([1, 11]);
    expect(await matched({ region: [null, '', 'North'] })).toEqual([5, 196.75]);
    expect(await matched({ region: ['South', 'South'] })).toEqual([3, 355.75]);
    expect(await matched({ 'Order Date': '2026-02-28' })).toEqual([2, 75.75]);
    expect(await matched({ 'Order Date': [null, '2026-12-31'] })).toEqual([2, 1001.49]);
    expect(await matched({ 'Order Year': 2026 })).toEqual([11, 1552.5]);
    expect(
      await matched({ 'Order Year': '2026', 'a"b': null, select: 'y', 'sub-category': 'Tables' }),
    ).toEqual([2, 55.75]);
    const days = (from?: string, to?: string) => ({ 'Order Date': { from, to } });
    expect(await matched(days('2026-02-28', '2026-04-01'))).toEqual([6, 441.5]);
    expect(await matched(days('2026-06-30'))).toEqual([2, 1000]);
    expect(await matched(days(undefined, '2026-01-31'))).toEqual([1, 100]);
    expect(await matched({ ...days('2026-02-28', '2026-02-28'), region: 'North' })).toEqual([
      2, 75.75,
    ]);
    expect(await matched({ region: `'; DROP TABLE pf.log; --` })).toEqual([0, 0]);
  });

  it('refuses invalid slices, sets and amounts without a trace', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const post = (operation: string, body: object) => () =>
      service.api.post(`${path}/${operation}`, { slice: {}, pf_user: 'ann', ...body });
    for (const slice of [null, [], ['North'], 'North', 5, undefined]) {
      await refused(service, post('scale', { slice, pct: 10 }), 400, /slice/);
    }
    await refused(service, post('scale', { slice: { region: [] }, pct: 10 }), 400, /slice.region/);
    await refused(
      service,
      post('scale', { slice: { region: { a: 1 } }, pct: 10 }),
      400,
      /slice.region/,
    );
    await refused(
      service,
      post('scale', { slice: { 'Order Date': '31.01.2026' }, pct: 10 }),
      400,
      /Order Date/,
    );
    await refused(
      service,
      post('scale', { slice: { 'Order Date': 'today' }, pct: 10 }),
      400,
      /Order Date/,
    );
    await refused(
      service,
      post('scale', { slice: { 'Order Date': '2026-02-30' }, pct: 10 }),
      400,
      /Order Date/,
    );
    for (const range of [
      { from: '2026-04-01', to: '2026-03-31' },
      { from: '2026-02-30' },
      { from: 20260201 },
      { from: null, to: '2026-03-31' },
      { from: '2026-01-01', until: '2026-03-31' },
      [{ from: '2026-01-01' }],
      {},
    ]) {
      const slice = { 'Order Date': range };
      await refused(service, post('scale', { slice, pct: 10 }), 400, /slice.*Order Date/);
    }
    for (const column of ['region', 'Order Year', 'amount']) {
      const slice = { [column]: { from: '2026-01-01' } };
      await refused(service, post('scale', { slice, pct: 10 }), 400, /only a date column/);
    }
    await refused(
      service,
      post('scale', { slice: { 'Order Year': 'abc' }, pct: 10 }),
      400,
      /Order Year/,
    );
    await refused(service, post('scale', { slice: { region: 'Nowhere' }, pct: 10 }), 422, /no row/);
    await refused(service, post('scale', {}), 400, /pct/);
    await refused(service, post('scale', { pct: 10, value_incr: 5 }), 400, /not both/);
    await refused(service, post('scale', { pct: '10' }), 400, /pct/);
    await refused(service, post('scale', { value_incr: 'x' }), 400, /value_incr/);
    await refused(service, post('scale', { pct: 0 }), 422);
    await refused(service, post('scale', { value_incr: 0, units_incr: 0 }), 422);
    await refused(service, post('scale', { value_incr: 0.004 }), 422, /rounds to zero/);
    await refused(service, post('scale', { units_incr: 0.4 }), 422, /rounds to zero/);
    await refused(service, post('scale', { pct: 10, pf_user: null }), 400, /pf_user/);
    for (const set of [null, [], ['x'], 'x', undefined]) {
      await refused(service, post('recode', { set }), 400, /set/);
    }
    await refused(service, post('recode', { set: {} }), 422);
    await refused(service, post('recode', { set: { nowhere: 1 } }), 400, /nowhere/);
    await refused(service, post('recode', { set: { amount: 1 } }), 400, /amount/);
    await refused(service, post('recode', { set: { channel: 'x' } }), 400, /channel/);
    await refused(service, post('recode', { set: { region: ['a'] } }), 400, /set.region/);
    await refused(
      service,
      post('recode', { slice: { region: 'North' }, set: { region: 'North' } }),
      422,
      /already/,
    );
    await refused(
      service,
      post('recode', { set: { 'Order Date': '2026-13-01' } }),
      400,
      /Order Date/,
    );
    await refused(service, post('clone', {}), 400, /set is missing/);
    await refused(service, post('clone', { set: [] }), 400, /set/);
    await refused(service, post('clone', { set: {}, scale_factor: 'x' }), 400, /scale_factor/);
    await refused(service, post('clone', { set: {}, scale_factor: 0 }), 422);
    await refused(service, post('clone', { set: { nowhere: 1 } }), 400, /nowhere/);
  });
});
