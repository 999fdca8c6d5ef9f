import perspective from '@finos/perspective/node';
import { describe, expect, it } from 'vitest';
import type { Decimals } from '../../../contract/decimals';
import type { Limit, ShowAs } from '../../../contract/stored-layout';
import type { CellValue, Schema, Table } from '../../values/engine-types';
import { othersValue } from '../../values/others';
import type { Ratio } from '../../values/ratios';
import type { ShownAs } from '../../values/show-as';
import { Busy, Gate } from '../../waiting';
import { RowGroups } from './row-groups';
import { NOTHING } from '../views/beside';
import { hasOtherMembers } from '../../slice/cell';
import { readAgain } from '../reading/block-reader';
import { Reach } from '../cells/reach';
import { limitedRows } from './limited-rows';
import { Shown } from './shown';

describe('limited rows', () => {
  const paths: CellValue[][] = [[], ['a'], ['a', 'x'], ['a', 'y'], ['b'], [null], ['d']];
  const order = [0, 1, 2, 3, 4, 5, 6];
  const rows = (limit: Limit, numbers: CellValue[], level = 0) => {
    const limits = level === 0 ? [{ limit, numbers }] : [null, { limit, numbers }];
    const limited = limitedRows(order, paths, limits);
    const names = limited.rows.map((row) =>
      typeof row === 'number' ? (paths[row] ?? []).join('/') : [...row.path, ...row.members],
    );
    return { names, leftOut: limited.leftOut.get(level) };
  };
  const limit = (keep: Limit['keep'], number: number): Limit => ({ keep, number, by: 'm' });

  it('keep the order of the rows, and end with the others', () => {
    expect(rows(limit('top', 2), [9, 1, 5, 5, 3, 4, 2])).toEqual({
      names: ['', 'b', '', [othersValue(2), 'a', 'd']],
      leftOut: { hidden: 2, all: 4 },
    });
    expect(rows(limit('bottom', 1), [9, 1, 5, 5, 3, 4, 2]).names).toEqual([
      ...['', 'a', 'a/x', 'a/y'],
      [othersValue(3), 'b', null, 'd'],
    ]);
  });

  it('take equal numbers by their values, and rows without a number last', () => {
    const equal = [1, 1, 0, 0, 1, 1, 1];
    expect(rows(limit('top', 2), equal).names).toEqual([
      ...['', 'a', 'a/x', 'a/y', 'b'],
      [othersValue(2), null, 'd'],
    ]);
    expect(rows(limit('bottom', 1), [0, null, 0, 0, null, 7, null]).names).toEqual([
      ...['', ''],
      [othersValue(3), 'a', 'b', 'd'],
    ]);
  });

  it('have no others if all groups are shown, or below other parents', () => {
    expect(rows(limit('top', 4), [9, 1, 5, 5, 3, 4, 2])).toMatchObject({
      names: ['', 'a', 'a/x', 'a/y', 'b', '', 'd'],
      leftOut: { hidden: 0, all: 4 },
    });
    expect(rows(limit('top', 1), [9, 1, 5, 6, 3, 4, 2], 1)).toEqual({
      names: ['', 'a', 'a/y', ['a', othersValue(1), 'x'], 'b', '', 'd'],
      leftOut: { hidden: 1, all: 2 },
    });
  });

  it('are those above or below a number, without others', () => {
    const numbers = [9, 1, 5, 5, 3, null, 0.1 + 0.2];
    expect(rows(limit('below', 0.3), numbers).names).toEqual(['']);
    expect(rows(limit('above', 0.3), numbers)).toEqual({
      names: ['', 'a', 'a/x', 'a/y', 'b'],
      leftOut: { hidden: 2, all: 4 },
    });
  });

  it('count the rounding error of a sum as 0', () => {
    const residue = [9, 0.1 + 0.2 - 0.3, 5, 5, 0, -1e-12, -1];
    expect(rows(limit('above', 0), residue).names).toEqual(['']);
    expect(rows(limit('below', 0), residue).names).toEqual(['', 'd']);
    expect(rows(limit('top', 1), residue.with(1, 0).with(4, 1e-12)).names).toEqual([
      ...['', 'a', 'a/x', 'a/y'],
      [othersValue(3), 'b', null, 'd'],
    ]);
  });

  it('stay the same while they are kept', () => {
    const of = (numbers: CellValue[], before: Parameters<typeof limitedRows>[3] = null) =>
      limitedRows(order, paths, [{ limit: limit('top', 1), numbers }], before);
    const before = of([9, 1, 5, 5, 3, 4, 2]);
    expect(before.rows).toEqual([0, 5, expect.anything()]);
    expect(of([9, 8, 5, 5, 3, 4, 2], before.kept).rows).toEqual([0, 5, expect.anything()]);
    expect(of([9, 8, 5, 5, 3, 4, 2]).rows).toEqual([0, 1, 2, 3, expect.anything()]);
    // Below a parent that was not there before, no groups are known.
    const inner = (before: Parameters<typeof limitedRows>[3]) => {
      const numbers = [9, 1, 5, 6, 3, 4, 2];
      return limitedRows(order, paths, [null, { limit: limit('top', 1), numbers }], before).rows;
    };
    expect(inner(new Map([[1, new Set(['["e","z"]'])]]))).toEqual(inner(null));
  });
});

