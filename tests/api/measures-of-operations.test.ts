// Tests operations other than a scale on further measures: docs/contract/02-resources-and-their-fields.md#measures.
import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { expectTotals, measured, NORTH, IN_NORTH } from '../support/measured';

const FILE = { name: 'plan.xlsx', sha256: '0'.repeat(64) };

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
    // Two cells may change different measures of the same rows.
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
