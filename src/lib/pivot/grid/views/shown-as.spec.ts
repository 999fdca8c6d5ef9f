import { describe, expect, it } from 'vitest';
import type { ShowAs } from '../../../contract/stored-layout';
import { quotedName } from '../../values/cell-value';
import type { CellValue, EngineTable } from '../../values/engine-types';
import { formulated, priceExpression } from '../../values/ratios';
import { awkwardRows, tableOf } from '../../../../../tests/support/pivot-tables';
import { NOTHING } from './beside';
import { ViewReader } from './view-reader';

/** The numbers of cells in relation to others, against the sums that a reader without a way reads. */

const PRICE = formulated(priceExpression('value', 'units'));
const config = {
  group_by: ['region', 'flag'],
  split_by: ['Year', 'Month'],
  columns: ['value', 'units', 'price'],
  expressions: {
    Year: `bucket(${quotedName('Order Date')}, 'Y')`,
    Month: `bucket(${quotedName('Order Date')}, 'M')`,
    price: '0.0',
  },
};
const closed = {
  totals: () => ({ total_column: 'end' as const, subtotals: true }),
  isOpen: () => true,
};

describe('each cell of a view with totals, empty values and a formula', async () => {
  const table = (await tableOf(awkwardRows(300))) as unknown as EngineTable;
  const ratios = new Map([['price', PRICE]]);

  /** Reads all cells in a way, from `y0`. */
  async function cellsAs(way: ShowAs | null, y0 = 0) {
    const view = await table.view(config);
    const ways = new Map(way ? config.columns.map((measure) => [measure, way] as const) : []);
    const reading = { ratios, across: closed, shownAs: () => ways };
    const reader = await ViewReader.open(table, view, {}, reading);
    const columns = await reader.columns();
    const printed = await reader.printedPaths();
    const rows = { start_row: y0, end_row: await view.num_rows() };
    const { paths, values } = await reader.values.shown(view, columns, rows, printed);
    const cells = new Map<string, CellValue>();
    for (const [x, { path, measure }] of columns.entries())
      for (const [y, row] of paths.entries())
        cells.set(key(row, path ?? [], measure), values[x]?.[y] ?? null);
    const wholes = await Promise.all(
      columns.map((column) => reader.values.wholeOf(column, 1 + y0, paths[1] ?? [])),
    );
    await reader.dispose();
    await view.delete();
    return { cells, columns, paths, wholes };
  }
  const key = (row: readonly CellValue[], path: readonly CellValue[], measure: string) =>
    JSON.stringify([row, path, measure]);

  const plain = await cellsAs(null);
  const sum = (row: readonly CellValue[], path: readonly CellValue[], measure: string) =>
    plain.cells.get(key(row, path, measure)) ?? null;
  const share = (own: CellValue, whole: CellValue) =>
    typeof own === 'number' && typeof whole === 'number' && Math.abs(whole) > 1e-9
      ? own / whole
      : null;

  const WHOLES: Partial<
    Record<
      ShowAs,
      (row: readonly CellValue[], path: readonly CellValue[]) => [CellValue[], CellValue[]]
    >
  > = {
    share_of_total: () => [[], []],
    share_of_row: (row, path) => [row.slice(0, -1), [...path]],
    share_of_column: (row, path) => [[...row], path.slice(0, -1)],
  };

  it.each(Object.entries(WHOLES))(
    'is its %s, also of rows that are scrolled to',
    async (way, of) => {
      for (const y0 of [0, 7]) {
        const { cells, columns, paths, wholes } = await cellsAs(way as ShowAs, y0);
        expect(cells.size).toBe((plain.paths.length - y0) * columns.length);
        for (const [x, { path, measure }] of columns.entries())
          for (const [y, row] of paths.entries()) {
            const whole = sum(...of(row, path ?? []), measure);
            const shown = cells.get(key(row, path ?? [], measure)) ?? null;
            const wanted = share(sum(row, path ?? [], measure), whole);
            if (wanted === null) expect(shown).toBeNull();
            else expect(shown).toBeCloseTo(wanted, 10);
            if (y === 1) expect(wholes[x]).toBe(whole);
          }
      }
    },
  );

  it('is a running total along the months of a year, of a formula the result of running sums', async () => {
    const { cells, columns, paths } = await cellsAs('running_total');
    const measures = ['value', 'units'];
    for (const { path, measure } of columns) {
      const siblings = columns.filter(
        (other) =>
          other.measure === 'value' &&
          other.path?.length === path?.length &&
          JSON.stringify(other.path?.slice(0, -1)) === JSON.stringify(path?.slice(0, -1)) &&
          Number(other.path?.at(-1) ?? -Infinity) <= Number(path?.at(-1) ?? -Infinity),
      );
      for (const row of paths) {
        const running = measures.map((name) =>
          siblings
            .map((other) => sum(row, other.path ?? [], name))
            .filter((each) => typeof each === 'number')
            .reduce<number | null>((all, each) => (all ?? 0) + each, null),
        );
        const wanted =
          measure === 'price' ? PRICE.result(running) : running[measures.indexOf(measure)];
        const shown = cells.get(key(row, path ?? [], measure));
        if (typeof wanted === 'number') expect(shown).toBeCloseTo(wanted, 6);
        else expect(shown).toBeNull();
      }
    }
  });

  it('is its rank among the rows beside it', async () => {
    const { cells, columns, paths } = await cellsAs('rank', 3);
    for (const { path, measure } of columns)
      for (const row of paths) {
        const own = sum(row, path ?? [], measure);
        const others = plain.paths
          .filter(
            (other) =>
              other.length === row.length &&
              JSON.stringify(other.slice(0, -1)) === JSON.stringify(row.slice(0, -1)),
          )
          .map((other) => sum(other, path ?? [], measure));
        const larger = others.filter(
          (other) => typeof other === 'number' && other > Number(own) + 1e-9,
        );
        expect(cells.get(key(row, path ?? [], measure))).toBe(
          own === null ? null : larger.length + 1,
        );
      }
  });
});