const SCHEMA: Schema = {
  ...{ id: 'integer', region: 'string', item: 'string', year: 'string' },
  ...{ plan: 'float', past: 'float', gain: 'float', share: 'boolean' },
};
const RATIOS = new Map<string, Ratio>([
  ['share', { plan: 'plan', reference: 'past', difference: 'gain' }],
]);
const ITEMS: [item: string | null, plan: number, past: number][] = [
  ['A', 0.1, 1],
  ['B', 0.2, 0.4],
  [null, 0.7, 0.5],
  ['', 3, 4],
  ['E', 2, 1],
];

/** Shows five items in two regions, of which the west has twice the amounts. */
async function shownBy(
  limits: Record<string, Limit>,
  shownAs: ShownAs = new Map(),
  {
    sign = 1,
    aggregates = {},
    decimalsOf = NOTHING.decimalsOf,
  }: {
    sign?: number;
    aggregates?: Record<string, string>;
    decimalsOf?: (column: string) => Decimals;
  } = {},
) {
  const client = perspective as unknown as {
    table(schema: unknown, options: { index: string }): Promise<Table>;
  };
  const table = await client.table(SCHEMA, { index: 'id' });
  const rows = ['East', 'West'].flatMap((region, r) =>
    ITEMS.flatMap(([item, plan, past]) =>
      ['2027', '2028'].map((year, y) => {
        const factor = sign * (1 + r) * (1 + y);
        return { region, item, year, plan: plan * factor, past: past * factor };
      }),
    ),
  );
  const of = (key: 'region' | 'item' | 'year' | 'plan' | 'past') =>
    rows.map((row): CellValue => row[key]);
  await table.update({
    id: rows.map((_, i) => i),
    ...{ region: of('region'), item: of('item'), year: of('year') },
    ...{ plan: of('plan'), past: of('past') },
    gain: rows.map(({ plan, past }) => plan - past),
    share: rows.map(() => null),
  });
  const group_by = ['region', 'item'];
  const columns = ['plan', 'past', 'gain', 'share'];
  const view = await table.view({ group_by, split_by: ['year'], columns, aggregates });
  const shown = new Shown(
    table,
    RATIOS,
    { ...NOTHING, decimalsOf, untold: async () => ({ group_by, columns, aggregates }) },
    new Gate(),
  );
  shown.settings = { limits, total_column: 'start' };
  shown.shownAs = shownAs;
  await shown.adopt(view);
  return { table, view, shown };
}

const COLUMNS = ['region', 'item', 'year'].map((cname) => ({
  cname,
  role: 'dimension' as const,
  is_key: false,
}));

/** Returns the numbers of a row by their columns: the totals, then each year. */
async function numbersOf(shown: Shown, path: CellValue[]) {
  const { paths, values } = await shown.readAll();
  const y = paths.findIndex((each) => JSON.stringify(each) === JSON.stringify(path));
  return values.map((column) => column[y]);
}

