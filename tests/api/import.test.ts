import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { bytes } from '../support/planned';
import { planned, JANUARY, FILE, type Row, ROWS } from '../support/imports';

const MARCH = { from: '2027-03-01', to: '2027-03-31' };

describe('an import', () => {
  it('gives each cell its total to the last digit, as one entry, and is undone byte for byte', async ({
    service,
  }) => {
    const made = await planned(service);
    const before = await bytes(service, made);
    const answer = await made.imports(
      [
        { slice: { Region: 'East', 'Order Date': JANUARY }, value_total: 1000.01 },
        { slice: { Region: 'East', 'Order Date': MARCH }, units_total: 7, value_incr: -0.07 },
        { slice: { Region: null, Product: ['Chair'] }, value_total: 0, units_total: 0 },
        { slice: { Region: ['West'], Product: ['Chair', 'Desk'] }, value_total: -33.33 },
      ],
      { note: 'From Excel' },
    );
    expect(answer.status).toBe(200);
    expect(answer.body[0]).toMatchObject({
      pf_iter: 'import',
      pf_op: 'import',
      pf_note: 'From Excel',
    });
    const january = `"Order Date" < '2027-02-01'`;
    expect(await made.sums(`"Region" = 'East' AND ${january}`)).toEqual({
      sales: '1000.01',
      units: 5,
    });
    expect(await made.sums(`"Region" = 'East' AND "Order Date" >= '2027-03-01'`)).toEqual({
      sales: '415.93',
      units: 7,
    });
    expect(await made.sums(`"Region" IS NULL AND "Product" = 'Chair'`)).toEqual({
      sales: '0.00',
      units: 0,
    });
    expect(await made.sums(`"Region" IS NULL AND "Product" = 'Desk'`)).toEqual({
      sales: '336.00',
      units: 9,
    });
    expect(await made.sums(`"Region" = 'West'`)).toMatchObject({ sales: '-33.33' });
    const [entry] = await made.entries();
    expect(entry).toMatchObject({
      operation: 'import',
      slice: null,
      pf_user: 'bob',
      note: 'From Excel',
      params: {
        file: FILE,
        edits: [
          { slice: { Region: 'East', 'Order Date': JANUARY }, value_total: 1000.01 },
          { units_total: 7, value_incr: -0.07 },
          {},
          {},
        ],
      },
    });
    expect(answer.body).toHaveLength(entry.row_count);
    const { body } = await service.api.post(`${made.path}/explain`, { slice: { Region: 'West' } });
    expect(body.entries.map((e: Row) => e.operation)).toEqual(['baseline', 'import']);
    expect((await service.api.del(`/log/${entry.id}`)).status).toBe(200);
    expect(await bytes(service, made)).toEqual(before);
  });

  it('aims at its totals again when it is redone, and runs again in a replay and a copy', async ({
    service,
  }) => {
    const made = await planned(service);
    await made.imports([
      { slice: { Region: 'East' }, value_total: 5000 },
      { slice: { Region: 'West' }, value_incr: 12.5 },
    ]);
    const [{ id }] = await made.entries();
    await service.api.del(`/log/${id}`);
    await service.api.post(`${made.path}/scale`, { slice: {}, pct: 10, pf_user: 'eve' });
    const west = Number(((await made.sums(`"Region" = 'West'`)) as Row).sales);
    const redone = await service.api.post(`${made.path}/redo/${id}`, { pf_user: 'eve' });
    expect(redone.status).toBe(200);
    expect(await made.sums(`"Region" = 'East'`)).toMatchObject({ sales: '5000.00' });
    expect(Number(((await made.sums(`"Region" = 'West'`)) as Row).sales)).toBeCloseTo(
      west + 12.5,
      6,
    );
    expect((await made.entries())[0].params).toMatchObject({ file: FILE, redo_of: id });

    const names = { replay: 'Replayed', copy: 'Copied' };
    for (const [how, name] of Object.entries(names)) {
      const again = await service.api.post(`${made.path}/${how}`, { name, pf_user: 'ann' });
      expect(again.body.error).toBeUndefined();
      const versionId = again.body.version?.id ?? again.body.id;
      const { body } = await service.api.post(`/versions/${versionId}/slice`, {
        slice: { Region: 'East' },
      });
      expect(body).toMatchObject({ value_total: 5000 });
      const [newest] = (await service.api.get(`/versions/${versionId}/log`)).body.entries;
      expect(newest).toMatchObject({ operation: 'import', params: { file: FILE } });
    }
  });

  it('changes value and units of the same rows by different cells', async ({ service }) => {
    const made = await planned(service);
    const answer = await made.imports([
      { slice: { Region: 'East' }, value_total: 5000 },
      { slice: { Region: 'East', Product: 'Desk' }, units_total: 1 },
    ]);
    expect(answer.body.error).toBeUndefined();
    expect(await made.sums(`"Region" = 'East'`)).toEqual({ sales: '5000.00', units: 10 });
  });

  it('is taken back in part, like other operations', async ({ service }) => {
    const made = await planned(service);
    await made.imports([
      { slice: { Region: 'East' }, value_total: 5000 },
      { slice: { Region: 'West' }, value_total: 6000 },
    ]);
    const [{ id }] = await made.entries();
    const answer = await service.api.post(`/log/${id}/reverse`, {
      slice: { Region: 'West' },
      pf_user: 'eve',
    });
    expect(answer.status).toBe(200);
    expect(await made.sums(`"Region" = 'East'`)).toMatchObject({ sales: '5000.00' });
    expect(await made.sums(`"Region" = 'West'`)).toMatchObject({ sales: '1842.00' });
  });

  it('spreads over rows that no lock holds, and refuses cells in which every row is locked', async ({
    service,
  }) => {
    const made = await planned(service);
    const lock = { slice: { Region: 'East', Product: 'Chair' }, pf_user: 'eve' };
    await service.api.post(`${made.path}/locks`, lock);
    const edits = [
      { slice: { Region: 'West' }, value_total: 1 },
      { slice: { Region: 'East', Product: 'Chair' }, value_total: 1 },
    ];
    const { error, field } = await made.refused(edits, 422);
    expect([error, field]).toEqual([
      'Nothing was written, because every row of edits.1 is locked',
      'edits.1',
    ]);
    expect((await made.preview(edits)).cells.map((c: Row) => c.refusal)).toEqual([null, 'locked']);
    const chair = await made.sums(`"Region" = 'East' AND "Product" = 'Chair'`);
    expect((await made.imports([{ slice: { Region: 'East' }, value_total: 9999.99 }])).status).toBe(
      200,
    );
    expect(await made.sums(`"Region" = 'East'`)).toMatchObject({ sales: '9999.99' });
    expect(await made.sums(`"Region" = 'East' AND "Product" = 'Chair'`)).toEqual(chair);
  });

  it('is refused with a reason, and then nothing is written', async ({ service }) => {
    const made = await planned(service);
    const east = { slice: { Region: 'East' }, value_total: 1 };
    const chairs = { slice: { Product: 'Chair', Region: ['East', 'West'] }, value_total: 2 };
    const none = { slice: { Region: 'North' }, value_total: 1 };
    expect(await made.refused([east, chairs], 400)).toEqual({
      error:
        'edits.0 and edits.1 change a measure of the same rows; send cells that do not overlap',
      field: 'edits.1.slice',
    });
    expect(await made.refused([east, east], 400)).toMatchObject({ field: 'edits.1.slice' });
    expect((await made.refused([east, none, none], 422)).error).toBe(
      'Nothing was written, because no row of the version is in edits.1, edits.2',
    );
    expect(await made.refused([{ slice: { Colour: 'red' }, value_total: 1 }], 400)).toEqual({
      error: 'edits.0: slice: Colour: is not a dimension or date column of the source',
      field: 'edits.0.slice.Colour',
      column: 'Colour',
    });
    expect((await made.refused([{ slice: {} }], 400)).error).toMatch(/^edits\.0/);
    expect((await made.refused([{ slice: {}, value_total: 1, value_incr: 1 }], 400)).error).toMatch(
      /^edits\.0/,
    );
    expect(
      (await made.refused([{ slice: { 'Order Date': 'x' }, value_total: 1 }], 400)).column,
    ).toBe('Order Date');
    expect((await made.refused([], 400)).error).toMatch(/^edits/);
    expect(await made.refused([east], 400, { file: { name: 'x', sha256: 'ABC' } })).toMatchObject({
      field: 'file.sha256',
    });
    const { value_total } = (await made.preview([{ slice: { Region: 'East' }, value_total: 0 }]))
      .cells[0];
    expect((await made.refused([{ slice: { Region: 'East' }, value_total }], 422)).error).toBe(
      'Every cell has its amount already; there is nothing to write',
    );
    await service.api.post(`${made.path}/close`, { pf_user: 'ann' });
    expect((await made.refused([east], 403)).error).toBe('Version is closed');
    expect((await made.preview([east])).cells).toHaveLength(1);
  });

  it('does not change rows that operations skip', async ({ service }) => {
    const made = await planned(service);
    await service.api.post(`${made.path}/reference`, { pf_user: 'ann' });
    await made.imports([{ slice: { Region: 'East' }, value_total: 10 }]);
    expect(await made.sums(`"Region" = 'East' AND pf_iter <> 'reference'`)).toMatchObject({
      sales: '10.00',
    });
    const [{ id }] = await made.entries();
    const baseline = (await made.entries()).at(-1).id;
    await service.api.del(`/log/${id}`);
    await service.api.del(`/log/${baseline}`);
    const edits = [{ slice: { Region: 'East' }, value_total: 10 }];
    expect((await made.preview(edits)).cells).toEqual([
      { row_count: 0, value_total: 0, units_total: 0, state: '0/0/0', refusal: 'excluded' },
    ]);
    expect((await made.refused(edits, 422)).error).toBe(
      'Nothing was written, because operations skip every row of edits.0',
    );
  });

  it('does not take cells for overlapping that share only skipped or locked rows', async ({
    service,
  }) => {
    const made = await planned(service);
    await service.api.post(`${made.path}/reference`, { date_offset: '4 months', pf_user: 'ann' });
    const lock = { slice: { Region: 'West', Product: 'Desk' }, pf_user: 'eve' };
    await service.api.post(`${made.path}/locks`, lock);
    // East and May cross in a skipped row only, West and Desk in locked ones.
    const may = { from: '2027-05-01', to: '2027-05-31' };
    const both = [
      { slice: { Region: 'East' }, value_total: 9000 },
      { slice: { Region: 'East', 'Order Date': may }, value_total: 1 },
    ];
    expect((await made.preview(both)).cells.map((c: Row) => c.refusal)).toEqual([null, 'excluded']);
    const edits = [
      { slice: { Region: 'West' }, value_total: 7000 },
      { slice: { Product: 'Desk', Region: ['East', 'West'] }, value_total: 8000 },
    ];
    const answer = await made.imports(edits);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    expect(await made.sums(`"Region" = 'West' AND pf_iter <> 'reference'`)).toMatchObject({
      sales: '7000.00',
    });
    expect(
      await made.sums(`"Product" = 'Desk' AND "Region" IS NOT NULL AND pf_iter <> 'reference'`),
    ).toMatchObject({
      sales: '8000.00',
    });
  });

  it('is refused if a cell was changed after the comparison, with the entry that changed it', async ({
    service,
  }) => {
    const made = await planned(service);
    const scale = (Region: string) =>
      service.api.post(`${made.path}/scale`, { slice: { Region }, value_incr: 5, pf_user: 'eve' });
    const edits = ['West', 'East'].map((Region) => ({ slice: { Region }, value_total: 4000 }));
    await scale('East');
    const { newest: seen } = await made.preview(edits);
    expect(seen).toBe((await made.entries())[0].id);
    await scale('East');
    const [{ id }] = await made.entries();
    expect(await made.refused(edits, 409, { seen })).toEqual({
      error: `Entry ${id} of eve changed edits.1 after the cells were compared. Compare them again`,
      field: 'seen',
    });
    // It changed no cell of this import.
    expect((await made.imports(edits.slice(0, 1), { seen })).status).toBe(200);
    const { newest } = await made.preview(edits);
    expect((await made.imports(edits, { seen: newest })).status).toBe(200);
    expect(await made.sums(`"Region" = 'East'`)).toMatchObject({ sales: '4000.00' });
    expect((await made.refused(edits, 400, { seen: -1 })).field).toBe('seen');
  });

  it('is refused if an entry in a cell was undone after the comparison', async ({ service }) => {
    const made = await planned(service);
    const scale = (Region: string) =>
      service.api.post(`${made.path}/scale`, { slice: { Region }, value_incr: 5, pf_user: 'eve' });
    await scale('East');
    await scale('West');
    const asked = ['West', 'East'].map((Region) => ({ slice: { Region }, value_total: 4000 }));
    const { cells, newest: seen } = await made.preview(asked);
    const edits = asked.map((edit, i) => ({ ...edit, seen: cells[i].state }));
    const east = (await made.entries())[1].id;
    expect((await service.api.del(`/log/${east}`)).status).toBe(200);
    expect(await made.refused(edits, 409, { seen })).toEqual({
      error: 'edits.1 has changed since the cells were compared. Compare them again',
      field: 'edits.1.seen',
    });
    // It had no row in this cell.
    const west = edits.slice(0, 1);
    expect((await made.imports(west, { seen })).status).toBe(200);
    expect(await made.sums(`"Region" = 'West'`)).toMatchObject({ sales: '4000.00' });
    const stored = (await made.entries())[0].params.edits;
    expect(stored).toEqual([{ slice: { Region: 'West' }, value_total: 4000 }]);
  });

  it('is listed with its first edits, and has all of them as a single entry', async ({
    service,
  }) => {
    const made = await planned(service);
    const many = ROWS.flatMap(({ Region, Product, 'Order Date': day }, i) => [
      { slice: { Region, Product, 'Order Date': day }, value_incr: i + 1 },
      { slice: { Region, Product, 'Order Date': day }, units_incr: 2 },
    ]);
    expect((await made.imports(many)).status).toBe(200);
    const [listed] = await made.entries();
    expect(listed.params).toEqual({ file: FILE, edits: many.slice(0, 20), edit_count: 36 });
    const { status, body } = await service.api.get(`/log/${listed.id}/entry`);
    expect([status, body.params]).toEqual([200, { file: FILE, edits: many }]);
    expect(await service.api.get('/log/999999/entry')).toMatchObject({ status: 404 });
    await service.api.del(`/log/${listed.id}`);
    const [undone] = (await service.api.get(`${made.path}/undone`)).body;
    expect(undone.entry.params).toMatchObject({ edits: many.slice(0, 20), edit_count: 36 });
    const redone = await service.api.post(`${made.path}/redo/${listed.id}`, { pf_user: 'eve' });
    expect(redone.body).toHaveLength(36);
    expect((await made.imports(many.slice(0, 20))).status).toBe(200);
    expect((await made.entries())[0].params).toEqual({ file: FILE, edits: many.slice(0, 20) });
  });

  it('writes its key once', async ({ service }) => {
    const made = await planned(service);
    const send = () =>
      service.api.send(`${made.path}/import`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
        body: JSON.stringify({ file: FILE, edits: [{ slice: {}, value_incr: 5 }], pf_user: 'bob' }),
      });
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect(await made.entries()).toHaveLength(2);
  });
});
