import perspective from '@finos/perspective/node';
import { describe, expect, it } from 'vitest';
import type { LayoutFilter } from '../../../contract/stored-layout';
import type { Table, View } from '../../values/engine-types';
import { Gate } from '../../waiting';
import { copyMarked } from '../reading/clipboard';
import { NOTHING, type Untold } from '../views/beside';
import { Shown } from './shown';

/** Wraps a view that the viewer can delete: once deleted, all calls fail. */
function deletable(view: View): { view: View; deleteByViewer: () => void } {
  let isDeleted = false;
  const proxy = new Proxy(view, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return isDeleted
        ? () => Promise.reject(new Error('View not found'))
        : (member.bind(target) as unknown);
    },
  });
  return { view: proxy, deleteByViewer: () => (isDeleted = true) };
}

/** Opens a view by region, with the config to create others like it. */
async function shownByRegion(untold: Untold = {}) {
  const client: { table(data: unknown): Promise<unknown> } = perspective;
  const table = (await client.table({ region: ['East', 'West'], value: [1, 2] })) as Table;
  const config = { group_by: ['region'], columns: ['value'] };
  const { view, deleteByViewer } = deletable(await table.view(config));
  const shown = new Shown(table, new Map(), { untold: async () => untold, ...NOTHING }, new Gate());
  await shown.adopt(view);
  return { table, config, deleteByViewer, shown };
}

const WEST = { rowPath: ['West'], columnPath: null, measure: 'value' };
const COLUMNS = [{ cname: 'region', role: 'dimension' as const, is_key: false }];

it('keeps the open levels and the settings of a layout, and no other part', async () => {
  const { shown } = await shownByRegion();
  const kept = { depth: 1, columns_depth: 0, total_column: 'end', pinned_columns: 2 } as const;
  shown.setOpen({ group_by: ['region'], plugin: 'Y Bar', ...kept }, { rows: null, across: null });
  expect(shown.open).toEqual(kept);
  shown.setOpen({ subtotals: true }, { rows: null, across: null });
  expect(shown.open).toEqual({ subtotals: true });
});

describe('a column that only sorts the columns', () => {
  it('is not on screen', async () => {
    const { table, shown } = await shownByRegion();
    const view = await table.view({
      group_by: ['region'],
      columns: ['value'],
      sort: [['region', 'col desc']],
    });
    await shown.adopt(view);
    expect(shown.columns.map(({ measure }) => measure)).toEqual(['value']);
    const { values } = await shown.readWindow(0, 0, 1, 3);
    expect([...values]).toEqual([[0, [3, 1, 2]]]);
    const cell = await shown.ask((reader) => reader.cell({ x: 0, y: 2 }, COLUMNS));
    expect(cell).toMatchObject({ slice: { region: 'West' }, value: 2 });
  });
});

describe('a question that is asked while the viewer replaces its view', () => {
  it('is answered by the new view', async () => {
    const { table, config, deleteByViewer, shown } = await shownByRegion();
    deleteByViewer();
    const read = shown.ask((reader) => reader.read(WEST, COLUMNS));
    await shown.adopt(await table.view(config));
    expect(await read).toMatchObject({ slice: { region: 'West' }, value: 2 });
  });

  it('is rejected if the new view shows other cells', async () => {
    const { table, config, deleteByViewer, shown } = await shownByRegion();
    deleteByViewer();
    const read = shown.ask((reader) => reader.read(WEST, COLUMNS));
    const filter: LayoutFilter[] = [['region', '==', 'East']];
    await Promise.all([
      expect(read).rejects.toThrow('arranged in another way'),
      shown.adopt(await table.view({ ...config, filter })),
    ]);
  });

  it('is rejected if the pivot is gone', async () => {
    const { deleteByViewer, shown } = await shownByRegion();
    deleteByViewer();
    const read = shown.ask((reader) => reader.read(WEST, COLUMNS));
    await Promise.all([expect(read).rejects.toThrow('not shown as a grid'), shown.dispose()]);
  });

  it('does not wait if the view is there and the question fails', async () => {
    const { shown } = await shownByRegion();
    await expect(shown.ask((reader) => reader.rowPath(99))).rejects.toThrow('gone');
  });
});

describe('a measure that is shown as a rank', () => {
  it('sorts the next view, also if the viewer has deleted the present one', async () => {
    const sort = [['value', 'desc']] as [string, 'desc'][];
    const { table, config, deleteByViewer, shown } = await shownByRegion({ sort });
    shown.reader?.invalidate();
    deleteByViewer();
    expect(shown.showAs(new Map([['value', 'rank']]))).toBeUndefined();
    await shown.adopt(await table.view({ ...config, sort }));
    const { paths, values } = await shown.readWindow(0, 0, 1, 3);
    expect(paths).toEqual([[], ['East'], ['West']]);
    expect(values.get(0)).toEqual([null, 2, 1]);
  });

  it('is copied from the marked rows and columns alone', async () => {
    const { shown } = await shownByRegion();
    shown.showAs(new Map([['value', 'rank']]));
    const cell = { ...WEST, value: 2, aggregate: 'sum', at: { x: 0, y: 2 } };
    const read: string[] = [];
    const { readAll } = shown;
    shown.readAll = async (part) => {
      const whole = await readAll.call(shown, part);
      read.push(JSON.stringify(whole.paths));
      return whole;
    };
    expect((await copyMarked(shown, [cell], String)).trim()).toBe('1');
    expect(read).toEqual(['[["West"]]']);
  });
});
