import perspective from '@finos/perspective/node';
import { describe, expect, it } from 'vitest';
import type { LayoutSort } from '../../../contract/stored-layout';
import { columnSort } from '../../layout/column-sort';
import type { CellValue, Schema, Table } from '../../values/engine-types';
import { formulated, priceExpression, type Ratio } from '../../values/ratios';
import { Gate } from '../../waiting';
import { NOTHING } from '../views/beside';
import { Shown } from './shown';
import { sortedRows } from './sorted-view';

interface Sale {
  id: number;
  region: string;
  item: string;
  year: string;
  plan: number | null;
  past: number | null;
}

/** Amounts by region, item and year. Items of the south have no past, so they have no share. */
const SALES: Sale[] = ['East', 'North', 'South', 'West'].flatMap((region, r) =>
  Array.from({ length: 40 }, (_, i) => `item ${i}`).flatMap((item, i) =>
    ['2027', '2028'].map((year, y) => ({
      id: 1 + y + 2 * i + 100 * r,
      region,
      item,
      year,
      plan: ((7 * i + 13 * r + 5 * y) % 17) + i / 100,
      past: region === 'South' ? null : ((3 * i + 5 * r + 11 * y) % 13) + 1,
    })),
  ),
);
const SCHEMA: Schema = {
  ...{ id: 'integer', region: 'string', item: 'string', year: 'string' },
  ...{ plan: 'float', past: 'float', gain: 'float', share: 'boolean' },
};
const LAYOUT = { split_by: ['year'], expressions: {}, aggregates: {} };
const RATIOS = new Map<string, Ratio>([
  ['share', { plan: 'plan', reference: 'past', difference: 'gain' }],
  ['price', formulated(priceExpression('plan', 'past'))],
]);

const columnsOf = (sales: readonly Sale[]): Record<string, CellValue[]> => {
  const of = (key: keyof Sale) => sales.map((sale): CellValue => sale[key]);
  return {
    ...{ id: of('id'), region: of('region'), item: of('item'), year: of('year') },
    ...{ plan: of('plan'), past: of('past') },
    gain: sales.map(({ plan, past }) => (plan ?? 0) - (past ?? 0)),
    share: sales.map(() => null),
  };
};

async function shownBy(sort: LayoutSort[], expressions: Record<string, string> = {}) {
  const client = perspective as unknown as {
    table(schema: unknown, options: { index: string }): Promise<Table>;
  };
  const table = await client.table(SCHEMA, { index: 'id' });
  await table.update(columnsOf(SALES));
  const config = {
    ...{ group_by: ['region', 'item'], split_by: ['year'], sort, expressions },
    columns: ['plan', 'past', 'gain', 'share'],
  };
  const view = await table.view(config);
  const untold = async () => ({ sort, group_by: config.group_by });
  const shown = new Shown(table, RATIOS, { ...NOTHING, untold }, new Gate());
  await shown.adopt(view);
  return { table, view, shown };
}

/** The share of a group of sales; null without a past. */
function shareOf(sales: readonly Sale[]): number | null {
  const sum = (key: 'plan' | 'past') => sales.reduce((all, sale) => all + (sale[key] ?? 0), 0);
  return sum('past') === 0 ? null : (sum('plan') - sum('past')) / sum('past');
}

/** Groups of sales by descending share; those without a share come last, in their order. */
function byShare(key: 'region' | 'item', sales: readonly Sale[], of: (sale: Sale) => boolean) {
  const names = [...new Set(sales.map((sale) => sale[key]))].sort();
  const share = (name: string) => shareOf(sales.filter((sale) => sale[key] === name && of(sale)));
  return names.sort((a, b) => (share(b) ?? -Infinity) - (share(a) ?? -Infinity) || 0);
}

const pathsOf = async (shown: Shown) => (await shown.readAll()).paths.map((path) => path.join('/'));

function expected(sales: readonly Sale[], of: (sale: Sale) => boolean = () => true): string[] {
  return byShare('region', sales, of).flatMap((region) => {
    const own = sales.filter((sale) => sale.region === region);
    return [region, ...byShare('item', own, of).map((item) => `${region}/${item}`)];
  });
}