describe('a row of others', () => {
  const top: Limit = { keep: 'top', number: 2, by: 'plan' };
  const OTHERS = ['East', othersValue(3)];

  it('has the sums of its groups, and the percentage of these sums', async () => {
    const { shown } = await shownBy({ item: top });
    const { paths } = await shown.readAll();
    expect(paths).toEqual(
      [[[]], ...['East', 'West'].map((r) => [[r], [r, ''], [r, 'E'], [r, othersValue(3)]])].flat(),
    );
    const numbers = await numbersOf(shown, OTHERS);
    const [plan, past] = [0.1 + 0.2 + 0.7, 1 + 0.4 + 0.5];
    for (const [i, factor] of [3, 1, 2].entries()) {
      expect(numbers[4 * i]).toBeCloseTo(plan * factor, 12);
      expect(numbers[4 * i + 1]).toBeCloseTo(past * factor, 12);
      expect(numbers[4 * i + 3]).toBeCloseTo((plan - past) / past, 12);
    }
    expect(shown.leftOut).toEqual([{ field: 'item', limit: top, hidden: 6, all: 10 }]);
  });

  it('has the same sums in each window and in a search', async () => {
    const { shown } = await shownBy({ item: top });
    const window = await shown.readWindow(0, 3, 6, 7);
    const i = window.paths.findIndex((path) => path[1] === othersValue(3));
    expect(window.values.get(0)?.[i]).toBeCloseTo(3, 12);
    const cell = { rowPath: OTHERS, columnPath: ['2028'], measure: 'plan' };
    const at = await shown.ask((reader) => reader.find(cell));
    expect(at).toEqual({ x: 8, y: 4 });
    expect(await shown.ask((reader) => reader.valueAt(8, 4))).toBe(2);
  });

  it('is a slice with the list of its groups, with the empty one', async () => {
    const { shown } = await shownBy({ item: top });
    const cell = { rowPath: OTHERS, columnPath: ['2028'], measure: 'plan' };
    const read = await shown.ask((reader) => reader.read(cell, COLUMNS));
    expect(read).toMatchObject({ value: 2, impossible: null, notHeld: [] });
    expect(read.slice).toEqual({ region: 'East', year: '2028', item: ['A', 'B', null] });
    const gone = { ...cell, rowPath: ['North', othersValue(1)] };
    await expect(shown.ask((reader) => reader.read(gone, COLUMNS))).rejects.toThrow('gone');
  });

  it('is shown as a share of its parent, and has no rank', async () => {
    const { shown } = await shownBy(
      { item: top },
      new Map([
        ['plan', 'share_of_row'],
        ['past', 'rank'],
      ]),
    );
    const [share, rank] = await numbersOf(shown, OTHERS);
    expect(share).toBeCloseTo(1 / 6, 12);
    expect(rank).toBeNull();
    // Ranks count the groups that are not shown.
    expect((await numbersOf(shown, ['East', 'E']))[1]).toBe(2);
  });

  it('is locked if all of its groups are, and partly touched by one of them', async () => {
    const { shown } = await shownBy({ item: top });
    await shown.readAll();
    const cells = {
      ...{ group_by: ['region', 'item'], split_by: ['year'], filter: [], schema: SCHEMA },
      isExpression: () => false,
      membersOf: (path: readonly CellValue[]) => shown.membersOf(path),
    };
    const cell = { rowPath: OTHERS, columnPath: ['2028'], measure: 'plan' };
    const reach = (item: (string | null)[]) => new Reach({ item }, cells, new Map());
    expect(reach(['A', null, 'B', 'E']).holds(cell)).toBe(true);
    expect(reach(['A', 'E']).holds(cell)).toBe(false);
    expect(reach(['A', 'E']).touches(cell)).toBe(true);
    expect(reach(['E']).touches(cell)).toBe(false);
    expect(reach(['E']).misses(cell)).toBe(true);
  });

  it('has other members after its groups were chosen again, in a single cell and in a block', async () => {
    const { table, view, shown } = await shownBy({ item: top });
    const cell = { rowPath: OTHERS, columnPath: ['2028'], measure: 'plan' };
    const readOne = () => shown.ask((reader) => reader.read(cell, COLUMNS));
    const before = await readOne();
    const marked = [{ ...before, at: { x: 8, y: 4 } }];
    const [same] = await readAgain(shown, marked);
    expect(same && hasOtherMembers(before, same)).toBe(false);
    await table.update({ id: [0], plan: [50] });
    await shown.follow(view);
    const [now] = await readAgain(shown, marked);
    expect(now?.members).toEqual(['B', 'E', null]);
    for (const each of [await readOne(), now])
      expect(each && hasOtherMembers(before, each)).toBe(true);
  });

  it('has no rows below it, and the outermost one no groups of an inner limit', async () => {
    const { shown } = await shownBy({
      region: { keep: 'bottom', number: 1, by: 'past' },
      item: { keep: 'top', number: 1, by: 'share' },
    });
    const { paths } = await shown.readAll();
    expect(paths).toEqual([
      ...[[], ['East'], ['East', 'E'], ['East', othersValue(4)]],
      [othersValue(1)],
    ]);
    expect(await shown.view?.expand(4)).toBe(0);
    expect((await shown.readAll()).paths).toEqual(paths);
  });

  it('takes in other groups when rows change, but not while they are kept', async () => {
    const { table, view, shown } = await shownBy({ item: top });
    await shown.readAll();
    shown.keepGroups(true);
    await table.update({ id: [0], plan: [50] });
    await shown.follow(view);
    expect((await numbersOf(shown, OTHERS))[0]).toBeCloseTo(52.9, 9);
    shown.keepGroups(false);
    await shown.regroup();
    const { paths } = await shown.readAll();
    expect(paths.filter(([region]) => region === 'East').map((path) => path[1])).toEqual([
      ...[undefined, '', 'A', othersValue(3)],
    ]);
  });
});

