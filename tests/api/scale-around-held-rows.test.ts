import { tableFromIPC } from 'apache-arrow';
import { describe, expect } from 'vitest';
import { ARROW } from '../../src/lib/contract/primitives';
import { it } from '../support/api';
import { plan } from '../support/planned';
import { version } from '../support/small-version';

describe('held slices', () => {
  it('keep their amounts, and the other rows take the whole increment', async ({ service }) => {
    const { does, path } = await version(service, 'numeric(12,2)', [
      ['A', 60, 1],
      ['B', 30, 2],
      ['C', 10, 4],
      [null, 20, 8],
    ]);
    const hold = [{ Region: 'A' }, { Region: ['C', 'nobody'], Product: null }];
    expect(await does('scale', { value_incr: 10, hold })).toEqual([
      ['B', 6, 0],
      [null, 4, 0],
    ]);
    const [entry] = (await service.api.get(`${path}/log`)).body.entries;
    expect(entry.params).toEqual({ value_incr: 10, units_incr: null, hold });
    expect(
      await does('scale', { value_incr: 10, spread: 'equal', hold: [{ Region: null }] }),
    ).toEqual([
      ['A', 3.33, 0],
      ['B', 3.34, 0],
      ['C', 3.33, 0],
    ]);
  });

  it('are not part of a percentage', async ({ service }) => {
    const { does } = await version(service, 'numeric(12,2)', [
      ['A', 60, 10],
      ['B', 30, 20],
    ]);
    expect(await does('scale', { pct: 10, hold: [{ Region: 'A' }] })).toEqual([['B', 3, 2]]);
    expect(await does('scale', { pct: 100, hold: [] })).toEqual([
      ['A', 60, 10],
      ['B', 33, 22],
    ]);
  });

  it('may be a range of dates', async ({ service }) => {
    const planned = await plan(
      service,
      [
        { name: 'Order Date', type: 'date', role: 'date' },
        { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
      ],
      ['2027-01-31', '2027-02-28', '2027-03-31', null].map((day) => ({
        'Order Date': day,
        Sales: 10,
      })),
    );
    await service.api.post(`${planned.path}/baseline`, { pf_user: 'ann' });
    const { body } = await service.api.post(`${planned.path}/scale`, {
      slice: {},
      value_incr: 1,
      hold: [{ 'Order Date': { to: '2027-02-28' } }],
      pf_user: 'ann',
    });
    expect(body.map((row: Record<string, unknown>) => [row['Order Date'], row.Sales])).toEqual([
      ['2027-03-31', 0.5],
      [null, 0.5],
    ]);
  });

  it('are refused if no rows remain to spread over', async ({ service }) => {
    const { refused } = await version(service, 'numeric(12,2)', [['A', 60, 10]]);
    for (const hold of [[{}], [{ Region: 'B' }, { Region: 'A' }]]) {
      expect(await refused('scale', { pct: 10, hold })).toMatch(/held/);
    }
    const slice = { Region: 'nobody' };
    expect(await refused('scale', { slice, pct: 10, hold: [{}] })).toMatch(/no row/);
  });

  it('are refused if they name no column that can select rows', async ({ service }) => {
    const { call } = await version(service, 'numeric(12,2)', [
      ['A', 60, 10],
      ['B', 60, 10],
    ]);
    const scale = async (hold: unknown) => {
      const { status, body, headers } = await call('scale', { slice: { typo: 1 }, pct: 1, hold });
      return [status, body.field ?? headers.get('x-slice-skipped')];
    };
    expect(await scale([{ Region: 'A' }, { pf_iter: 'baseline', Sales: 1 }])).toEqual([
      400,
      'hold.1',
    ]);
    expect(await scale([{ 'Order Date': '31.01.2027' }])).toEqual([400, 'hold.0.Order Date']);
    expect(await scale([{ 'Order Date': { from: '2027-02-01', to: '2027-01-01' } }])).toEqual([
      400,
      'hold.0.Order Date',
    ]);
    expect(await scale({ Region: 'A' })).toEqual([400, 'hold']);
    expect(await scale([[]])).toEqual([400, 'hold.0']);
    expect(await scale([{ Region: 'A', pf_iter: 'x', typo: 1 }])).toEqual([200, 'typo,pf_iter']);
  });

  it('can only name keys if the source has some', async ({ service }) => {
    const { call, sourceId } = await version(service, 'numeric(12,2)', [
      ['A', 60, 10],
      ['B', 60, 10],
    ]);
    await service.api.put(`/sources/${sourceId}/columns`, [{ cname: 'Region', is_key: true }]);
    const refused = await call('scale', { pct: 10, hold: [{ Product: null }] });
    expect([refused.status, refused.body.field]).toEqual([400, 'hold.0.Product']);
    expect((await call('scale', { pct: 10, hold: [{ Region: 'A' }] })).status).toBe(200);
  });
});

describe('several edits', () => {
  it('are one entry, each applied to the result of the previous ones', async ({ service }) => {
    const { does, path, sourceId } = await version(service, 'numeric(12,2)', [
      ['A', 100, 10],
      ['B', 50, 5],
      ['C'],
    ]);
    const edits = [
      { slice: { Region: 'A' }, pct: 100 },
      { slice: { Region: ['A', 'B'] }, value_incr: 25 },
      { slice: { Region: 'C' }, units_incr: 3, spread: 'equal' },
    ];
    const hold = [{ Region: 'nobody' }];
    expect(await does('scale', { slice: undefined, edits, hold, note: 'pasted' })).toEqual([
      ['A', 100, 10],
      ['A', 20, 0],
      ['B', 5, 0],
      ['C', 0, 3],
    ]);
    const { entries } = (await service.api.get(`${path}/log`)).body;
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({
      operation: 'scale',
      slice: null,
      note: 'pasted',
      row_count: 4,
    });
    expect(entries[0].params).toEqual({
      edits: [edits[0], { ...edits[1], units_incr: null }, { ...edits[2], value_incr: null }],
      hold,
    });
    const { body: versions } = await service.api.get(`/sources/${sourceId}/versions`);
    expect(versions[0].row_count).toBe(3 + 4);
    const rows = tableFromIPC((await service.api.get(`${path}/data`)).bytes);
    expect(rows.numRows).toBe(3 + 4);

    const undone = await service.api.del(`/log/${entries[0].id}`);
    expect(undone.body.rows_deleted).toBe(4);
    const again = await service.api.post(`${path}/redo/${entries[0].id}`, { pf_user: 'eve' });
    expect(again.body).toHaveLength(4);
    const [redone] = (await service.api.get(`${path}/log`)).body.entries;
    expect(redone.params).toEqual({ ...entries[0].params, redo_of: entries[0].id });
  });

  it('return each key of a grain once, like a load', async ({ service }) => {
    const planned = await plan(
      service,
      [
        { name: 'Region', type: 'text', role: 'dimension', grain: true },
        { name: 'Product', type: 'text', role: 'dimension' },
        { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
      ],
      ['x', 'y', 'z'].map((Product) => ({ Region: 'A', Product, Sales: 10 })),
    );
    const { path } = planned;
    await service.api.post(`${path}/baseline`, { pf_user: 'ann' });
    const send = (accept: string) =>
      service.api.send(`${path}/scale`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'edits', accept },
        body: JSON.stringify({
          edits: ['x', 'y', 'z'].map((Product) => ({
            slice: { Product, typo: 1 },
            value_incr: 1.1,
          })),
          pf_user: 'ann',
          note: 'ü',
        }),
      });
    const { body } = await send('*/*');
    expect(body).toHaveLength(1);
    expect(body[0]).toMatchObject({ Region: 'A', Sales: 3.3, pf_note: 'ü', pf_op: 'scale' });
    const keys = (bytes: Uint8Array) => Array.from(tableFromIPC(bytes).getChild('pf_gkey') ?? []);
    const loaded = (await service.api.get(`${path}/agg`)).bytes;
    expect(keys(loaded)).toContain(body[0].pf_gkey);

    const arrow = await send(ARROW);
    expect(keys(arrow.bytes)).toEqual([body[0].pf_gkey]);
    expect(arrow.headers.get('x-row-count')).toBe('1');
    expect(arrow.headers.get('x-slice-skipped')).toBe('typo');
    expect((await service.api.get(`${path}/log`)).body.entries).toHaveLength(2);
  });

  it('are all refused if one is, with its position', async ({ service }) => {
    const { call, refused } = await version(service, 'numeric(12,2)', [['A', 100, 10]]);
    const good = { slice: { Region: 'A' }, pct: 10 };
    for (const [bad, status, field] of [
      [{ slice: { Region: 'nobody' }, pct: 10 }, 422, 'edits.1.slice'],
      [{ slice: { Region: 'A' }, value_incr: 0.001 }, 422, 'edits.1.value_incr'],
      [{ slice: { Region: 'A' }, pct: 0 }, 422, 'edits.1.pct'],
      [{ slice: { Region: 'A' }, pct: 0.0001 }, 422, 'edits.1'],
      [{ slice: { 'Order Date': 'today' }, pct: 10 }, 400, 'edits.1.slice.Order Date'],
      [{ slice: { Region: [] }, pct: 10 }, 400, 'edits.1.slice.Region'],
      [{ slice: { Region: 'A' } }, 400, 'edits.1'],
      [{ slice: { Region: 'A' }, pct: 1, units_incr: 1 }, 400, 'edits.1'],
      [{ slice: { Region: 'A' }, pct: 1, spread: 'equal' }, 400, 'edits.1.spread'],
      [{ pct: 10 }, 400, 'edits.1.slice'],
      [5, 400, 'edits.1'],
    ] as const) {
      const body = { slice: undefined, edits: [good, bad, good] };
      expect(await refused('scale', body, status)).toContain('edits.1');
      expect((await call('scale', body)).body.field).toBe(field);
    }
    const held = {
      slice: undefined,
      edits: [good, { slice: {}, pct: 10 }],
      hold: [{ Region: 'A' }],
    };
    expect((await call('scale', held)).body).toMatchObject({ field: 'edits.0' });
  });

  it('are 1 to 1,000, and replace a slice and amounts', async ({ service }) => {
    const { call, does } = await version(service, 'numeric(12,2)', [['A', 100, 10]]);
    const edit = { slice: {}, units_incr: 1 };
    const refusal = async (body: object) => {
      const answer = await call('scale', { slice: undefined, ...body });
      return [answer.status, answer.body.field];
    };
    expect(await refusal({ edits: [] })).toEqual([400, 'edits']);
    expect(await refusal({ edits: Array(1001).fill(edit) })).toEqual([400, 'edits']);
    expect(await refusal({ edits: { 0: edit } })).toEqual([400, 'edits']);
    expect(await refusal({ edits: [edit], slice: {} })).toEqual([400, 'slice']);
    expect(await refusal({ edits: [edit], pct: 5 })).toEqual([400, 'pct']);
    expect(await refusal({ edits: null, pct: 5 })).toEqual([400, 'slice']);
    const all = await does('scale', { slice: null, pct: null, edits: Array(1000).fill(edit) });
    expect(all).toEqual(Array(1000).fill(['A', 0, 1]));
  });
});