describe('rows sorted by a share', () => {
  it('are in the order of their shares at every level, before and after changes', async () => {
    const { table, view, shown } = await shownBy([['share', 'desc']]);
    expect(await pathsOf(shown)).toEqual(['', ...expected(SALES)]);

    const changed = SALES.map((sale) =>
      sale.region === 'East' && sale.plan !== null ? { ...sale, plan: sale.plan + 30 } : sale,
    );
    await table.update(columnsOf(changed));
    await shown.follow(view);
    expect(await pathsOf(shown)).toEqual(['', ...expected(changed)]);
    expect((await pathsOf(shown))[1]).toBe('East');
  });

  it('have their own numbers in every window, and the same cells in a search', async () => {
    const { shown } = await shownBy([['share', 'desc']]);
    const whole = await shown.readAll();
    for (const [y0, y1] of [
      [0, 30],
      [57, 63],
      [100, 164],
    ] as const) {
      const window = await shown.readWindow(0, y0, 8, y1);
      for (const [i, y] of window.ys.entries()) {
        expect(window.paths[i]).toEqual(whole.paths[y]);
        const drawn = Array.from({ length: 8 }, (_, x) => window.values.get(x)?.[i]);
        expect(drawn).toEqual(whole.values.map((column) => column[y]));
        const path = window.paths[i] ?? [];
        const of = (year: string) =>
          SALES.filter(
            (sale) =>
              sale.year === year &&
              path.every((value, level) => value === [sale.region, sale.item][level]),
          );
        const share = shareOf(of('2028'));
        if (share === null) expect(drawn[7]).toBeNull();
        else expect(drawn[7]).toBeCloseTo(share, 9);
      }
    }
    const cell = { rowPath: ['West', 'item 7'], columnPath: ['2028'], measure: 'share' };
    const at = await shown.ask((reader) => reader.find(cell));
    expect(whole.paths[at?.y ?? -1]).toEqual(['West', 'item 7']);
  });

  it('open and close at their positions on screen', async () => {
    const { shown } = await shownBy([['share', 'asc']]);
    const open = await pathsOf(shown);
    const y = open.indexOf('West');
    await shown.view?.collapse(y);
    await shown.regroup();
    const closed = await pathsOf(shown);
    expect(closed).toEqual(open.filter((path) => !path.startsWith('West/')));
    await shown.view?.expand(closed.indexOf('West'));
    await shown.regroup();
    expect(await pathsOf(shown)).toEqual(open);
  });

  it('follow a single column if they are sorted by that column', async () => {
    const key = columnSort(
      { name: 'share', label: 'Share', isComputed: true },
      ['2028'],
      LAYOUT,
      SCHEMA,
    );
    const { shown } = await shownBy([[key?.name ?? '', 'desc']], { ...key?.expressions });
    expect(await pathsOf(shown)).toEqual(['', ...expected(SALES, ({ year }) => year === '2028')]);
  });
});

it('sorts rows without a number last, and by absolute amounts if asked to', () => {
  const paths = [[], ['a'], ['a', 'x'], ['b'], ['c'], ['d']];
  const keys = [[1, null, 5, -3, 2, 2]];
  const order = (direction: string) =>
    sortedRows({ paths, keys }, [{ direction, isComputed: true }]);
  expect(order('desc')).toEqual([0, 4, 5, 3, 1, 2]);
  expect(order('asc')).toEqual([0, 3, 4, 5, 1, 2]);
  expect(order('desc abs')).toEqual([0, 3, 4, 5, 1, 2]);
});

it('sorts rows with equal numbers by the next key, and rows without a number as 0 where the engine does', () => {
  const paths = [[], ['a'], ['b'], ['c'], ['d'], ['e']];
  const keys = [
    [9, 2, 0.1 + 0.2, 0.3, null, 2],
    [9, 1, 5, 7, 8, null],
  ];
  const order = (first: string, second: string) =>
    sortedRows({ paths, keys }, [
      { direction: first, isComputed: false },
      { direction: second, isComputed: true },
    ]);
  expect(order('desc', 'desc')).toEqual([0, 1, 5, 3, 2, 4]);
  expect(order('asc', 'asc')).toEqual([0, 4, 2, 3, 1, 5]);
});

it('sorts by a share among rows that an earlier key leaves equal', async () => {
  // Rounding to tens leaves many items equal in the first key.
  const rounded = SALES.map((sale) => ({ ...sale, past: sale.past === null ? null : 10 }));
  const { table, view, shown } = await shownBy([
    ['past', 'asc'],
    ['share', 'desc'],
  ]);
  await table.update(columnsOf(rounded));
  await shown.follow(view);
  const south = (path: string) => path.startsWith('South');
  const shares = expected(rounded.filter(({ past }) => past !== null));
  const without = (await pathsOf(shown)).filter(south);
  // The south has no past, which the engine sorts as 0.
  expect(without[0]).toBe('South');
  expect(await pathsOf(shown)).toEqual(['', ...without, ...shares]);
});