it('has no shares of a parent whose sum rounds to zero with the decimals of the measure', async () => {
  const rows = [5, -5 + 2e-8, 1, 3].map((value, i) => {
    const [region, flag] = [i < 2 ? 'A' : 'B', i % 2 === 0];
    return { ...awkwardRows(1)[0], pf_id: i, region, flag, value };
  });
  const table = (await tableOf(rows)) as unknown as EngineTable;
  const view = await table.view({ group_by: ['region', 'flag'], columns: ['value'] });
  const reader = await ViewReader.open(
    table,
    view,
    {},
    {
      beside: { ...NOTHING, decimalsOf: () => ({ least: 2, most: 2 }) },
      shownAs: () => new Map([['value', 'share_of_row']]),
    },
  );
  const columns = await reader.columns();
  const printed = await reader.printedPaths();
  const { paths, values } = await reader.values.shown(view, columns, {}, printed);
  const cells = paths.map((path, y) => [path, values[0]?.[y]] as const);
  expect(cells.filter(([path]) => path.length === 2)).toEqual([
    [['A', false], null],
    [['A', true], null],
    [['B', false], 3 / 4],
    [['B', true], 1 / 4],
  ]);
  const wholeOf = (region: string) =>
    reader.wholeOf({ rowPath: [region, true], columnPath: null, measure: 'value' }, null);
  expect([await wholeOf('A'), await wholeOf('B')]).toEqual([null, 4]);
  await reader.dispose();
  await view.delete();
});

it('reads the other rows of all columns in one call, and not again', async () => {
  const table = (await tableOf(awkwardRows(40))) as unknown as EngineTable;
  const view = await table.view(config);
  let calls = 0;
  const counted = new Proxy(view, {
    get(target, name) {
      if (name === 'to_columns_string') calls++;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  let way: ShowAs = 'rank';
  const shownAs = () => new Map(['value', 'units'].map((measure) => [measure, way] as const));
  const reader = await ViewReader.open(table, counted, {}, { shownAs });
  const columns = await reader.columns();
  const printed = await reader.printedPaths();
  /** Returns the number of calls to the engine for one drawing. */
  const callsOf = async () => {
    const before = calls;
    const rows = { start_row: 0, end_row: 10 };
    await reader.values.shown(counted, columns, rows, printed);
    return calls - before;
  };
  await callsOf();
  for (const [each, first] of [
    ['rank', 2],
    ['share_of_row', 2],
    ['share_of_total', 3],
  ] as const) {
    way = each;
    reader.regroup();
    expect([each, await callsOf(), await callsOf()]).toEqual([each, first, 1]);
  }
  await reader.dispose();
  await view.delete();
});
