import perspective from '@finos/perspective/node';
import { describe, expect, it } from 'vitest';
import type { GridSettings, LayoutFilter } from '../../../contract/stored-layout';
import type { Table, View, ViewConfig } from '../../values/engine-types';
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
const AREAS = ['area', 'size'].map((cname) => ({
  cname,
  role: 'dimension' as const,
  is_key: false,
}));
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

describe('the order of names', () => {
  const rows = {
    area: ['Öst', 'öst', 'Item 10', 'Item 9', 'Öst', null, 'Zug'],
    size: ['b', 'B', 'a', 'a', 'A', 'a', 'a'],
    value: [1, 2, 3, 4, 5, 6, 7],
  };

  /** Opens a view of these rows, by area and size, whose names are sorted by language. */
  async function shownByName(config: Partial<ViewConfig>, settings: GridSettings = {}) {
    const client: { table(data: unknown): Promise<unknown> } = perspective;
    const table = (await client.table(rows)) as Table;
    const whole = { group_by: ['area'], split_by: [], columns: ['value'], ...config };
    const beside = {
      ...NOTHING,
      usualOrderOf: () => 'by name' as const,
      isUsualSort: (name: string) => name === 'rank',
      untold: async () => whole,
    };
    const shown = new Shown(table, new Map(), beside, new Gate());
    shown.settings = settings;
    await shown.adopt(await table.view(whole));
    const read = async () => {
      const { paths, values } = await shown.readWindow(0, 0, 9, 99);
      return paths.map((path, y) => [...path, values.get(0)?.[y]]);
    };
    return { shown, table, whole, read };
  }

  it('is that of the language, in rows and at every level', async () => {
    const { read, shown } = await shownByName({ group_by: ['area', 'size'] });
    expect((await read()).map((row) => row.slice(0, -1))).toEqual([
      ...[[], [null], [null, 'a'], ['Item 9'], ['Item 9', 'a'], ['Item 10'], ['Item 10', 'a']],
      ...[['öst'], ['öst', 'B'], ['Öst'], ['Öst', 'A'], ['Öst', 'b'], ['Zug'], ['Zug', 'a']],
    ]);
    const cell = await shown.ask((reader) => reader.cell({ x: 0, y: 10 }, AREAS));
    expect(cell).toMatchObject({ slice: { area: 'Öst', size: 'A' }, value: 5 });
  });

  it('is that of the language in columns, and a cell keeps its slice', async () => {
    const { shown } = await shownByName({ group_by: ['size'], split_by: ['area'] });
    const names = () => shown.columns.map(({ path }) => path?.[0]);
    expect(names()).toEqual([null, 'Item 9', 'Item 10', 'öst', 'Öst', 'Zug']);
    const cell = await shown.ask((reader) => reader.cell({ x: 1, y: 0 }, AREAS));
    expect(cell).toMatchObject({ slice: { area: 'Item 9' }, value: 4 });
    shown.settings = { orders: { area: ['Zug', 'Öst'] }, total_column: 'start' };
    await shown.regroup();
    expect(names()).toEqual([undefined, 'Zug', 'Öst', null, 'Item 9', 'Item 10', 'öst']);
  });

  it('begins with the values that the layout lists', async () => {
    const { read } = await shownByName({}, { orders: { area: ['Zug', null, 'gone'] } });
    expect(await read()).toEqual([
      ...[[28], ['Zug', 7], [null, 6], ['Item 9', 4], ['Item 10', 3], ['öst', 2], ['Öst', 6]],
    ]);
  });

  it('gives way to a sort of the user, but not to the order of months', async () => {
    const sort: [string, 'desc'][] = [['value', 'desc']];
    const { read } = await shownByName({ sort });
    expect((await read()).map((row) => row.at(-1))).toEqual([28, 7, 6, 6, 4, 3, 2]);
    const expressions = { rank: '0' };
    const ranked = await shownByName({ expressions, sort: [['rank', 'asc']] });
    expect((await ranked.read())[1]).toEqual([null, 6]);
    expect((await ranked.read())[2]).toEqual(['Item 9', 4]);
  });

  it('holds beside a field that the engine sorts by time', async () => {
    const client: { table(data: unknown): Promise<unknown> } = perspective;
    const table = (await client.table({
      area: ['Apple', 'Banana', 'Cherry'],
      month: ['Mar', 'Jan', 'Feb'],
      day: [3, 1, 2],
      value: [1, 1, 1],
    })) as Table;
    const config: Partial<ViewConfig> = {
      ...{ group_by: ['area', 'month'], split_by: [], columns: ['value'] },
      ...{ sort: [['day', 'asc']], aggregates: { day: 'min' } },
    };
    const beside = {
      ...NOTHING,
      usualOrderOf: (name: string) =>
        name === 'month' ? ('by time' as const) : ('by engine' as const),
      isUsualSort: () => true,
      untold: async () => config,
    };
    const shown = new Shown(table, new Map(), beside, new Gate());
    await shown.adopt(await table.view(config));
    const { paths } = await shown.readWindow(0, 0, 1, 99);
    expect(paths.filter(({ length }) => length === 1)).toEqual([['Apple'], ['Banana'], ['Cherry']]);
  });

  it('holds for names that come later', async () => {
    const { shown, table, read } = await shownByName({});
    await table.update({ area: ['Item 9b'], size: ['a'], value: [1] });
    const { view } = shown;
    if (view) await shown.follow(view.engine);
    expect((await read()).map(([name]) => name).slice(2, 5)).toEqual([
      'Item 9',
      'Item 9b',
      'Item 10',
    ]);
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