describe('rows limited by a measure that is shown in relation to others', () => {
  const groupsOf = async (limit: Limit, way: ShowAs, sign = 1) => {
    const { shown } = await shownBy({ item: limit }, new Map([['plan', way]]), { sign });
    const { paths } = await shown.readAll();
    return paths.filter(([region]) => region === 'East').flatMap(([, item]) => item ?? []);
  };

  it.each(['rank', 'share_of_row', 'running_total'] as const)(
    'are those with the largest and smallest sums, as %s',
    async (way) => {
      expect(await groupsOf({ keep: 'top', number: 1, by: 'plan' }, way)).toEqual([
        ...['', othersValue(4)],
      ]);
      expect(await groupsOf({ keep: 'bottom', number: 1, by: 'plan' }, way)).toEqual([
        ...['A', othersValue(4)],
      ]);
      expect(await groupsOf({ keep: 'bottom', number: 1, by: 'plan' }, way, -1)).toEqual([
        ...['', othersValue(4)],
      ]);
    },
  );

  it('are those whose shown number is above or below another', async () => {
    expect(await groupsOf({ keep: 'below', number: 3, by: 'plan' }, 'rank')).toEqual(['', 'E']);
  });
});

describe('an open row whose groups a limit hides', () => {
  it('is shown as open, and can be closed', async () => {
    const { shown } = await shownBy({ item: { keep: 'above', number: 13, by: 'plan' } });
    const { paths, emptied } = await shown.readAll();
    expect(paths).toEqual([[], ['East'], ['West'], ['West', '']]);
    expect([...(emptied ?? [])]).toEqual(['["East"]']);
    const { isOpen } = await shown.readWindow(0, 0, 1, 4);
    expect(isOpen).toEqual([true, true, true, false]);
    const rows = new RowGroups(
      shown,
      new Busy(() => undefined),
      async () => {},
      async () => {},
    );
    await rows.toggle(['East'], 1);
    await shown.readWindow(0, 0, 1, 4);
    expect(shown.isOpenAt(1)).toBe(false);
    await rows.toggle(['East'], 1);
    await shown.readWindow(0, 0, 1, 4);
    expect(shown.isOpenAt(1)).toBe(true);
  });
});

describe('rows limited by sums with decimals', () => {
  it('are above 0 only if their sums round to more', async () => {
    const decimalsOf = () => ({ least: 0, most: 0 });
    const { shown } = await shownBy({ item: { keep: 'above', number: 0, by: 'plan' } }, new Map(), {
      decimalsOf,
      sign: 0.5,
    });
    const { paths } = await shown.readAll();
    const east = paths.flatMap(([region, item]) => (region === 'East' ? [item] : []));
    expect(east).toEqual([undefined, '', 'E', null]);
  });
});

describe('a limit by an average', () => {
  const byAverage = { aggregates: { plan: 'avg' } };

  it('shows all groups if there are several columns across, whose average is unknown', async () => {
    for (const keep of ['top', 'above'] as const) {
      const { shown } = await shownBy(
        { item: { keep, number: 1, by: 'plan' } },
        new Map(),
        byAverage,
      );
      expect((await shown.readAll()).paths).toHaveLength(1 + 2 * (1 + ITEMS.length));
    }
  });
});

describe('rows limited by a percentage', () => {
  it('are those below it, and totals are those of all rows', async () => {
    const below: Limit = { keep: 'below', number: -0.3, by: 'share' };
    const { shown } = await shownBy({ item: below });
    const { paths } = await shown.readAll();
    expect(paths).toEqual([[[]], ...['East', 'West'].map((r) => [[r], [r, 'A'], [r, 'B']])].flat());
    expect((await numbersOf(shown, ['East']))[0]).toBeCloseTo(18, 12);
    expect(shown.leftOut).toEqual([{ field: 'item', limit: below, hidden: 6, all: 10 }]);
  });
});

describe('the groups for a chart', () => {
  const limits: Record<string, Limit> = {
    region: { keep: 'top', number: 1, by: 'plan' },
    item: { keep: 'above', number: 5, by: 'plan' },
  };
  const kept = (...keys: string[]) => new Set(keys);

  it('are those of open and closed parents that the rows show', async () => {
    const { shown, view } = await shownBy(limits);
    await view.set_depth(0);
    expect(await shown.shownGroups(['region', 'item'], [])).toEqual({
      columns: ['region', 'item'],
      levels: [
        { kept: kept('["West"]'), hasOthers: true },
        { kept: kept('["West",""]', '["West","E"]'), hasOthers: false },
      ],
    });
    expect(await shown.shownGroups(['year'], [])).toBeNull();
  });

  it('do not depend on the limit of a column that is drawn whole', async () => {
    const { shown } = await shownBy(limits);
    expect(await shown.shownGroups(['item'], ['region'])).toEqual({
      columns: ['region', 'item'],
      levels: [
        null,
        {
          kept: kept('["East",""]', '["East","E"]', '["West",""]', '["West","E"]'),
          hasOthers: false,
        },
      ],
    });
  });
});
